// PDFs whose pages are pictures, as a scanner writes them.
import { deflateSync } from 'node:zlib';
import { writePdf } from './pdf-writer.ts';

/** A page: its picture in shades of grey, one byte a pixel, over the whole page. */
export interface ScannedPage {
  /** In points. */
  readonly width: number;
  readonly height: number;
  readonly picture: { readonly width: number; readonly height: number; readonly pixels: Uint8Array };
  /** As /Rotate of the page, in degrees. */
  readonly rotate?: number;
}

/** Number of the first picture among the objects of the file. */
const FIRST_PICTURE = 100_000;

/** The bytes of a PDF of scanned pages. */
export function writeScans(pages: readonly ScannedPage[]): Uint8Array {
  return writePdf({
    pages: pages.map(({ width, height, rotate = 0 }, index) => ({
      content: `q ${width} 0 0 ${height} 0 0 cm /P Do Q`,
      entries: `/MediaBox[0 0 ${width} ${height}]/Rotate ${rotate}/Resources<</XObject<</P ${FIRST_PICTURE + index} 0 R>>>>`,
    })),
    objects: Object.fromEntries(
      pages.map(({ picture }, index) => [FIRST_PICTURE + index, pictureObject(picture)]),
    ),
  });
}

/** An image object; the size that it claims may be another than that of its pixels. */
export function pictureObject({ width, height, pixels }: ScannedPage['picture']): string {
  const packed = deflateSync(pixels).toString('latin1');
  const entries = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode`;
  return `<<${entries}/Length ${packed.length}>>\nstream\n${packed}\nendstream`;
}

/** The lightness of each pixel of a drawn page, which has four bytes a pixel. */
export function greyPixels({ pixels }: { readonly pixels: Uint8ClampedArray }): Uint8Array {
  const grey = new Uint8Array(pixels.length / 4);
  for (let at = 0; at < grey.length; at++) grey[at] = pixels[4 * at + 1] ?? 255;
  return grey;
}
