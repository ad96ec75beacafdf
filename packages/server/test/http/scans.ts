// Scanned pages for tests of a service with OCR, small ones that Tesseract reads in half a second.
import { extract, type Ocr } from '@grainline/extract';
import { openPages } from '@grainline/extract/pages';
import { writePdf } from '@grainline/testing/pdf-writer';
import { greyPixels, writeScans } from '@grainline/testing/scanned-pdf';

export const OCR = { OCR: 'tesseract', OCR_MAX_PAGES: '2', OCR_JOB_PAGES: '4' };
/** The text of each page. */
export const LINE = 'The tide turns at noon.';

const DPI = 200;
/** The upper part of a page, in pixels. */
const HEIGHT = 300;

const picture = await openPages(writePdf({ pages: [{ lines: [LINE] }] })).then(async (pages) => {
  const drawn = await pages.drawPage(1, DPI / 72).finally(() => pages.close());
  const { width } = drawn;
  return { width, height: HEIGHT, pixels: greyPixels(drawn).subarray(0, width * HEIGHT) };
});

/** A PDF of so many scanned pages. */
export function scanOf(pages: number): Uint8Array {
  const [width, height] = [(picture.width * 72) / DPI, (HEIGHT * 72) / DPI];
  return writeScans(Array.from({ length: pages }, () => ({ width, height, picture })));
}

/** The page as PNG: the picture that extraction draws for OCR. */
export async function pictureOfPage(): Promise<Uint8Array> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  const ocr: Ocr = ({ bytes }) => {
    resolve(bytes);
    return Promise.resolve([]);
  };
  await extract(scanOf(1), { ocr }).catch(() => undefined);
  return promise;
}
