// The parts of a DOCX: which of them is the document, which belong to it, and their XML. Nothing outside the archive is
// ever looked for.
import { ExtractError } from '../../errors.ts';
import { attributesOf, readXml, type TagCount, type XmlVisitor } from './xml.ts';
import { openZip, type Unpacked } from './zip.ts';

/** What a part refers to. */
export interface Relationship {
  /** The last word of its type, such as `styles` or `hyperlink`; the same in the transitional and the strict format. */
  readonly type: string;
  /** Name of a part, or an address where it is external. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** The parts of one document. */
export interface Parts {
  /** Name of the part that holds the document. */
  readonly main: string;
  /** What a part refers to, by id. */
  readonly relationshipsOf: (name: string) => ReadonlyMap<string, Relationship>;
  /** Reads a part's XML. False when it is not there. Throws an ExtractError when it is damaged or beyond the limits. */
  readonly visit: (name: string | undefined, visitor: XmlVisitor) => boolean;
  /** Bytes of a part; `undefined` when it is not there. */
  readonly bytes: (name: string) => Uint8Array | undefined;
  /** Name of the part of a type that the main part refers to; there is at most one of each that is asked for. */
  readonly related: (type: string) => string | undefined;
  /** Opens a document that is kept in one of the parts. What it unpacks to counts as part of this one. */
  readonly inside: (bytes: Uint8Array) => Parts;
}

/** What has been read so far of a document and of those inside it. */
interface Spent extends TagCount, Unpacked {}

/** What opening an archive costs, in tags: five thousand letters in one file are read, more are made to cost time. */
const OPENING_TAGS = 600;

/** Where programs put it that leave out to say so. */
const USUAL_MAIN = 'word/document.xml';

/** Opens an archive. Throws as {@link openZip} does, and `corrupted` when there is no document in it. */
export function openParts(archive: Uint8Array, spent: Spent = { tags: 0, bytes: 0 }): Parts {
  spent.tags += OPENING_TAGS;
  const zip = openZip(archive, undefined, spent);
  const visit = (name: string | undefined, visitor: XmlVisitor): boolean => {
    if (name === undefined || !zip.has(name)) return false;
    readXml(xmlText(zip.read(name)), visitor, spent);
    return true;
  };
  const relationshipsOf = (name: string): ReadonlyMap<string, Relationship> => {
    const slash = name.lastIndexOf('/') + 1;
    return readRelationships(name.slice(0, slash), (visitor) =>
      visit(`${name.slice(0, slash)}_rels/${name.slice(slash)}.rels`, visitor),
    );
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
    inside: (bytes) => openParts(bytes, spent),
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
      const isExternal = attributes.get('TargetMode') === 'External';
      relationships.set(attributes.get('Id') ?? '', {
        type: /[^/]*$/.exec(attributes.get('Type') ?? '')?.[0] ?? '',
        target: isExternal ? target : partName(folder, target),
        isExternal,
      });
    },
    close: ignore,
    text: ignore,
  });
  return relationships;
}

/** The name of the part that a target means, seen from a folder; one that climbs out of the package has none. */
function partName(folder: string, target: string): string {
  const names = target.startsWith('/') ? [] : folder.split('/').slice(0, -1);
  for (const name of target.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '.' && name !== '') names.push(name);
  }
  return names.join('/');
}

/** By the first bytes (XML 1.0, appendix F), else UTF-8; only what is none may be what its declaration says. */
function xmlText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === LESS && second === 0))
    return decoded(bytes, 'utf-16le');
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === LESS))
    return decoded(bytes, 'utf-16be');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const declaration = decoded(bytes.subarray(0, MAX_DECLARATION), 'latin1');
    return decoded(bytes, DECLARED.exec(declaration)?.[1] ?? 'utf-8');
  }
}

const LESS = 0x3c;
const MAX_DECLARATION = 200;
const DECLARED = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']((?!utf-?16|ucs)[\w.:-]+)["']/i;

/** In UTF-8 where nobody knows the encoding; bytes that mean nothing become U+FFFD. */
function decoded(bytes: Uint8Array, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

const ignore = (): void => undefined;
