// Writes small PDFs for tests: real syntax, made here, so that no fixture is anybody else's. Sound by default;
// the options make what goes wrong in the wild (lying counts, loops, lost trailers, passwords).
import { createHash } from 'node:crypto';

/** A page to write. */
export interface PageSpec {
  /** Lines of text in WinAnsi, set one below the other. */
  readonly lines?: readonly string[];
  /**
   * A content stream as it stands, in place of `lines`. Its fonts are /F (Helvetica), /B (bold) and /C (Courier);
   * {@link setText} writes text for it.
   */
  readonly content?: string;
  /** Draws a picture over the share of the page, 0 to 1. */
  readonly picture?: number;
  /** Added to the dictionary of the page. */
  readonly entries?: string;
  /** Text fields that stand on the page: name → value. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** A document to write. */
export interface PdfSpec {
  readonly pages: readonly PageSpec[];
  readonly title?: string;
  /** Writes this as /Count of the page tree, whatever the truth. */
  readonly claimedPages?: number;
  /** Kids of the page tree as references, in place of the pages; the tree is object 2, the first page object 10. */
  readonly kids?: string;
  /** Unicode of single codes, in hexadecimal UTF-16: `{ A: 'D83DDE00' }`. */
  readonly toUnicode?: Readonly<Record<string, string>>;
  /** Encrypts (RC4, 40 bits): the password that opens the file, and the one that lifts its restrictions. */
  readonly password?: { readonly user: string; readonly owner: string };
  /** Further objects, by number: `{ 900: '<</Type/…>>' }`. */
  readonly objects?: Readonly<Record<number, string>>;
  /** Added to the catalog. */
  readonly catalog?: string;
}

const CATALOG = 1;
const TREE = 2;
const FONT = 3;
const MAP = 4;
const PICTURE = 5;
const INFO = 6;
const ENCRYPTION = 7;
const BOLD = 8;
const FIXED_PITCH = 9;
const FIRST_PAGE = 10;
/** Each page takes its object, its content, and room for fields. */
const PER_PAGE = 10;

const FILE_ID = Buffer.from('0123456789abcdef');

/** The bytes of a PDF 1.4. Characters of strings above U+00FF cannot be written. */
export function writePdf(spec: PdfSpec): Uint8Array {
  const cipher = spec.password === undefined ? undefined : createCipher(spec.password);
  const objects = new Map<number, string>([
    [CATALOG, `<</Type/Catalog/Pages ${TREE} 0 R${acroForm(spec.pages)}${spec.catalog ?? ''}>>`],
    [TREE, pageTree(spec)],
    [FONT, font('Helvetica', spec.toUnicode)],
    [BOLD, font('Helvetica-Bold')],
    [FIXED_PITCH, font('Courier')],
    [
      PICTURE,
      stream('/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray', 'x'),
    ],
    [INFO, spec.title === undefined ? '<<>>' : `<</Title ${utf16String(spec.title)}>>`],
  ]);
  if (spec.toUnicode !== undefined) objects.set(MAP, stream('', toUnicodeMap(spec.toUnicode)));
  spec.pages.forEach((page, index) => {
    for (const [number, body] of pageObjects(page, FIRST_PAGE + index * PER_PAGE)) objects.set(number, body);
  });
  for (const [number, body] of Object.entries(spec.objects ?? {})) objects.set(Number(number), body);
  return assemble(objects, cipher);
}

/** A text on a page: where it begins, in points from the lower left corner, and how it is set. */
export interface SetText {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly size?: number;
  /** /F, /B or /C. */
  readonly font?: 'F' | 'B' | 'C';
}

/** A content stream that shows texts in their order. */
export function setText(texts: readonly SetText[]): string {
  return texts
    .map(
      ({ x, y, text, size = 10, font = 'F' }) =>
        `BT /${font} ${size} Tf ${x} ${y} Td (${escape(text)}) Tj ET`,
    )
    .join('\n');
}

/** A content stream that draws lines from point to point: `[x1, y1, x2, y2]`. */
export function drawLines(lines: readonly (readonly [number, number, number, number])[]): string {
  return lines.map(([x1, y1, x2, y2]) => `${x1} ${y1} m ${x2} ${y2} l S`).join('\n');
}

function pageTree({ pages, kids, claimedPages }: PdfSpec): string {
  const references = kids ?? pages.map((_, index) => `${FIRST_PAGE + index * PER_PAGE} 0 R`).join(' ');
  return `<</Type/Pages/Kids[${references}]/Count ${claimedPages ?? pages.length}>>`;
}

function pageObjects(page: PageSpec, number: number): [number, string][] {
  const fields = Object.entries(page.fields ?? {});
  const annotations = fields.map((_, index) => `${number + 2 + index} 0 R`).join(' ');
  const resources = `<</Font<</F ${FONT} 0 R/B ${BOLD} 0 R/C ${FIXED_PITCH} 0 R>>/XObject<</P ${PICTURE} 0 R>>>>`;
  const box = '/MediaBox[0 0 600 800]';
  return [
    [
      number,
      `<</Type/Page/Parent ${TREE} 0 R${box}/Resources${resources}/Contents ${number + 1} 0 R/Annots[${annotations}]${page.entries ?? ''}>>`,
    ],
    [number + 1, stream('', pageContent(page))],
    ...fields.map(([name, value], index): [number, string] => [
      number + 2 + index,
      `<</Type/Annot/Subtype/Widget/FT/Tx/T(${name})/V(${escape(value)})/Rect[50 ${50 + 30 * index} 250 ${70 + 30 * index}]/P ${number} 0 R>>`,
    ]),
  ];
}

function pageContent({ lines = [], content, picture }: PageSpec): string {
  const drawn = picture === undefined ? '' : `q 600 0 0 ${800 * picture} 0 0 cm /P Do Q\n`;
  const text = lines.map((line) => `(${escape(line)}) Tj T*`).join('\n');
  return drawn + (content ?? (lines.length === 0 ? '' : `BT /F 12 Tf 14 TL 50 750 Td\n${text}\nET`));
}

function acroForm(pages: readonly PageSpec[]): string {
  const fields = pages.flatMap((page, index) =>
    Object.keys(page.fields ?? {}).map((_, field) => `${FIRST_PAGE + index * PER_PAGE + 2 + field} 0 R`),
  );
  return fields.length === 0 ? '' : `/AcroForm<</Fields[${fields.join(' ')}]>>`;
}

function font(name: string, toUnicode?: PdfSpec['toUnicode']): string {
  const map = toUnicode === undefined ? '' : `/ToUnicode ${MAP} 0 R`;
  return `<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding${map}>>`;
}

function toUnicodeMap(codes: Readonly<Record<string, string>>): string {
  const lines = Object.entries(codes).map(
    ([code, unicode]) => `<${hex(Buffer.from(code, 'latin1'))}> <${unicode}>`,
  );
  return (
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n' +
    `1 begincodespacerange <00> <FF> endcodespacerange\n${lines.length} beginbfchar\n${lines.join('\n')}\nendbfchar\n` +
    'endcmap end end'
  );
}

function stream(entries: string, content: string): string {
  return `<<${entries}/Length ${content.length}>>\nstream\n${content}\nendstream`;
}

function escape(text: string): string {
  return text.replace(/[\\()]/g, '\\$&');
}

function utf16String(text: string): string {
  return `<FEFF${hex(Buffer.from(text, 'utf16le').swap16())}>`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Header, objects, cross-reference table, trailer (ISO 32000-1, 7.5). */
function assemble(objects: ReadonlyMap<number, string>, cipher: Cipher | undefined): Uint8Array {
  let file = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
  const offsets: [number, number][] = [];
  for (const [number, body] of objects) {
    offsets.push([number, file.length]);
    file += `${number} 0 obj\n${cipher === undefined ? body : cipher.encrypt(number, body)}\nendobj\n`;
  }
  if (cipher !== undefined) {
    offsets.push([ENCRYPTION, file.length]);
    file += `${ENCRYPTION} 0 obj\n${cipher.dictionary}\nendobj\n`;
  }
  const start = file.length;
  const size = [...objects.keys()].reduce((most, number) => Math.max(most, number), ENCRYPTION) + 1;
  const entry = ([number, offset]: [number, number]): string =>
    `${number} 1\n${String(offset).padStart(10, '0')} 00000 n \n`;
  const security =
    cipher === undefined ? '' : `/Encrypt ${ENCRYPTION} 0 R/ID[<${hex(FILE_ID)}><${hex(FILE_ID)}>]`;
  file += `xref\n0 1\n0000000000 65535 f \n${offsets.map(entry).join('')}`;
  file += `trailer\n<</Size ${size}/Root ${CATALOG} 0 R/Info ${INFO} 0 R${security}>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

interface Cipher {
  readonly dictionary: string;
  /** Encrypts the streams of an object; its strings are left alone, which readers bear. */
  readonly encrypt: (number: number, body: string) => string;
}

/** The standard security handler, revision 2 (ISO 32000-1, 7.6.3: algorithms 1 to 4). */
function createCipher({ user, owner }: { user: string; owner: string }): Cipher {
  const permissions = -4;
  const ownerEntry = rc4(md5(padded(owner)).subarray(0, 5), padded(user));
  const permissionBytes = Buffer.alloc(4);
  permissionBytes.writeInt32LE(permissions);
  const key = md5(padded(user), ownerEntry, permissionBytes, FILE_ID).subarray(0, 5);
  const userEntry = rc4(key, padded(''));
  return {
    dictionary: `<</Filter/Standard/V 1/R 2/P ${permissions}/O<${hex(ownerEntry)}>/U<${hex(userEntry)}>>>`,
    encrypt: (number, body) =>
      body.replace(/(?<=stream\n)[\s\S]*(?=\nendstream)/, (content) => {
        const salt = Buffer.from([number & 255, (number >> 8) & 255, (number >> 16) & 255, 0, 0]);
        return rc4(md5(key, salt).subarray(0, 10), Buffer.from(content, 'latin1')).toString('latin1');
      }),
  };
}

const PADDING = Buffer.from('28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A', 'hex');

function padded(password: string): Buffer {
  return Buffer.concat([Buffer.from(password, 'latin1'), PADDING]).subarray(0, 32);
}

function md5(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function rc4(key: Uint8Array, text: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (i: number, j: number): void => {
    [state[i], state[j]] = [state[j]!, state[i]!];
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + state[i]! + key[i % key.length]!) & 255;
    swap(i, j);
  }
  let i = 0;
  let j = 0;
  return Buffer.from(text).map((byte) => {
    i = (i + 1) & 255;
    j = (j + state[i]!) & 255;
    swap(i, j);
    return byte ^ state[(state[i]! + state[j]!) & 255]!;
  }) as Buffer;
}
