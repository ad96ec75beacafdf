// Shades of grey → a PNG (W3C PNG, 3rd edition): engines and services of OCR all read it.
import { zlibSync } from 'fflate/browser';
import { concatenate } from '../../../bytes.ts';
import { crc32 } from '../../../crc32.ts';

const SIGNATURE = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Eight bits of grey, deflate, no filter method but the standard one, no interlace. */
const GREY = [8, 0, 0, 0, 0];
/** Quick compression: the file is decoded at once. */
const LEVEL = 1;

/** Writes a picture of one byte a pixel, row after row from the top. */
export function writePng(width: number, height: number, pixels: Uint8Array): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set(GREY, 8);
  // Each row begins with its filter, 0 for none.
  const rows = new Uint8Array(height * (width + 1));
  for (let row = 0; row < height; row++)
    rows.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  return concatenate([
    SIGNATURE,
    part('IHDR', header),
    part('IDAT', zlibSync(rows, { level: LEVEL })),
    part('IEND', new Uint8Array(0)),
  ]);
}

function part(name: string, body: Uint8Array): Uint8Array {
  const whole = new Uint8Array(body.length + 12);
  const view = new DataView(whole.buffer);
  view.setUint32(0, body.length);
  whole.set(new TextEncoder().encode(name), 4);
  whole.set(body, 8);
  view.setUint32(8 + body.length, crc32(whole.subarray(4, 8 + body.length)));
  return whole;
}
