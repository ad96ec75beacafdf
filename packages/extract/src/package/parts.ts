// The parts of a package: a ZIP archive of XML and other files, as in Office Open XML, OpenDocument and EPUB. Nothing
// outside the archive is ever opened.
import { concatenate, latin1 } from '../bytes.ts';
import { lenient, strict } from '../encoding/decoder.ts';
import { malformed, readXml, type TagCount, XmlReader, type XmlVisitor } from './xml.ts';
import { openZip, type UnpackedCount, type Zip } from './zip.ts';

/** The parts of one package. */
export interface Parts {
  readonly has: (name: string) => boolean;
  /** Names of the parts, in the order of the archive. */
  readonly names: () => Iterable<string>;
  /**
   * Reads a part's XML. Returns false when the part is missing. Throws an ExtractError when it is damaged or beyond the
   * limits.
   */
  readonly visit: (name: string | undefined, visitor: XmlVisitor) => boolean;
  /**
   * Reads a part's XML piece by piece, until `isDone`. In other encodings than UTF-8 the part is unpacked as a whole.
   * Returns and throws as `visit` does.
   */
  readonly stream: (name: string | undefined, visitor: XmlVisitor, isDone: () => boolean) => boolean;
  /** Bytes of a part; `undefined` when it is missing. */
  readonly bytes: (name: string) => Uint8Array | undefined;
}

/** The consumption so far by a document and the documents inside it. */
export interface Consumption extends TagCount, UnpackedCount {}

/** The cost of opening an archive, in tags: five thousand letters in one file are read, more are hostile. */
const OPENING_TAGS = 600;

/** Opens an archive. Throws as {@link openZip} does. */
export function openPackage(archive: Uint8Array, spent: Consumption = { tags: 0, bytes: 0 }): Parts {
  spent.tags += OPENING_TAGS;
  const zip = openZip(archive, undefined, spent);
  return {
    has: zip.has,
    names: zip.names,
    visit: (name, visitor) => {
      if (name === undefined || !zip.has(name)) return false;
      readXml(xmlText(zip.read(name)), visitor, spent);
      return true;
    },
    stream: (name, visitor, isDone) => {
      if (name === undefined || !zip.has(name)) return false;
      const reader = new XmlReader(visitor, spent);
      let rest = '';
      for (const { text, isLast } of textPieces(zip, name)) {
        const xml = rest + text;
        rest = xml.slice(reader.read(xml, isLast));
        if (isDone()) break;
        if (rest.length > MAX_REST) throw malformed();
      }
      return true;
    },
    bytes: (name) => (zip.has(name) ? zip.read(name) : undefined),
  };
}

/** Text without a tag that no part of a package has, in UTF-16 units: each piece begins with the rest of the last. */
const MAX_REST = 4 << 20;
/** Bytes that are decoded at once. */
const PIECE_BYTES = 1 << 20;

/** The text of a part in pieces of UTF-8; as a whole when it is in another encoding. */
function* textPieces(zip: Zip, name: string): Generator<{ readonly text: string; readonly isLast: boolean }> {
  const decoder = new TextDecoder();
  let waiting: Uint8Array[] = [];
  let length = 0;
  let isFirst = true;
  for (const piece of zip.pieces(name)) {
    if (isFirst && !isUtf8(piece)) {
      yield { text: xmlText(zip.read(name)), isLast: true };
      return;
    }
    isFirst = false;
    waiting.push(piece);
    length += piece.length;
    if (length < PIECE_BYTES) continue;
    yield { text: decoder.decode(concatenate(waiting), { stream: true }), isLast: false };
    waiting = [];
    length = 0;
  }
  yield { text: decoder.decode(concatenate(waiting)), isLast: true };
}

/** True for the start of XML that is in no other encoding by its first bytes, and declares none. */
function isUtf8(start: Uint8Array): boolean {
  if (utf16Of(start) !== undefined) return false;
  return /^utf-?8$/i.test(declaredIn(start) ?? 'utf-8');
}

/** The name of a target that a part in a folder refers to; names that lead outside the archive end at its top. */
export function partName(folder: string, target: string): string {
  const names = target.startsWith('/') ? [] : folder.split('/').slice(0, -1);
  for (const name of target.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '.' && name !== '') names.push(name);
  }
  return names.join('/');
}

/**
 * The text of XML by its first bytes (XML 1.0, appendix F), else UTF-8; invalid UTF-8 falls back to the declared
 * encoding.
 */
export function xmlText(bytes: Uint8Array): string {
  const utf16 = utf16Of(bytes);
  const reading = utf16 === undefined ? strict(bytes, 'utf-8') : lenient(bytes, utf16);
  if (reading !== undefined) return reading.text;
  return (lenient(bytes, declaredIn(bytes) ?? 'utf-8') ?? lenient(bytes, 'utf-8'))?.text ?? '';
}

/** The form of UTF-16 that the first bytes show. */
function utf16Of([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if ((first === 0xff && second === 0xfe) || (first === LESS && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second === LESS) ? 'utf-16be' : undefined;
}

function declaredIn(bytes: Uint8Array): string | undefined {
  return DECLARED.exec(latin1(bytes.subarray(0, MAX_DECLARATION)))?.[1];
}

const LESS = 0x3c;
const MAX_DECLARATION = 200;
const DECLARED = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']((?!utf-?16|ucs)[\w.:-]+)["']/i;
