// Sound documents of the kinds beside PDF, HTML and plain text, for the fuzzer, and how each is changed: XML inside
// archives by its tags, parts of mail and notebooks by their lines, all of them by bytes.
import { writeZip, type ZipEntry } from '@grainline/testing/docx-writer';
import { bookContents, bookEntries } from '@grainline/testing/epub-writer';
import { writeMail } from '@grainline/testing/mail-writer';
import { writeMsg } from '@grainline/testing/msg-writer';
import {
  openCell,
  openDocumentEntries,
  openFrame,
  openHeading,
  openList,
  openPage,
  openPara,
  openRow,
} from '@grainline/testing/open-document-writer';
import {
  pptxEntries,
  slideFrame,
  slideGroup,
  slideShape,
  slideTable,
  slideTitle,
} from '@grainline/testing/pptx-writer';
import { relationship, xlsxEntries } from '@grainline/testing/xlsx-writer';
import { type Chance, mutate, mutateTags } from './random.ts';

const CHART =
  '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:ser><c:tx><c:v>depth</c:v></c:tx><c:cat><c:pt idx="0"><c:v>North</c:v></c:pt></c:cat><c:val><c:formatCode>0.0%</c:formatCode><c:pt idx="0"><c:v>0.25</c:v></c:pt></c:val></c:ser></c:chartSpace>';

const repeated = (columns: number, rows: number): string =>
  openRow(
    [openCell('port'), openCell('04:12', `table:number-columns-repeated="${columns}"`)],
    `table:number-rows-repeated="${rows}"`,
  );

/** Parts of archives by their kinds. */
export const ARCHIVES = {
  pptx: pptxEntries({
    slides: [
      {
        shapes:
          slideTitle('Harbour guide') +
          slideShape('Pilots board ships.', { placeholder: 'body' }) +
          slideFrame('<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="c"/>'),
        relationships: '<Relationship Id="c" Type="x/chart" Target="../charts/chart1.xml"/>',
      },
      {
        shapes:
          slideGroup(slideShape('springs')) +
          slideFrame(
            slideTable([
              ['port', 'water'],
              ['North', '04:12'],
            ]),
          ),
        notes: slideShape('Ask twice.', { placeholder: 'body' }),
      },
    ],
    entries: [{ name: 'ppt/charts/chart1.xml', content: CHART }],
  }),
  xlsx: xlsxEntries({
    sheets: [
      {
        name: 'Tides',
        rows: [
          ['port', 'day', 'depth', 'open'],
          ['North', { value: 45_000.5, style: 1 }, { value: -1234.5, style: 2 }, true],
          ['East', { formula: 'A1', value: 3 }, { type: 'inlineStr', xml: '<is><t>deep</t></is>' }, null],
        ],
        before:
          '<sheetViews><sheetView><pane ySplit="1" state="frozen"/></sheetView></sheetViews><cols><col min="4" max="4" hidden="1"/></cols>',
        behind:
          '<autoFilter ref="A1:C3"/><mergeCells><mergeCell ref="A1:A2"/></mergeCells><hyperlinks><hyperlink ref="A2" r:id="l"/></hyperlinks>',
        relationships: relationship('l', 'hyperlink', 'https://sea.example/', true),
      },
      { name: 'Hidden', rows: [['x']], state: 'hidden' },
    ],
    styles: [{ format: 'yyyy-mm-dd hh:mm' }, { format: '#,##0.00_);[Red](#,##0.00)', bold: true }],
  }),
  odt: openDocumentEntries({
    kind: 'text',
    body:
      openHeading(1, 'Harbour guide') +
      openPara(
        'Pilots board ships.<text:note><text:note-body><text:p>Ask twice.</text:p></text:note-body></text:note>',
      ) +
      openList([openPara('springs') + openList([openPara('after new moon')])]) +
      `<table:table>${repeated(2, 3)}</table:table>`,
  }),
  odp: openDocumentEntries({
    kind: 'presentation',
    body: openPage(
      openFrame(openPara('Harbour guide'), { placeholder: 'title' }) + openFrame(openPara('Tides.')),
    ),
  }),
  ods: openDocumentEntries({
    kind: 'spreadsheet',
    body: `<table:table table:name="Tides"><table:table-column table:visibility="collapse"/>${openRow([openCell('port'), openCell('water')])}${repeated(3, 4)}</table:table><table:database-ranges><table:database-range table:target-range-address="Tides.A1:Tides.B9" table:display-filter-buttons="true"/></table:database-ranges>`,
  }),
  epub: bookEntries({
    chapters: {
      'a.xhtml': '<h1>Tides</h1><p>High <b>water</b><a id="x"/>.</p><ul><li>springs</li></ul>',
      'b.xhtml': '<h2>Pilots</h2><table><tr><td>North</td></tr></table>',
    },
    nav: bookContents(
      '<ol><li><a href="a.xhtml">Tides</a><ol><li><a href="b.xhtml#y">Pilots</a></li></ol></li></ol>',
    ),
  }),
} as const;

