// Figures of pages without tags: a caption, and the labels inside the drawing above or below it.
import { describe, expect, it } from 'vitest';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { drawLines, setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';

type Edges = readonly [number, number, number, number];

async function read(texts: readonly SetText[], lines: readonly Edges[]): Promise<string> {
  const content = `${drawLines(lines)}\n${setText(texts)}`;
  const document = await extract(writePdf({ pages: [{ content }] }), { filename: 'test.pdf' });
  expectLawful(document);
  return document.text;
}

/** Lines one below the other. */
const column = (lines: readonly string[], x: number, top: number, more: Partial<SetText> = {}): SetText[] =>
  lines.map((text, row) => ({ x, y: top - 12 * row, text, ...more }));

/** A box with an arrow from its right edge. */
const boxAt = (x: number, y: number): Edges[] => [
  [x, y, x + 60, y],
  [x + 60, y, x + 60, y + 30],
  [x + 60, y + 30, x, y + 30],
  [x, y + 30, x, y],
  [x + 60, y + 15, x + 95, y + 20],
];

const FIRST = [
  'The river rises in the hills and runs for sixty miles before it meets',
  'the sea. Its water was measured at nine places, and every value was',
];
const SECOND = [
  'written down by hand and read again by somebody else, who had been',
  'there before and knew the places.',
];
const DRAWING = [...boxAt(100, 560), ...boxAt(200, 560), ...boxAt(300, 560)];
const LABELS: SetText[] = [
  { x: 110, y: 572, text: 'Source' },
  { x: 210, y: 572, text: 'Weir', font: 'B' },
  { x: 310, y: 572, text: 'Mouth', size: 14 },
];
const CAPTION = ['Figure 1: The places of the', 'measurements.'];
const joined = (lines: readonly string[]): string => lines.join(' ');
const FIGURE = ['Source Weir Mouth', ...CAPTION].join('\n');

describe('the labels of a drawing', () => {
  it('are one block with the caption below it, behind the sentence that goes on over the figure', async () => {
    const text = await read(
      [...column(FIRST, 60, 700), ...LABELS, ...column(CAPTION, 100, 540), ...column(SECOND, 60, 480)],
      DRAWING,
    );
    expect(text).toBe(`${joined([...FIRST, ...SECOND])}\n\n${FIGURE}`);
  });

  it('stand behind a caption above the drawing', async () => {
    const text = await read(
      [...column(FIRST, 60, 700), ...column(CAPTION, 100, 620), ...LABELS, ...column(SECOND, 60, 480)],
      DRAWING,
    );
    expect(text).toBe(`${joined([...FIRST, ...SECOND])}\n\n${[...CAPTION, 'Source Weir Mouth'].join('\n')}`);
  });

  it('are text without a caption, and captions without a drawing stay in place', async () => {
    const caption = column(CAPTION, 100, 540);
    const texts = [...column(FIRST, 60, 700), ...LABELS, ...column(SECOND, 60, 480)];
    expect(await read(texts, DRAWING)).not.toContain(FIGURE);
    const undrawn = await read([...column(FIRST, 60, 700), ...caption, ...column(SECOND, 60, 480)], []);
    expect(undrawn).toBe(`${joined(FIRST)}\n\n${joined(CAPTION)}\n\n${joined(SECOND)}`);
  });

  it('are no sentences in a frame', async () => {
    const frame: Edges[] = [
      [50, 600, 500, 600],
      [500, 600, 500, 715],
      [500, 715, 50, 715],
      [50, 715, 50, 600],
    ];
    const text = await read(
      [...column([...FIRST, ...SECOND], 60, 700), ...column(CAPTION, 60, 580), ...column(SECOND, 60, 500)],
      frame,
    );
    expect(text).toBe(`${joined([...FIRST, ...SECOND])}\n\n${joined(CAPTION)}\n\n${joined(SECOND)}`);
  });

  it('are no code in a frame, which keeps its indentation', async () => {
    const frame: Edges[] = [
      [50, 590, 500, 590],
      [500, 590, 500, 655],
      [500, 655, 50, 655],
      [50, 655, 50, 590],
    ];
    const code = [
      { x: 60, y: 640, text: 'if x then', font: 'C' },
      { x: 80, y: 628, text: 'y := 1', font: 'C' },
      { x: 60, y: 616, text: 'end', font: 'C' },
    ] as const;
    const text = await read(
      [...column(FIRST, 60, 700), ...code, ...column(CAPTION, 60, 570), ...column(SECOND, 60, 500)],
      frame,
    );
    expect(text).toContain('```\nif x then\n   y := 1\nend\n```');
  });

  it('are none where a sentence only names the figure', async () => {
    const named = ['Figure 1 shows the places of the measurements.', 'They are nine.'];
    const text = await read(
      [...column(FIRST, 60, 700), ...LABELS, ...column(named, 60, 540), ...column(SECOND, 60, 480)],
      DRAWING,
    );
    expect(text.indexOf('Source')).toBeLessThan(text.indexOf('Figure 1 shows'));
    expect(text.indexOf('Source')).toBeGreaterThan(text.indexOf('every value was'));
    expect(text.indexOf('Figure 1 shows')).toBeLessThan(text.indexOf('written down'));
  });
});
