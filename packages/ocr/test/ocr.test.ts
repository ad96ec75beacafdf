// Tesseract itself on pages that are drawn here. Tests of what becomes of its words are those of extract.
import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { extract, type OcrImage } from '@grainline/extract';
import { openPages } from '@grainline/extract/pages';
import { writePdf } from '@grainline/testing/pdf-writer';
import { greyPixels, writeScans } from '@grainline/testing/scanned-pdf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOcr, type TesseractOcr } from '../src/index.ts';

const LINES = ['The tide turns at noon and', 'the pilots board the ship.'];

/** A PDF whose page is a picture of the lines. */
async function scanOf(lines: readonly string[]): Promise<Uint8Array> {
  const pages = await openPages(writePdf({ pages: [{ lines }] }));
  const drawn = await pages.drawPage(1, 200 / 72);
  await pages.close();
  const { width, height } = drawn;
  return writeScans([{ width: 600, height: 800, picture: { width, height, pixels: greyPixels(drawn) } }]);
}

/** The picture that `extract` draws of the scan. */
async function pictureOf(scan: Uint8Array): Promise<OcrImage> {
  let picture: OcrImage | undefined;
  await extract(scan, {
    ocr(image) {
      picture = image;
      return Promise.resolve([]);
    },
  }).catch(() => undefined);
  return picture!;
}

let scan: Uint8Array;
let tesseract: TesseractOcr;
beforeAll(async () => {
  scan = await scanOf(LINES);
  tesseract = await createOcr();
});
afterAll(() => tesseract.close());

describe('Tesseract', () => {
  it('reads a scanned page, one after another', async () => {
    const { ocr } = tesseract;
    const [one, two] = await Promise.all([extract(scan, { ocr }), extract(scan, { ocr })]);
    expect(one.text).toBe(LINES.join(' '));
    expect(one.warnings).toEqual([]);
    expect(two).toEqual(one);
  });

  it('gives each word its box in pixels, and each line its number', async () => {
    const image = await pictureOf(scan);
    const words = await tesseract.ocr(image, { page: 1, dpi: 200 });
    expect(words.map(({ text }) => text)).toEqual(LINES.join(' ').split(' '));
    expect(words.map(({ line }) => line)).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    const scale = 200 / 72;
    for (const { left, right, top, bottom, confidence } of words) {
      expect(left).toBeGreaterThan(48 * scale);
      expect(right).toBeLessThan(image.width / 2);
      expect(top).toBeGreaterThan(38 * scale);
      expect(bottom).toBeLessThan(72 * scale);
      expect(confidence).toBeGreaterThan(0.8);
    }
  });

  it('says what to install for a language, and which names are none', async () => {
    await expect(createOcr({ languages: 'eng+xyz' })).rejects.toMatchObject({
      code: 'language_missing',
      message: expect.stringContaining('npm install @tesseract.js-data/xyz') as string,
    });
    await expect(createOcr({ languages: '../eng' })).rejects.toMatchObject({ code: 'invalid_options' });
    await expect(createOcr({ folder: tmpdir() })).rejects.toMatchObject({ code: 'language_missing' });
    await expect(extract(scan, { ocr: tesseract.ocr, ocrLanguage: 'xyz' })).rejects.toThrow('xyz');
  });

  it('names the file of a language that it cannot read', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'grainline-ocr-'));
    const file = path.join(folder, 'eng.traineddata.gz');
    writeFileSync(file, Uint8Array.of(0x1f, 0x8b, 1));
    await expect(createOcr({ folder })).rejects.toMatchObject({
      code: 'language_missing',
      message: expect.stringContaining(`The file ${file} cannot be read: `) as string,
    });
    rmSync(folder, { recursive: true });
  });

  it('rejects what is no picture, and reads on', async () => {
    const image = { bytes: new Uint8Array(100), mediaType: 'image/png', width: 9, height: 9 } as const;
    await expect(tesseract.ocr(image, { page: 1 })).rejects.toMatchObject({ code: 'corrupted' });
    expect((await extract(scan, { ocr: tesseract.ocr })).text).toBe(LINES.join(' '));
  });

  it('ends with the signal while it reads, and reads on', async () => {
    const own = await createOcr();
    const image = await pictureOf(await scanOf(Array.from({ length: 40 }, () => LINES.join(' '))));
    const stop = new AbortController();
    const reading = own.ocr(image, { page: 1, signal: stop.signal });
    const next = own.ocr(await pictureOf(scan), { page: 2 });
    setTimeout(() => stop.abort('enough'), 0);
    await expect(reading).rejects.toBe('enough');
    expect(await next).toHaveLength(11);
    await own.close();
  });

  it('works without threads, network and other files, under the permission model', async () => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'grainline-ocr-')));
    const [file, program] = [path.join(folder, 'page.png'), path.join(folder, 'program.mjs')];
    const root = path.resolve(import.meta.dirname, '../../..');
    const image = await pictureOf(scan);
    writeFileSync(file, image.bytes);
    writeFileSync(
      program,
      `import { readFileSync } from 'node:fs';
       globalThis.fetch = () => { throw new Error('fetched'); };
       const { createOcr } = await import(${JSON.stringify(path.join(root, 'packages/ocr/src/index.ts'))});
       const { ocr } = await createOcr({ runs: 'here' });
       const words = await ocr({ bytes: readFileSync(${JSON.stringify(file)}) }, { page: 1, dpi: 200 });
       console.log(words.map(({ text }) => text).join(' '));`,
    );
    try {
      const reads = [
        folder,
        path.join(root, 'packages/ocr'),
        path.join(root, 'node_modules'),
        path.join(root, 'package.json'),
      ];
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--permission',
        ...reads.map((name) => `--allow-fs-read=${name}`),
        program,
      ]);
      expect(stdout.trim()).toBe(LINES.join(' '));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
