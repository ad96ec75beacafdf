// Documents to test with: generated ones of every shape that has broken a splitter, and real ones where present.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const CORPUS = path.join(ROOT, '../shared/corpus');

const WORDS = [
  'a',
  'of',
  'the',
  'and',
  'chunk',
  'boundary',
  'Retrieval-augmented',
  'naïve',
  'x1',
  '3.14',
  'Dr.',
  'end.',
];
const EMOJI = ['😀', '👍🏽', '👨‍👩‍👧‍👦', '🏳️‍🌈', '🇩🇪', '🇫🇷🇯🇵', '❤️', '1️⃣', '👩🏾‍🚀', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'];
const JOINING = [
  'e\u0301',
  'a\u0308\u0332',
  ' \u0301',
  '\u00a0\u0300',
  'क्षि',
  'நி',
  '\u1100\u1161\u11a8',
  '가\u11a8',
  '\u200d',
  '\u200b',
  'ก็',
  'ำ',
  '𝒳',
  '𠮷',
];
const CJK = ['漢', '字', '仮名', 'カ', 'が', '。', '，', '한국어', '中文文本', '々', '゙'];
const RTL = ['שלום', 'שָׁלוֹם', 'مرحبا', 'العَرَبِيَّة', '،', '\u200f', 'سلام'];
const BLANKS = [
  ' ',
  '  ',
  '\t',
  '\n',
  '\n\n',
  '\n\n\n',
  '\r\n',
  '\r\n\r\n',
  '\r',
  '\u00a0',
  '\u3000',
  '\ufeff',
  '\f',
  '\u2028',
];

const joined = (parts: readonly string[], glue: string, maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...parts), { maxLength }).map((list) => list.join(glue));

const line = joined(WORDS, ' ', 16);
const paragraph = fc.array(line, { minLength: 1, maxLength: 5 }).map((lines) => lines.join('\n'));

const markdown = fc
  .array(
    fc.oneof(
      paragraph,
      line.map((text) => `## ${text}`),
      fc.array(line, { maxLength: 5 }).map((items) => items.map((item) => `- ${item}`).join('\n')),
      fc
        .array(line, { maxLength: 5 })
        .map((rows) => ['| a | b |', '|---|---|', ...rows.map((row) => `| ${row} | 1 |`)].join('\n')),
      line.map((text) => `\`\`\`js\nconst x = '${text}';\n\n\`\`\``),
    ),
    { maxLength: 12 },
  )
  .map((blocks) => blocks.join('\n\n'));

const code = fc
  .array(fc.tuple(fc.nat({ max: 6 }), line), { maxLength: 40 })
  .map((lines) =>
    lines.map(([depth, text]) => (text === '' ? '' : `${'  '.repeat(depth)}${text} {`)).join('\n'),
  );

const nested = fc
  .tuple(fc.nat({ max: 300 }), fc.constantFrom('> ', '(', '[{', '  - ', '<div>'))
  .map(([depth, mark]) =>
    Array.from({ length: depth }, (_, level) => `${mark.repeat(level % 40)}x\n`).join(''),
  );

/** Texts by what is special about them. */
export const DOCUMENTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'paragraphs of prose': fc.array(paragraph, { maxLength: 12 }).map((list) => list.join('\n\n')),
  Markdown: markdown,
  code,
  'Chinese, Japanese and Korean': joined(CJK, '', 300),
  'emoji with joiners': joined(EMOJI, '', 120),
  'joining characters and blanks': joined([...JOINING, ...BLANKS, 'x', 'yz'], '', 200),
  'right-to-left script': joined(RTL, ' ', 120),
  'mixed line ends': joined([...WORDS, ...BLANKS], '', 150),
  'one line': joined(WORDS, ' ', 400),
  'no spaces': fc.nat({ max: 3000 }).map((length) => 'abcdefghij'.repeat(300).slice(0, length)),
  'nothing but newlines': fc.nat({ max: 3000 }).map((length) => '\n'.repeat(length)),
  'blank text': joined(BLANKS, '', 100),
  'one repeated letter': fc.nat({ max: 3000 }).map((length) => 'a'.repeat(length)),
  'deep nesting': nested,
  'any well-formed string': fc.string({ unit: 'binary', maxLength: 200 }),
  everything: joined([...WORDS, ...EMOJI, ...JOINING, ...CJK, ...RTL, ...BLANKS], '', 200),
};

/** A text of any of the shapes above. */
export const anyDocument: fc.Arbitrary<string> = fc.oneof(...Object.values(DOCUMENTS));

/** A maximum from 1 to 5000, small ones and such as are near it often, with an overlap below it. */
export const limits: fc.Arbitrary<{ size: number; overlap: number }> = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 120 }),
      fc.integer({ min: 1, max: 5000 }),
    ),
    fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
  )
  .map(([size, share]) => ({ size, overlap: Math.min(size - 1, Math.floor(share * size)) }));

/** A text with the name of its file. */
export interface RealText {
  readonly name: string;
  readonly text: string;
}

/** READMEs, changelogs and code of installed packages. */
export function packageTexts(): readonly RealText[] {
  const names = ['typescript', 'fast-check', 'vitest', 'esbuild', 'eslint', 'prettier', '@langchain/core'];
  return names.flatMap((name) => textsIn(path.join(ROOT, 'node_modules', name), /\.(?:md|js|json)$/));
}

/** The development corpus beside the repository; nothing when it is not there. */
export function corpusTexts(): readonly RealText[] {
  return [...textsIn(path.join(CORPUS, 'truth'), /\.md$/), ...textsIn(path.join(CORPUS, 'txt'), /\.txt$/)];
}

function textsIn(folder: string, names: RegExp): RealText[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => names.test(name));
  return files.map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8').toWellFormed() }));
}
