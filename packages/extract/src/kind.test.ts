import { strToU8, zipSync } from 'fflate';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { ExtractError, type ExtractErrorCode } from './errors.ts';
import { extract } from './extract.ts';
import { acceptedEndings } from './readers/index.ts';
import { detectKind, parseContentType } from './kind.ts';
import type { KindHints } from './reader.ts';

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const WORD_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
const contentTypes = (type: string): Uint8Array =>
  strToU8(
    `<?xml version="1.0"?><Types><Override PartName="/word/document.xml" ContentType="${type}"/></Types>`,
  );
const DOCX = zipSync({
  '[Content_Types].xml': contentTypes(WORD_TYPE),
  'word/document.xml': strToU8('<w:document/>'),
});
const OLE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';
const utf16 = (name: string): string => name.replace(/./g, '$&\0');
const TAR = bytesOf(
  `${`a.txt${'\0'.repeat(95)}0000644\x000000000\x000000000\x0000000002000\x0000000000000\x00007015\x00 0`.padEnd(257, '\0')}ustar\x0000`
    .padEnd(512, '\0')
    .concat('words '.repeat(200)),
);
const PNG = bytesOf('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\b\x06\0\0\0\x1f\x15\xc4\x89');

describe('kinds that content tells', () => {
  it('is PDF after junk of up to 1024 bytes, under any name', async () => {
    const body = '%PDF-1.4\n1 0 obj <<>> endobj';
    for (const junk of [0, 1, 1000, 1024]) {
      expect(await detectKind(bytesOf('x'.repeat(junk) + body), { filename: 'a.txt' })).toBe('pdf');
    }
    expect(await detectKind(bytesOf('x'.repeat(1025) + body))).toBe('txt');
  });

  it('is PDF without its header when it is called a PDF and made of PDF objects', async () => {
    expect(await detectKind(bytesOf('1 0 obj <<>> endobj'), { filename: 'a.pdf' })).toBe('pdf');
  });

  it('is text when prose names the PDF header', async () => {
    expect(await detectKind(bytesOf('A file begins with %PDF-1.4 and goes on.'))).toBe('txt');
  });

  it('is DOCX by its parts, under any name', async () => {
    for (const hints of [{}, { filename: 'a.txt' }, { contentType: 'application/octet-stream' }]) {
      expect(await detectKind(DOCX, hints)).toBe('docx');
    }
  });

  it('is DOCX with thousands of entries before its content types, and with a document part of another name', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 3000 }, (_, i) => [`word/media/${i}.bin`, new Uint8Array(1)]),
    );
    const parts = {
      ...many,
      '[Content_Types].xml': contentTypes(WORD_TYPE),
      'word/document2.xml': strToU8('<w:document/>'),
    };
    expect(await detectKind(zipSync(parts))).toBe('docx');
  });

  it('is DOCX when its archive is cut off', async () => {
    const whole = zipSync({
      '[Content_Types].xml': contentTypes(WORD_TYPE),
      'word/document.xml': strToU8('<w:document/>'),
      'word/media/a.bin': [new Uint8Array(5000), { level: 0 }],
    });
    expect(await detectKind(whole.subarray(0, 3000))).toBe('docx');
  });

  it('is HTML by its first tag, after a byte order mark, an XML declaration and comments', async () => {
    for (const start of ['<!DOCTYPE html>', '<html lang=en>', '<HEAD>', '<body class=x>']) {
      for (const before of [
        '',
        '\n\n ',
        '\xef\xbb\xbf',
        '<?xml version="1.0"?>\n',
        '<!-- a --> <!-- b-c -->\n',
      ]) {
        expect(await detectKind(bytesOf(`${before}${start}<p>x`), { filename: 'page.pdf' })).toBe('html');
      }
    }
  });

  it('is HTML by name or content type when there is any tag, and text when there is none', async () => {
    expect(await detectKind(bytesOf('<p>x</p>'), { filename: 'A.HTM' })).toBe('html');
    expect(await detectKind(bytesOf('x <b>y</b>'), { contentType: 'text/html; charset=utf-8' })).toBe('html');
    expect(await detectKind(bytesOf('a < b and b > c'), { filename: 'a.html' })).toBe('txt');
    expect(await detectKind(bytesOf('<p>x</p>'), { filename: 'a.txt' })).toBe('txt');
  });

  it('is HTML in UTF-16', async () => {
    const marked = Buffer.from('\uFEFF<!doctype html><p>x', 'utf16le');
    expect(await detectKind(marked)).toBe('html');
    expect(await detectKind(Buffer.from(marked).swap16())).toBe('html');
    expect(
      await detectKind(Buffer.from('<!doctype html><title>A page</title><p>Some words', 'utf16le')),
    ).toBe('html');
  });

  it('is Markdown by name or content type alone', async () => {
    expect(await detectKind(bytesOf('# x'), { filename: 'a.md' })).toBe('markdown');
    expect(await detectKind(bytesOf('# x'), { contentType: 'text/markdown' })).toBe('markdown');
    expect(await detectKind(bytesOf('# x'), { filename: 'a.txt' })).toBe('txt');
  });

  it('is CSV by name or content type alone, where something parts its values', async () => {
    expect(await detectKind(bytesOf('a,b'), { filename: 'a.csv' })).toBe('csv');
    expect(await detectKind(bytesOf('a\tb'), { contentType: 'text/tab-separated-values' })).toBe('csv');
    expect(await detectKind(bytesOf('a,b'), { filename: 'a.txt' })).toBe('txt');
    expect(await detectKind(bytesOf('only words'), { filename: 'a.csv' })).toBe('txt');
    expect(await detectKind(bytesOf('<!doctype html><p>a, b'), { filename: 'a.csv' })).toBe('html');
  });

  it('is plain text under unknown endings, and when its first letters look like a signature', async () => {
    for (const filename of ['a.py', 'Makefile', 'a.exe']) {
      expect(
        await detectKind(bytesOf('BM is what bitmaps begin with, PK archives, MZ programs'), { filename }),
      ).toBe('txt');
    }
    expect(await detectKind(bytesOf('PKI is a matter of trust'))).toBe('txt');
    expect(await detectKind(bytesOf('MZ wrote this'))).toBe('txt');
  });

  it('is text with NULs between its letters, also when it is short, and in UTF-16', async () => {
    for (const text of ['\0 w0w', 'a\0b', 'abc\0abc\0', 'привет\0мир'])
      expect(await detectKind(Buffer.from(text))).toBe('txt');
    for (const text of ['hi', '1;2;3\r\n4;5;6\r\n', 'ภาษาไทย', '안녕하세요 세계'])
      expect(await detectKind(Buffer.from(text, 'utf16le'))).toBe('txt');
  });

  it('is text with colour codes of a terminal', async () => {
    expect(await detectKind(bytesOf('\x1b[31mred\x1b[0m '.repeat(100)))).toBe('txt');
  });
});

