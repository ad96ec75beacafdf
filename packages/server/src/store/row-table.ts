// Tables whose rows change by pure functions: a call reads one row, computes the next one, and writes it. SQLite does
// so inside one transaction. PostgreSQL compares the row's version when it writes, and reads again after another
// machine was first; that takes two statements and no lock.
import type { Transition } from '@grainline/x402';
import { type Engine, query, queryOne, type Steps, type Value } from './engine.ts';

/** A table with a text `key`. */
export interface RowTable<Columns, Row> {
  readonly name: string;
  /** The columns without the key, in the order of `valuesOf`. */
  readonly columns: readonly string[];
  /** Further expressions over the row, which is called `kept`. `$3` is the first value of the call. */
  readonly computed: readonly string[];
  /** @param aheadMs lead of this machine's clock over the database's: it is added to all moments */
  readonly rowOf: (columns: Columns, aheadMs: number) => Row;
  readonly valuesOf: (row: Row, aheadMs: number) => Value[];
}

/** One change of a row. */
export interface RowChange<Columns, Row, HttpReply> {
  readonly key: string;
  /** Values of the computed columns. */
  readonly values?: readonly Value[];
  /** Computes the next row. Moments are those of this machine's clock. */
  readonly transition: (row: Row | undefined, nowMs: number, columns: Columns) => Transition<Row, HttpReply>;
  /** Decides whether the next row is acknowledged before it is on disk ({@link Dialect.quick}). */
  readonly isQuick?: (next: Row | null) => boolean;
}

/** Creates the function that changes rows of a table. */
export function createRowChanges<Columns, Row>(
  engine: Engine,
  { name, columns, computed, rowOf, valuesOf }: RowTable<Columns, Row>,
): <HttpReply>(change: RowChange<Columns, Row, HttpReply>) => Steps<HttpReply> {
  const { now, quick, version } = engine.dialect;
  const table = `grainline.${name}`;
  const selected = [
    'now_ms',
    'key',
    ...columns,
    `CASE WHEN key IS NOT NULL THEN ${version} END AS version`,
    ...computed,
  ].join(', ');
  const find = `SELECT ${selected} FROM (SELECT ${now} AS now_ms) AS clock LEFT JOIN ${table} AS kept ON key = $2`;
  const insert = `INSERT INTO ${table} (key, ${columns.join(', ')})
    VALUES ($1, ${columns.map((_, index) => `$${index + 2}`).join(', ')}) ON CONFLICT DO NOTHING`;
  const updateOf = (names: readonly string[]): string => {
    const assignments = names.map((column, index) => `${column} = $${index + 3}`).join(', ');
    return `UPDATE ${table} AS kept SET ${assignments} WHERE key = $1 AND ${version} = $2`;
  };
  const remove = `DELETE FROM ${table} AS kept WHERE key = $1 AND ${version} = $2`;

  return function* change({ key, values: callValues = [], transition, isQuick = () => false }) {
    for (;;) {
      const nowMs = engine.now();
      const found = yield* queryOne<Columns & VersionColumns>(find, [engine.time(nowMs), key, ...callValues]);
      const aheadMs = nowMs - Number(found.now_ms);
      const row = found.version === null ? undefined : rowOf(found, aheadMs);
      const { reply, next } = transition(row, nowMs, found);
      if (next === undefined || (row === undefined && next === null)) return reply;
      const returning = `RETURNING ${isQuick(next) ? quick : '1'}`;
      if (next === null) {
        const removed = yield* query(`${remove} ${returning}`, [key, found.version]);
        if (removed.length === 1) return reply;
        continue;
      }
      const after = valuesOf(next, aheadMs);
      const before = row === undefined ? undefined : valuesOf(row, aheadMs);
      // An index whose columns are not assigned is not written. An equal row is written too: the write syncs it.
      const changed = columns.flatMap((name, index) =>
        before !== undefined && index > 0 && Object.is(before[index], after[index])
          ? []
          : [{ name, value: after[index] ?? null }],
      );
      const values = changed.map(({ value }) => value);
      const written =
        before === undefined
          ? yield* query(`${insert} ${returning}`, [key, ...values])
          : yield* query(`${updateOf(changed.map(({ name }) => name))} ${returning}`, [
              key,
              found.version,
              ...values,
            ]);
      if (written.length === 1) return reply;
    }
  };
}

interface VersionColumns {
  readonly now_ms: bigint;
  /** Null when there is no such row. */
  readonly version: string | null;
}
