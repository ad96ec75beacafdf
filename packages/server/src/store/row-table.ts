// Tables whose rows change by pure functions: a call reads one row, computes the next one, and writes it. SQLite does
// so inside one transaction. PostgreSQL compares the row's version when it writes, and reads again after another
// machine was first; that takes two statements and no lock. A call that expects a certain row, such as the one that
// this process wrote last, begins with the write: most steps of a payment are one statement.
import type { Transition } from '@grainline/x402';
import { type Engine, queryOne, queryRow, type SqlDialect, type Steps, type Value } from './engine.ts';

/** A table with a text `key`. */
export interface RowTable<Columns, Row> {
  readonly name: string;
  /** The columns without the key, in the order of `valuesOf`. Those that end in `_ms` are moments. */
  readonly columns: readonly string[];
  /** A condition over the row, which is called `kept`, and over the value of a call, which is the given parameter. */
  readonly flag: (parameter: string) => string;
  /** @param aheadMs lead of this machine's clock over the database's: it is added to all moments */
  readonly rowOf: (columns: Columns, aheadMs: number) => Row;
  /** Moments are those of this machine's clock. */
  readonly valuesOf: (row: Row) => Value[];
}

/** One change of a row. */
export interface RowChange<Row, HttpReply> {
  readonly key: string;
  /** Value of the table's flag. Without one, the flag is false for an expected row. */
  readonly value?: Value | undefined;
  /** Computes the next row. Moments are those of this machine's clock. */
  readonly transition: (
    row: Row | undefined,
    nowMs: number,
    isFlagged: boolean,
  ) => Transition<Row, HttpReply>;
  /** Decides whether the next row is acknowledged before it is on disk ({@link Dialect.quick}). */
  readonly isQuick?: (next: Row | null) => boolean;
  /**
   * The row that the table most likely has, without the flag: the one that this process wrote last, or none. A reply
   * counts only when its write finds the table so; otherwise the row is read. Default: it is read.
   */
  readonly expected?: ExpectedRow | undefined;
}

/** See {@link RowChange.expected}. */
export type ExpectedRow = 'written' | 'none';

/** A row and its version. */
interface KnownRow<Row> {
  readonly row: Row | undefined;
  readonly version: string | null;
  /** Undefined for an expected row. */
  readonly isFlagged?: boolean;
}

/** Most rows that a process remembers: more than it has requests at a time. */
const MOST_WRITTEN = 1_000;

/** Creates the function that changes rows of a table. */
export function createRowChanges<Columns, Row>(
  engine: Engine,
  table: RowTable<Columns, Row>,
): <HttpReply>(change: RowChange<Row, HttpReply>) => Steps<HttpReply> {
  const { quick, hasVersions } = engine.dialect;
  const sql = createStatements(engine.dialect, table);
  /** The rows that this process wrote last, by key, the oldest first. */
  const written = new Map<string, KnownRow<Row>>();

  function takeExpected(key: string, expected: ExpectedRow | undefined): KnownRow<Row> | undefined {
    const last = written.get(key);
    if (expected === 'none') return last === undefined ? { row: undefined, version: null } : undefined;
    if (expected === undefined) return undefined;
    written.delete(key);
    return last;
  }

  function remember(key: string, row: Row, version: string): void {
    if (!hasVersions) return;
    written.delete(key);
    written.set(key, { row, version });
    const [oldest = key] = written.keys();
    if (written.size > MOST_WRITTEN) written.delete(oldest);
  }

  function* read(key: string, nowMs: number, value: Value): Steps<KnownRow<Row>> {
    const found = yield* queryOne<Columns & FoundColumns>(sql.find, [engine.time(nowMs), key, value]);
    const { version, now_ms: thereMs, flag } = found;
    const row = version === null ? undefined : table.rowOf(found, nowMs - Number(thereMs));
    return { row, version, isFlagged: Number(flag) === 1 };
  }

  /** Writes the next row if the table has the known one; returns the version of the written row. */
  function* write(known: KnownRow<Row>, { key, next, nowMs, unless, returning }: Write<Row>): Steps<Written> {
    const { row, version } = known;
    if (next === null) return yield* queryRow(sql.remove(returning), [key, version]);
    const clock = [engine.time(nowMs), nowMs];
    const after = table.valuesOf(next);
    if (row === undefined) return yield* queryRow(sql.insert(returning), [...clock, key, ...after]);
    const before = table.valuesOf(row);
    // An index whose columns are not assigned is not written. An equal row is written too: the write syncs it.
    const changed = after.flatMap((value, at) => (at > 0 && Object.is(before[at], value) ? [] : [at]));
    const assigned = changed.map((at) => after[at] ?? null);
    const text = sql.update(changed, returning, unless.length > 0);
    return yield* queryRow(text, [...clock, key, version, ...unless, ...assigned]);
  }

  return function* change({ key, value, transition, isQuick = () => false, expected }) {
    for (let known = takeExpected(key, expected); ; known = undefined) {
      const nowMs = engine.now();
      const isExpected = known !== undefined;
      known ??= yield* read(key, nowMs, value ?? null);
      const { reply, next } = transition(known.row, nowMs, known.isFlagged ?? false);
      if (next === undefined || (known.row === undefined && next === null)) {
        if (isExpected) continue;
        return reply;
      }
      const unless = isExpected && value !== undefined ? [value] : [];
      const returning = isQuick(next) ? quick : '1';
      const row = yield* write(known, { key, next, nowMs, unless, returning });
      if (row === undefined) continue;
      if (next !== null) remember(key, next, row.version);
      return reply;
    }
  };
}

