// Lines that the stream has behind the lines around them.
import { describe, expect, it } from 'vitest';
import { joinLayers } from './layers.ts';
import type { TextLine } from '../lines/text.ts';

const lineOf = (text: string, baseline: number, left = 60): TextLine => {
  const style = {
    left,
    right: left + 5 * text.length,
    baseline,
    size: 10,
    isBold: false,
    isFixedPitch: false,
  };
  const cells = [{ text, ...style }];
  return { text, isDivided: false, isTurned: false, isNumbered: false, ...style, cells };
};
const order = (lines: readonly TextLine[]): string[] => joinLayers(lines).map(({ text }) => text);

const TEXT = [
  lineOf('The river rises in the hills', 700),
  lineOf('and meets the sea at the mill.', 688),
  lineOf('Its water is measured at noon', 630),
  lineOf('by the keeper of the weir.', 618),
  lineOf('Each value is read again', 560),
];

describe('lines of a later layer', () => {
  it('stand in the gaps of the text that they were drawn in', () => {
    const titles = [lineOf('The Measures', 660), lineOf('The Values', 590)];
    expect(order([...TEXT, ...titles])).toEqual(
      [...TEXT.slice(0, 2), titles[0], ...TEXT.slice(2, 4), titles[1], TEXT[4]].map((line) => line?.text),
    );
  });

  it('stay behind the text where they are heads and feet, and where text follows a head and a foot', () => {
    const [head, foot] = [lineOf('The River', 780), lineOf('Page of the river', 40)];
    expect(order([head, foot, ...TEXT])).toEqual([head, foot, ...TEXT].map(({ text }) => text));
    expect(order([...TEXT, head])).toEqual([...TEXT, head].map(({ text }) => text));
  });

  it('stay behind it in another column, and beside lines at their height', () => {
    const column = [lineOf('The valley', 660, 320), lineOf('has two mills', 590, 320)];
    expect(order([...TEXT, ...column])).toEqual([...TEXT, ...column].map(({ text }) => text));
    const beside = [lineOf('A note on the hills', 700, 320), lineOf('and on the weir', 618, 320)];
    expect(order([...TEXT, ...beside])).toEqual([...TEXT, ...beside].map(({ text }) => text));
  });

  it('keep every line once, in any number of layers', () => {
    const titles = [lineOf('The Measures', 660), lineOf('The Values', 590)];
    const many = Array.from({ length: 12 }, () => titles).flat();
    const lines = [...TEXT, ...many];
    expect(new Set(joinLayers(lines))).toEqual(new Set(lines));
    expect(joinLayers(lines)).toHaveLength(lines.length);
  });
});
