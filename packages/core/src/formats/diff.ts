// The writes for a changed document: new records, moved records, deleted records. Ids are made from content, so an
// unchanged chunk keeps its id, and with it the vector that was paid for.
import { blendIssues } from '../blend.ts';
import { type OptionIssue, assertNoIssues, assertObject, show, unknownOptionIssues } from '../errors.ts';
import { type EmbeddingFields, EMBEDDING_KEYS } from './format.ts';

/** A record of any format, or a store's copy of one. */
export interface StoredRecord {
  readonly id?: string;
  readonly _id?: string;
}

/** The writes that turn what a store holds of a document into its next version. */
export interface Diff<Entry> {
  /** New content: embed it and write it whole. */
  readonly insert: Entry[];
  /**
   * Stored content whose stored vector no longer holds, because a neighbour's share in it has changed or because it
   * comes from another embedder: write it whole, with a new vector.
   */
  readonly reembed: Entry[];
  /** Content that is stored with its vector, but with another position or other metadata: write only those. */
  readonly update: Entry[];
  /** Already stored in the same form: nothing to do. */
  readonly keep: Entry[];
  /** Ids of records that the new version no longer has. */
  readonly delete: string[];
}

/** Options of {@link diff}. */
export interface DiffOptions {
  /**
   * The weight of neighbours in the vectors, as for `blendVectors`. Default: `embedding_blend` of the first record that
   * is stored or else new; without one 0, vectors of their own text alone.
   */
  readonly blend?: number | undefined;
}

/**
 * Compares two versions of one document's records. A record is the same content when the id is the same ({@link
 * identify}); it is to keep when every member but the vector is equal too, whatever the order of keys. The entries are
 * those of `next`, in its order. After an edit near the beginning most records are `update`: their offsets have moved.
 * Without filters or citations by place those writes can be left out. Linear.
 *
 * With `blend` above 0, the neighbours of every inserted, deleted or moved record are `reembed`. Their new vectors take
 * the unblended vectors of the records around them, which a cache of the embedder has.
 *
 * @param previous what the store holds: the records as they were written, vectors left out or not; ids alone are
 * enough, then nothing is `keep`. With `blend`, in the order of the document unless every record has its `chunk_index`
 * @param next the records of the new version, in its order, usually without vectors, as only those of `insert` and
 * `reembed` need one
 * @throws ChunkError `invalid_options` for the first entry on each side that has no id, and for a wrong `blend`
 * @example
 * const plan = diff(await store.recordsOf('handbook.pdf'), toRecords(chunks, 'raw', { documentId: 'handbook.pdf' }));
 * plan.insert.length; // 2 after an edit of one line
 */
export function diff<Entry extends StoredRecord>(
  previous: readonly StoredRecord[],
  next: readonly Entry[],
  options: DiffOptions = {},
): Diff<Entry> {
  assertObject(options);
  const { blend = blendOf(previous) ?? blendOf(next) ?? 0 } = options;
  assertNoIssues([
    ...idIssues('previous', previous),
    ...idIssues('next', next),
    ...blendIssues(blend),
    ...unknownOptionIssues(options, ['blend'], 'diff'),
  ]);
  const stored = new Map(previous.map((record) => [idOf(record), record]));
  const moved = blend > 0 ? otherNeighbours(inOrder(previous), next) : new Set<string>();
  const plan: Diff<Entry> = { insert: [], reembed: [], update: [], keep: [], delete: [] };
  for (const record of next) {
    const id = idOf(record);
    const twin = stored.get(id);
    stored.delete(id);
    if (twin === undefined) plan.insert.push(record);
    else if (moved.has(id) || hasOtherEmbedder(twin, record)) plan.reembed.push(record);
    else (isSame(twin, record) ? plan.keep : plan.update).push(record);
  }
  plan.delete.push(...stored.keys());
  return plan;
}

/** The weight that the first record names. Checked later, like a weight that is given. */
function blendOf(records: unknown): number | undefined {
  const [first] = Array.isArray(records) ? (records as unknown[]) : [];
  return isObject(first) ? (memberOf(first, 'embedding_blend') as number | undefined) : undefined;
}

/** The records by `chunk_index` when all have one, else as they are. */
function inOrder(records: readonly StoredRecord[]): readonly StoredRecord[] {
  const places = new Map(records.map((record) => [record, memberOf(record, 'chunk_index')]));
  if (![...places.values()].every((place) => typeof place === 'number')) return records;
  return records.toSorted((one, other) => Number(places.get(one)) - Number(places.get(other)));
}

/** Ids that have other neighbours in `next` than in `previous`. */
function otherNeighbours(previous: readonly StoredRecord[], next: readonly StoredRecord[]): Set<string> {
  const before = neighboursOf(previous);
  const after = neighboursOf(next);
  return new Set([...after.keys()].filter((id) => before.get(id) !== after.get(id)));
}

/** The ids beside each id, as one text. No id contains a line end. */
function neighboursOf(records: readonly StoredRecord[]): Map<string, string> {
  const ids = ['', ...records.map(idOf), ''];
  return new Map(
    records.map((record, index) => [idOf(record), `${ids[index] ?? ''}\n${ids[index + 2] ?? ''}`]),
  );
}

/** True when both records name the source of their vectors, and not the same. */
function hasOtherEmbedder(one: StoredRecord, other: StoredRecord): boolean {
  const [left, right] = [one, other].map((record) => EMBEDDING_KEYS.map((key) => memberOf(record, key)));
  const isNamed = left?.[0] !== undefined && right?.[0] !== undefined;
  return isNamed && left.some((value, index) => value !== right[index]);
}

/** A member of the record's metadata, which stand in the record itself or one level below. */
function memberOf(record: StoredRecord, key: keyof EmbeddingFields | 'chunk_index'): unknown {
  const holders: readonly unknown[] = [record, ...(Object.values(record) as unknown[])];
  return holders.filter(isObject).find((holder) => Object.hasOwn(holder, key))?.[key];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The id of a record in any format; empty when it has none, as our ids are never empty. */
function idOf({ id, _id }: StoredRecord): string {
  return id ?? _id ?? '';
}

function isSame(one: object, other: object): boolean {
  const left = new Map(membersOf(one));
  let count = 0;
  for (const [key, value] of membersOf(other)) {
    if (left.get(key) !== value) return false;
    count++;
  }
  return count === left.size;
}

/**
 * Yields the members of a record with their paths, those inside lists too, but neither the numbers of a vector nor its
 * source, which a record without a vector lacks.
 */
function* membersOf(record: object, path = ''): Generator<[string, unknown]> {
  for (const [key, value] of Object.entries(record) as [string, unknown][]) {
    if (EMBEDDING_KEYS.includes(key as keyof EmbeddingFields)) continue;
    if (typeof value !== 'object' || value === null) yield [path + key, value];
    else if (!isVector(value)) yield* membersOf(value, `${path}${key}.`);
  }
}

function isVector(value: object): boolean {
  return ArrayBuffer.isView(value) || (Array.isArray(value) && typeof value[0] === 'number');
}

function idIssues(option: string, records: unknown): OptionIssue[] {
  if (!Array.isArray(records)) return [{ option, expected: 'an array of records', received: show(records) }];
  const wrong = (records as unknown[]).findIndex((record) => !hasId(record));
  if (wrong === -1) return [];
  return [{ option: `${option}[${wrong}]`, expected: 'a record with an id', received: show(records[wrong]) }];
}

function hasId(record: unknown): boolean {
  if (!isObject(record)) return false;
  const id: unknown = idOf(record);
  return typeof id === 'string' && id !== '';
}
