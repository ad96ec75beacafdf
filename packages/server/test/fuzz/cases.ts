// Requests for the fuzzer: each follows from its number and the seed alone. Sound documents, forms, bodies and heads
// are changed in a few places; most of them get past the first look and fail deeper down.
import { deflateSync } from 'node:zlib';
import { cell, docxEntries, item, LISTS, para, row, run, styled } from '@grainline/testing/docx-writer';
import { writePdf } from '@grainline/testing/pdf-writer';
import { changedArchive, changedDocument, NEW_KINDS } from './kinds.ts';
import { type Chance, chanceOf, mutate } from './random.ts';

/** A request to send: with a method it is sent by a client, without one it is bytes on a connection. */
export interface FuzzCase {
  readonly kind: string;
  readonly method?: string;
  readonly path: string;
  readonly contentType?: string;
  readonly body: Buffer;
}

const TEXT = `# Harbour guide

Harbour pilots board ships beyond the bar. They know every shoal by name; "ask twice", Dr. Owen says.

## Tides

High water follows the moon. It comes twice a day:

- springs after new and full moon
- neaps between them

| port | high water |
| --- | --- |
| North quay | 04:12 |

\`\`\`js
const drift = (wind) => { return wind * 0.03; };
\`\`\`

潮は月に従う。高潮は一日に二度来る。👩‍👩‍👧‍👦 ภาษาไทยไม่มีช่องว่าง
`;
const HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tides</title></head><body>
<h1>Harbour guide</h1><p>Pilots board <b>ships</b> beyond the bar &amp; know <a href="/x">every shoal</a>.</p>
<ul><li>springs<ul><li>after new moon</li></ul></li><li>neaps</li></ul>
<table><tr><th colspan="2">port</th></tr><tr><td rowspan=2>North</td><td>04:12</td></tr><tr><td>04:31</td></tr></table>
<pre><code class="language-js">const a = 1 &lt; 2;</code></pre><!-- note --><script>var a = "</p>";</script></body></html>`;

const content = 'BT /F1 12 Tf 72 720 Td (Harbour pilots board ships.) Tj 0 -14 Td [(They) -250 (know)] TJ ET';
const packed = deflateSync(Buffer.from(content));
const PDFS = [
  writePdf({
    pages: [{ lines: ['Harbour pilots board ships.', 'They know every shoal.'] }, { lines: ['Tides.'] }],
    title: 'Guide',
  }),
  writePdf({
    pages: [{ content, fields: { name: 'Owen' } }, { picture: 0.5 }],
    toUnicode: { A: 'D83DDE00', B: 'FB01' },
  }),
  writePdf({
    pages: [{ content: '' }],
    objects: {
      11: `<</Filter/FlateDecode/Length ${packed.length}>>\nstream\n${packed.toString('latin1')}\nendstream`,
    },
  }),
  writePdf({ pages: [{ lines: ['Secret.'] }], password: { user: '', owner: 'o' } }),
];
const DOCX = docxEntries({
  body: [
    styled('Heading1', 'Harbour guide'),
    para(run('Pilots board ships.')),
    item(1, 0, 'springs'),
    item(1, 1, 'after new moon'),
    `<w:tbl>${row(cell('port'), cell('high water'))}${row(cell('North'), cell('04:12', '<w:gridSpan w:val="2"/>'))}</w:tbl>`,
  ].join(''),
  numbering: LISTS,
  styles: '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>',
});

const PDF_WORDS = [
  'obj',
  'endobj',
  'stream',
  'endstream',
  'xref',
  'trailer',
  '<<',
  '>>',
  '[',
  ']',
  '(',
  ')',
  '/Kids',
  '/Count',
  '/Length',
  '/Filter',
  '/FlateDecode',
  '/ASCIIHexDecode',
  '/Prev',
  '/Root',
  '/Type/Page',
  '/Contents',
  '/Resources',
  '2 0 R',
  'R',
  'BT',
  'ET',
  'Tj',
  'Do',
  'q',
  'cm',
  '%',
  '\0',
];
const XML_WORDS = [
  '<w:p>',
  '</w:p>',
  '<w:r>',
  '<w:t>',
  '</w:t>',
  '<w:tbl>',
  '<w:tc>',
  '</w:tr>',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '&amp;',
  '&#0;',
  '&#xD800;',
  '<?x ?>',
  '"',
  "'",
  '<',
  '>',
  '/>',
  'w:val="',
  '<w:fldChar w:fldCharType="begin"/>',
  '<m:oMath>',
  '<w:numPr>',
  '\0',
  '\ufffe',
];
const HTML_WORDS = [
  '<div>',
  '</div>',
  '<table>',
  '<tr>',
  '<td colspan=9999>',
  '<ul>',
  '<li>',
  '<pre>',
  '<p',
  '<!--',
  '-->',
  '<script>',
  '<style>',
  '<svg>',
  '<math>',
  '<template>',
  '&',
  '&#',
  '&lt',
  '<![CDATA[',
  '"',
  "'",
  '<',
  '>',
  '\0',
  '<meta charset=utf-16>',
  '<a name=x>',
  '<h1>',
  '<br>',
];
const TEXT_WORDS = [
  '\n\n',
  '\r',
  '\f',
  '```',
  '|',
  '---',
  '> ',
  '# ',
  '- ',
  '\u200d',
  '\u0301',
  '🇩🇪',
  '\ud83d',
  '。',
  '. ',
  '"',
  '(',
  '\0',
  '\t',
  '\u2028',
  '\ufeff',
  'a',
];
const OFFICE_WORDS = [
  ...XML_WORDS,
  '<a:p>',
  '<a:t>',
  '<p:grpSp>',
  '<a:tc gridSpan="9">',
  '<text:p>',
  '<text:list><text:list-item>',
  '<table:table-cell table:number-columns-repeated="9999">',
  '<draw:frame>',
  '<text:note>',
  '<x:row><x:c t="s"><x:v>1</x:v></x:c></x:row>',
  '<row r="1048576"><c r="XFD1"><v>1</v></c></row>',
  '<mergeCell ref="A1:XFD9999"/>',
  '<table:table-row table:number-rows-repeated="99999999">',
  '<itemref idref="a.xhtml"/>',
  '<ol><li><a href="a.xhtml">',
];
const FORM_WORDS = [
  '--boundary',
  '--boundary--',
  '\r\n',
  '\n',
  'Content-Disposition: form-data; name="file"; filename="',
  'Content-Type: ',
  '"',
  ';',
  "filename*=UTF-8''%ff",
  'name=',
  'Content-Transfer-Encoding: base64',
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
  'true',
  '1e999',
  '-',
  '"tier"',
  '"text"',
  '"url"',
  '"unit":"tokens"',
  '"__proto__"',
  '\\',
  '\ufeff',
];
const HEAD_WORDS = [
  '\r\n',
  '\n',
  '\r',
  ': ',
  ' ',
  '\0',
  'Host: a',
  'Content-Length: 5',
  'Transfer-Encoding: chunked',
  'Expect: 100-continue',
  'Connection: close',
  'Upgrade: h2c',
  'X-PAYMENT: 5',
  'X-Request-Id: a',
  'Range: bytes=0-',
  'HTTP/1.1',
  'GET',
  'POST',
  '/',
  '%2f',
  '?',
  '#',
  'Accept-Encoding: gzip',
  'X: ',
];

