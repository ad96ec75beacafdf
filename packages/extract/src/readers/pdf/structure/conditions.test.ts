// Titles that are headings where others in their style are.
import { describe, expect, it } from 'vitest';
import { isLikeTitle } from './conditions.ts';
import type { TextLine } from '../lines/text.ts';

const lineOf = (text: string, baseline: number, more: Partial<TextLine> = {}): TextLine => ({
  text,
  isDivided: false,
  isTurned: false,
  isNumbered: false,
  left: 60,
  right: 60 + 5 * text.length,
  baseline,
  size: 12,
  isBold: false,
  isFixedPitch: false,
  cells: [],
  ...more,
});
const BODY = { size: 12, proseSize: 12, isBold: false, type: '12 false Serif ' };
const CODE = { size: 10, isFixedPitch: true };

describe('a bold name of code in smaller type', () => {
  const name = lineOf('river-mouth', 640, { ...CODE, isBold: true });
  const title = {
    lines: [name],
    text: name.text,
    size: 10,
    isLarge: false,
    outlined: 0,
    style: '10 true Mono ',
    isPart: false,
  };
  const before = lineOf('The water is measured at noon.', 680);
  const place = { before, after: lineOf('It is deep and wide there', 620), pitch: 14, right: 500 };

  it('may be a title where it stands apart above text', () => {
    expect(isLikeTitle(title, BODY, place)).toBe(true);
  });

  it('is none above code, close below text, and in smaller type than code has', () => {
    const code = lineOf('measure(water, weir)', 620, CODE);
    expect(isLikeTitle(title, BODY, { ...place, after: code })).toBe(false);
    expect(isLikeTitle(title, BODY, { ...place, before: { ...before, baseline: 654 } })).toBe(false);
    expect(isLikeTitle({ ...title, size: 9 }, BODY, place)).toBe(false);
  });
});
