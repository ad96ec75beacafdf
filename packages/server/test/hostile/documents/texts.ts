// Books, mail, rich text, notebooks and delimited values: nesting, floods of marks, lengths that lie.
import {
  type DocumentRow,
  documentsOf,
  type HostileDocument,
  nested,
  series,
} from '@grainline/testing/hostile/row';
import { writeZip } from '@grainline/testing/docx-writer';
import { bookContents, bookEntries, writeBook } from '@grainline/testing/epub-writer';
import { type MailPart, writeMail } from '@grainline/testing/mail-writer';
import { type MsgFolder, writeCompoundFile, writeMsg } from '@grainline/testing/msg-writer';
import { writePptx, slideTitle } from '@grainline/testing/pptx-writer';

const MIB = 1 << 20;
const HELLO = '<p>hello</p>';
const book = (body: string): Uint8Array => writeBook({ chapters: { 'a.xhtml': HELLO + body } });

/** A book whose plan is made from its own. */
const planned = (
  change: (plan: string) => string,
  extra: Parameters<typeof writeBook>[0]['extra'] = [],
): Uint8Array =>
  writeZip(
    bookEntries({ chapters: { 'a.xhtml': HELLO }, extra }).map((entry) =>
      entry.name === 'OEBPS/book.opf' ? { ...entry, content: change(String(entry.content)) } : entry,
    ),
  );

/** Names of one part in different cases of letters. */
const cased = (count: number): string[] =>
  Array.from({ length: count }, (_, at) =>
    'abcdefghij'.replace(/./g, (letter, bit: number) => ((at >> bit) & 1 ? letter.toUpperCase() : letter)),
  );

const EPUB: DocumentRow[] = [
  {
    of: 'a chapter that is read under hundreds of names',
    bytes: () =>
      writeZip(
        bookEntries({ chapters: { abcdefghij: `<p>${'hello '.repeat(200_000)}</p>` } }).map((entry) =>
          entry.name === 'OEBPS/book.opf'
            ? {
                ...entry,
                content: `<package><manifest>${cased(1000)
                  .map((name) => `<item id="${name}" href="${name}"/>`)
                  .join('')}</manifest><spine>${cased(1000)
                  .map((name) => `<itemref idref="${name}"/>`)
                  .join('')}</spine></package>`,
              }
            : entry,
        ),
      ),
    is: '413 too_large',
    isHeavy: true,
  },
  {
    of: 'ten chapters of 19 MB',
    bytes: () =>
      writeBook({
        chapters: Object.fromEntries(
          Array.from({ length: 10 }, (_, at) => [`${at}.xhtml`, `<p>${'hello '.repeat(3_300_000)}</p>`]),
        ),
      }),
    is: '413 too_large',
    isHeavy: true,
  },
  {
    of: 'a chapter of 30 MB',
    bytes: () =>
      writeBook({
        chapters: Object.fromEntries(
          Array.from({ length: 1 }, (_, at) => [`${at}.xhtml`, `<p>${'hello '.repeat(5_200_000)}</p>`]),
        ),
      }),
    is: '413 too_many_characters',
    isHeavy: true,
  },
  {
    of: 'nine thousand chapters',
    bytes: () =>
      writeBook({
        chapters: Object.fromEntries(
          Array.from({ length: 9000 }, (_, at) => [`${at}.xhtml`, `<p>hello ${at}</p>`]),
        ),
      }),
    is: /hello 8999/,
    isHeavy: true,
  },
  {
    of: 'a million references to chapters',
    bytes: () => planned((plan) => plan.replace(/<itemref [^>]*>/, (one) => one.repeat(1_000_000))),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a plan that is its own chapter',
    bytes: () =>
      planned((plan) =>
        plan
          .replace('</manifest>', '<item id="o" href="book.opf"/></manifest>')
          .replace('</spine>', '<itemref idref="o"/></spine>'),
      ),
    is: /hello/,
  },
  {
    of: 'chapters at addresses and outside',
    bytes: () =>
      planned((plan) =>
        plan
          .replace(
            '</manifest>',
            '<item id="h" href="http://127.0.0.1:9/x"/><item id="p" href="../../../etc/passwd"/></manifest>',
          )
          .replace('</spine>', '<itemref idref="h"/><itemref idref="p"/></spine>'),
      ),
    is: /hello/,
  },
  { of: 'divisions in one another', bytes: () => book('<div>'.repeat(500_000)), is: /hello/, isHeavy: true },
  { of: 'lists in one another', bytes: () => book('<ul><li>x '.repeat(5000)), is: /hello/, isHeavy: true },
  {
    of: 'elements that end themselves',
    bytes: () => book('<a/>'.repeat(1_000_000)),
    is: /hello/,
    isHeavy: true,
  },
  { of: 'open angles', bytes: () => book('<a '.repeat(2_000_000)), is: /hello/ },
  { of: 'blanks in an open tag', bytes: () => book(`<a${' '.repeat(5_000_000)}`), is: /hello/ },
  {
    of: 'contents of a hundred thousand levels',
    bytes: () =>
      writeBook({
        chapters: { 'a.xhtml': HELLO },
        nav: bookContents(nested('<ol><li><a href="a.xhtml">hello</a>', '', '</li></ol>', 100_000)),
      }),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'contents of a million entries',
    bytes: () =>
      writeBook({
        chapters: { 'a.xhtml': HELLO + '<p>Same</p>'.repeat(20_000) },
        ncx: `<ncx><navMap>${'<navPoint><navLabel><text>Same</text></navLabel><content src="a.xhtml"/></navPoint>'.repeat(300_000)}</navMap></ncx>`,
      }),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'scripts, frames and styles elsewhere',
    bytes: () =>
      book(
        '<script src="http://127.0.0.1:9/x.js">evil()</script><iframe src="http://127.0.0.1:9/"></iframe><link rel="stylesheet" href="http://127.0.0.1:9/x.css"/>',
      ),
    is: /^(?!.*evil).*hello/s,
  },
];

