// The port of OCR by a scripted engine: which pages it gets, as what, and what becomes of its words. The engine knows
// the words of a picture by its first dark rows; @grainline/ocr has the tests of real recognition.
import { inflateSync } from 'node:zlib';
import { array, assert, asyncProperty, constantFrom } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { headerOf } from '@grainline/testing/image-headers';
import { setText, writePdf, type PageSpec, type PdfSpec, type SetText } from '@grainline/testing/pdf-writer';
import { pictureObject, writeScans } from '@grainline/testing/scanned-pdf';
import {
  extract,
  type ExtractOptions,
  type Ocr,
  type OcrImage,
  type OcrRequest,
  type OcrWord,
} from '../src/index.ts';
import { expectLawful } from './laws.ts';

const SCAN: PageSpec = { picture: 1 };
const TEXT: PageSpec = { lines: ['This page has a text of its own, with more than five words.'] };

/** Words of lines one below the other, in pixels of a page at 200 dpi, as a printer would set them in 12 points. */
function wordsOf(lines: readonly string[], confidence = 0.95): OcrWord[] {
  return lines.flatMap((line, at) =>
    placed({ x: 50, y: 740 - 14 * at, text: line, size: 12 }, at, confidence),
  );
}

const PIXEL = 72 / 200;
const PAGE_HEIGHT = 800;

/** The words of a text of a PDF, half an em for each letter. */
function placed({ x, y, text, size = 10 }: SetText, line: number, confidence = 0.95): OcrWord[] {
  return [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    text: word,
    left: (x + index * size * 0.5) / PIXEL,
    right: (x + (index + word.length) * size * 0.5) / PIXEL,
    top: (PAGE_HEIGHT - y - (/[A-Zbdfhklti0-9]/.test(word) ? 0.7 : 0.48) * size) / PIXEL,
    bottom: (PAGE_HEIGHT - y + (/[gjpqy,;]/.test(word) ? 0.21 : 0) * size) / PIXEL,
    confidence,
    line,
  }));
}

/** An engine that gives these words for every picture, and remembers what it was given. */
function engineOf(words: (image: OcrImage, request: OcrRequest) => readonly OcrWord[]): {
  ocr: Ocr;
  calls: { image: OcrImage; request: OcrRequest }[];
} {
  const calls: { image: OcrImage; request: OcrRequest }[] = [];
  const ocr: Ocr = (image, request) => {
    calls.push({ image, request });
    return Promise.resolve(words(image, request));
  };
  return { ocr, calls };
}

const read = async (spec: PdfSpec, options: ExtractOptions) => {
  const document = await extract(writePdf(spec), options);
  expectLawful(document);
  return document;
};

/** Pixels of a PNG in shades of grey without filters. */
function pixelsOf({ bytes, width, height }: OcrImage): Uint8Array {
  const at = Buffer.from(bytes).indexOf('IDAT');
  const rows = inflateSync(bytes.subarray(at + 4));
  expect(rows.length).toBe(height * (width + 1));
  const pixels = new Uint8Array(width * height);
  for (let row = 0; row < height; row++)
    pixels.set(rows.subarray(row * (width + 1) + 1, (row + 1) * (width + 1)), row * width);
  return pixels;
}

