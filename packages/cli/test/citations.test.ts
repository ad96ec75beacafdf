// The functions of docs/citations.md: each puts the boxes of a quotation where its letters are. docs.slow.test.ts runs
// the programs of the page, and packages/web/test/flows/citations.flow.ts the viewers themselves.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cite, type Region, pageSizeOf, regionsOf } from '@grainline/core';
import { extract } from '@grainline/extract';
import { openPages } from '@grainline/extract/pages';
import { writePdf } from '@grainline/testing/pdf-writer';
import { describe, expect, it } from 'vitest';
import { BLOCKS } from './code-blocks.ts';

const PDF = writePdf({ pages: [{ lines: ['Quarterly report'] }, { lines: ['Sales rose in the north.'] }] });
const SCALE = 2;

/** A function of the page, without its imports. */
async function functionOf<Call extends (...args: never[]) => unknown>(
  name: string,
  given: string,
): Promise<Call> {
  const block = BLOCKS.find(
    ({ page, code }) => page === 'docs/citations.md' && code.includes(`function ${name}(`),
  );
  const code = (block?.code ?? '')
    .replaceAll(/^import .*$/gm, given)
    .replaceAll('export function', 'function');
  const module = (await import(
    `data:text/javascript,${encodeURIComponent(`${code}\nexport { ${name} };`)}`
  )) as Record<string, Call>;
  return module[name]!;
}

async function quotation(): Promise<{ regions: Region[]; pageSize: { width: number; height: number } }> {
  const document = await extract(PDF, { regions: true });
  const [span] = cite(document, 'rose in the North')!.spans;
  const regions = regionsOf(document, span!);
  return { regions, pageSize: pageSizeOf(document, regions[0]!.page)! };
}

/** The share of the dark pixels of the page that lie in rectangles of pixels. */
async function inkIn(rectangles: readonly (readonly [number, number, number, number])[]): Promise<number> {
  const pages = await openPages(PDF);
  const { width, height, pixels } = await pages.drawPage(2, SCALE);
  await pages.close();
  let [inside, all] = [0, 0];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (pixels[4 * (y * width + x)]! > 128) continue;
      all += 1;
      if (
        rectangles.some(
          ([left, top, wide, high]) => x >= left && x < left + wide && y >= top && y < top + high,
        )
      )
        inside += 1;
    }
  return inside / all;
}

/** `rose in the north` has 14 of the 20 letters of its line. */
const expectInk = (share: number): void => {
  expect(share).toBeGreaterThan(0.55);
  expect(share).toBeLessThan(0.85);
};

describe('docs/citations.md', () => {
  it('marks a canvas where the words are', async () => {
    const markPage = await functionOf<(context: object, regions: readonly Region[], scale: number) => void>(
      'markPage',
      '',
    );
    const { regions } = await quotation();
    const filled: [number, number, number, number][] = [];
    markPage(
      { fillRect: (...rectangle: [number, number, number, number]) => filled.push(rectangle) },
      regions,
      SCALE,
    );
    expect(filled).toHaveLength(1);
    expectInk(await inkIn(filled));
  });

  it('places boxes on a page of pdf.js, whose viewport is the page in pixels', async () => {
    interface CssBox {
      readonly left: string;
      readonly top: string;
      readonly width: string;
      readonly height: string;
    }
    const placeOn = await functionOf<
      (page: object, viewport: object, regions: readonly Region[]) => CssBox[]
    >('placeOn', '');
    const { regions, pageSize } = await quotation();
    const viewport = { width: SCALE * pageSize.width, height: SCALE * pageSize.height };
    const places = placeOn(viewport, pageSize, regions);
    const rectangles = places.map(
      ({ left, top, width, height }) =>
        [left, top, width, height].map(parseFloat) as [number, number, number, number],
    );
    expectInk(await inkIn(rectangles));
  });

  it('places boxes on a page of react-pdf, as elements with styles in pixels', async () => {
    interface Mark {
      readonly style: Readonly<Record<'left' | 'top' | 'width' | 'height', number>>;
    }
    const fake = 'const createElement = (name, properties) => properties;';
    const Highlights = await functionOf<(properties: object) => Mark[]>('Highlights', fake);
    const { regions, pageSize } = await quotation();
    const marks = Highlights({ width: SCALE * pageSize.width, pageSize, regions });
    expectInk(
      await inkIn(marks.map(({ style: { left, top, width, height } }) => [left, top, width, height])),
    );
  });
});

/** The part of pdf.js that the test calls. */
interface PdfJs {
  getDocument(source: { data: Uint8Array; verbosity: number }): {
    readonly promise: Promise<{ getPage(number: number): Promise<PdfJsPage> }>;
  };
}
interface PdfJsPage {
  readonly userUnit: number;
  getViewport(options: { scale: number }): {
    readonly width: number;
    readonly height: number;
    convertToViewportPoint(x: number, y: number): [number, number];
  };
  getTextContent(): Promise<{ readonly items: readonly { str: string; transform: number[] }[] }>;
}

const PDF_JS = join(import.meta.dirname, '../peers/node_modules/pdfjs-dist/legacy/build/pdf.mjs');

describe.skipIf(!existsSync(PDF_JS))('pdf.js itself (needs `npm ci --prefix packages/cli/peers`)', () => {
  it.each([
    '',
    '/Rotate 90',
    '/Rotate 180',
    '/CropBox [40 60 560 780]',
    '/Rotate 270 /CropBox [40 60 560 780]',
  ])('has its letters in the boxes of a page %s', async (entries) => {
    const bytes = writePdf({ pages: [{ lines: ['Quarterly report', 'Sales rose in the north.'], entries }] });
    const document = await extract(bytes, { regions: true });
    const pdfJs = (await import(PDF_JS)) as PdfJs;
    const page = await (
      await pdfJs.getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise
    ).getPage(1);
    const viewport = page.getViewport({ scale: SCALE });
    const { width, height } = pageSizeOf(document, 1)!;
    expect(viewport.width / width).toBeCloseTo(SCALE);
    expect(viewport.height / height).toBeCloseTo(SCALE);
    const { items } = await page.getTextContent();
    const words = items.filter(({ str }) => str.trim() !== '');
    expect(words.length).toBeGreaterThan(1);
    for (const { str, transform } of words) {
      const start = document.text.indexOf(str);
      const [box] = regionsOf(document, { start, end: start + str.length });
      // The start of the line, on its base line.
      const [x, y] = viewport
        .convertToViewportPoint(transform[4]!, transform[5]!)
        .map((at) => at / SCALE) as [number, number];
      expect(x).toBeGreaterThan(box!.x0 - 3);
      expect(x).toBeLessThan(box!.x1 + 3);
      expect(y).toBeGreaterThan(box!.y0 - 3);
      expect(y).toBeLessThan(box!.y1 + 3);
    }
  });
});
