// The writes for a changed document: new records, moved records, deleted records. Ids are made from content, so an
// unchanged chunk keeps its id, and with it the vector that was paid for.
import { type OptionIssue, assertNoIssues, show } from '../errors.ts';

/** A record of any format, or a store's copy of one. */
export interface StoredRecord {
  readonly id?: string;
  readonly _id?: string;
}

/** The writes that turn what a store holds of a document into its next version. */
export interface Diff<Entry> {
  /** New content: embed it and write it whole. */
  readonly insert: Entry[];
  /** Content that is stored with its vector, but with another position or other metadata: write only those. */
  readonly update: Entry[];
  /** Already stored in the same form: nothing to do. */
  readonly keep: Entry[];
  /** Ids of records that the new version no longer has. */
  readonly delete: string[];
}

/**
 * Compares two versions of one document's records. A record is the same content when the id is the same ({@link
 * identify}); it is to keep when every member but the vector is equal too, whatever the order of keys. The entries are
 * those of `next`, in its order. After an edit near the beginning most records are `update`: their offsets have moved.
 * Without filters or citations by place those writes can be left out. Linear.
 *
 * @param previous what the store holds: the records as they were written, vectors left out or not; ids alone are
 * enough, then nothing is `keep`
 * @param next the records of the new version, usually without vectors, as only those of `insert` need one
 * @throws ChunkError `invalid_options` for the first entry on each side that has no id
 * @example
 * const plan = diff(await store.recordsOf('handbook.pdf'), toRecords(chunks, 'raw', { documentId: 'handbook.pdf' }));
 * plan.insert.length; // 2 after an edit of one line
 */
export function diff<Entry extends StoredRecord>(
  previous: readonly StoredRecord[],
  next: readonly Entry[],
): Diff<Entry> {
  assertNoIssues([...idIssues('previous', previous), ...idIssues('next', next)]);
  const stored = new Map(previous.map((record) => [idOf(record), record]));
  const plan: Diff<Entry> = { insert: [], update: [], keep: [], delete: [] };
  for (const record of next) {
    const id = idOf(record);
    const twin = stored.get(id);
    stored.delete(id);
    if (twin === undefined) plan.insert.push(record);
    else (isSame(twin, record) ? plan.keep : plan.update).push(record);
  }
  plan.delete.push(...stored.keys());
  return plan;
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

/** Yields the members of a record with their paths, those inside lists too, but not the numbers of a vector. */
function* membersOf(record: object, path = ''): Generator<[string, unknown]> {
  for (const [key, value] of Object.entries(record) as [string, unknown][]) {
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
  if (typeof record !== 'object' || record === null) return false;
  const id = idOf(record);
  return typeof id === 'string' && id !== '';
}
