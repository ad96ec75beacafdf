// The pixels of the pictures of a page by their headers, before anything of them is decoded.
import { withBuffer, type Pdfium } from './engine.ts';

/** Kinds of page objects (fpdfview.h). */
const IMAGE = 3;
const FORM = 5;
/** Objects to look at, and how deep forms stand in forms; scanners wrap their picture once or twice. */
const MAX_OBJECTS = 50_000;
const MAX_FORM_DEPTH = 10;

/** The sum of the pixels of all pictures that a page draws, one that is drawn twice counted twice. */
export function picturePixels(pdfium: Pdfium, page: number): number {
  const { call } = pdfium;
  let objects = 0;
  const pixelsIn = (count: number, at: (index: number) => number, depth: number): number => {
    let sum = 0;
    for (let index = 0; index < count && objects < MAX_OBJECTS; index++) {
      objects++;
      const object = at(index);
      const type = call.FPDFPageObj_GetType(object);
      if (type === IMAGE) sum += pixelsOf(pdfium, object);
      else if (type === FORM && depth > 0)
        sum += pixelsIn(
          call.FPDFFormObj_CountObjects(object),
          (inner) => call.FPDFFormObj_GetObject(object, inner),
          depth - 1,
        );
    }
    return sum;
  };
  return pixelsIn(
    call.FPDFPage_CountObjects(page),
    (index) => call.FPDFPage_GetObject(page, index),
    MAX_FORM_DEPTH,
  );
}

function pixelsOf(pdfium: Pdfium, object: number): number {
  const bytes = 2 * Uint32Array.BYTES_PER_ELEMENT;
  return withBuffer(pdfium, bytes, (buffer) => {
    if (!pdfium.call.FPDFImageObj_GetImagePixelSize(object, buffer, buffer + bytes / 2)) return 0;
    const view = pdfium.view(buffer, bytes);
    const sizes = new DataView(view.buffer, view.byteOffset, bytes);
    return sizes.getUint32(0, true) * sizes.getUint32(4, true);
  });
}
