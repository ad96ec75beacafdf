import { expect, it } from 'vitest';
import { joinAccents } from './accents.ts';
import type { Pdfium } from './engine.ts';

it('asks for the place of each character once, however many accents stand around it', () => {
  let calls = 0;
  const call = {
    FPDFText_GetCharIndexFromTextIndex: (_: number, offset: number) => offset,
    FPDFText_GetCharBox: () => {
      calls++;
      return 0;
    },
  };
  const pdfium = { call, allocate: () => 0, free: () => undefined } as unknown as Pdfium;
  const text = 'the `x` of `y` '.repeat(200);
  expect(joinAccents(pdfium, 0, text)).toBe(text);
  expect(calls).toBeLessThanOrEqual(text.length);
});
