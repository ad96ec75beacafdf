// Pictures in shades of grey, one byte a pixel: a quarter of the memory of colours, and all that OCR looks at.
import type { PagePicture } from '../pdfium/drawing.ts';

/** Rows of pixels from the top; 0 is black. */
export interface GreyPicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** The lightness of each pixel (ITU-R BT.601). */
export function greyOf({ width, height, pixels }: PagePicture): GreyPicture {
  const grey = new Uint8Array(width * height);
  for (let at = 0; at < grey.length; at++) {
    const from = 4 * at;
    grey[at] = ((pixels[from] ?? 0) * 77 + (pixels[from + 1] ?? 0) * 150 + (pixels[from + 2] ?? 0) * 29) >> 8;
  }
  return { width, height, pixels: grey };
}

/** The picture after so many quarter turns clockwise. */
export function turned(picture: GreyPicture, quarterTurns: number): GreyPicture {
  const { width, height, pixels } = picture;
  if (quarterTurns === 0) return picture;
  const result = new Uint8Array(pixels.length);
  const isSideways = quarterTurns !== 2;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      result[targetOf(x, y, picture, quarterTurns)] = pixels[y * width + x] ?? 0;
  return { width: isSideways ? height : width, height: isSideways ? width : height, pixels: result };
}

/** The index of a pixel after the turn. */
function targetOf(x: number, y: number, { width, height }: GreyPicture, quarterTurns: number): number {
  switch (quarterTurns) {
    case 1:
      return x * height + (height - 1 - y);
    case 2:
      return (height - 1 - y) * width + (width - 1 - x);
    default:
      return (width - 1 - x) * height + y;
  }
}
