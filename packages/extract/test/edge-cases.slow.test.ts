// Whole files through the front door: one test for each way in which a PDF or a text can be difficult.
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Document } from '@grainline/core';
import { extract } from '../src/extract.ts';
import { detectKind } from '../src/kind.ts';
import { ExtractError } from '../src/errors.ts';
import type { PageProgress } from '../src/reader.ts';
import { expectLawful } from './laws.ts';
import { writePdf, type PdfSpec } from '@grainline/testing/pdf-writer';

const HELLO = ['Hello from the only page of this file.', 'A second line of it.'];
const hello = { lines: HELLO };
const four = writePdf({
  pages: ['one', 'two', 'three', 'four'].map((word) => ({ lines: [`This is page ${word}.`] })),
});
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1');

async function read(bytes: Uint8Array, filename = 'file.pdf'): Promise<Document> {
  const document = await extract(bytes, { filename });
  expectLawful(document);
  return document;
}

async function errorOf(bytes: Uint8Array, filename = 'file.pdf'): Promise<ExtractError> {
  const outcome: unknown = await extract(bytes, { filename }).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(ExtractError);
  return outcome as ExtractError;
}

const readSpec = (spec: PdfSpec): Promise<Document> => read(writePdf(spec));
const codes = ({ warnings }: Document): string[] => warnings.map(({ code }) => code);

/** A compressed stream as the content of the first page. */
const flate = (content: Buffer, filter = '/FlateDecode'): PdfSpec => ({
  pages: [{ content: '' }],
  objects: {
    11: `<</Filter${filter}/Length ${content.length}>>\nstream\n${content.toString('latin1')}\nendstream`,
  },
});

describe('options', () => {
  const refused = (options: object) => expect(extract(bytesOf('One.'), options)).rejects;

  it('that extract does not take are refused with those that it does, and all at once', async () => {
    await refused({ filname: 'a.txt' }).toThrow(
      new TypeError(
        'Wrong options: filname must be left out, because extract takes only filename, contentType, kind, url, pdfium, signal, ocr, ocrLanguage, maxOcrPages, onOcrPage, onPage, regions, pages, password, furniture, lines, content, links, ocrPages.',
      ),
    );
    await refused({ filename: 5, signal: {}, ocr: true, onPage: 1, kind: 'doc', name: 'a' }).toThrow(
      /filename must be a string; signal must be an AbortSignal; ocr must be a function, such as createOcr of @grainline\/ocr makes; onPage must be a function; kind must be one of pdf, docx, .*; name must be left out/,
    );
    await refused([] as object).toThrow('as an object');
  });

  it('of detectKind are checked the same way', async () => {
    await expect(detectKind(bytesOf('One.'), { filname: 'a.txt' } as object)).rejects.toThrow(
      'filname must be left out, because detectKind takes only filename, contentType',
    );
  });

  it('may be there without a value', async () => {
    const nothing = { filename: undefined, contentType: undefined, signal: undefined };
    expect((await extract(bytesOf('One.'), nothing)).text).toBe('One.');
  });
});

