// Hostile pictures for a service with OCR: wrong headers, sizes that no memory holds, and data that unpacks to more.
import { crc32, deflateSync } from 'node:zlib';
import { headerOf, type ImageFormat } from '@grainline/testing/image-headers';
import { pictureObject } from '@grainline/testing/scanned-pdf';
import { writePdf } from '@grainline/testing/pdf-writer';
import { form } from '../http/fake-service.ts';
import { MIB, type Row, sent } from './attack.ts';

const FORMATS: readonly ImageFormat[] = ['png', 'jpeg', 'webp', 'webp-lossless', 'webp-extended', 'tiff'];

function part(name: string, body: Uint8Array): Buffer {
  const whole = Buffer.alloc(body.length + 12);
  whole.writeUInt32BE(body.length);
  whole.write(name, 4, 'latin1');
  whole.set(body, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, 8 + body.length)), 8 + body.length);
  return whole;
}

/** A PNG of one byte a pixel, or of none: the data is what it is. */
function png(width: number, height: number, data: Uint8Array, ...parts: readonly Buffer[]): Buffer {
  const head = headerOf('png', width, height);
  const ihdr = part('IHDR', head.subarray(16).subarray(0, 13));
  return Buffer.concat([
    head.subarray(0, 8),
    ihdr,
    ...parts,
    part('IDAT', data),
    part('IEND', Buffer.alloc(0)),
  ]);
}

const picture = (bytes: Uint8Array, name = 'page.png') =>
  sent('POST /chunk/demo', { body: form(bytes, name) });

/** 400 kB that unpack to 400 MB. */
const bomb = deflateSync(Buffer.alloc(400 * MIB), { level: 1 });
const small = deflateSync(Buffer.alloc(110));
const named = (name: string): Buffer => part(name, Buffer.concat([Buffer.from('a\0\0'), bomb]));

/** A page with a picture that claims this size. */
function pageOf(width: number, height: number): Uint8Array {
  return writePdf({
    pages: [
      {
        content: 'q 600 0 0 800 0 0 cm /P Do Q',
        entries: '/MediaBox[0 0 600 800]/Resources<</XObject<</P 1000 0 R>>>>',
      },
    ],
    objects: { 1000: pictureObject({ width, height, pixels: new Uint8Array(100) }) },
  });
}

export const PICTURES: Readonly<Record<string, readonly Row[]>> = {
  pictures: [
    ...FORMATS.flatMap((format): Row[] => {
      const side = format === 'png' || format === 'tiff' ? 100_000 : 16_000;
      return [
        [`a ${format} of ${side} × ${side} pixels`, picture(headerOf(format, side, side)), '413 too_large'],
        [`a ${format} that ends after its header`, picture(headerOf(format, 100, 100)), '400 corrupted'],
        [
          `a ${format} cut in its header`,
          picture(headerOf(format, 100, 100).subarray(0, 20)),
          '400 corrupted',
        ],
      ];
    }),
    ['a PNG of no pixels', picture(headerOf('png', 0, 10)), '400 corrupted'],
    ['a PNG of noise', picture(png(100, 100, Buffer.from('noise, and no stream'))), '400 corrupted'],
    ['a PNG whose data unpacks to 400 MB', picture(png(10, 10, bomb)), '400 unreadable_scan'],
    ['a PNG whose text unpacks to 400 MB', picture(png(10, 10, small, named('zTXt'))), '400 unreadable_scan'],
    [
      'a PNG whose colours unpack to 400 MB',
      picture(png(10, 10, small, named('iCCP'))),
      '400 unreadable_scan',
    ],
    [
      'a PNG of 5,000 × 5,000 black pixels',
      picture(png(5000, 5000, deflateSync(Buffer.alloc(5000 * 5001)))),
      '400 unreadable_scan',
    ],
    [
      'a TIFF that is its own next page',
      picture(headerOf('tiff', 10, 10, { pages: 3, isCircle: true })),
      '400 corrupted',
    ],
    [
      'a TIFF with tiles of 100,000 × 100,000',
      picture(headerOf('tiff', 10, 10, { tags: { 322: 100_000, 323: 100_000 } })),
      '400 corrupted',
    ],
    [
      'a TIFF with 60,000 samples a pixel',
      picture(headerOf('tiff', 10, 10, { tags: { 258: 16, 277: 60_000 } })),
      '400 corrupted',
    ],
    [
      'a GIF that says it is PNG',
      picture(Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1')),
      '400 unsupported_type',
    ],
    [
      'a scanned page whose picture claims 100,000 × 100,000',
      picture(pageOf(100_000, 100_000), 'scan.pdf'),
      '400 unreadable_scan',
    ],
    [
      'a scanned page with fewer pixels than it claims',
      picture(pageOf(2000, 2000), 'scan.pdf'),
      '400 unreadable_scan',
    ],
  ],
};
