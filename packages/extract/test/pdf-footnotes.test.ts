// Footnotes of pages without tags: small type at the foot of a column that begins with a mark of the text.
import { describe, expect, it } from 'vitest';
import type { Document } from '@grainline/core';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';

async function readPages(...pages: readonly (readonly SetText[])[]): Promise<Document> {
  const bytes = writePdf({ pages: pages.map((texts) => ({ content: setText(texts) })) });
  const document = await extract(bytes, { filename: 'test.pdf' });
  expectLawful(document);
  return document;
}

const read = async (...texts: readonly (readonly SetText[])[]): Promise<string> =>
  (await readPages(texts.flat())).text;

/** Lines one below the other. */
const column = (lines: readonly string[], x: number, top: number, more: Partial<SetText> = {}): SetText[] =>
  lines.map((text, row) => ({ x, y: top - 12 * row, text, ...more }));
const small = (lines: readonly string[], x: number, top: number): SetText[] =>
  column(lines, x, top, { size: 8 });

const FIRST = [
  'The river rises in the hills and runs for sixty miles before it meets',
  'the sea. Its water was measured at nine places, twice a week.1 Every',
  'value was written down by hand and read again by somebody else.',
];
const SECOND = [
  'Nobody knows its depth, which changes with the tides, and with the rain',
  'that falls on the hills in autumn and in spring, when the snow melts and',
  'all the meadows are under water for a week.',
];
const NOTE = ['1 Three places lie above the weir,', 'and six below.'];
const NOTED = '[^1]: Three places lie above the weir, and six below.';
/** The text of lines, its marks as Markdown writes them. */
const joined = (lines: readonly string[]): string =>
  lines
    .join(' ')
    .replace(/(?<=(?:week|places)\.)[1*]/, '[^$&]')
    .replace(/ \(1\)/, '[^1]');