describe('a sound PDF', () => {
  it('gives text, pages, title, name and paragraphs with their page', async () => {
    const pdf = writePdf({ pages: [hello, { lines: ['The second page.'] }], title: ' Títle\n☃ ' });
    const document = await read(pdf, '/tmp/some\\report.pdf');
    expect(document).toEqual({
      text: `${HELLO.join(' ')}\n\nThe second page.`,
      blocks: [
        { kind: 'paragraph', start: 0, end: 59, page: 1 },
        { kind: 'paragraph', start: 61, end: 77, page: 2 },
      ],
      pages: [0, 61],
      mediaType: 'application/pdf',
      filename: 'report.pdf',
      title: 'Títle ☃',
      reader: 'pdf-13',
      warnings: [],
    });
  });

  it('gives empty pages a place too', async () => {
    const { pages } = await readSpec({
      pages: [{}, { lines: ['One word.'] }, {}, {}, { lines: ['Two words.'] }, {}],
    });
    expect(pages).toEqual([0, 0, 11, 11, 11, 21]);
  });

  it('keeps characters outside the BMP, expands ligatures, and replaces half a surrogate pair', async () => {
    const toUnicode = { A: 'D83DDE00', B: 'FB01', C: 'D83D', x: '0078', ' ': '0020' };
    const { text } = await readSpec({ pages: [{ lines: ['xA B C'] }], toUnicode });
    expect(text).toBe('x😀 fi \uFFFD');
  });

  it('joins words that were divided at the end of a line', async () => {
    const { text } = await readSpec({
      pages: [{ lines: ['A docu-', 'ment with hyphen-', 'ation, and T-', 'Shirts.'] }],
    });
    expect(text).toContain('A document with hyphenation');
    expect(text).not.toContain('\uFFFE');
  });

  it('drops what fonts leave of control characters', async () => {
    const toUnicode = { a: '0061', x: '0007', y: 'FEFF', z: '0099', ' ': '0020' };
    expect((await readSpec({ pages: [{ lines: ['axyz a'] }], toUnicode })).text).toBe('a a');
  });

  it('ends a paragraph after a short line that ends a sentence', async () => {
    const full = 'This line is as long as the lines of this page go and no longer,';
    const { blocks, text } = await readSpec({
      pages: [{ lines: [full, full, 'and ends here.', full, full] }],
    });
    expect(blocks.map(({ start, end }) => text.slice(start, end).match(/This/g)?.length)).toEqual([2, 2]);
  });

  it('has the values of form fields at the end of their page, and no passwords', async () => {
    const first = { ...hello, fields: { name: 'Ada (Countess)', town: 'London', secret: 'x' } };
    const secret = '<</Type/Annot/Subtype/Widget/FT/Tx/Ff 8192/T(secret)/V(1234)/Rect[0 0 9 9]/P 10 0 R>>';
    const { text } = await readSpec({ pages: [first, { lines: ['Next page.'] }], objects: { 14: secret } });
    expect(text).toBe(`${HELLO.join(' ')}\n\nAda (Countess)\nLondon\n\nNext page.`);
  });

  it('is read with a warning up to its 5000th form field', async () => {
    const fields = Object.fromEntries(Array.from({ length: 5002 }, (_, i) => [`f${i}`, `value ${i}`]));
    const document = await readSpec({ pages: [{ ...hello, fields }] });
    expect(document.text.endsWith('value 4999')).toBe(true);
    expect(document.warnings).toEqual([
      { code: 'fields_left_out', message: '2 form fields after the first 5000 were not read.' },
    ]);
  });

  it('is read when only its restrictions have a password', async () => {
    const { text } = await readSpec({ pages: [hello], password: { user: '', owner: 'secret' } });
    expect(text).toBe(HELLO.join(' '));
  });

  it('runs no scripts and opens no attachments', async () => {
    const catalog = '/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>/AA<</WC<</S/Launch/F(x)>>>>';
    expect((await readSpec({ pages: [hello], catalog })).text).toBe(HELLO.join(' '));
  });
});

describe('a PDF without text', () => {
  it('is refused as a scan, with its page count', async () => {
    const error = await errorOf(writePdf({ pages: [{ picture: 1 }, { picture: 0.9 }, { picture: 1 }] }));
    expect(error).toMatchObject({ code: 'no_text', pages: 3 });
    expect(error.message).toContain('has 3 pages but');
  });

  it('is refused as a scan when all it has is a stamp', async () => {
    const scanned = { picture: 1, lines: ['Scanned by Machine'] };
    expect((await errorOf(writePdf({ pages: [scanned, scanned] }))).code).toBe('no_text');
  });

  it('is read with a warning when only some of its pages are scans', async () => {
    const document = await readSpec({ pages: [{ picture: 1 }, hello] });
    expect(document.text).toBe(HELLO.join(' '));
    expect(document.warnings).toEqual([
      { code: 'scanned_pages', message: 'Without a text layer: page 1. Run OCR to read it.' },
    ]);
  });

  it('is read when it has few words beside a small picture', async () => {
    expect((await readSpec({ pages: [{ picture: 0.2, lines: ['Hello World'] }] })).text).toBe('Hello World');
  });

  it('is empty when its pages show nothing', async () => {
    expect((await errorOf(writePdf({ pages: [{}, {}] }))).code).toBe('empty_document');
  });

  it('is read with a warning when its fonts do not say what they show', async () => {
    const toUnicode = { a: 'E000', b: 'FFFD', x: '0078', ' ': '0020' };
    expect(codes(await readSpec({ pages: [{ lines: ['ab xab'] }], toUnicode }))).toEqual(['unmappable_text']);
    expect(codes(await readSpec({ pages: [{ lines: ['xxxx xxab'] }], toUnicode }))).toEqual([]);
  });
});

