// Restores the path to the pages of a PDF when it is lost: header, trailer, page tree. PDFium finds objects by itself
// when the cross-reference table is broken, but needs a trailer that names the root.
import { concatenate, lastIndexOf, latin1 } from '../../../bytes.ts';

/** Length in bytes of the end that is searched for the end mark; mail programs and web servers append data to files. */
const TAIL = 8192;

/** True if a file lacks its end mark, so that data after the last byte is missing. */
export function isCutShort(bytes: Uint8Array): boolean {
  return lastIndexOf(bytes.subarray(Math.max(0, bytes.length - TAIL)), '%%EOF') === -1;
}

/** The file, and repaired copies of it that open where it does not; each is made when it is needed. */
export function* attemptsAt(bytes: Uint8Array): Generator<Uint8Array> {
  yield bytes;
  for (const repair of [addTrailer, addPageTree]) {
    const repaired = repair(bytes);
    if (repaired !== undefined) yield repaired;
  }
}

/**
 * A copy of a file that has lost its trailer, with one that names its last catalog; `undefined` when no catalog is
 * visible. Linear. Objects in object streams are invisible; encrypted files need the lost trailer.
 */
function addTrailer(bytes: Uint8Array): Uint8Array | undefined {
  const root = findObjects(bytes).findLast((object) => object.type === 'Catalog');
  return root === undefined ? undefined : withEnding(bytes, trailer(root.number));
}

/** A copy of a file whose page tree is lost or circular, with a tree over every visible page object. */
function addPageTree(bytes: Uint8Array): Uint8Array | undefined {
  const pages = findObjects(bytes).filter((object) => object.type === 'Page');
  if (pages.length === 0) return undefined;
  // An updated object occurs twice with one number.
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

/** The file may end inside a stream or an object, so both are closed first; PDFium ignores the surplus. */
function withEnding(bytes: Uint8Array, ending: string): Uint8Array {
  const header = latin1(bytes.subarray(0, 1024)).includes('%PDF-') ? '' : '%PDF-1.7\n';
  const encoder = new TextEncoder();
  return concatenate([encoder.encode(header), bytes, encoder.encode(`\nendstream\nendobj\n${ending}`)]);
}

function trailer(root: number): string {
  return `trailer <</Root ${root} 0 R/Size ${TREE + 1}>>\nstartxref\n0\n%%EOF\n`;
}