const HEAD = [
  'From: a@b.example',
  'Subject: hello',
  'Date: Tue, 3 Mar 2026 10:00:00 +0100',
  'Message-ID: <1@b.example>',
];
const mail = (parts: readonly MailPart[]): Uint8Array => writeMail(parts, HEAD);
const head = (...lines: string[]): string => [...HEAD, ...lines, '', 'Text.'].join('\r\n');
const bomb = (): Uint8Array =>
  writePptx({ slides: [{ shapes: slideTitle('inside') + '<x/>'.repeat(900_000) }] });

function messageInMessage(levels: number): string {
  const around = (level: number): string =>
    `${HEAD.join('\r\n')}\r\nContent-Type: multipart/mixed; boundary="b${level}"\r\n\r\n--b${level}\r\nContent-Type: message/rfc822\r\n\r\n`;
  return series(levels, around) + head();
}

const EML: DocumentRow[] = [
  {
    of: 'a hundred thousand attachments',
    bytes: () =>
      mail(
        Array.from({ length: 100_000 }, (_, at) => ({
          type: 'text/plain',
          filename: `${at}.txt`,
          body: 'word',
        })),
      ),
    is: '400 too_complex',
    isHeavy: true,
  },
  {
    of: 'ten thousand attachments',
    bytes: () =>
      mail(
        Array.from({ length: 10_000 }, (_, at) => ({
          type: 'text/plain',
          filename: `${at}.txt`,
          body: 'word',
        })),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a thousand messages in one another',
    bytes: () => messageInMessage(1000),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'parts in one another',
    bytes: () =>
      `${HEAD.join('\r\n')}\r\n${'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n'.repeat(100_000)}`,
    is: '400 too_complex',
  },
  {
    of: 'boundaries of a million parts',
    bytes: () =>
      `${HEAD.join('\r\n')}\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n${'--b\r\n\r\n'.repeat(1_000_000)}`,
    is: '400 too_complex',
    isHeavy: true,
  },
  {
    of: 'boundaries that are almost one another',
    bytes: () =>
      `${HEAD.join('\r\n')}\r\n${series(60, (at) => `Content-Type: multipart/mixed; boundary="${'b'.repeat(at + 1)}"\r\n\r\n--${'b'.repeat(at + 1)}\r\n`)}\r\n${'--bbbbbbbbbbbbbbbbbbbbbb-\r\n'.repeat(300_000)}`,
    is: '400 too_complex',
    isHeavy: true,
  },
  { of: 'a head of 3 MB', bytes: () => head(`X-A: ${'x'.repeat(3 * MIB)}`), is: '400 too_complex' },
  {
    of: 'a hundred thousand words in the subject',
    bytes: () => `Subject: ${'=?utf-8?Q?a?= '.repeat(100_000)}\r\n${head()}`,
    is: /Text/,
    isHeavy: true,
  },
  {
    of: 'broken words in the subject',
    bytes: () => `Subject: ${'=?utf-8?Q?'.repeat(150_000)}\r\n${head()}`,
    is: /Text/,
  },
  {
    of: 'a hundred thousand addresses',
    bytes: () => head(`To: ${'a <a@b.example>, '.repeat(100_000)}`),
    is: /Text/,
    isHeavy: true,
  },
  { of: 'groups of addresses in one another', bytes: () => head(`To: ${'a:'.repeat(500_000)}`), is: /Text/ },
  {
    of: 'comments of addresses in one another',
    bytes: () => head(`To: ${'('.repeat(500_000)}`, `Cc: ${'"'.repeat(500_000)}`),
    is: /Text/,
  },
  {
    of: 'a name in a hundred thousand pieces',
    bytes: () => mail([{ type: `text/plain${series(60_000, (at) => `; name*${at}*=x%41`)}`, body: 'word' }]),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a folded head of a hundred thousand lines',
    bytes: () => head(`X-A: a${'\r\n b'.repeat(100_000)}`),
    is: /Text/,
  },
  {
    of: 'forty attachments of a million tags',
    bytes: () => {
      const body = bomb();
      return mail(
        Array.from({ length: 40 }, () => ({ type: 'application/octet-stream', filename: 'a.pptx', body })),
      );
    },
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'base64 that is none',
    bytes: () => head('Content-Transfer-Encoding: base64').replace('Text.', '=@'.repeat(5_000_000)),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'soft line ends without text',
    bytes: () =>
      head('Content-Transfer-Encoding: quoted-printable').replace('Text.', '=\r\n'.repeat(3_000_000)),
    is: '400 too_complex',
    isHeavy: true,
  },
  {
    of: 'flowed lines',
    bytes: () =>
      head('Content-Type: text/plain; format=flowed; delsp=yes').replace('Text.', 'a \r\n'.repeat(1_000_000)),
    is: '400 too_complex',
    isHeavy: true,
  },
  {
    of: 'quotation marks of replies',
    bytes: () => head().replace('Text.', `${'>'.repeat(1000)} a\r\n`.repeat(5000)),
    is: '413 too_many_characters',
    isHeavy: true,
  },
  {
    of: 'a page of open elements',
    bytes: () => head('Content-Type: text/html').replace('Text.', '<div><b>'.repeat(300_000)),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'pictures elsewhere',
    bytes: () =>
      head('Content-Type: text/html').replace(
        'Text.',
        '<img src="http://127.0.0.1:9/pixel.png"><link rel=stylesheet href="http://127.0.0.1:9/">Text.',
      ),
    is: /Text/,
  },
  {
    of: 'a binary file under its name',
    bytes: () => Buffer.from('\x7fELF\0\0\0\0'),
    is: '400 unsupported_type',
  },
];

const message = (more: Partial<MsgFolder> = {}): MsgFolder => ({
  ...more,
  streams: { '0037001F': 'hello', '1000001F': 'Text.', ...more.streams },
});
const folders = (kind: string, count: number, folder: MsgFolder): Record<string, MsgFolder> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `__${kind}_version1.0_#${at.toString(16).padStart(8, '0').toUpperCase()}`,
      folder,
    ]),
  );

