// Gives a PDF back what leads to its pages when that is lost: header, trailer, page tree. PDFium finds objects by
// itself when the cross-reference table is broken, but needs a trailer that names the root.

/** How much of the end is searched for the end mark; much is written after it by mail programs and web servers. */
const TAIL = 8192;

/** Whether a file lacks its end mark, so that something after the last byte is missing. */
export function isCutShort(bytes: Uint8Array): boolean {
  return !latin1(bytes.subarray(Math.max(0, bytes.length - TAIL))).includes('%%EOF');
}

/**
 * A copy of a file that has lost its trailer, with one that names its last catalog; `undefined` when no catalog is
 * to be seen. Linear. What is packed in object streams cannot be seen; what is encrypted needs the lost trailer.
 */
export function addTrailer(bytes: Uint8Array): Uint8Array | undefined {
  const root = findObjects(bytes).findLast((object) => object.type === 'Catalog');
  return root === undefined ? undefined : withEnding(bytes, trailer(root.number));
}

/** A copy of a file whose page tree is lost or runs in circles, with one over every page object that can be seen. */
export function addPageTree(bytes: Uint8Array): Uint8Array | undefined {
  const pages = findObjects(bytes).filter((object) => object.type === 'Page');
  if (pages.length === 0) return undefined;
  // An object that was updated stands there twice, with one number.
  const kids = [...new Set(pages.map(({ number }) => `${number} 0 R`))];
  const tree =
    `${ROOT} 0 obj <</Type/Catalog/Pages ${TREE} 0 R>> endobj\n` +
    `${TREE} 0 obj <</Type/Pages/Count ${kids.length}/Kids[${kids.join(' ')}]>> endobj\n`;
  return withEnding(bytes, `${tree}${trailer(ROOT)}`);
}

/**
 * Numbers for objects of our own; PDFium takes none above 4 million (`kMaxObjectNumber`), and files use none so high.
 */
const ROOT = 4_000_000;
const TREE = ROOT + 1;

interface PdfObject {
  readonly number: number;
  readonly type: string;
}

/** `12 0 obj << … /Type /Page … >>`: each object with the first type that stands after its start. */
function findObjects(bytes: Uint8Array): PdfObject[] {
  const source = latin1(bytes);
  if (source.includes('/Encrypt')) return [];
  const objects: PdfObject[] = [];
  const token =
    /\b(\d{1,7})[ \t\r\n]{1,3}\d{1,5}[ \t\r\n]{1,3}obj\b|\/Type[ \t\r\n]{0,3}\/(Catalog|Pages?)\b/g;
  let number: number | undefined;
  for (const [, start, type] of source.matchAll(token)) {
    if (start !== undefined) number = Number(start);
    else if (type !== undefined && number !== undefined) {
      objects.push({ number, type });
      number = undefined;
    }
  }
  return objects;
}

/** The file may end inside a stream or an object, so both are closed first; PDFium passes over what is too much. */
function withEnding(bytes: Uint8Array, ending: string): Uint8Array {
  const header = latin1(bytes.subarray(0, 1024)).includes('%PDF-') ? '' : '%PDF-1.7\n';
  const encoder = new TextEncoder();
  const parts = [encoder.encode(header), bytes, encoder.encode(`\nendstream\nendobj\n${ending}`)];
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function trailer(root: number): string {
  return `trailer <</Root ${root} 0 R/Size ${TREE + 1}>>\nstartxref\n0\n%%EOF\n`;
}

/** Few enough arguments for one call, in every engine. */
const PIECE = 16 * 1024;

/** One character a byte; `TextDecoder` would read windows-1252. */
function latin1(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  return pieces.join('');
}