const BOOK = writeZip(ARCHIVES.epub);
const MAIL = writeMail([
  {
    type: 'multipart/alternative; boundary=c',
    body: '--c\r\nContent-Type: text/plain; format=flowed\r\n\r\nYes: \r\nboth.\r\n> Which?\r\n--c\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>Yes:=20<b>both</b>=\r\n.</p>\r\n--c--',
  },
  { type: 'application/epub+zip; name*0="a."; name*1*=epub', filename: 'a.epub', body: BOOK },
  { type: 'message/rfc822', body: 'From: a@b.example\r\nSubject: =?iso-8859-1?B?TeRyeg==?=\r\n\r\nInner.' },
]);
const MESSAGE = writeMsg({
  streams: {
    '0037001F': 'Tides',
    '0C1A001F': 'Ada Reed',
    '1000001F': 'High water.',
    '10130102': Buffer.from('<p>High</p>'),
  },
  folders: {
    '__recip_version1.0_#00000000': { streams: { '3001001F': 'Ben Hall', '39FE001F': 'ben@sea.example' } },
    '__attach_version1.0_#00000000': {
      streams: { '3707001F': 'notes.md', '37010102': Buffer.from('# Notes') },
    },
  },
});
const RICH = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset204 Arial;}{\f1 Symbol;}}{\stylesheet{\s1\outlinelevel0 heading 1;}}{\info{\title Tides}}
\pard\s1 Harbour\par\pard High {\b water\'e4\u8364?}{\footnote Ask twice.}\par{\listtext\'b7\tab}springs\par
{\field{\*\fldinst HYPERLINK "https://sea.example"}{\fldrslt the table}}\par
\trowd\trhdr\cellx100\clvmgf\clmgf\cellx200\pard\intbl North\cell 04:12\cell\row{\*\shpinst{\shptxt Box}}\bin3 abc}`;
const NOTEBOOK = JSON.stringify({
  nbformat: 4,
  metadata: { kernelspec: { language: 'python' }, title: 'Tides' },
  cells: [
    { cell_type: 'markdown', source: ['# Tides\n', '![x](data:image/png;base64,AAAA)'] },
    {
      cell_type: 'code',
      source: 'print(1)',
      outputs: [
        { output_type: 'stream', text: ['1%\r', '\u001b[31m2%\u001b[0m\n'] },
        { output_type: 'display_data', data: { 'text/markdown': '**2**', 'text/plain': '2' } },
        { output_type: 'error', traceback: ['Error'] },
      ],
    },
    { cell_type: 'raw', source: 'x' },
  ],
});
const DELIMITED = 'sep=;\n# by hand\nport;depth;note\nNorth;1,5;"two\nlines; ""quoted"""\nEast;;x\n';

const MAIL_WORDS = [
  '--b\r\n',
  '--b--\r\n',
  '--c\r\n',
  '\r\n\r\n',
  'Content-Type: ',
  'multipart/mixed; boundary=b\r\n\r\n',
  'message/rfc822\r\n\r\n',
  'Content-Transfer-Encoding: base64\r\n',
  '=?utf-8?Q?=E4?=',
  '; name*0*=',
  '=\r\n',
  '(',
  '"',
  '<',
  ':',
  ',',
  '\0',
];
const RICH_WORDS = [
  '{',
  '}',
  '\\',
  "\\'",
  '\\*',
  '\\u-2179?',
  '\\bin99 ',
  '\\trowd',
  '\\cellx9',
  '\\cell',
  '\\row',
  '\\nestcell',
  '\\nestrow',
  '\\itap9',
  '\\intbl',
  '\\par',
  '{\\footnote ',
  '{\\listtext 1.}',
  '\\li720',
  '{\\shptxt ',
  '{\\*\\fldinst HYPERLINK "',
  '\\fromhtml1',
  '{\\*\\htmltag <p>',
  '\\pard',
  '\\uc9',
  '\0',
];
const JSON_WORDS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  '\\u0000',
  '\\ud800',
  'null',
  '"cell_type"',
  '"code"',
  '"outputs":[',
  '"text":',
  '1e999',
  '\\r',
  '\\u001b[',
  '```',
  '![',
];
const DELIMITED_WORDS = [';', ',', '\t', '|', '"', '""', '\n', '\r\n', 'sep=,\n', '#', '\0', '\ufeff', ' '];

/** Documents that are no archives: bytes, and the words of their formats. */
export const FLAT = {
  eml: [MAIL, MAIL_WORDS],
  msg: [MESSAGE, ['\xff\xff\xff\xff', '\xfe\xff\xff\xff', '\0\0\0\0', '_\0_\0s\0', '\x01\0\0\0']],
  rtf: [Buffer.from(RICH), RICH_WORDS],
  ipynb: [Buffer.from(NOTEBOOK), JSON_WORDS],
  csv: [Buffer.from(DELIMITED), DELIMITED_WORDS],
} as const satisfies Readonly<Record<string, readonly [Uint8Array, readonly string[]]>>;

export const NEW_KINDS = [...Object.keys(ARCHIVES), ...Object.keys(FLAT)] as readonly (
  keyof typeof ARCHIVES | keyof typeof FLAT
)[];

/** The document of a kind, changed: an archive in the tags of one part or more, or in its bytes. */
export function changedDocument(
  kind: (typeof NEW_KINDS)[number],
  words: readonly string[],
  chance: Chance,
): Buffer {
  if (kind in ARCHIVES) return changedArchive(ARCHIVES[kind as keyof typeof ARCHIVES], words, chance);
  const [bytes, own] = FLAT[kind as keyof typeof FLAT];
  return mutate(bytes, own, chance);
}

/** Some parts by their tags or bytes, packed anew; at times the archive itself. */
export function changedArchive(whole: readonly ZipEntry[], words: readonly string[], chance: Chance): Buffer {
  const part = chance.below(whole.length);
  const entries = whole.map((entry, index) => {
    if (index !== part && !chance.oneIn(6)) return entry;
    const bytes = Buffer.from(entry.content);
    return {
      ...entry,
      content: chance.oneIn(2) ? mutateTags(bytes, words, chance) : mutate(bytes, words, chance),
    };
  });
  const zipped = writeZip(entries);
  return chance.oneIn(5)
    ? mutate(zipped, ['PK\x03\x04', 'PK\x01\x02', 'PK\x05\x06', '\0\0\0\0'], chance)
    : Buffer.from(zipped);
}
