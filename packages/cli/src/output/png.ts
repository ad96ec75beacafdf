// Pictures as PNG files (ISO/IEC 15948), for the pages in an HTML file. Node's zlib compresses; a library would do so
// in JavaScript, several times slower.
import { crc32, deflateSync } from 'node:zlib';

/** Rows of pixels from the top, each red, green, blue and alpha. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8ClampedArray;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Colour types without alpha, by their samples a pixel. */
const COLOUR_TYPES = { 1: 0, 3: 2 } as const;
/** Filter type 2: the difference to the pixel above, which blank lines and columns of text make 0. */
const UP = 2;

/** A picture as a PNG file: 8 bits a sample, grey when every pixel is, without alpha. */
export function pngOf({ width, height, pixels }: Pixels): Buffer {
  const samples = isGrey(pixels) ? 1 : 3;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, COLOUR_TYPES[samples], 0, 0, 0], 8);
  const data = deflateSync(filtered(pixels, width, height, samples));
  return Buffer.concat([
    SIGNATURE,
    chunkOf('IHDR', header),
    chunkOf('IDAT', data),
    chunkOf('IEND', Buffer.alloc(0)),
  ]);
}

function isGrey(pixels: Uint8ClampedArray): boolean {
  for (let at = 0; at < pixels.length; at += 4)
    if (pixels[at] !== pixels[at + 1] || pixels[at] !== pixels[at + 2]) return false;
  return true;
}

/** Each row: its filter, then its samples less those of the row above. */
function filtered(pixels: Uint8ClampedArray, width: number, height: number, samples: 1 | 3): Uint8Array {
  const rows = new Uint8Array(height * (width * samples + 1));
  let to = 0;
  for (let row = 0; row < height; row++) {
    rows[to++] = UP;
    for (let at = 4 * row * width; at < 4 * (row + 1) * width; at += 4)
      for (let sample = at; sample < at + samples; sample++)
        rows[to++] = (pixels[sample] ?? 0) - (pixels[sample - 4 * width] ?? 0);
  }
  return rows;
}

/** A chunk of the file: length, type, data, and the checksum of type and data. */
function chunkOf(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  chunk.set(body, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}