describe('a PDF with a password', () => {
  it('is refused', async () => {
    const error = await errorOf(writePdf({ pages: [hello], password: { user: 'open', owner: 'secret' } }));
    expect(error.code).toBe('encrypted');
  });
});

describe('a damaged PDF', () => {
  it('is read up to where it was cut, with a warning', async () => {
    const document = await read(four.subarray(0, latin1(four).indexOf('This is page three')));
    expect(document.text).toBe('This is page one.\n\nThis is page two.');
    expect(codes(document)).toEqual(['pages_unreadable']);
  });

  it('is read although cross-reference table, trailer, header or catalog are lost', async () => {
    const source = latin1(four);
    const table = source.indexOf('xref\n');
    const damaged = {
      table: source.slice(0, table) + source.slice(source.indexOf('trailer')),
      trailer: source.slice(0, table),
      header: source.slice(20),
      catalog: source.slice(0, table).replace('/Type/Catalog', '/Type/Xatalog'),
    };
    for (const [part, rest] of Object.entries(damaged)) {
      expect((await read(bytesOf(rest))).text, `without ${part}`).toMatch(/page one\.[^]*page four\./);
    }
  });

  it('keeps the number of a page after one that is lost', async () => {
    const document = await readSpec({
      pages: [hello, hello],
      kids: '10 0 R 999 0 R 20 0 R',
      claimedPages: 3,
    });
    expect(document.pages).toEqual([0, 61, 61]);
    expect(document.blocks.map(({ page }) => page)).toEqual([1, 3]);
    expect(document.warnings[0]?.message).toBe('The file is damaged and could not be read on page 2.');
  });

  it('is read after junk of 1000 bytes', async () => {
    expect((await read(Buffer.concat([Buffer.alloc(1000, 'junk '), four]), 'junk.txt')).pages).toHaveLength(
      4,
    );
  });

  it.each([
    ['a header and nothing else', bytesOf('%PDF-1.7\n')],
    [
      'a header before noise',
      Buffer.concat([bytesOf('%PDF-1.7\n'), Buffer.from(four).map((byte) => byte ^ 0x5a)]),
    ],
    [
      '300,000 nested arrays',
      bytesOf(`%PDF-1.4\n1 0 obj ${'['.repeat(300_000)}\nendobj\ntrailer <</Root 1 0 R>>`),
    ],
  ])('is refused as corrupted: %s', async (_, bytes) => {
    expect((await errorOf(bytes)).code).toBe('corrupted');
  });
});

describe('a PDF that lies about its pages', () => {
  it.each([0, 2, 5000, 1_000_000, 10_000_000, 2_000_000_000])(
    'has its one page when it claims %i',
    async (claimedPages) => {
      const document = await readSpec({ pages: [hello], claimedPages });
      expect(document.pages).toEqual([0]);
      expect(document.text).toBe(HELLO.join(' '));
    },
  );

  it('is read when its page tree runs in circles', async () => {
    expect((await readSpec({ pages: [hello], kids: '2 0 R', claimedPages: 5 })).pages).toEqual([0]);
    expect((await readSpec({ pages: [hello], kids: '10 0 R 2 0 R', claimedPages: 5 })).pages).toEqual([0]);
  });

  it('is read when its page tree is 5000 deep', async () => {
    const link = (i: number): string => `<</Type/Pages/Count 1/Kids[${i === 4999 ? 10 : 1001 + i} 0 R]>>`;
    const objects = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [1000 + i, link(i)]));
    expect((await readSpec({ pages: [hello], kids: '1000 0 R', objects })).text).toBe(HELLO.join(' '));
  });

  it('is refused when it shows one page 60,000 times', async () => {
    const kids = '10 0 R '.repeat(60_000);
    expect((await errorOf(writePdf({ pages: [{}], kids, claimedPages: 60_000 }))).code).toBe('too_complex');
  });
});

