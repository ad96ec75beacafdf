// The size of a picture by its header, before anything of it is decoded: PNG, JPEG, TIFF and WebP.
import { indexOf } from '../../bytes.ts';
import { ExtractError } from '../../errors.ts';
import { MAX_PIXELS, type OcrImage } from '../../ocr.ts';

/** A picture's header. */
export interface ImageHeader extends Omit<OcrImage, 'bytes'> {
  /** Pictures in the file: the pages of a TIFF, else 1. */
  readonly pages: number;
}

/** Bits of a pixel above this are no page: a TIFF may claim 65,535 samples a pixel. */
const MAX_BITS = 64;
/** Longest walk over the parts of a header. */
const MAX_PARTS = 10_000;

/**
 * Reads the header of a picture.
 *
 * @throws ExtractError `corrupted` for a header that is none or is cut short, `too_large` above {@link MAX_PIXELS}
 */
export function readHeader(bytes: Uint8Array): ImageHeader {
  const header = headerOf(bytes);
  if (header === undefined || !(header.width >= 1 && header.height >= 1))
    throw new ExtractError('corrupted', { detail: 'the header of the picture gives no size' });
  const { width, height } = header;
  if (width * height > MAX_PIXELS) throw tooManyPixels(width, height);
  return header;
}

/** The error of a picture above {@link MAX_PIXELS}. */
function tooManyPixels(width: number, height: number): ExtractError {
  const detail = `the picture has ${width} × ${height} pixels, and ${MAX_PIXELS / 1e6} million are allowed`;
  return new ExtractError('too_large', { detail });
}

function headerOf(bytes: Uint8Array): ImageHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return pngHeader(view, bytes) ?? jpegHeader(view) ?? webpHeader(view, bytes) ?? tiffHeader(view);
  } catch (error) {
    // A read behind the end: the header is cut short.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** PNG 3rd edition, 11.2.1: the first part is IHDR with width and height. */
function pngHeader(view: DataView, bytes: Uint8Array): ImageHeader | undefined {
  if (indexOf(bytes.subarray(0, 16), 'IHDR') !== 12) return undefined;
  return { mediaType: 'image/png', width: view.getUint32(16), height: view.getUint32(20), pages: 1 };
}

/** Markers without a length: TEM, RST0 to RST7 (ITU T.81, table B.1). */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
/** Frame headers: SOF0 to SOF15 without DHT, JPG and DAC. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegHeader(view: DataView): ImageHeader | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  let at = 2;
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (isFrame(marker))
      return {
        mediaType: 'image/jpeg',
        width: view.getUint16(at + 7),
        height: view.getUint16(at + 5),
        pages: 1,
      };
    // A further 0xFF fills up.
    if (marker === 0xff) at += 1;
    else at += isBare(marker) ? 2 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** RFC 9649, section 2.5 to 2.7: the first part is VP8, VP8L or VP8X. */
function webpHeader(view: DataView, bytes: Uint8Array): ImageHeader | undefined {
  if (indexOf(bytes.subarray(0, 12), 'WEBP') !== 8) return undefined;
  const size = (width: number, height: number): ImageHeader => ({
    mediaType: 'image/webp',
    width,
    height,
    pages: 1,
  });
  switch (view.getUint32(12)) {
    case 0x56503820:
      return size(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
    case 0x5650384c: {
      const bits = view.getUint32(21, true);
      return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 0x56503858:
      return size((view.getUint32(24, true) & 0xffffff) + 1, (view.getUint32(27, true) & 0xffffff) + 1);
    default:
      return undefined;
  }
}

/** Tags of a TIFF (TIFF 6.0, section 8). */
const WIDTH = 256;
const HEIGHT = 257;
const BITS_PER_SAMPLE = 258;
const SAMPLES_PER_PIXEL = 277;
const TILE_WIDTH = 322;
const TILE_HEIGHT = 323;
const SHORT = 3;

function tiffHeader(view: DataView): ImageHeader | undefined {
  const order = view.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return undefined;
  const isLittle = order === 0x4949;
  if (view.getUint16(2, isLittle) !== 42) return undefined;
  const first = view.getUint32(4, isLittle);
  const tags = tagsAt(view, first, isLittle);
  const [width = 0, height = 0] = [tags.get(WIDTH), tags.get(HEIGHT)];
  const bits = (tags.get(BITS_PER_SAMPLE) ?? 1) * (tags.get(SAMPLES_PER_PIXEL) ?? 1);
  if (bits > MAX_BITS) return undefined;
  // A tile is decoded as a whole, so a small picture may not stand in a large one.
  const tile = (tags.get(TILE_WIDTH) ?? 1) * (tags.get(TILE_HEIGHT) ?? 1);
  if (tile > MAX_PIXELS) return undefined;
  return { mediaType: 'image/tiff', width, height, pages: countDirectories(view, first, isLittle) };
}

/** The numbers of a directory by their tags; of a list, which stands elsewhere, the first number. */
function tagsAt(view: DataView, directory: number, isLittle: boolean): Map<number, number> {
  const tags = new Map<number, number>();
  const count = view.getUint16(directory, isLittle);
  for (let entry = 0; entry < count; entry++) {
    const at = directory + 2 + entry * 12;
    const isShort = view.getUint16(at + 2, isLittle) === SHORT;
    const inPlace = isShort ? view.getUint32(at + 4, isLittle) <= 2 : view.getUint32(at + 4, isLittle) <= 1;
    const value = inPlace ? at + 8 : view.getUint32(at + 8, isLittle);
    const tag = view.getUint16(at, isLittle);
    if (tag > TILE_HEIGHT) break;
    if (READ_TAGS.has(tag))
      tags.set(tag, isShort ? view.getUint16(value, isLittle) : view.getUint32(value, isLittle));
  }
  return tags;
}

const READ_TAGS = new Set([WIDTH, HEIGHT, BITS_PER_SAMPLE, SAMPLES_PER_PIXEL, TILE_WIDTH, TILE_HEIGHT]);

/** Directories that follow each other; a circle, and a chain that leaves the file, end the count. */
function countDirectories(view: DataView, first: number, isLittle: boolean): number {
  const seen = new Set<number>();
  for (let at = first; at !== 0 && !seen.has(at) && seen.size < MAX_PARTS;) {
    if (at + 2 > view.byteLength) break;
    seen.add(at);
    const next = at + 2 + view.getUint16(at, isLittle) * 12;
    if (next + 4 > view.byteLength) break;
    at = view.getUint32(next, isLittle);
  }
  return seen.size;
}