describe('pages of a PDF', () => {
  it('without text are drawn and read, and the others stay as they are', async () => {
    const { ocr, calls } = engineOf(() => wordsOf(['The tide turns', 'at noon today.']));
    const done: unknown[] = [];
    const document = await read(
      { pages: [TEXT, SCAN, TEXT, SCAN] },
      { ocr, ocrLanguage: 'deu+fra', onOcrPage: (progress) => done.push(progress) },
    );
    expect(document.text).toBe(
      [TEXT.lines![0], 'The tide turns at noon today.', TEXT.lines![0], 'The tide turns at noon today.'].join(
        '\n\n',
      ),
    );
    expect(document.pages).toHaveLength(4);
    expect(document.warnings).toEqual([]);
    expect(calls.map(({ request }) => request)).toMatchObject([
      { page: 2, dpi: 200, language: 'deu+fra' },
      { page: 4, dpi: 200, language: 'deu+fra' },
    ]);
    expect(done).toEqual([
      { done: 1, total: 2 },
      { done: 2, total: 2 },
    ]);
    for (const { image } of calls) {
      expect(image).toMatchObject({ mediaType: 'image/png', width: 1666, height: 2222 });
      expect(new Set(pixelsOf(image))).toEqual(new Set([0x78]));
    }
  });

  it('have all their words read where that is asked for, and keep their text where OCR fails', async () => {
    const { ocr, calls } = engineOf((_, { page }) => wordsOf(['Another text'], page === 1 ? 0.9 : 0.3));
    const document = await read({ pages: [TEXT, TEXT] }, { ocr, ocrPages: 'all' });
    expect(document.text).toBe(`Another text\n\n${TEXT.lines![0]}`);
    expect(calls.filter(({ request }) => request.page === 1)).toHaveLength(1);
    expect(document.warnings.map(({ code }) => code)).toEqual(['ocr_unreadable']);
  });

  it('whose fonts say no letters are read too', async () => {
    const spec: PdfSpec = {
      pages: [{ lines: ['ABAB ABAB BABA ABAB ABAB BABA AB'] }],
      toUnicode: { A: 'E000', B: 'E001' },
    };
    expect((await read(spec, {})).warnings.map(({ code }) => code)).toEqual(['unmappable_text']);
    const document = await read(spec, { ocr: engineOf(() => wordsOf(['The tide turns.'])).ocr });
    expect([document.text, document.warnings]).toEqual(['The tide turns.', []]);
  });

  it('are turned until the engine is certain', async () => {
    for (const [rotate, turns] of [
      [0, 1],
      [270, 2],
      [90, 3],
    ] as const) {
      // The engine reads what is dark in the upper left corner alone.
      const pixels = new Uint8Array(60 * 80).fill(255);
      for (let y = 0; y < 10; y++) pixels.fill(0, y * 60, y * 60 + 10);
      const { ocr, calls } = engineOf((image) => {
        const isUpright = image.width < image.height && (pixelsOf(image)[0] ?? 255) < 128;
        return wordsOf(['The tide turns.'], isUpright ? 0.95 : 0.4);
      });
      const scan = writeScans([
        { width: 600, height: 800, rotate, picture: { width: 60, height: 80, pixels } },
      ]);
      expect((await extract(scan, { ocr })).text).toBe('The tide turns.');
      expect(calls).toHaveLength(turns);
    }
  });

  it('are named with their figure where the engine is not certain', async () => {
    const { ocr } = engineOf((_, { page }) => wordsOf([`Page ${page}`], [0.95, 0.7, 0.31][page - 1]));
    const { warnings, text } = await read({ pages: [SCAN, SCAN, SCAN] }, { ocr });
    expect(text).toBe('Page 1\n\nPage 2');
    expect(warnings.map(({ code }) => code)).toEqual(['ocr_uncertain', 'ocr_unreadable']);
    expect(warnings[0]?.message).toContain('page 2 (70 %)');
    expect(warnings[1]?.message).toContain('page 3 (31 %)');
  });

  it('of handwriting alone are rejected with the figure', async () => {
    const { ocr } = engineOf(() => wordsOf(['fdlv wm', 'ae'], 0.31));
    await expect(read({ pages: [SCAN, SCAN] }, { ocr })).rejects.toMatchObject({
      code: 'unreadable_scan',
      pages: 2,
      message: expect.stringContaining('31 %') as string,
    });
    await expect(read({ pages: [SCAN] }, { ocr: engineOf(() => []).ocr })).rejects.toMatchObject({
      code: 'unreadable_scan',
    });
  });

  it('above the bound are rejected before one is read', async () => {
    const { ocr, calls } = engineOf(() => wordsOf(['The tide turns.']));
    await expect(read({ pages: [SCAN, TEXT, SCAN, SCAN] }, { ocr, maxOcrPages: 2 })).rejects.toMatchObject({
      code: 'too_many_scanned_pages',
      pages: 3,
    });
    expect(calls).toEqual([]);
    const { pages } = await read({ pages: [SCAN, TEXT, SCAN] }, { ocr, maxOcrPages: 2 });
    expect(pages).toHaveLength(3);
    await expect(read({ pages: [SCAN] }, { ocr, maxOcrPages: 0 })).rejects.toThrow('an integer from 1');
  });

  it('that the engine cannot decode are unreadable, and other errors are the caller’s', async () => {
    const failing = (error: Error): ExtractOptions => ({ ocr: () => Promise.reject(error) });
    const corrupted = Object.assign(new Error('no picture'), { code: 'corrupted' });
    const { text, warnings } = await read({ pages: [TEXT, SCAN] }, failing(corrupted));
    expect([text, warnings.map(({ code }) => code)]).toEqual([TEXT.lines![0], ['ocr_unreadable']]);
    await expect(read({ pages: [TEXT, SCAN] }, failing(new Error('no key')))).rejects.toThrow('no key');
  });

  it('end with the signal between two pages', async () => {
    const stop = new AbortController();
    const { ocr, calls } = engineOf(() => {
      stop.abort('enough');
      return wordsOf(['The tide turns.']);
    });
    await expect(read({ pages: [SCAN, SCAN, SCAN] }, { ocr, signal: stop.signal })).rejects.toBe('enough');
    expect(calls).toHaveLength(1);
    expect(calls[0]?.request.signal).toBe(stop.signal);
  });

  it('have the structure that their words would have in a text layer', async () => {
    const heading = { x: 50, y: 760, text: 'Tides of the northern coast', size: 20 };
    const lines = [
      'The sea rises twice a day along this coast and the',
      'pilots wait for the flood before they bring the ships',
      'over the bar and into the harbour of the old town.',
    ];
    const texts: SetText[] = [
      heading,
      ...lines.map((text, at) => ({ x: 50, y: 730 - 14 * at, text, size: 12 })),
      ...[
        ['Port', 'High', 'Low'],
        ['Husum', '3.40', '0.20'],
        ['Emden', '3.10', '0.10'],
        ['Bremen', '4.20', '0.30'],
      ].flatMap((row, at) =>
        row.map((text, cell) => ({ x: 50 + 150 * cell, y: 650 - 20 * at, text, size: 12 })),
      ),
    ];
    const { ocr } = engineOf(() => rowsOf(texts));
    const [exact, scanned] = [
      await read({ pages: [{ content: setText(texts) }] }, {}),
      await read({ pages: [SCAN] }, { ocr }),
    ];
    expect(exact.blocks.map(({ kind }) => kind)).toEqual(['heading', 'paragraph', 'table']);
    expect(scanned.text).toBe(exact.text);
    expect(scanned.blocks).toEqual(exact.blocks);
  });

  it('keep every word in its order', async () => {
    const word = constantFrom('tide', 'Ebb', 'gauge', 'low', '3.40', 'harbour,', 'jetty', 'and');
    await assert(
      asyncProperty(
        array(array(word, { minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 20 }),
        async (lines) => {
          const { ocr } = engineOf(() => wordsOf(lines.map((words) => words.join(' '))));
          const { text } = await read({ pages: [SCAN] }, { ocr });
          expect(
            text
              .replace(/[#|\s-]+/g, ' ')
              .trim()
              .split(' '),
          ).toEqual(lines.flat());
        },
      ),
      cases(30),
    );
  });
});

/** Words line by line; texts at one height are one line. */
function rowsOf(texts: readonly SetText[]): OcrWord[] {
  const heights = [...new Set(texts.map(({ y }) => y))];
  return texts.flatMap((text) => placed(text, heights.indexOf(text.y)));
}

describe('hostile pages', () => {
  const never = {
    ocr: (): never => {
      throw new Error('The engine was given a picture.');
    },
  };

  it('with pictures of too many pixels are not drawn', async () => {
    const bomb = (width: number, height: number): PdfSpec => ({
      pages: [{ ...SCAN, entries: '/Resources<</XObject<</P 900 0 R>>>>' }],
      objects: { 900: pictureObject({ width, height, pixels: new Uint8Array(1000) }) },
    });
    await expect(read(bomb(100_000, 100_000), never)).rejects.toMatchObject({ code: 'unreadable_scan' });
    await expect(read(bomb(8001, 5000), never)).rejects.toMatchObject({ code: 'unreadable_scan' });
    const { text } = await read(bomb(8000, 5000), { ocr: engineOf(() => wordsOf(['The tide turns.'])).ocr });
    expect(text).toBe('The tide turns.');
  });

  it('with pictures inside of forms are not drawn either', async () => {
    const form = (inner: string): string =>
      `<</Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<</XObject<</P ${inner} 0 R>>>>/Length 5>>\nstream\n/P Do\nendstream`;
    const spec: PdfSpec = {
      pages: [{ ...SCAN, entries: '/Resources<</XObject<</P 902 0 R>>>>' }],
      objects: {
        900: pictureObject({ width: 90_000, height: 90_000, pixels: new Uint8Array(1000) }),
        901: form('900'),
        902: form('901'),
      },
    };
    await expect(read(spec, never)).rejects.toMatchObject({ code: 'unreadable_scan' });
  });

  it('of too many square metres are not drawn', async () => {
    const spec: PdfSpec = { pages: [{ ...SCAN, entries: '/MediaBox[0 0 14400 14400]' }] };
    await expect(read(spec, { ...never, ocrPages: 'all' })).rejects.toMatchObject({
      code: 'unreadable_scan',
    });
  });
});

describe('pictures', () => {
  const PNG = headerOf('png', 1000, 1400);

  it('are a document of one page', async () => {
    const { ocr, calls } = engineOf(() => wordsOf(['The tide turns', 'at noon today.']));
    const document = await extract(PNG, { filename: 'tide.png', ocr, ocrLanguage: 'deu' });
    expectLawful(document);
    expect(document).toMatchObject({
      text: 'The tide turns at noon today.',
      pages: [0],
      mediaType: 'image/png',
      filename: 'tide.png',
      reader: 'image-1',
      warnings: [],
    });
    expect(calls).toMatchObject([
      { image: { width: 1000, height: 1400, mediaType: 'image/png' }, request: { page: 1, language: 'deu' } },
    ]);
    expect(calls[0]?.image.bytes).toEqual(PNG);
  });

  it('are no document without OCR', async () => {
    await expect(extract(PNG, { filename: 'tide.png' })).rejects.toMatchObject({
      code: 'unsupported_type',
      found: 'it is image/png (.png)',
    });
  });

  it('of several pages give the first, with a warning', async () => {
    const { ocr } = engineOf(() => wordsOf(['The tide turns.']));
    const { warnings } = await extract(headerOf('tiff', 100, 100, { pages: 12 }), { ocr });
    expect(warnings).toMatchObject([
      { code: 'pages_left_out', message: expect.stringContaining('12') as string },
    ]);
  });

  it.each([
    ['with too many pixels', headerOf('png', 100_000, 100_000), 'too_large'],
    ['cut in its header', PNG.subarray(0, 18), 'corrupted'],
  ])('%s are rejected before the engine gets them', async (_, bytes, code) => {
    const ocr: Ocr = () => Promise.reject(new Error('The engine was given a picture.'));
    await expect(extract(bytes, { ocr })).rejects.toMatchObject({ code });
  });

  it('that the engine rejects have its code', async () => {
    for (const code of ['corrupted', 'too_complex'])
      await expect(
        extract(PNG, { ocr: () => Promise.reject(Object.assign(new Error('no'), { code })) }),
      ).rejects.toMatchObject({ name: 'ExtractError', code });
    const { ocr } = engineOf(() => wordsOf(['x'], 0.3));
    await expect(extract(PNG, { ocr })).rejects.toMatchObject({ code: 'unreadable_scan', pages: 1 });
  });
});
