// Everything that may be wrong with a request, its status and its code, as tables: the routes are asked about them
// without a socket, and a service in a process of its own through one.
import { writeZip } from '@grainline/testing/docx-writer';
import { writeCompoundFile } from '@grainline/testing/msg-writer';
import { writePdf } from '@grainline/testing/pdf-writer';
import { type Ask, form } from './fake-service.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const PDF = writePdf({ pages: [{ lines: ['Harbour pilots board ships beyond the bar.'] }] });

/** A form written by hand: what FormData would never write. */
const rawForm = (body: string, type = 'multipart/form-data; boundary=b'): Ask => ({
  body,
  headers: { 'content-type': type },
});
const part = (name: string, content: string, filename?: string, header?: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}${header === undefined ? '' : `\r\n${header}`}\r\n\r\n${content}\r\n`;
const END = '--b--\r\n';
const upload = (content: string | Uint8Array, name?: string, fields?: Record<string, string>): Ask => ({
  body: form(content, name, fields),
});

/** Title, request, status, code, and what the message must say. */
export type Case = [title: string, request: Ask, status: number, code: string, says?: RegExp];

export const UPLOADS: Case[] = [
  ['an empty file', upload(''), 400, 'empty_document'],
  ['a file of blanks', upload(' \n\t\n '), 400, 'empty_document'],
  ['a picture', upload(PNG, 'a.png'), 400, 'unsupported_type', /accepted here are \.txt, \.pdf\.$/],
  ['a picture that is called .txt', upload(PNG, 'a.txt'), 400, 'unsupported_type'],
  [
    'random bytes that are called .txt',
    upload(Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 7919) % 256)), 'a.txt'),
    400,
    'unsupported_type',
  ],
  [
    'an HTML page where only PDF and text are taken',
    upload('<!doctype html><title>x</title><p>y</p>', 'a.html'),
    400,
    'unsupported_type',
    /it is HTML; accepted here are \.txt, \.pdf\. A link to it is taken, .*UPLOAD_KINDS\.$/,
  ],
  ...(
    [
      ['a CSV file', 'a,b\n1,2\n', 'a.csv', 'CSV'],
      ['a message', 'From: a@b.example\nSubject: x\n\nText.', 'a.eml', 'mail'],
      ['rich text', '{\\rtf1 Text.}', 'a.rtf', 'RTF'],
      ['a notebook', '{"cells":[]}', 'a.ipynb', 'Jupyter notebook'],
    ] as const
  ).map(([what, content, filename, kind]): Case => [
    `${what} where only PDF and text are taken`,
    upload(content, filename),
    400,
    'unsupported_type',
    new RegExp(`it is ${kind}; accepted here are .txt, .pdf. A link to it is taken, .*UPLOAD_KINDS.$`),
  ]),
  [
    'an archive that is called .docx, where only PDF and text are taken',
    upload(writeZip([{ name: 'a.txt', content: 'Text.' }]), 'a.docx'),
    400,
    'unsupported_type',
    /it is a damaged ZIP archive; accepted here are \.txt, \.pdf\.$/,
  ],
  [
    'a protected workbook, where only PDF and text are taken',
    upload(writeCompoundFile('EncryptedPackage', new Uint8Array(5000)), 'a.xlsx'),
    400,
    'unsupported_type',
    /it is an office document with a password; accepted here are \.txt, \.pdf\.$/,
  ],
  ['text that is called .pdf', upload('Only text.', 'a.pdf'), 400, 'unsupported_type'],
  ['the head of a PDF', upload(PDF.subarray(0, 12), 'a.pdf'), 400, 'corrupted'],
  [
    'a PDF protected by a password',
    upload(writePdf({ pages: [{ lines: ['secret'] }], password: { user: 'u', owner: 'o' } }), 'a.pdf'),
    400,
    'encrypted',
  ],
  [
    'a PDF without text',
    upload(writePdf({ pages: [{ picture: 1 }, { picture: 1 }] }), 'a.pdf'),
    400,
    'no_text',
    /2 pages/,
  ],
  [
    'a form that is cut in its file',
    rawForm(`--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nText`),
    400,
    'invalid_multipart',
  ],
  ['a form that is cut in a header', rawForm('--b\r\nContent-Dispo'), 400, 'invalid_multipart'],
  ['a form without its last boundary', rawForm(part('file', 'Text', 'a.txt')), 400, 'invalid_multipart'],
  [
    'a form without a boundary in its type',
    rawForm(part('file', 'Text', 'a.txt') + END, 'multipart/form-data'),
    400,
    'invalid_multipart',
    /boundary/,
  ],
  [
    'a form whose boundary never comes',
    rawForm(part('file', 'Text', 'a.txt') + END, 'multipart/form-data; boundary=other'),
    400,
    'invalid_multipart',
  ],
  [
    'a file in base64',
    rawForm(part('file', 'VGV4dA==', 'a.txt', 'Content-Transfer-Encoding: BASE64') + END),
    400,
    'invalid_multipart',
    /Content-Transfer-Encoding "base64"/,
  ],
  [
    'a field in quoted-printable before the file',
    rawForm(
      part('tier', 'free', undefined, 'Content-Transfer-Encoding: quoted-printable') +
        part('file', 'Text', 'a.txt') +
        END,
    ),
    400,
    'invalid_multipart',
    /Content-Transfer-Encoding "quoted-printable"/,
  ],
  [
    'an empty file in 8bit, which changes no byte',
    rawForm(part('file', '', 'a.txt', 'Content-Transfer-Encoding: 8bit') + END),
    400,
    'empty_document',
  ],
  ['an empty form body', rawForm(''), 400, 'invalid_multipart'],
  ['a form with no parts', rawForm(END), 400, 'missing_file'],
  ['a form with fields only', rawForm(part('chunk_size', '100') + END), 400, 'missing_file'],
  [
    'a file in another field',
    rawForm(part('document', 'Text', 'a.txt') + END),
    400,
    'missing_file',
    /"document"/,
  ],
  [
    'a text that is not UTF-8',
    { ...rawForm(''), body: Buffer.from(part('text', '\xff') + END, 'latin1') },
    400,
    'invalid_fields',
    /text must be UTF-8/,
  ],
  ['a text and a file', rawForm(part('text', 'a') + part('file', 'b', 'b.txt') + END), 400, 'too_many_files'],
  ['a file without a file name', rawForm(part('file', 'Text') + END), 400, 'missing_file', /-F file=@/],
  [
    'a form in which no file was chosen',
    rawForm(part('file', '', '') + END),
    400,
    'missing_file',
    /no file was chosen/,
  ],
  [
    'two files',
    rawForm(part('file', 'One', 'a.txt') + part('file', 'Two', 'b.txt') + END),
    400,
    'too_many_files',
  ],
  [
    'a second file in another field',
    rawForm(part('file', 'One', 'a.txt') + part('more', 'Two', 'b.txt') + END),
    400,
    'too_many_files',
  ],
  [
    '26 parts',
    rawForm(Array.from({ length: 26 }, (_, i) => part(`f${i}`, 'x')).join('') + END),
    400,
    'invalid_multipart',
    /25 parts/,
  ],
  ['10,000 parts', rawForm(part('x', 'y').repeat(10_000) + END), 400, 'invalid_fields'],
  [
    'a wrong field behind the file',
    rawForm(part('file', 'Text', 'a.txt') + part('chunk_size', '1') + END),
    400,
    'invalid_fields',
    /chunk_size must be/,
  ],
  [
    'a field twice',
    rawForm(part('chunk_size', '100') + part('chunk_size', '200') + part('file', 'x', 'a.txt') + END),
    400,
    'invalid_fields',
    /twice/,
  ],
  [
    'a field of 10 kB',
    rawForm(part('document_id', 'x'.repeat(10_000)) + part('file', 'x', 'a.txt') + END),
    400,
    'invalid_fields',
    /8192 bytes/,
  ],
  [
    'an unknown field',
    upload('Text', 'a.txt', { size: '10' }),
    400,
    'invalid_fields',
    /"size" is not a field/,
  ],
  [
    'the field tier with no tier of this service, where the path names the tier',
    upload('Text', 'a.txt', { tier: 'best' }),
    400,
    'invalid_fields',
    /: tier is part of the path: leave it out and send the form to \/chunk\/\{tier\}, or/,
  ],
  [
    'the field tier where the path names the tier',
    upload('Text', 'a.txt', { tier: 'free' }),
    400,
    'invalid_fields',
    /: tier is part of the path: leave it out and send the form to \/chunk\/demo, or send tier before the document to \/chunk\./,
  ],
  [
    'a field called __proto__',
    upload('Text', 'a.txt', { __proto__x: '1', ['__proto__']: '1' }),
    400,
    'invalid_fields',
  ],
  [
    'JSON where a form is taken',
    { body: '{}' },
    415,
    'unsupported_media_type',
    /multipart\/form-data, or JSON to POST \/chunk\.$/,
  ],
  [
    'a compressed form',
    { ...upload('Text'), headers: { 'content-encoding': 'gzip' } },
    415,
    'unsupported_media_type',
    /Content-Encoding/,
  ],
  [
    'an announced length over the limit',
    { ...upload('Text'), headers: { 'content-length': String(100_000_000) } },
    413,
    'too_large',
  ],
];

const json = (body: unknown): Ask => ({ body: typeof body === 'string' ? body : JSON.stringify(body) });
const free = (fields: object): Ask => json({ tier: 'free', text: 'Some text.', ...fields });
const wrong = (name: string, value: unknown): Case => [
  `${name} ${JSON.stringify(value).slice(0, 30)}`,
  free({ [name]: value }),
  400,
  'invalid_fields',
  new RegExp(name),
];

export const BODIES: Case[] = [
  ['no body', { body: '' }, 400, 'invalid_json', /it is empty/],
  ['what is not JSON', json('{"text": '), 400, 'invalid_json'],
  ['JSON with something behind it', json('{"tier":"free","text":"x"} x'), 400, 'invalid_json', /position/],
  ...['null', '[]', '"text"', '1', 'true'].map((body): Case => [
    `the JSON value ${body}`,
    json(body),
    400,
    'invalid_json',
  ]),
  ['300,000 nested arrays', json('['.repeat(300_000)), 400, 'invalid_json'],
  [
    '3,000 nested arrays that end',
    json(`{"text":${'['.repeat(3_000)}${']'.repeat(3_000)}}`),
    400,
    'invalid_fields',
    /text/,
  ],
  [
    '300,000 nested arrays that end',
    json(`{"text":${'['.repeat(300_000)}${']'.repeat(300_000)}}`),
    400,
    'invalid_json',
    /more than 10000/,
  ],
  ['100,000 nested objects', json('{"a":'.repeat(100_000)), 400, 'invalid_json'],
  [
    'bad UTF-8',
    {
      body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      headers: { 'content-type': 'application/json' },
    },
    400,
    'invalid_json',
    /UTF-8/,
  ],
  [
    'UTF-16',
    { body: Buffer.from('{"text":"x"}', 'utf16le'), headers: { 'content-type': 'application/json' } },
    400,
    'invalid_json',
  ],
  ['a member twice', json('{"tier":"free","text":"a","text":"b"}'), 400, 'invalid_json', /"text" twice/],
  [
    'a member twice, spelt differently',
    json('{"tier":"free","text":"a","te\\u0078t":"b"}'),
    400,
    'invalid_json',
    /"text" twice/,
  ],
  ['an empty object', json({}), 400, 'invalid_fields', /url or text/],
  ['url and text', free({ url: 'https://a.example/' }), 400, 'invalid_fields', /not both/],
  [
    'a file name with a url',
    json({ tier: 'free', url: 'https://a.example/', filename: 'a.txt' }),
    400,
    'invalid_fields',
    /filename/,
  ],
  ['an empty text', free({ text: '' }), 400, 'empty_document'],
  ['a text of blanks', free({ text: ' \n\n ' }), 400, 'empty_document'],
  ['a text of NULs', free({ text: '\0\0\0' }), 400, 'empty_document'],
  ['a lone surrogate', json('{"tier":"free","text":"a\\ud800b"}'), 400, 'ill_formed_text'],
  [
    'a lone surrogate in a name',
    json('{"tier":"free","text":"a","document_id":"\\udc00"}'),
    400,
    'invalid_fields',
    /document_id/,
  ],
  ['an unknown member', free({ texts: 1 }), 400, 'invalid_fields', /"texts" is not a field.*url, text/],
  [
    'the name of another library',
    free({ text: 'a', chunkSize: 5 }),
    400,
    'invalid_fields',
    /"chunkSize" is not a field of this request \(it is called chunk_size here\)/,
  ],
  [
    'a member called __proto__',
    json('{"tier":"free","text":"x","__proto__":{"tier":"free"}}'),
    400,
    'invalid_fields',
    /__proto__/,
  ],
  ['a member called constructor', free({ constructor: 1 }), 400, 'invalid_fields', /constructor/],
  [
    'embeddings, on a tier that has none',
    free({ embeddings: true }),
    400,
    'invalid_fields',
    /embeddings (?:goes with the tier|is an option of no tier here)/,
  ],
  ...['__proto__', 'constructor', 'FREE', '', 1, null, [], {}, true].map((value) => wrong('tier', value)),
  ...['__proto__', 'toString', 'RAW', '', 1, null, ['raw'], {}].map((value) => wrong('output_format', value)),
  ...[0, -1, 9, 100_001, 1.5, 1e300, '100', null, [], true].map((value) => wrong('chunk_size', value)),
  ...[-1, 0.5, 1000, 5000, 100_000, '1', null].map((value) => wrong('chunk_overlap', value)),
  ...[-0.1, 1.1, '0.4', null, true].map((value) => wrong('blend', value)),
  ['chunk_size NaN', json('{"tier":"free","text":"x","chunk_size":NaN}'), 400, 'invalid_json'],
  [
    'an overlap as large as the size',
    free({ chunk_size: 100, chunk_overlap: 100 }),
    400,
    'invalid_fields',
    /below chunk_size \(100\)/,
  ],
  ...['', 'a\nb', 'x'.repeat(513), 5, null].map((value) => wrong('document_id', value)),
  ...['', '..', '/', 'x'.repeat(201), 5].map((value) => wrong('filename', value)),
  [
    'a collection that the format has no place for',
    free({ collection: 'Docs' }),
    400,
    'invalid_fields',
    /collection/,
  ],
  [
    'a class name that Weaviate refuses',
    free({ output_format: 'weaviate', collection: 'no spaces' }),
    400,
    'invalid_fields',
    /collection/,
  ],
  [
    'a text field that Pinecone refuses',
    free({ output_format: 'pinecone', text_field: '$x' }),
    400,
    'invalid_fields',
    /text_field/,
  ],
  ...['', 5, null, ['https://a.example/'], 'x'.repeat(8193)].map((url): Case => [
    `url ${JSON.stringify(url).slice(0, 20)}`,
    json({ tier: 'free', url }),
    400,
    'invalid_fields',
    /url/,
  ]),
  [
    'a plain text body',
    { body: 'Text.', headers: { 'content-type': 'text/plain' } },
    415,
    'unsupported_media_type',
    /application\/json or multipart\/form-data/,
  ],
  ['a body without a type', { body: '{}', headers: { 'content-type': '' } }, 415, 'unsupported_media_type'],
  [
    'a type called constructor',
    { body: '{}', headers: { 'content-type': 'constructor' } },
    415,
    'unsupported_media_type',
  ],
  [
    'a compressed body',
    { body: '{}', headers: { 'content-encoding': 'gzip' } },
    415,
    'unsupported_media_type',
  ],
  [
    'JSON in another charset',
    { body: '{}', headers: { 'content-type': 'application/json; charset=utf-16' } },
    415,
    'unsupported_media_type',
    /UTF-8/,
  ],
  [
    'a form without a tier and with a wrong one',
    upload('Text', 'a.txt', { tier: 'best' }),
    400,
    'invalid_fields',
    /tier/,
  ],
];

export const PATHS: [line: string, code: string][] = [
  ...[
    '/nothing',
    '/chunk/',
    '/chunk/best',
    '/chunk/__proto__',
    '/chunk/demo/',
    '/Health',
    '/health/',
    '/results',
    '/job/x',
  ].map((path): [string, string] => [`${/chunk.[b_]/.test(path) ? 'POST' : 'GET'} ${path}`, 'not_found']),
  ...[
    'x',
    '..',
    '%2e%2e',
    '__proto__',
    "' OR 1=1 --",
    'free_0123456789AB',
    'free_0123456789abc',
    'free_0123456789a',
    'free_0123456789ab',
    '%00',
    'x'.repeat(5000),
  ].flatMap((id): [string, string][] => [
    [`GET /results/${id}`.replaceAll(' ', '%20').replace('GET%20', 'GET '), 'result_not_found'],
    [`DELETE /results/${id}`.replaceAll(' ', '%20').replace('DELETE%20', 'DELETE '), 'result_not_found'],
  ]),
  ['GET /job/ai-pro_0123456789ab/status', 'job_not_found'],
  ['GET /job/ai-pro_0123456789ab/result', 'job_not_found'],
];
