// Weaviate: `{ objects }` to `POST /v1/batch/objects`, or the client's `insertMany`. Without a vector, the collection's
// own vectorizer embeds. A collection without a definition takes the types of its properties from its first object, so
// no string there may look like a date or a UUID.
import {
  ENVELOPE_BYTES,
  type FlatRecord,
  type Format,
  keyRule,
  type KeyRule,
  type RecordSource,
  textAmong,
} from './format.ts';

/** An object without a vector: the collection's own vectorizer makes one. */
export interface WeaviateTextRecord {
  readonly class: string;
  readonly id: string;
  readonly properties: FlatRecord;
}

/** An object with its vector. */
export type WeaviateVectorRecord = WeaviateTextRecord & { readonly vector: number[] };

/**
 * Most bytes of a request. A gRPC message holds 100 MiB. Protobuf spends 9 bytes on a number that JSON may write in
 * one, so records with little text are up to half as long again; hence a third is kept back.
 */
const REQUEST_BYTES = Math.floor((100 * 2 ** 20 * 2) / 3);

const RESERVED = ['id', '_id', '_additional', 'vector', 'vectors'];
/** Endings of property names that Weaviate reserves for the stores that it keeps beside a property. */
const RESERVED_ENDING = /_(?:searchable|rangeable|temp|nullState|propertyLength|meta_count)$/;

/** Rules for a store that keeps the text among its properties. */
const PROPERTY = textAmong(propertyRule());

/** The format `weaviate`. */
export const weaviate: Format<WeaviateTextRecord, WeaviateVectorRecord> = {
  id: 'weaviate',
  summary: 'Weaviate: POST /v1/batch/objects { objects }, or collection.data.insertMany(…)',
  names: {
    ...PROPERTY.names,
    collection: {
      fallback: 'Chunk',
      expected: 'a capital letter followed by at most 254 letters, digits or _ (no other character)',
      allows: (name) => /^[A-Z][_0-9A-Za-z]{0,254}$/.test(name),
    },
  },
  ownKeys: PROPERTY.ownKeys,
  maxDimensions: 65_535,
  refusesZeroVector: false,
  textOnly: (source, { collection, textField }) => ({
    class: collection,
    id: source.id,
    properties: { [textField]: asText(source.text), ...asTexts(source) },
  }),
  withVector: (source, names, vector) => ({ ...weaviate.textOnly(source, names), vector }),
  limits: () => ({ maxRecords: Infinity, maxBytes: REQUEST_BYTES - ENVELOPE_BYTES }),
  measured: (record) => record,
  extras: () => ({}),
};

function propertyRule(): KeyRule {
  const described =
    'a letter or _ followed by at most 230 letters, digits or _, without an ending that Weaviate keeps';
  const rule = keyRule(/^[_A-Za-z][_0-9A-Za-z]{0,230}$/, described, RESERVED);
  return { ...rule, allows: (name: string) => rule.allows(name) && !RESERVED_ENDING.test(name) };
}

/** Matches what Go's time.RFC3339 accepts, and a little more. */
const DATE = /^\d{4}-\d\d-\d\d[Tt]\d\d?:\d\d:\d\d(?:[.,]\d+)?(?:[Zz]|[+-]\d\d:?\d\d)$/;
/** Matches the four spellings of a UUID that Weaviate's parser accepts. */
const UUID_LIKE =
  /^(?:urn:uuid:|.)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}.?$|^[0-9a-f]{32}$/i;

/**
 * A text that auto-schema cannot take for a date or a UUID: a text that looks like either gets a trailing blank.
 * Filters and keyword search never see the blank, because Weaviate's tokenizers split at it or trim it.
 */
function asText(text: string): string {
  return DATE.test(text) || UUID_LIKE.test(text) ? `${text} ` : text;
}

/** Keys of ours whose every value is a UUID, so that the type that Weaviate takes for them is right. */
const UUID_KEYS: readonly string[] = ['section_id', 'parent_id'] satisfies (keyof FlatRecord)[];

/**
 * Our own metadata, protected in the same way. The caller's values stay unchanged, since a date among them may be
 * intended.
 */
function asTexts({ flat, own = {} }: RecordSource): FlatRecord {
  const isText = (key: string): boolean => !UUID_KEYS.includes(key) && !Object.hasOwn(own, key);
  const entries = Object.entries(flat()).map(([key, value]) => [
    key,
    typeof value === 'string' && isText(key) ? asText(value) : value,
  ]);
  // The result has the same keys with values of the same types.
  return Object.fromEntries(entries) as FlatRecord;
}