/** A message whose table of sectors sends each chain back to its start. */
function looped(): Uint8Array {
  const bytes = writeMsg(message());
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const sector = 512 * (1 + view.getUint32(0x4c, true));
  for (let at = 0; at < 128; at++)
    if (view.getInt32(sector + 4 * at, true) >= -2) view.setUint32(sector + 4 * at, 0, true);
  return bytes;
}

/** Compressed RTF ([MS-OXRTFCP]) that claims a size, all of its runs copies of what stands before. */
function compressed(claimed: number, length: number): Uint8Array {
  const bytes = new Uint8Array(16 + length).fill(0xff, 16);
  const view = new DataView(bytes.buffer);
  for (const [at, value] of [length + 12, claimed, 0x75465a4c, 0].entries())
    view.setUint32(4 * at, value, true);
  return bytes;
}

const MSG: DocumentRow[] = [
  { of: 'sectors in a circle', bytes: looped, is: '400 corrupted' },
  {
    of: 'a file that is cut',
    bytes: () => {
      const bytes = writeMsg(message());
      return bytes.subarray(0, bytes.length >> 1);
    },
    is: /hello|400 (?:corrupted|unsupported_type)/,
  },
  {
    of: 'entries of a directory in a circle',
    bytes: () => {
      const bytes = Buffer.from(writeMsg(message()));
      const start = bytes.indexOf(Buffer.from('Root Entry', 'utf16le'));
      for (let at = start + 128; at + 128 <= bytes.length && at < start + 512; at += 128) {
        bytes.writeUInt32LE(1, at + 0x44);
        bytes.writeUInt32LE(1, at + 0x48);
      }
      return bytes;
    },
    is: '400 corrupted',
  },
  {
    of: 'a compound file that is no message',
    bytes: () => writeCompoundFile('Workbook', new Uint8Array(9000)),
    is: '400 unsupported_type',
  },
  {
    of: 'two thousand recipients',
    bytes: () =>
      writeMsg(
        message({
          folders: folders('recip', 2000, { streams: { '3001001F': 'Ben', '39FE001F': 'ben@sea.example' } }),
        }),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'two thousand attachments',
    bytes: () =>
      writeMsg(
        message({
          folders: folders('attach', 2000, {
            streams: { '3707001F': 'a.txt', '37010102': Buffer.from('word') },
          }),
        }),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'rich text that claims 4 GB',
    bytes: () => writeMsg({ streams: { '0037001F': 'hello', '10090102': compressed(0xffffffff, 5000) } }),
    is: /hello|400 corrupted/,
  },
  {
    of: 'rich text of copies alone',
    bytes: () => writeMsg({ streams: { '0037001F': 'hello', '10090102': compressed(100 * MIB, 10 * MIB) } }),
    is: /hello|400 /,
    isHeavy: true,
  },
  {
    of: 'a page of open elements',
    bytes: () => writeMsg(message({ streams: { '1013001F': '<div><b>'.repeat(300_000) } })),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a body of 20 MB',
    bytes: () => writeMsg(message({ streams: { '1000001F': 'word '.repeat(2_000_000) } })),
    is: '413 too_many_characters',
    isHeavy: true,
  },
  {
    of: 'an attachment of a million tags',
    bytes: () => {
      const content = bomb();
      return writeMsg(
        message({
          folders: folders('attach', 30, { streams: { '3707001F': 'a.pptx', '37010102': content } }),
        }),
      );
    },
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'messages in one another',
    bytes: () =>
      writeMsg(
        Array.from({ length: 60 }).reduce<MsgFolder>(
          (inside) =>
            message({
              folders: {
                '__attach_version1.0_#00000000': {
                  streams: { '3707001F': 'a.msg' },
                  numbers: { '37050003': 5 },
                  folders: { '__substg1.0_3701000D': inside },
                },
              },
            }),
          message(),
        ),
      ),
    is: /hello/,
  },
  {
    of: 'properties of other types',
    bytes: () =>
      writeMsg({
        streams: {
          '00370102': new Uint8Array(99),
          '10000102': new Uint8Array(99),
          '0037001F': 'hello',
          '1000001E': Buffer.from('Text.'),
          '37010102': new Uint8Array(9),
        },
      }),
    is: '400 empty_document',
  },
];

const rtf = (body: string): string => String.raw`{\rtf1\ansi hello\par ` + `${body}}`;

const RTF: DocumentRow[] = [
  { of: 'a million open groups', bytes: () => rtf('{'.repeat(1_000_000)), is: '400 too_complex' },
  {
    of: 'nine thousand groups in one another',
    bytes: () => rtf(nested('{\\b ', 'deep', '}', 9000)),
    is: /deep/,
  },
  {
    of: 'groups beside one another',
    bytes: () => rtf('{\\b x}{\\i y}'.repeat(300_000)),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'closed groups that were never open',
    bytes: () => `{\\rtf1 hello${'}'.repeat(3_000_000)}`,
    is: /hello/,
  },
  { of: 'binary data longer than the file', bytes: () => rtf('\\bin2147483647 x'), is: /hello/ },
  {
    of: 'a picture of 40 MB',
    bytes: () => rtf(`{\\pict\\pngblip ${'89504e47'.repeat(5_000_000)}}end\\par`),
    is: /end/,
    isHeavy: true,
  },
  {
    of: 'a paragraph of 20 MB',
    bytes: () => rtf('word '.repeat(4_000_000)),
    is: '413 too_many_characters',
    isHeavy: true,
  },
  { of: 'escaped bytes', bytes: () => rtf("\\'e4".repeat(2_000_000)), is: /hello/, isHeavy: true },
  {
    of: 'halves of characters',
    bytes: () => rtf('\\u55357?\\u-2179?'.repeat(500_000)),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'fonts without number',
    bytes: () => rtf(`{\\fonttbl${series(200_000, (at) => `{\\f${at}\\fcharset${at % 256} Font ${at};}`)}}`),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'styles without number',
    bytes: () => rtf(`{\\stylesheet${series(200_000, (at) => `{\\s${at} heading ${at % 9};}`)}}`),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'rows of a thousand columns',
    bytes: () =>
      rtf(`\\trowd${series(1000, (at) => `\\cellx${100 * at}`)}${'\\intbl x\\cell\\row'.repeat(200_000)}`),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'definitions of rows alone',
    bytes: () =>
      rtf(`\\trowd${series(1000, (at) => `\\cellx${100 * at}`)}\\intbl x\\cell\\row `.repeat(2000)),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'tables in one another',
    bytes: () => rtf(series(2000, (at) => `\\intbl\\itap${at} x\\nestcell\\nestrow `)),
    is: /hello/,
  },
  {
    of: 'notes in one another',
    bytes: () => rtf(nested('x{\\footnote ', 'deep', '}', 4900)),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'text boxes in one another',
    bytes: () => rtf(nested('{\\shp{\\*\\shpinst{\\shptxt ', 'deep', '}}}', 3000)),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'labels of lists',
    bytes: () =>
      rtf(series(100_000, (at) => `{\\listtext ${at}.\\tab}\\ilvl${at % 9}\\li${at % 5000} x\\par `)),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'links to programs',
    bytes: () =>
      rtf(
        '{\\field{\\*\\fldinst HYPERLINK "file:///etc/passwd"}{\\fldrslt x}}{\\field{\\*\\fldinst INCLUDETEXT "http://127.0.0.1:9/"}{\\fldrslt y}}{\\object\\objautlink{\\*\\objdata 00}}',
      ).repeat(1),
    is: /hello/,
  },
  {
    of: 'a hundred thousand links',
    bytes: () =>
      rtf(
        `{\\field{\\*\\fldinst HYPERLINK "https://example.org/${'a'.repeat(900)}"}{\\fldrslt x}} y`.repeat(
          20_000,
        ),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'wrapped HTML of open elements',
    bytes: () =>
      `{\\rtf1\\ansi\\fromhtml1 {\\*\\htmltag <p>hello}${'{\\*\\htmltag <div><b>}'.repeat(200_000)}}`,
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'control words without end',
    bytes: () => rtf(`\\${'a'.repeat(5_000_000)}`),
    is: '413 too_many_characters',
  },
  { of: 'a file that is cut', bytes: () => rtf('').slice(0, -1), is: /hello/ },
];

const notebook = (cells: unknown, more: object = {}): string =>
  JSON.stringify({ nbformat: 4, metadata: {}, cells, ...more });
const markdown = (source: unknown): object => ({ cell_type: 'markdown', source });
const code = (outputs: unknown): object => ({ cell_type: 'code', source: 'hello', outputs });
const stream = (text: unknown): object => ({ output_type: 'stream', text });

const IPYNB: DocumentRow[] = [
  {
    of: 'an output of 20 MB on one line',
    bytes: () => notebook([code([stream('word '.repeat(4_000_000))])]),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a progress bar of 10 MB',
    bytes: () => notebook([code([stream('50%\r'.repeat(2_500_000))])]),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'escapes of terminals',
    bytes: () => notebook([code([stream(`${'\x1b['.repeat(2_000_000)}${'\x1b[0'.repeat(100_000)}`)])]),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'open pictures',
    bytes: () => notebook([markdown('hello'), markdown('!['.repeat(1_000_000))]),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a picture of 30 MB',
    bytes: () =>
      notebook([markdown('hello'), markdown(`![x](data:image/png;base64,${'A'.repeat(30 * MIB)})`)]),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'lists of JSON in one another',
    bytes: () => `{"cells":${'['.repeat(2_000_000)}`,
    is: '400 corrupted',
  },
  {
    of: 'whole lists of JSON in one another',
    bytes: () => `{"cells":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
    is: /400 (?:corrupted|empty_document|too_complex)/,
  },
  {
    of: 'half a million cells',
    bytes: () => notebook(Array.from({ length: 500_000 }, () => markdown('hello'))),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a million outputs',
    bytes: () => notebook([code(Array.from({ length: 300_000 }, () => stream('x')))]),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a source of a million lines',
    bytes: () => notebook([markdown(Array.from({ length: 1_000_000 }, () => 'hello\n'))]),
    is: '413 too_many_characters',
    isHeavy: true,
  },
  {
    of: 'fields of other types',
    bytes: () =>
      notebook(
        [markdown({ a: 1 }), { cell_type: 'code', source: 5, outputs: 'x' }, null, 7, markdown('hello')],
        { metadata: [], __proto__: { x: 1 } },
      ),
    is: /hello/,
  },
  {
    of: 'backticks',
    bytes: () => notebook([code([stream('`'.repeat(1_000_000))])]),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'pages and scripts in outputs',
    bytes: () =>
      notebook([
        code([
          {
            output_type: 'display_data',
            data: { 'text/html': '<script>evil()</script>', 'application/javascript': 'evil()' },
          },
        ]),
      ]),
    is: /^(?!.*evil).*hello/s,
  },
  { of: 'a file that is cut', bytes: () => notebook([markdown('hello')]).slice(0, -3), is: '400 corrupted' },
];

const CSV: DocumentRow[] = [
  {
    of: 'a quotation mark without end',
    bytes: () => `hello,b\n"${'x,'.repeat(2_000_000)}`,
    is: '413 too_many_characters',
    isHeavy: true,
  },
  {
    of: 'quotation marks alone',
    bytes: () => `hello,b\n${'"'.repeat(3_000_000)}`,
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'quotation marks that open on each line',
    bytes: () => `hello,b\n${'"x,y\n'.repeat(300_000)}`,
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a row of a million cells',
    bytes: () => `hello,b\n${','.repeat(1_000_000)}`,
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a header of a hundred thousand cells',
    bytes: () => `${'hello,'.repeat(100_000)}\n${'1,2\n'.repeat(100_000)}`,
    is: /hello/,
    isHeavy: true,
  },
  { of: 'ragged rows', bytes: () => 'hello,b,c\n1\n2,3,4,5\n'.repeat(200_000), is: /hello/, isHeavy: true },
  { of: 'rows of nothing', bytes: () => `hello,b\n${'\n'.repeat(3_000_000)}`, is: /hello/ },
  {
    of: 'a cell of 20 MB',
    bytes: () => `hello,b\n1,"${'word '.repeat(4_000_000)}"\n`,
    is: '413 too_many_characters',
    isHeavy: true,
  },
  {
    of: 'delimiters of all kinds',
    bytes: () => `hello,;\t|\n${',;\t|'.repeat(500_000)}\n`,
    is: /hello/,
    isHeavy: true,
  },
  { of: 'formulas of programs', bytes: () => `hello,b\n"=cmd|'/c calc'!A0",+1\n`, is: /cmd/ },
  {
    of: 'a binary file under its name',
    bytes: () => Buffer.from(`hello,b\n${'\0\x01\x02'.repeat(1000)}`),
    is: '400 unsupported_type',
  },
  {
    of: 'UTF-16 without a mark',
    bytes: () => Buffer.from('hello,b\n1,2\n'.repeat(100), 'utf16le'),
    is: /hello/,
  },
];

export const TEXT_DOCUMENTS: readonly HostileDocument[] = [
  ...documentsOf('epub', EPUB),
  ...documentsOf('eml', EML),
  ...documentsOf('msg', MSG),
  ...documentsOf('rtf', RTF),
  ...documentsOf('ipynb', IPYNB),
  ...documentsOf('csv', CSV),
  ...documentsOf('tsv', [
    { of: 'tabs alone', bytes: () => `hello\tb\n${'\t'.repeat(1_000_000)}`, is: /hello/, isHeavy: true },
  ]),
];