describe('what is refused', () => {
  const refused: [string, Uint8Array, KindHints, ExtractErrorCode, RegExp][] = [
    ['no bytes', new Uint8Array(), { filename: 'a.pdf' }, 'empty_document', /no text/],
    ['an archive of a text', TAR, { filename: 'a.txt' }, 'unsupported_type', /x-tar/],
    ['a PNG called .txt', PNG, { filename: 'a.txt' }, 'unsupported_type', /image\/png/],
    [
      'a JPEG called .pdf',
      bytesOf('\xff\xd8\xff\xe0\0\x10JFIF\0\x01'),
      { filename: 'a.pdf' },
      'unsupported_type',
      /jpeg/,
    ],
    [
      'a program',
      bytesOf('MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0\xb8\0\0\0\0\0\0\0@'),
      {},
      'unsupported_type',
      /\.exe/,
    ],
    [
      'an encrypted Word file',
      bytesOf(`${OLE}\0\0${utf16('EncryptedPackage')}`),
      {},
      'encrypted',
      /password/,
    ],
    [
      'an old Word file',
      bytesOf(`${OLE}\0\0${utf16('WordDocument')}`),
      { filename: 'a.doc' },
      'unsupported_type',
      /\.doc\b/,
    ],
    ['an old workbook', bytesOf(`${OLE}\0\0${utf16('Workbook')}`), {}, 'unsupported_type', /\.xls/],
    ['PostScript', bytesOf('%!PS-Adobe-3.0'), {}, 'unsupported_type', /PostScript/],
    ['text called .pdf', bytesOf('just text'), { filename: 'a.pdf' }, 'unsupported_type', /called a PDF/],
    ['text called .docx', bytesOf('just text'), { filename: 'a.docx' }, 'unsupported_type', /called a DOCX/],
    ['text called .epub', bytesOf('just text'), { filename: 'a.epub' }, 'unsupported_type', /called an EPUB/],
    [
      'text called .msg',
      bytesOf('text'),
      { filename: 'a.msg' },
      'unsupported_type',
      /called an Outlook message/,
    ],
    [
      'a binary workbook',
      zipSync({ '[Content_Types].xml': strToU8('x'), 'xl/workbook.bin': strToU8('x') }),
      { filename: 'a.xlsx' },
      'unsupported_type',
      /\(\.xlsb\); save it as \.xlsx/,
    ],
    [
      'an OpenDocument drawing',
      zipSync({
        mimetype: [strToU8('application/vnd.oasis.opendocument.graphics'), { level: 0 }],
        a: strToU8('x'),
      }),
      {},
      'unsupported_type',
      /opendocument\.graphics \(\.odg\)/,
    ],
    ['an app', zipSync({ 'AndroidManifest.xml': strToU8('x') }), {}, 'unsupported_type', /\.apk/],
    [
      'an archive',
      bytesOf('\x1f\x8b\b\0\0\0\0\0\0\x03\xed\xcf\x81'),
      {},
      'unsupported_type',
      /application\/gzip \(\.gz\)/,
    ],
    ['a film', bytesOf('\0\0\0\x20ftypisom\0\0\x02\0isomiso2'), {}, 'unsupported_type', /video\/mp4/],
    ['a database', bytesOf('SQLite format 3\0\x10\0\x01\x01\0\x40'), {}, 'unsupported_type', /sqlite/],
    ['a ZIP', zipSync({ 'a.txt': strToU8('x') }), { filename: 'a.zip' }, 'unsupported_type', /ZIP/],
    [
      'a ZIP called .docx',
      zipSync({ 'a.txt': strToU8('x') }),
      { filename: 'a.docx' },
      'corrupted',
      /no Word document/,
    ],
    ['an empty ZIP called .docx', zipSync({}), { filename: 'a.docx' }, 'corrupted', /no Word document/],
    ['few binary bytes', Uint8Array.of(1, 2, 3), {}, 'unsupported_type', /binary/],
    [
      'one control byte again and again, which UTF-16 has a letter for',
      new Uint8Array(100).fill(1),
      { filename: 'a.txt' },
      'unsupported_type',
      /binary/,
    ],
    [
      'bytes of small value, which UTF-16 has letters of many scripts for',
      Uint8Array.from({ length: 400 }, (_, at) => 1 + ((at * 7) % 23)),
      { filename: 'a.txt' },
      'unsupported_type',
      /binary/,
    ],
    [
      'binary with words in it, whose zeros stand anywhere',
      bytesOf('\0\x01\x02 garbage'.repeat(100)),
      { filename: 'a.txt' },
      'unsupported_type',
      /binary/,
    ],
  ];

  it.each(refused)('%s', async (_, bytes, hints, code, message) => {
    const error: unknown = await detectKind(bytes, hints).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ExtractError);
    expect((error as ExtractError).code).toBe(code);
    expect((error as ExtractError).message).toMatch(message);
  });

  it('counts what writing does not have up to a tenth of all characters, wherever it stands', async () => {
    for (const [before, behind] of [
      [0, 900],
      [31, 869],
      [32, 868],
      [900, 0],
    ] as const) {
      const text = (noise: number): Uint8Array =>
        bytesOf('a'.repeat(before) + '\x01'.repeat(noise) + 'a'.repeat(behind));
      await expect(detectKind(text(100))).resolves.toBe('txt');
      await expect(detectKind(text(101))).rejects.toThrow('binary');
    }
  });

  it('is not looked for where it is known', async () => {
    const page = bytesOf('<html><p>Words.');
    await expect(extract(page)).resolves.toMatchObject({ mediaType: 'text/html', text: 'Words.' });
    await expect(extract(page, { kind: 'txt' })).resolves.toMatchObject({
      mediaType: 'text/plain',
      text: '<html><p>Words.',
    });
  });

  it('takes the claimed kind of OpenDocument where the archive does not begin with its type', async () => {
    const bytes = zipSync({ 'content.xml': strToU8('<a/>'), mimetype: strToU8('x') });
    expect(await detectKind(bytes, { filename: 'a.odt' })).toBe('odt');
    expect(await detectKind(bytes, { filename: 'a.odp' })).toBe('odp');
    expect(await detectKind(bytes, { filename: 'a.ods' })).toBe('ods');
    await expect(detectKind(bytes)).rejects.toMatchObject({ code: 'unsupported_type' });
  });

  it('names every accepted ending', async () => {
    await expect(detectKind(PNG)).rejects.toThrow(`accepted are ${acceptedEndings()}`);
  });

  it('ends any bytes at all in a kind or a coded error', async () => {
    const signatures = fc.constantFrom(
      '',
      '%PDF-',
      'PK\x03\x04',
      'PK\x05\x06',
      OLE,
      '<html',
      '\xff\xfe',
      '{\\rtf',
    );
    const bytes = fc.tuple(signatures, fc.uint8Array({ maxLength: 300 }));
    await fc.assert(
      fc.asyncProperty(
        bytes,
        fc.constantFrom('a.pdf', 'a.docx', 'a.txt', ''),
        async ([signature, rest], filename) => {
          const whole = Buffer.concat([Buffer.from(signature, 'latin1'), rest]);
          await detectKind(whole, { filename }).catch((reason: unknown) =>
            expect(reason).toBeInstanceOf(ExtractError),
          );
        },
      ),
      cases(100),
    );
  });
});

it('reads content types with and without parameters', () => {
  expect(parseContentType('Text/HTML; boundary=x; Charset="Windows-1251"')).toEqual({
    mediaType: 'text/html',
    charset: 'windows-1251',
  });
  expect(parseContentType('text/plain')).toEqual({ mediaType: 'text/plain' });
  expect(parseContentType()).toEqual({ mediaType: '' });
});