/** The write of a row. */
interface Write<Row> {
  readonly key: string;
  readonly next: Row | null;
  readonly nowMs: number;
  /** The value for which the table's flag must be false, or nothing. */
  readonly unless: readonly Value[];
  readonly returning: string;
}

type Written = { readonly version: string } | undefined;

interface FoundColumns {
  readonly now_ms: bigint;
  /** Null when there is no such row. */
  readonly version: string | null;
  readonly flag: unknown;
}

/** Written moments are moved from this machine's clock, which shows `$2`, to the database's. */
function createStatements<Columns, Row>(
  { now, version }: SqlDialect,
  { name, columns, flag }: RowTable<Columns, Row>,
) {
  const table = `grainline.${name} AS kept`;
  const selected = [
    'now_ms',
    'key',
    ...columns,
    `CASE WHEN key IS NOT NULL THEN ${version} END AS version`,
    `${flag('$3')} AS flag`,
  ].join(', ');
  const behindMs = `${now} - CAST($2 AS bigint)`;
  const valueOf = (column: string, index: number, behind: string): string =>
    column.endsWith('_ms') ? `CAST($${index} AS bigint) + ${behind}` : `$${index}`;
  const inserted = columns.map((column, at) => valueOf(column, at + 4, behindMs)).join(', ');
  return {
    find: `SELECT ${selected} FROM (SELECT ${now} AS now_ms) AS clock LEFT JOIN ${table} ON key = $2`,
    insert: (returning: string) => `INSERT INTO ${table} (key, ${columns.join(', ')}) VALUES ($3, ${inserted})
      ON CONFLICT DO NOTHING RETURNING ${version} AS version, ${returning}`,
    update: (changed: readonly number[], returning: string, hasUnless: boolean) => {
      const first = hasUnless ? 6 : 5;
      const assignments = changed.map((at, index) => {
        const column = columns[at] ?? '';
        return `${column} = ${valueOf(column, index + first, 'behind_ms')}`;
      });
      return `UPDATE ${table} SET ${assignments.join(', ')} FROM (SELECT ${behindMs} AS behind_ms) AS clock
        WHERE key = $3 AND ${version} = $4${hasUnless ? ` AND NOT ${flag('$5')}` : ''}
        RETURNING ${version} AS version, ${returning}`;
    },
    remove: (returning: string) =>
      `DELETE FROM ${table} WHERE key = $1 AND ${version} = $2 RETURNING ${version} AS version, ${returning}`,
  };
}
