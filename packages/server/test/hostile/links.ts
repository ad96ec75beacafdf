// Requests whose harm lies behind a link: forbidden addresses, hosts that do wrong, documents that do.
import { deflateSync } from 'node:zlib';
import {
  cell,
  docxEntries,
  para,
  row,
  run,
  writeDocx,
  writeZip,
  type ZipEntry,
} from '@grainline/testing/docx-writer';
import { writePdf } from '@grainline/testing/pdf-writer';
import { sent, json, MIB, type Row, type Shot, type Target } from './attack.ts';

const linked = (url: string): Shot => sent('POST /chunk', json({ tier: 'free', url }));
const onCanary =
  (link: (canary: string, port: string) => string) =>
  ({ canary }: Target): Shot =>
    linked(link(canary, canary.split(':')[1] ?? ''));

const links: Row[] = [
  ...[
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://LOCALHOST:PORT/',
    'http://127.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f000001:PORT/',
    'http://0x7f.1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://[::1]:PORT/',
    'http://[::]:PORT/',
    'http://0.0.0.0:PORT/',
    'http://0:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://[64:ff9b::127.0.0.1]:PORT/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://①②⑦.⓪.⓪.①:PORT/',
    'http://127。0。0。1:PORT/',
    'http://1%32%37.0.0.1:PORT/',
  ].map((link): Row => [link, onCanary((_, port) => link.replace('PORT', port)), '400 url_forbidden']),
  ...[
    'http://127.0.0.1/',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://172.16.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fe80::1]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://100.64.0.1/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://240.0.0.1/',
    'http://[ff02::1]/',
    'http://192.0.2.1/',
    'http://[2001:db8::1]/',
    'http://[3fff::1]/',
    'http://[5f00::1]/',
    'http://93.184.216.34:22/',
    'http://93.184.216.34:6379/',
    'https://93.184.216.34:25/',
    'http://93.184.216.34:1/',
  ].map((link): Row => [link, linked(link), '400 url_forbidden']),
  ...[
    'file:///etc/passwd',
    'ftp://example.org/',
    'data:text/plain,hello',
    'gopher://127.0.0.1/',
    'javascript:alert(1)',
    'FILE:///etc/passwd',
    'dict://127.0.0.1:11211/',
    'http:///',
    'http://',
    'example.org',
    '//example.org/',
    'http://user@example.org/',
    'http://user:secret@example.org/',
    'http://[::1',
    'http://a b/',
    'http://1.2.3.256/',
    'http://999999999999/',
    'http://example.org:99999/',
    'ws://example.org/',
    'blob:http://example.org/1',
  ].map((link): Row => [JSON.stringify(link), linked(link), '400 url_invalid']),
  ...[301, 302, 303, 307, 308].map((status): Row => [
    `a ${status} to the canary`,
    ({ host }) => linked(`http://${host.address}/to-canary-${status}`),
    '400 url_forbidden',
  ]),
  ...(
    [
      ['404', '400 url_status'],
      ['500', '400 url_status'],
      ['204', '400 url_status'],
      ['hang-up', '400 url_interrupted'],
      ['nonsense', '400 url_interrupted'],
      ['never', '400 url_timeout'],
      ['head-only', '400 url_timeout'],
      ['trickle', '400 url_timeout'],
      ['short', '400 url_interrupted'],
      ['endless', '413 url_too_large'],
      ['10-gb', '413 url_too_large'],
      ['gzip-bomb', '413 url_too_large'],
      ['gzip-of-gzip', '400 url_interrupted'],
      ['no-gzip', '400 url_interrupted'],
      ['coding', '400 url_interrupted'],
      ['headers', '400 url_interrupted'],
      ['loop', '400 url_redirects'],
      ['nowhere', '400 url_status'],
      ['to-file', '400 url_invalid'],
      ['to-user', '400 url_invalid'],
      ['to-meta', '400 url_forbidden'],
    ] as const
  ).map(([way, expected]): Row => [
    `a host: ${way}`,
    ({ host }) => linked(`http://${host.address}/${way}`),
    expected,
  ]),
  ['a port without a listener', linked('http://127.0.0.1:8080/'), '400 url_forbidden'],
];

/** A document behind a link. */
const served =
  (bytes: (target: Target) => Uint8Array | string, name: string, type?: string) =>
  (target: Target): Shot =>
    linked(target.host.serve(bytes(target), type, name));
