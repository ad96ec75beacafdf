// The parts of a DOCX: the document part, its related parts, and their XML. The reader never opens anything outside the
// archive.
import { latin1 } from '../../bytes.ts';
import { lenient, strict } from '../../encoding/decoder.ts';
import { ExtractError } from '../../errors.ts';
import { attributesOf, readXml, type TagCount, type XmlVisitor } from './xml.ts';
import { openZip, type UnpackedCount } from './zip.ts';

/** A reference of a part. */
export interface Relationship {
  /** The last word of its type, such as `styles` or `hyperlink`; the same in the transitional and the strict format. */
  readonly type: string;
  /** Name of a part, or an address if external. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** The parts of one document. */
export interface Parts {
  /** Name of the part that holds the document. */
  readonly main: string;
  /** The references of a part, by id. */
  readonly relationshipsOf: (name: string) => ReadonlyMap<string, Relationship>;
  /**
   * Reads a part's XML. Returns false when the part is missing. Throws an ExtractError when it is damaged or beyond the
   * limits.
   */
  readonly visit: (name: string | undefined, visitor: XmlVisitor) => boolean;
  /** Bytes of a part; `undefined` when it is missing. */
  readonly bytes: (name: string) => Uint8Array | undefined;
  /** Name of the part of a type that the main part refers to; each type used here has at most one part. */
  readonly related: (type: string) => string | undefined;
  /** Opens a document in one of the parts. Its unpacked bytes count as part of this document. */
  readonly inside: (bytes: Uint8Array) => Parts;
}

/** The consumption so far by a document and its embedded documents. */
interface Consumption extends TagCount, UnpackedCount {}

/** The cost of opening an archive, in tags: five thousand letters in one file are read, more are hostile. */
const OPENING_TAGS = 600;

/** The name of the part from programs that omit the reference. */
const USUAL_MAIN = 'word/document.xml';

/** Opens an archive. Throws as {@link openZip} does, and `corrupted` when it contains no document. */
export function openPackage(archive: Uint8Array, spent: Consumption = { tags: 0, bytes: 0 }): Parts {
  spent.tags += OPENING_TAGS;
  const zip = openZip(archive, undefined, spent);
  const visit = (name: string | undefined, visitor: XmlVisitor): boolean => {
    if (name === undefined || !zip.has(name)) return false;
    readXml(xmlText(zip.read(name)), visitor, spent);
    return true;
  };
  const known = new Map<string, ReadonlyMap<string, Relationship>>();
  const relationshipsOf = (name: string): ReadonlyMap<string, Relationship> => {
    const slash = name.lastIndexOf('/') + 1;
    const relationships =
      known.get(name) ??
      readRelationships(name.slice(0, slash), (visitor) =>
        visit(`${name.slice(0, slash)}_rels/${name.slice(slash)}.rels`, visitor),
      );
    known.set(name, relationships);
    return relationships;
  };
  const ofPackage = [...relationshipsOf('').values()].find(({ type }) => type === 'officeDocument');
  const main = ofPackage !== undefined && zip.has(ofPackage.target) ? ofPackage.target : USUAL_MAIN;
  if (!zip.has(main)) throw new ExtractError('corrupted', { detail: 'it holds no Word document' });
  const relationships = relationshipsOf(main);
  return {
    main,
    relationshipsOf,
    visit,
    bytes: (name) => (zip.has(name) ? zip.read(name) : undefined),
    related: (type) =>
      [...relationships.values()].find(
        (relationship) => relationship.type === type && !relationship.isExternal,
      )?.target ?? usualName(main, type),
    inside: (bytes) => openPackage(bytes, spent),
  };
}

/**
 * Beside the main part, under the name that every program gives it: for documents that have lost their relationships.
 */
function usualName(main: string, type: string): string {
  return `${main.slice(0, main.lastIndexOf('/') + 1)}${type}.xml`;
}

function readRelationships(
  folder: string,
  visit: (visitor: XmlVisitor) => boolean,
): ReadonlyMap<string, Relationship> {
  const relationships = new Map<string, Relationship>();
  visit({
    open: (name, written) => {
      if (name !== 'Relationship' && !name.endsWith(':Relationship')) return;
      const attributes = attributesOf(written);
      const target = attributes.get('Target') ?? '';
      const type = attributes.get('Type') ?? '';
      const isExternal = attributes.get('TargetMode') === 'External';
      relationships.set(attributes.get('Id') ?? '', {
        type: type.slice(type.lastIndexOf('/') + 1),
        target: isExternal ? target : partName(folder, target),
        isExternal,
      });
    },
    close: ignore,
    text: ignore,
  });
  return relationships;
}

/** The part name of a target relative to a folder; `undefined` for a target outside the package. */
function partName(folder: string, target: string): string {
  const names = target.startsWith('/') ? [] : folder.split('/').slice(0, -1);
  for (const name of target.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '.' && name !== '') names.push(name);
  }
  return names.join('/');
}

/** By the first bytes (XML 1.0, appendix F), else UTF-8; invalid UTF-8 falls back to the declared encoding. */
function xmlText(bytes: Uint8Array): string {
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

const ignore = (): void => undefined;