describe('a footnote', () => {
  it('stands behind the paragraph that refers to it, as a block of its own', async () => {
    const document = await readPages([
      ...column(FIRST, 60, 700),
      ...column(SECOND, 60, 640),
      ...small(NOTE, 60, 120),
    ]);
    expect(document.text).toBe(`${joined(FIRST)}\n\n${NOTED}\n\n${joined(SECOND)}`);
    expect(document.blocks.map(({ kind }) => kind)).toEqual(['paragraph', 'footnote', 'paragraph']);
  });

  it('that goes on at the foot of the next page is one block, and its rest breaks no sentence there', async () => {
    const text = 'The snow of the hills reaches the sea in May, when the boats are';
    const more = [
      'painted and the nets are mended by all who live there,',
      'young and old. This lasts for a week.',
    ];
    const { text: read, blocks } = await readPages(
      [
        ...column([...FIRST, text], 60, 700),
        ...small(['1 Three places lie above the weir, and', 'the others have been'], 60, 120),
      ],
      [...column(more, 60, 700), ...small(['moved twice, in spring and in autumn.'], 60, 120)],
    );
    expect(read).toContain(`${text} ${more.join(' ')}`);
    expect(read).toContain(
      '[^1]: Three places lie above the weir, and the others have been moved twice, in spring and in autumn.',
    );
    expect(blocks.filter(({ kind }) => kind === 'footnote')).toHaveLength(1);
  });

  it('is no numbered line of code', async () => {
    const code = ['1 Value = read(place);', '2 Sum += Value; }'];
    expect(await read(column(FIRST, 60, 700), small(code, 60, 120))).not.toContain('[^1]');
  });

  it('at the foot of a column breaks no sentence, whatever the next column begins with', async () => {
    const left = [
      'The river rises in the hills and',
      'is measured at nine places.1 In the',
      'first year there were in all just',
    ];
    const right = [
      '303 values of the lake and',
      '18 of its depth, and nobody has yet',
      'counted those of later years.',
    ];
    const text = await read(column(left, 60, 700), small(NOTE, 60, 640), column(right, 320, 700));
    expect(text).toBe(`${joined([...left, ...right])}\n\n${NOTED}`);
  });

  it('has its mark in the line, above the line, or in brackets', async () => {
    const raised = [
      { x: 60, y: 124, text: '1', size: 5 },
      ...small(['Three places lie above the weir,', 'and six below.'], 64, 120),
    ];
    expect(await read(column(FIRST, 60, 700), column(SECOND, 60, 640), raised)).toContain(
      `${joined(FIRST)}\n\n${NOTED}`,
    );
    const bracketed = FIRST.map((line) => line.replace('week.1', 'week (1).'));
    const notes = small(['(1) Three places lie above the weir,', 'and six below.'], 60, 120);
    expect(await read(column(bracketed, 60, 700), column(SECOND, 60, 640), notes)).toContain(
      `${joined(bracketed)}\n\n${NOTED}`,
    );
    const signed = FIRST.map((line) => line.replace('week.1', 'week.*'));
    const others = small(['* Three places lie above the weir,', 'and six below.'], 60, 120);
    expect(await read(column(signed, 60, 700), column(SECOND, 60, 640), others)).toContain(
      `${joined(signed)}\n\n${NOTED.replace('[^1]', '[^*]')}`,
    );
  });

  it('stands behind the list whose item refers to it', async () => {
    const items = [
      '\x95 the source of the river',
      '\x95 the weir.1 and the mill',
      '\x95 the mouth of the river',
    ];
    const text = await read(
      column(SECOND, 60, 700),
      column(items, 60, 640),
      column(FIRST.slice(2), 60, 580),
      small(NOTE, 60, 120),
    );
    expect(text).toContain('- the weir.[^1] and the mill');
    expect(text).toContain(`- the mouth of the river\n\n${NOTED}\n\n${FIRST[2] ?? ''}`);
  });

  it('of a paragraph that ends on the next page stays on its own page, before the paragraph', async () => {
    const open = [...FIRST.slice(0, 2), 'value was written down by hand and'];
    const document = await readPages(
      [...column(SECOND, 60, 700), ...column(open, 60, 640), ...small(NOTE, 60, 120)],
      [...column(['read again by somebody else.'], 60, 700), ...column(SECOND, 60, 660)],
    );
    expect(document.text).toBe(
      [joined(SECOND), NOTED, `${joined(open)} read again by somebody else.`, joined(SECOND)].join('\n\n'),
    );
    expect(document.pages[1]).toBe(document.text.indexOf('read again'));
  });

  it('of a title stands at the end of the page', async () => {
    const text = await read(
      column(['The River*'], 60, 740, { size: 18 }),
      column(SECOND, 60, 700),
      small(['* Written for the society of the river,', 'and read there.'], 60, 120),
    );
    expect(text).toBe(
      `# The River[^*]\n\n${joined(SECOND)}\n\n[^*]: Written for the society of the river, and read there.`,
    );
  });

  it('whose mark is lost stands behind the one before it', async () => {
    const notes = [...NOTE, '2 The weir was built later.'];
    const text = await read(column(FIRST, 60, 700), column(SECOND, 60, 640), small(notes, 60, 120));
    expect(text).toBe(`${joined(FIRST)}\n\n${NOTED}\n\n[^2]: The weir was built later.\n\n${joined(SECOND)}`);
  });
});

describe('no footnote', () => {
  it.each([
    ['small type without its mark in the text', '7 Three places lie above the weir, and six below.'],
    ['a list of sources', '[1] Three places lie above the weir, and six below.'],
    ['the number of a decimal', '8 Three places lie above the weir, and six below.'],
  ])('is %s', async (_, note) => {
    const text = await read(
      column(FIRST, 60, 700),
      column([...SECOND.slice(0, 2), 'all the meadows are under 3.8 feet of water.'], 60, 640),
      small([note], 60, 120),
    );
    expect(text).not.toContain('[^');
    expect(text.endsWith(note)).toBe(true);
  });

  it.each([
    ['larger', { size: 14 }],
    ['bold', { font: 'B' as const }],
  ])('stands below a title that is %s, which would lose its sources', async (_, type) => {
    const sources = ['(1) Three places lie above the weir.', '(2) The lake and its depth.', '(3) The sea.'];
    const text = await read(
      column([...FIRST, 'As was shown before (1) and again (2) by others,', 'and by a third.'], 60, 700),
      column(['References'], 60, 160, type),
      small(sources, 60, 140),
    );
    expect(text).not.toContain('[^');
    expect(text.indexOf('References')).toBeLessThan(text.indexOf('(1) Three'));
    expect(text.indexOf('(2) The lake')).toBeLessThan(text.indexOf('(3) The sea.'));
  });

  it('has running text below it', async () => {
    const text = await read(column(FIRST, 60, 700), small(NOTE, 60, 640), column(SECOND, 60, 600));
    expect(text).not.toContain('[^');
  });
});