const OPTIONS: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['output_format', ['raw', 'pinecone', 'weaviate', 'chroma', 'qdrant']],
  ['chunk_size', ['10', '11', '64', '1000', '100000']],
  ['chunk_overlap', ['0', '1', '9', '60']],
  ['unit', ['characters', 'tokens']],
  ['chunk_min', ['0', '5']],
  ['chunk_target', ['1', '9']],
  ['document_id', ['a', '🇩🇪']],
  ['embeddings', ['true', 'false']],
];
const UPLOAD_PATHS = ['/chunk/demo', '/chunk/structure', '/chunk/semantic'];

/** The request of this number; @param kind one of {@link NEW_KINDS}, when its documents alone are sent */
export function fuzzCase(seed: number, number: number, kind?: string): FuzzCase {
  const chance = chanceOf(Math.imul(seed ^ 0x9e3779b9, number + 1) ^ number);
  const known = NEW_KINDS.find((one) => one === kind);
  if (known !== undefined) return ofKind(known, chance);
  // Eleven of fifteen minutes: one for each kind.
  const several = Array.from({ length: 25 }, () => anyKind);
  return chance.pick([pdf, pdf, docx, docx, ...several, html, text, form, json, head])(chance);
}

const pdf = (chance: Chance): FuzzCase =>
  upload('pdf', mutate(chance.pick(PDFS), PDF_WORDS, chance), 'a.pdf', 'application/pdf', chance);
