import { describe, expect, it } from 'vitest';
import { writePdf, type PdfSpec } from '@grainline/testing/pdf-writer';
import { taggedPdf } from '@grainline/testing/tagged-pdf';
import { withPdfium } from './engine.ts';
import { hasWords, readPdf, type PdfFile } from './file.ts';

/** Functions that give out something, by what takes it back. */
const PAIRS = {
  allocate: 'free',
  FPDF_LoadMemDocument64: 'FPDF_CloseDocument',
  FPDF_LoadPage: 'FPDF_ClosePage',
  FPDFText_LoadPage: 'FPDFText_ClosePage',
  FPDFPage_GetAnnot: 'FPDFPage_CloseAnnot',
  FPDF_StructTree_GetForPage: 'FPDF_StructTree_Close',
  PDFiumExt_OpenFormFillInfo: 'PDFiumExt_CloseFormFillInfo',
  PDFiumExt_InitFormFillEnvironment: 'PDFiumExt_ExitFormFillEnvironment',
} as const;

/** PDFium with a tally of every call that gave out something (not 0) and every call that took something back. */
function tallied<T extends object>(target: T, tally: Map<string, number>): T {
  return new Proxy(target, {
    get: (object, name: string) => {
      const value: unknown = Reflect.get(object, name);
      if (typeof value === 'object' && value !== null) return tallied(value, tally);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]): unknown => {
        const result = (value as (...values: unknown[]) => unknown)(...values);
        if (!Object.hasOwn(PAIRS, name) || result !== 0) tally.set(name, (tally.get(name) ?? 0) + 1);
        return result;
      };
    },
  });
}

const page = { lines: ['Some words on a page of a file that is read.'] };
const SPECS: Readonly<Record<string, PdfSpec>> = {
  text: { pages: [page, page], title: 'A title' },
  'form fields': { pages: [{ ...page, fields: { a: 'x', b: 'y' } }] },
  pictures: { pages: [{ picture: 1 }, {}] },
  'a structure tree': taggedPdf({
    tags: [
      { type: 'H1', children: [{ x: 50, y: 700, text: 'A title' }] },
      { type: 'Figure', entries: '/Alt(A map)' },
    ],
  }),
  'a lost page': { pages: [page], kids: '999 0 R 10 0 R 998 0 R', claimedPages: 3 },
  'a password': { pages: [page], password: { user: 'x', owner: 'y' } },
};

const read = (spec: PdfSpec, tally = new Map<string, number>(), signal?: AbortSignal): Promise<PdfFile> =>
  withPdfium((pdfium) => readPdf(tallied(pdfium, tally), writePdf(spec), { signal }));

describe('PDFium gets back everything that it gives out', () => {
  it.each(Object.entries(SPECS))('for a file with %s', async (_, spec) => {
    const tally = new Map<string, number>();
    await read(spec, tally).catch(() => undefined);
    expect(tally.get('allocate')).toBeGreaterThan(0);
    for (const [gift, back] of Object.entries(PAIRS)) expect(tally.get(back), back).toBe(tally.get(gift));
  });

  it('when the work is aborted in the middle', async () => {
    const tally = new Map<string, number>();
    const controller = new AbortController();
    const reason = new Error('no more');
    const reading = read({ pages: Array.from({ length: 50 }, () => page) }, tally, controller.signal);
    setImmediate(() => {
      controller.abort(reason);
    });
    await expect(reading).rejects.toBe(reason);
    await withPdfium(() => Promise.resolve()); // its turn comes when the aborted work has ended
    expect(tally.get('FPDF_LoadPage')).toBeLessThan(50);
    for (const [gift, back] of Object.entries(PAIRS)) expect(tally.get(back), back).toBe(tally.get(gift));
  });

  it('so that its memory does not grow over 200 documents', async () => {
    const specs = Object.values(SPECS);
    const sizeAfter = async (rounds: number): Promise<number> => {
      for (let round = 0; round < rounds; round++)
        await read(specs[round % specs.length]!).catch(() => undefined);
      return withPdfium((pdfium) => Promise.resolve(pdfium.memoryBytes()));
    };
    const before = await sizeAfter(specs.length * 2);
    expect(await sizeAfter(200)).toBe(before);
  });
});

it('counts words no further than it must', () => {
  expect(hasWords(' one\ntwo  three ', 3)).toBe(true);
  expect(hasWords(' one\ntwo  three ', 4)).toBe(false);
  expect(hasWords('', 1)).toBe(false);
});
