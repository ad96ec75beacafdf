// A package of Office Open XML (ECMA-376 part 2): its parts, and the references between them.
import { ExtractError } from '../errors.ts';
import { type Consumption, openPackage, partName, type Parts } from './parts.ts';
import { attributesOf, type XmlVisitor } from './xml.ts';

/** A reference of a part. */
export interface Relationship {
  /** The last word of its type, such as `styles` or `hyperlink`; the same in the transitional and the strict format. */
  readonly type: string;
  /** Name of a part, or an address if external. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** The parts of one document of Office. */
export interface OfficePackage extends Parts {
  /** Name of the part that holds the document. */
  readonly main: string;
  /** The references of a part, by id. */
  readonly relationshipsOf: (name: string) => ReadonlyMap<string, Relationship>;
  /** Name of the part of a type that the main part refers to; each type used here has at most one part. */
  readonly related: (type: string) => string | undefined;
  /** Opens a document of the same kind in one of the parts. Its unpacked bytes count as part of this document. */
  readonly inside: (bytes: Uint8Array) => OfficePackage;
}

/** The main part of a kind of document. */
export interface MainPart {
  /** Its name from programs that omit the reference. */
  readonly usual: string;
  /** The content of such an archive for messages: `Word document`. */
  readonly what: string;
}

/** Opens an archive. Throws as `openZip` does, and `corrupted` when it contains no document of the kind. */
export function openOffice(archive: Uint8Array, kind: MainPart, spent?: Consumption): OfficePackage {
  const consumption = spent ?? { tags: 0, bytes: 0 };
  const parts = openPackage(archive, consumption);
  const known = new Map<string, ReadonlyMap<string, Relationship>>();
  const relationshipsOf = (name: string): ReadonlyMap<string, Relationship> => {
    const slash = name.lastIndexOf('/') + 1;
    const relationships =
      known.get(name) ??
      readRelationships(name.slice(0, slash), (visitor) =>
        parts.visit(`${name.slice(0, slash)}_rels/${name.slice(slash)}.rels`, visitor),
      );
    known.set(name, relationships);
    return relationships;
  };
  const ofPackage = [...relationshipsOf('').values()].find(({ type }) => type === 'officeDocument');
  const main = ofPackage !== undefined && parts.has(ofPackage.target) ? ofPackage.target : kind.usual;
  if (!parts.has(main)) throw new ExtractError('corrupted', { detail: `it holds no ${kind.what}` });
  const relationships = relationshipsOf(main);
  return {
    ...parts,
    main,
    relationshipsOf,
    related: (type) =>
      [...relationships.values()].find(
        (relationship) => relationship.type === type && !relationship.isExternal,
      )?.target ?? usualName(main, type),
    inside: (bytes) => openOffice(bytes, kind, consumption),
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

const ignore = (): void => undefined;

/** The parts with the properties of a document: its title and author, and the counts of its program. */
export const CORE_PROPERTIES = 'docProps/core.xml';
export const APP_PROPERTIES = 'docProps/app.xml';

/** A property of the document from a part, '' when the part is damaged or missing: the text does not depend on it. */
export function propertyOf(parts: Parts, part: string, name: string): string {
  try {
    return readProperty(parts, part, name);
  } catch (error) {
    if (error instanceof ExtractError && error.code === 'corrupted') return '';
    throw error;
  }
}

/** The text of the first element of a name that holds nothing but text. */
function readProperty(parts: Parts, part: string, name: string): string {
  let value: string | undefined;
  let isInside = false;
  parts.visit(part, {
    open: (element) => {
      isInside = value === undefined && element.slice(element.indexOf(':') + 1) === name;
    },
    close: () => (isInside = false),
    text: (text) => {
      if (isInside) value = (value ?? '') + text;
    },
  });
  return (value ?? '').replace(/\s+/g, ' ').trim();
}