const html = (chance: Chance): FuzzCase =>
  upload('html', mutate(Buffer.from(HTML), HTML_WORDS, chance), 'a.html', 'text/html', chance);
const text = (chance: Chance): FuzzCase =>
  upload(
    'text',
    mutate(Buffer.from(TEXT), TEXT_WORDS, chance),
    chance.pick(['a.txt', 'a.md', 'a.py']),
    'text/plain',
    chance,
  );

const docx = (chance: Chance): FuzzCase =>
  archiveCase('docx', changedArchive(DOCX, XML_WORDS, chance), chance);
const anyKind = (chance: Chance): FuzzCase => ofKind(chance.pick(NEW_KINDS), chance);

function ofKind(kind: (typeof NEW_KINDS)[number], chance: Chance): FuzzCase {
  return archiveCase(kind, changedDocument(kind, OFFICE_WORDS, chance), chance);
}

function archiveCase(kind: string, bytes: Buffer, chance: Chance): FuzzCase {
  return upload(kind, bytes, `a.${kind}`, 'application/octet-stream', chance);
}

function form(chance: Chance): FuzzCase {
  const whole = formOf(Buffer.from(TEXT), 'a.txt', 'text/plain', optionsOf(chance));
  return {
    kind: 'form',
    method: 'POST',
    path: chance.pick(['/chunk', ...UPLOAD_PATHS]),
    contentType: chance.oneIn(10)
      ? mutate(Buffer.from(TYPE), [';', '=', '"', 'charset=x'], chance)
          .toString('latin1')
          .replace(/[^\x20-\x7e]/g, '')
      : TYPE,
    body: mutate(whole, FORM_WORDS, chance),
  };
}

function json(chance: Chance): FuzzCase {
  const options = Object.fromEntries(
    optionsOf(chance).map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value]),
  );
  const body = Buffer.from(
    JSON.stringify({ tier: chance.pick(['free', 'structure', 'semantic']), text: TEXT, ...options }),
  );
  const path = chance.oneIn(10) ? chance.pick(['/payment/transaction', '/payment/send']) : '/chunk';
  const changed = chance.oneIn(4) ? body : mutate(body, JSON_WORDS, chance);
  return { kind: 'json', method: 'POST', path, contentType: 'application/json', body: changed };
}

function head(chance: Chance): FuzzCase {
  const body = JSON.stringify({ tier: 'free', text: 'Text.' });
  const lines = [
    chance.pick([
      'GET / HTTP/1.1',
      'GET /results/free_0123456789ab HTTP/1.1',
      'POST /chunk HTTP/1.1',
      'GET /openapi.json HTTP/1.1',
    ]),
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Accept-Encoding: gzip, identity;q=0.5',
    'Range: bytes=0-9',
  ];
  return {
    kind: 'head',
    path: '',
    body: mutate(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`), HEAD_WORDS, chance),
  };
}

const BOUNDARY = 'boundary';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

function upload(kind: string, bytes: Buffer, name: string, type: string, chance: Chance): FuzzCase {
  const body = formOf(bytes, name, type, optionsOf(chance));
  return { kind, method: 'POST', path: chance.pick(UPLOAD_PATHS), contentType: TYPE, body };
}

function optionsOf(chance: Chance): (readonly [string, string])[] {
  return OPTIONS.filter(() => chance.oneIn(4)).map(([name, values]) => [name, chance.pick(values)] as const);
}

function formOf(
  bytes: Buffer,
  name: string,
  type: string,
  options: readonly (readonly [string, string])[],
): Buffer {
  const fields = options.map(
    ([field, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const before = `${fields.join('')}--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
  return Buffer.concat([Buffer.from(before), bytes, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}
