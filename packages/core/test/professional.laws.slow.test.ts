// The laws of every tier, and those of injected context: it is a slice, it keeps to its budget, it is not the chunk's
// own.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, sampleOf } from '@grainline/testing/cases';
import { chunkSync, indexedText } from '../src/chunk.ts';
import type { Block, Document } from '../src/document.ts';
import type { TokenCounter } from '../src/measure.ts';
import type { Chunk } from '../src/slice.ts';
import { NASTY } from './counters.ts';
import { corpusTexts, DOCUMENTS, limits, packageTexts } from '@grainline/testing/documents';
import { describeLaws } from './laws.ts';
import { countWork } from './work.ts';

interface GivenOptions {
  readonly size: number;
  readonly overlap: number;
  readonly measure?: TokenCounter;
}

const cut = (text: string | Document, given: GivenOptions): Chunk[] =>
  chunkSync(text, { tier: 'professional', ...given });

describeLaws('professional', cut);

/** Broken rules in the context of chunks. */
function* violationsOfContext(text: string, chunks: readonly Chunk[], size: number): Generator<string> {
  const budget = Math.min(size / 4, 320);
  for (const [index, piece] of chunks.entries()) {
    const { context = [], metadata } = piece;
    const indexed = indexedText(piece);
    if (piece.context?.length === 0) yield `chunk ${index} has an empty list of context`;
    if (metadata.oversize !== true && indexed.length > size)
      yield `chunk ${index} has ${indexed.length} units with its context`;
    if (!indexed.isWellFormed()) yield `chunk ${index} has half a surrogate pair in its context`;
    for (const part of context) {
      if (text.slice(part.start, part.end) !== part.text)
        yield `chunk ${index}: a ${part.kind} is not what its offsets say`;
      if (part.text.trim() !== part.text || part.text === '')
        yield `chunk ${index}: a ${part.kind} is blank at its edges`;
    }
    const injected = context.filter(({ kind }) => kind !== 'table-header' && kind !== 'scope');
    const units = indexed.length - piece.text.length;
    if (injected.length > 0 && units > budget) yield `chunk ${index} has ${units} units of context`;
    for (const part of injected) {
      if (part.start < piece.end && part.end > piece.start)
        yield `chunk ${index}: a ${part.kind} is in its own text`;
    }
    if (new Set(context.map(({ start }) => start)).size < context.length)
      yield `chunk ${index} has the same context twice`;
  }
}

const expectContext = (text: string, given: GivenOptions): number => {
  const chunks = cut(text, given);
  expect([...violationsOfContext(text, chunks, given.size)].slice(0, 5)).toEqual([]);
  return chunks.filter(({ context }) => context !== undefined).length;
};

const words = fc.constantFrom(
  'It',
  'but',
  'WHO',
  'Also',
  'chunk',
  'of the',
  'naïve',
  '数据',
  'RAG',
  'ends.',
  'item:',
);
const line = fc.array(words, { minLength: 1, maxLength: 12 }).map((list) => list.join(' '));
/** Headings of all levels, lists in lists behind lead-ins, tables, definitions, pronouns. */
const documents = fc
  .array(
    fc.oneof(
      fc.tuple(fc.integer({ min: 1, max: 6 }), line).map(([depth, title]) => `${'#'.repeat(depth)} ${title}`),
      line.map((text) => `${text}\n===`),
      fc.array(line, { minLength: 1, maxLength: 5 }).map((lines) => lines.join('. ')),
      fc
        .tuple(line, fc.array(fc.tuple(fc.nat({ max: 3 }), line), { minLength: 1, maxLength: 9 }))
        .map(
          ([leadIn, items]) =>
            `${leadIn}:\n\n${items.map(([depth, item]) => `${'  '.repeat(depth)}- ${item}`).join('\n')}`,
        ),
      fc
        .array(line, { minLength: 1, maxLength: 6 })
        .map((rows) => `| a | b |\n|---|---|\n| ${rows.join(' | 1 |\n| ')} | 1 |`),
      fc.constant(
        'The World Health Organization (WHO) met. RAG (Retrieval-Augmented Generation) was not there.',
      ),
    ),
    { maxLength: 16 },
  )
  .map((blocks) => blocks.join('\n\n'));

