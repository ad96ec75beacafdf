import { expect, it } from 'vitest';
import type { Pdfium } from './engine.ts';
import { readDrawn } from './rules.ts';

const PATH = 2;
const FORM = 5;

/** A page of forms with as many nested forms and paths, without an end; counts the requested objects. */
function endless(forms: number, paths: number): { readonly pdfium: Pdfium; readonly calls: () => number } {
  let calls = 0;
  const bytes = new Uint8Array(64);
  const objectAt = (_: number, index: number): number => {
    calls++;
    return index < forms ? FORM : PATH;
  };
  const call = {
    FPDFPage_CountObjects: () => forms + paths,
    FPDFPage_GetObject: objectAt,
    FPDFFormObj_CountObjects: () => forms + paths,
    FPDFFormObj_GetObject: objectAt,
    FPDFPageObj_GetType: (object: number) => object,
    FPDFPageObj_GetMatrix: () => 1,
    FPDFPageObj_GetBounds: () => 0,
  };
  const pdfium = { call, allocate: () => 0, free: () => undefined, view: () => bytes } as unknown as Pdfium;
  return { pdfium, calls: () => calls };
}

it('looks at forms in forms no deeper than three', () => {
  const { pdfium, calls } = endless(4, 0);
  readDrawn(pdfium, 0);
  expect(calls()).toBe(4 + 4 ** 2 + 4 ** 3 + 4 ** 4);
});

it('looks at no more objects and paths than of any page', () => {
  const many = endless(60, 0);
  readDrawn(many.pdfium, 0);
  expect(many.calls()).toBe(50_000);
  const drawn = endless(60, 60);
  readDrawn(drawn.pdfium, 0);
  expect(drawn.calls()).toBeLessThan(10_000);
});
