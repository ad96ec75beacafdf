// Headers of picture files without pictures, made by their specifications: for tests of the checks before decoding.

/** A format; WebP has three kinds of headers. */
export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'webp-lossless' | 'webp-extended' | 'tiff';

/** Parts of a TIFF. */
export interface TiffSpec {
  readonly pages?: number;
  /** The last directory names the first one as the next. */
  readonly isCircle?: boolean;
  /** Further tags with one number. */
  readonly tags?: Readonly<Record<number, number>>;
}

/** The first bytes of a file of that format and size. */
export function headerOf(
  format: ImageFormat,
  width: number,
  height: number,
  tiff: TiffSpec = {},
): Uint8Array {
  switch (format) {
    case 'png':
      return Buffer.concat([
        Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR', 'latin1'),
        numbers(4, width, height),
        Buffer.from([8, 0, 0, 0, 0]),
      ]);
    case 'jpeg':
      return Buffer.concat([
        Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xff, 0xc0, 0, 11, 8]),
        numbers(2, height, width),
        Buffer.from([1, 1, 0x11, 0]),
      ]);
    case 'webp':
      return webp('VP8 ', Buffer.concat([Buffer.from([0, 0, 0, 0x9d, 1, 0x2a]), little(2, width, height)]));
    case 'webp-lossless':
      return webp(
        'VP8L',
        Buffer.concat([Buffer.from([0x2f]), little(4, (width - 1) | ((height - 1) << 14))]),
      );
    case 'webp-extended':
      return webp('VP8X', Buffer.concat([little(4, 0), little(3, width - 1, height - 1), Buffer.alloc(1)]));
    case 'tiff':
      return writeTiff(width, height, tiff);
  }
}

function webp(kind: string, body: Buffer): Buffer {
  const part = Buffer.concat([Buffer.from(kind, 'latin1'), little(4, body.length), body]);
  return Buffer.concat([Buffer.from('RIFF'), little(4, part.length + 4), Buffer.from('WEBP'), part]);
}

/** Directories behind each other, each with the same tags as 32-bit numbers. */
function writeTiff(
  width: number,
  height: number,
  { pages = 1, isCircle = false, tags = {} }: TiffSpec,
): Buffer {
  const entries = Object.entries({ 256: width, 257: height, ...tags })
    .map(([tag, value]): [number, number] => [Number(tag), value])
    .sort(([a], [b]) => a - b);
  const size = 2 + 12 * entries.length + 4;
  const directories = Array.from({ length: pages }, (_, page) => {
    const next = page + 1 < pages ? 8 + (page + 1) * size : isCircle ? 8 : 0;
    return Buffer.concat([
      little(2, entries.length),
      ...entries.map(([tag, value]) => Buffer.concat([little(2, tag, 4), little(4, 1, value)])),
      little(4, next),
    ]);
  });
  return Buffer.concat([Buffer.from('II*\0', 'latin1'), little(4, 8), ...directories]);
}

function numbers(bytes: number, ...values: number[]): Buffer {
  return Buffer.concat(
    values.map((value) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntBE(value, 0, bytes);
      return buffer;
    }),
  );
}

function little(bytes: number, ...values: number[]): Buffer {
  return Buffer.concat(values.map((value) => numbers(bytes, value).reverse()));
}