describe('laws of context', () => {
  it('hold on documents made of what is injected', () => {
    let found = 0;
    fc.assert(
      fc.property(documents, limits, (text, given) => {
        found += expectContext(text, given);
      }),
      cases(150),
    );
    expect(found).toBeGreaterThan(2 * cases(150).numRuns);
  });

  it('hold on documents of every kind', () => {
    fc.assert(
      fc.property(fc.oneof(...Object.values(DOCUMENTS)), limits, (text, given) => {
        expectContext(text, given);
      }),
      cases(150),
    );
  });

  it('hold on real documents', () => {
    for (const { text } of sampleOf([...corpusTexts(), ...packageTexts()])) {
      for (const size of [60, 300, 1000, 4000])
        expectContext(text.slice(0, 60_000).toWellFormed(), { size, overlap: size / 10 });
    }
  });

  it('hold in tokens', () => {
    let found = 0;
    fc.assert(
      fc.property(
        documents,
        fc.integer({ min: 1, max: 300 }),
        fc.constantFrom(...NASTY),
        (text, size, measure) => {
          for (const { context = [] } of cut(text, { size, overlap: 0, measure })) {
            const injected = context.filter(({ kind }) => kind !== 'table-header');
            let tokens = 0;
            for (const part of injected) {
              expect(text.slice(part.start, part.end)).toBe(part.text);
              tokens += measure.count(part.text);
            }
            expect(tokens).toBeLessThanOrEqual(Math.min(size / 4, 64));
            found += injected.length;
          }
        },
      ),
      cases(100),
    );
    expect(found).toBeGreaterThan(cases(100).numRuns);
  });
});

const fill = (part: string, length: number): string =>
  part.repeat(Math.ceil(length / part.length)).slice(0, length);

/** Long texts by their length, each with a place where a look-up could start over and over. */
const LONG: Readonly<Record<string, (length: number) => string>> = {
  'headings one in another': (length) =>
    fill('# A title\n\n## Below\n\nText.\n\n### Deep\n\nIt is so.\n\n', length),
  'one long heading': (length) => `# ${fill('word ', length)}`,
  'one long heading with blanks between its words': (length) => `# ${fill('word  ', length)}`,
  'long headings over little': (length) => fill(`# ${'heading '.repeat(40)}\n\nText.\n\n`, length),
  'one list behind one lead-in': (length) =>
    `The items:\n\n${fill('- It is an item of some words\n', length)}`,
  'a lead-in for each item': (length) => fill('- The items:\n  - one\n  - two\n', length),
  definitions: (length) =>
    Array.from({ length: length / 40 }, (_, index) => {
      const name = `A${index.toString(36).toUpperCase()}`;
      return `Every ${name} (${name}) is an Alpha Beta (AB).\n\n`;
    }).join(''),
  'one acronym': (length) =>
    fill('The World Health Organization (WHO) is the WHO, and so the WHO is it.\n\n', length),
  'opening brackets': (length) => '('.repeat(length),
  'closed brackets': (length) => fill('A1 (A', length),
  pronouns: (length) => fill('It is so. But they do. ', length),
  'nested quotes': (length) => fill('> '.repeat(20) + 'It is a quote\n\n', length),
};

describe('work', () => {
  for (const [shape, make] of Object.entries(LONG)) {
    it(`is in proportion to the length of ${shape}`, async () => {
      for (const given of [
        { size: 1000, overlap: 0 },
        { size: 60, overlap: 20 },
      ]) {
        const once = await countWork(() => cut(make(40_000), given));
        const twice = await countWork(() => cut(make(80_000), given));
        expect(twice).toBeLessThanOrEqual(2.2 * once + 2000);
      }
    });
  }

  it('neither overflows nor loses its way in 300,000 nested lists', async () => {
    expect(cut(nested(300_000), { size: 1000, overlap: 0 }).length).toBeGreaterThan(500);
    const once = await countWork(() => cut(nested(10_000), { size: 60, overlap: 0 }));
    const twice = await countWork(() => cut(nested(20_000), { size: 60, overlap: 0 }));
    expect(twice).toBeLessThanOrEqual(2.2 * once);
  });
});

/** Each item holds a list, and all of them end where the last one does. */
function nested(depth: number): Document {
  const text = `List:\n${'x\n'.repeat(depth)}`;
  const end = text.length;
  let list: Block | undefined;
  for (let start = end - 2; start >= 6; start -= 2) {
    const word: Block = { kind: 'paragraph', start, end: start + 1 };
    const item: Block = { kind: 'item', start, end, children: list === undefined ? [word] : [word, list] };
    list = { kind: 'list', start, end, children: [item] };
  }
  const blocks: Block[] = [{ kind: 'paragraph', start: 0, end: 5 }, ...(list === undefined ? [] : [list])];
  return { text, blocks, pages: [], mediaType: 'text/plain', warnings: [] };
}
