// How a camera has held a JPEG: the orientation of its Exif data, which is a small TIFF (Exif 2.32, section 4.6.4).

const UPRIGHT = 1;
/** Exif stands in the first parts of a JPEG. */
const HEAD_BYTES = 64 * 1024;
const ORIENTATION = 0x0112;
const APP1 = 0xffe1;

/** 1 to 8 as Exif counts them; 1, upright, for files without. */
export function orientationOf(bytes: Uint8Array): number {
  const head = bytes.subarray(0, HEAD_BYTES);
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  try {
    if (view.getUint16(0) !== 0xffd8) return UPRIGHT;
    for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
      // "Exif" and two zeros stand before the TIFF.
      if (view.getUint16(at) === APP1 && view.getUint32(at + 4) === 0x45786966) return ofTiff(view, at + 10);
    }
    return UPRIGHT;
  } catch (error) {
    if (error instanceof RangeError) return UPRIGHT;
    throw error;
  }
}

function ofTiff(view: DataView, start: number): number {
  const isLittle = view.getUint16(start) === 0x4949;
  const directory = start + view.getUint32(start + 4, isLittle);
  const count = view.getUint16(directory, isLittle);
  for (let entry = 0; entry < count; entry++) {
    const at = directory + 2 + 12 * entry;
    if (view.getUint16(at, isLittle) !== ORIENTATION) continue;
    const value = view.getUint16(at + 8, isLittle);
    return value >= 1 && value <= 8 ? value : UPRIGHT;
  }
  return UPRIGHT;
}