const PDF = writePdf({
  pages: Array.from({ length: 5 }, (_, page) => ({ lines: [`Page ${page} of some text that can be read.`] })),
});
const flate = (content: Buffer): Uint8Array =>
  writePdf({
    pages: [{ content: '' }],
    objects: {
      11: `<</Filter/FlateDecode/Length ${content.length}>>\nstream\n${content.toString('latin1')}\nendstream`,
    },
  });
const DOCUMENT = 'word/document.xml';
const changed = (change: (entry: ZipEntry) => ZipEntry): Uint8Array =>
  writeZip(
    docxEntries({ body: para(run('hello')) }).map((entry) =>
      entry.name === DOCUMENT ? change(entry) : entry,
    ),
  );
const doctype = (subset: string): Uint8Array =>
  changed((entry) => ({
    ...entry,
    content: `<?xml version="1.0"?><!DOCTYPE w:document [${subset}]><w:document xmlns:w="x"><w:body>&l9;</w:body></w:document>`,
  }));
const LAUGHS = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
const random = (length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  let state = 12345;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes;
};

const documents: Row[] = [
  ['a PDF cut in half', served(() => PDF.subarray(0, PDF.length / 2), 'a.pdf'), '200'],
  [
    'a PDF of random bytes',
    served(() => Buffer.concat([Buffer.from('%PDF-1.7\n'), random(50_000)]), 'a.pdf'),
    '400 corrupted',
  ],
  [
    'a PDF whose page tree is a loop',
    served(() => writePdf({ pages: [{ lines: ['x'] }], kids: '2 0 R' }), 'a.pdf'),
    '200',
  ],
  [
    'a PDF that claims 2,000,000,000 pages',
    served(() => writePdf({ pages: [{ lines: ['One page.'] }], claimedPages: 2_000_000_000 }), 'a.pdf'),
    '200',
  ],
  [
    '300,000 nested arrays in a PDF',
    served(() => `%PDF-1.4\n1 0 obj\n${'['.repeat(300_000)}\nendobj\ntrailer\n<</Root 1 0 R>>`, 'a.pdf'),
    '400 corrupted',
  ],
  [
    'a PDF bomb of 300 MB',
    served(() => flate(deflateSync(Buffer.alloc(300 * MIB, 0x20))), 'a.pdf'),
    '400 too_complex',
  ],
  [
    'a PDF page that draws itself for ever',
    served(
      () =>
        writePdf({
          pages: [{ content: '/X Do ' }],
          objects: {
            900: '<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 900 0 R>>>>/Length 5>>\nstream\n/X Do\nendstream',
          },
        }),
      'a.pdf',
    ),
    '400 empty_document',
  ],
  [
    'a PDF with a script',
    served(
      ({ canary }) =>
        writePdf({
          pages: [{ lines: ['Some text.'] }],
          catalog: `/OpenAction<</S/JavaScript/JS(app.launchURL("http://${canary}"))>>/AA<</O<</S/URI/URI(http://${canary}/)>>>>`,
        }),
      'a.pdf',
    ),
    '200',
  ],
  [
    'a PDF with a password',
    served(() => writePdf({ pages: [{ lines: ['x'] }], password: { user: 'u', owner: 'o' } }), 'a.pdf'),
    '400 encrypted',
  ],
  [
    'a DOCX of 110 MB that says it has 100 bytes',
    served(
      () => changed((entry) => ({ ...entry, content: Buffer.alloc(110 * MIB, 0x20), declaredSize: 100 })),
      'a.docx',
    ),
    '413 too_large',
  ],
  [
    'a DOCX of 60,000 entries',
    served(
      () =>
        writeZip([
          ...docxEntries({ body: para(run('x')) }),
          ...Array.from({ length: 60_000 }, (_, n) => ({ name: `word/${n}.xml`, content: '', method: 0 })),
        ]),
      'a.docx',
    ),
    '413 too_large',
  ],
  ['a billion laughs', served(() => doctype(`<!ENTITY l0 "lol">${LAUGHS}`), 'a.docx'), '400 corrupted'],
  [
    'an external entity',
    served(({ canary }) => doctype(`<!ENTITY l9 SYSTEM "http://${canary}/">`), 'a.docx'),
    '400 corrupted',
  ],
  [
    'a file as an entity',
    served(() => doctype('<!ENTITY l9 SYSTEM "file:///etc/passwd">'), 'a.docx'),
    '400 corrupted',
  ],
  [
    'a DOCX with an outside template',
    served(
      ({ canary }) =>
        writeDocx({
          body: para(run('text')),
          relationships: `<Relationship Id="t" Type="x/attachedTemplate" Target="http://${canary}/" TargetMode="External"/>`,
        }),
      'a.docx',
    ),
    '200',
  ],
  [
    'a DOCX whose names climb',
    served(
      () =>
        writeZip([
          ...docxEntries({ body: para(run('text')) }),
          { name: '../../../../etc/cron.d/x', content: '* * * * * root id' },
        ]),
      'a.docx',
    ),
    '200',
  ],
  [
    'a DOCX cut in half',
    served(() => {
      const bytes = writeDocx({ body: para(run('text '.repeat(5000))) });
      return bytes.subarray(0, bytes.length / 2);
    }, 'a.docx'),
    '400 corrupted',
  ],
  [
    'a DOCX of 2000 nested tables',
    served(
      () =>
        writeDocx({
          body: `${'<w:tbl><w:tr><w:tc>'.repeat(2000)}${para(run('deep'))}${'</w:tc></w:tr></w:tbl>'.repeat(2000)}`,
        }),
      'a.docx',
    ),
    '200',
  ],
  [
    'a DOCX of 4,000,000 paragraphs',
    served(() => writeDocx({ body: '<w:p/>'.repeat(4_000_000) }), 'a.docx'),
    '400 too_complex',
  ],
  [
    'a DOCX table of a billion columns',
    served(
      () => writeDocx({ body: `<w:tbl>${row(cell('x', '<w:gridSpan w:val="1000000000"/>'))}</w:tbl>` }),
      'a.docx',
    ),
    '200',
  ],
  [
    'HTML 300,000 deep',
    served(() => `<!doctype html><body>${'<div>'.repeat(300_000)}text`, 'a.html', 'text/html'),
    '200',
  ],
  ['1 MB of <', served(() => `<!doctype html><body>${'<'.repeat(MIB)}`, 'a.html', 'text/html'), '200'],
  [
    '200,000 unclosed anchors',
    served(() => `<!doctype html><body>${'<a href=x>y'.repeat(200_000)}`, 'a.html', 'text/html'),
    '200',
  ],
  [
    'HTML with everything outside',
    served(
      ({ canary }) =>
        `<!doctype html><base href="http://${canary}/"><link rel=stylesheet href="http://${canary}/a.css"><img src="http://${canary}/a.png"><iframe src="http://${canary}/"></iframe><script src="http://${canary}/a.js"></script><p>Some text.</p>`,
      'a.html',
      'text/html',
    ),
    '200',
  ],
  [
    'a colspan of a billion',
    served(
      () => '<!doctype html><table><tr><td colspan=1000000000 rowspan=1000000000>x</td></tr></table>',
      'a.html',
      'text/html',
    ),
    '200',
  ],
  [
    'a picture',
    served(() => Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'a.png', 'image/png'),
    '400 corrupted',
  ],
  [
    'a program',
    served(
      () => Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01'), Buffer.alloc(5000)]),
      'a.txt',
      'text/plain',
    ),
    '400 unsupported_type',
  ],
  ['a zip of text', served(() => writeZip([{ name: 'a.txt', content: 'text' }]), 'a.docx'), '400 corrupted'],
  ['20 MB of one letter', served(() => 'a'.repeat(20 * MIB), 'a.txt', 'text/plain'), '200'],
  ['5 MB of line ends and a word', served(() => `${'\n'.repeat(5 * MIB)}word`, 'a.txt', 'text/plain'), '200'],
  [
    'one letter with a million marks',
    served(() => `a${'\u0301'.repeat(1_000_000)}`, 'a.txt', 'text/plain'),
    '200',
  ],
  [
    '10,000 nested quotes in Markdown',
    served(() => `${'> '.repeat(10_000)}text`, 'a.md', 'text/markdown'),
    '200',
  ],
  ['100,000 open brackets in Markdown', served(() => '[a]('.repeat(100_000), 'a.md', 'text/markdown'), '200'],
  [
    'UTF-16 that ends in half a character',
    served(() => Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x00]), 'a.txt', 'text/plain'),
    '200',
  ],
  ['an unknown charset', served(() => 'Some text.', 'a.txt', 'text/plain; charset=x-unknown'), '200'],
];

export const LINKS = { links, documents };