describe('a PDF bomb', () => {
  /** Thirty forms, each of which draws the next one twice, the last one `last`. */
  const doubling = (last: string): PdfSpec => {
    const form = (resources: string, content: string): string =>
      `<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<${resources}>>/Length ${content.length}>>\nstream\n${content}\nendstream`;
    const twice = (i: number): string => form(`/XObject<</X ${101 + i} 0 R>>`, '/X Do /X Do');
    const objects = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [100 + i, twice(i)]));
    const page =
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</XObject<</X 100 0 R>>>>/Contents 11 0 R>>';
    return {
      pages: [{ content: '/X Do' }],
      objects: { 10: page, ...objects, 130: last === '' ? form('', '') : last },
    };
  };

  it.each([
    [
      'doubly packed blanks of 1 GiB',
      (): PdfSpec =>
        flate(deflateSync(deflateSync(Buffer.alloc(2 ** 30, ' '))), '[/FlateDecode/FlateDecode]'),
    ],
    ['forms that double thirty times', (): PdfSpec => doubling('')],
    [
      '5 million glyphs',
      (): PdfSpec => ({ pages: [{ content: `BT /F 12 Tf ${'(aaaaaaaaaa) Tj '.repeat(500_000)} ET` }] }),
    ],
  ])('ends in too_complex and harms no other: %s', async (_, spec) => {
    const bomb = writePdf(spec());
    const [error, after] = await Promise.all([errorOf(bomb), read(four)]);
    expect(error.code).toBe('too_complex');
    expect(after.pages).toHaveLength(4);
  });
});

describe('the signal', () => {
  it('rejects with its reason before any work', async () => {
    const reason = new Error('no more');
    await expect(extract(four, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('rejects with its reason between pages and leaves the engine sound', async () => {
    const reason = new Error('no more');
    const long = writePdf({ pages: Array.from({ length: 500 }, () => hello) });
    const controller = new AbortController();
    const reading = extract(long, { signal: controller.signal });
    setImmediate(() => {
      controller.abort(reason);
    });
    await expect(reading).rejects.toBe(reason);
    expect((await read(four)).pages).toHaveLength(4);
  });

  it('rejects at once while another document is being read', async () => {
    const long = writePdf({ pages: Array.from({ length: 300 }, () => hello) });
    const controller = new AbortController();
    const finished: string[] = [];
    const first = extract(long).then(() => finished.push('first'));
    const second = extract(four, { signal: controller.signal }).catch(() => finished.push('second'));
    setImmediate(() => {
      controller.abort();
    });
    await Promise.all([first, second]);
    expect(finished).toEqual(['second', 'first']);
  });
});

describe('who waits', () => {
  it('hears of each page of a PDF, and while pages are still to come', async () => {
    const notified: PageProgress[] = [];
    const stop = new AbortController();
    const onPage = (page: PageProgress): void => void notified.push(page);
    await extract(four, { onPage });
    expect(notified).toEqual([1, 2, 3, 4].map((done) => ({ done, total: 4 })));
    // It is told before the next page is begun, so it can also end the work there.
    const second = extract(four, {
      signal: stop.signal,
      onPage: ({ done }) => {
        if (done === 2) stop.abort('enough');
      },
    });
    await expect(second).rejects.toBe('enough');
    const claims = writePdf({ pages: [hello], claimedPages: 3 });
    notified.length = 0;
    await extract(claims, { onPage });
    expect(notified[0]).toEqual({ done: 1, total: 3 });
  });

  it('hears nothing of documents without pages', async () => {
    const never = (): never => {
      throw new Error('A page was told of.');
    };
    expect((await extract(bytesOf('One.'), { onPage: never })).text).toBe('One.');
  });
});

describe('texts', () => {
  it.each([
    ['no bytes', ''],
    ['blanks', ' \n\t\r\n\f '],
    ['NULs', '\0\0'],
  ])('are empty: %s', async (_, text) => {
    expect((await errorOf(bytesOf(text), 'a.txt')).code).toBe(
      text === '\0\0' ? 'unsupported_type' : 'empty_document',
    );
  });

  it('are refused when they are binary', async () => {
    const noise = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3) * 104_729) & 255);
    expect((await errorOf(noise, 'a.txt')).code).toBe('unsupported_type');
  });

  it('are read of 10 MB on one line', async () => {
    expect((await read(bytesOf('words '.repeat(1_700_000)), 'a.txt')).text).toHaveLength(10_200_000);
  });

  it('refuse what is not bytes', async () => {
    await expect(extract('text' as unknown as Uint8Array)).rejects.toThrow(TypeError);
  });
});
