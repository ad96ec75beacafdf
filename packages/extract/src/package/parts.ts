// The parts of a package: a ZIP archive of XML and other files, as in Office Open XML, OpenDocument and EPUB. Nothing
// outside the archive is ever opened.
import { latin1 } from '../bytes.ts';
import { lenient, strict } from '../encoding/decoder.ts';
import { readXml, type TagCount, type XmlVisitor } from './xml.ts';
import { openZip, type UnpackedCount } from './zip.ts';

/** The parts of one package. */
export interface Parts {
  readonly has: (name: string) => boolean;
  /**
   * Reads a part's XML. Returns false when the part is missing. Throws an ExtractError when it is damaged or beyond the
   * limits.
   */
  readonly visit: (name: string | undefined, visitor: XmlVisitor) => boolean;
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
    visit: (name, visitor) => {
      if (name === undefined || !zip.has(name)) return false;
      readXml(xmlText(zip.read(name)), visitor, spent);
      return true;
    },
    bytes: (name) => (zip.has(name) ? zip.read(name) : undefined),
  };
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
  const [first, second] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || (first === LESS && second === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second === LESS);
  const reading =
    isLittle || isBig ? lenient(bytes, isLittle ? 'utf-16le' : 'utf-16be') : strict(bytes, 'utf-8');
  if (reading !== undefined) return reading.text;
  const encoding = DECLARED.exec(latin1(bytes.subarray(0, MAX_DECLARATION)))?.[1] ?? 'utf-8';
  return (lenient(bytes, encoding) ?? lenient(bytes, 'utf-8'))?.text ?? '';
}

const LESS = 0x3c;
const MAX_DECLARATION = 200;
const DECLARED = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']((?!utf-?16|ucs)[\w.:-]+)["']/i;
