// The port between the store and its two engines. The store's calls are written once, as generators that yield SQL
// statements: SQLite runs a generator without a pause inside one transaction, PostgreSQL waits for each statement.

/** A value of a statement. PostgreSQL's driver encodes texts that hold NUL, and decodes them in rows. */
export type Value = string | number | bigint | boolean | Uint8Array | null;

/** One statement; `$1` stands for the first value. Tables are written with their schema: `grainline.jobs`. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

/** The statements of one call, one after the other. Each receives its rows. */
export type Steps<Result> = Generator<Statement, Result, readonly unknown[]>;

/** Runs one statement. Rows hold bigint for large whole numbers and Uint8Array for bytes. */
export function* query<Row>(text: string, values: readonly Value[] = []): Steps<readonly Row[]> {
  // The columns are as the table's checks require.
  return (yield { text, values }) as readonly Row[];
}

/** Runs one statement that returns one row at most. */
export function* queryRow<Row>(text: string, values: readonly Value[] = []): Steps<Row | undefined> {
  return (yield* query<Row>(text, values))[0];
}

/** Runs one statement that returns exactly one row. */
export function* queryOne<Row>(text: string, values: readonly Value[] = []): Steps<Row> {
  const row = yield* queryRow<Row>(text, values);
  if (row === undefined) throw new Error('The statement returns no row.');
  return row;
}

/** Runs one statement and counts its rows. */
export function* queryCount(text: string, values: readonly Value[] = []): Steps<number> {
  return (yield* query(text, values)).length;
}

/** Ends a transaction without its writes; the call replies with `result` all the same. */
export class Rollback<Result> extends Error {
  readonly result: Result;

  constructor(result: Result) {
    super('The transaction writes nothing.');
    this.result = result;
  }
}

/** The fragments of SQL in which the engines differ. */
export interface SqlDialect {
  /** The time in milliseconds since 1970, in a statement whose first value is {@link Engine.time}. */
  readonly now: string;
  /**
   * Among the selected or returned columns of a statement: its transaction is acknowledged before it is on disk. A
   * crash may lose the last half second of such statements, never an earlier one that a later one builds on. It serves
   * steps that no client sees. SQLite has a connection for that instead.
   */
  readonly quick: string;
  /** The version of the row `kept`, a text. */
  readonly version: string;
  /** True when the version changes with every update. In SQLite a transaction has the tables to itself instead. */
  readonly hasVersions: boolean;
  /** Locks the selected rows and leaves out those that another transaction has locked. */
  readonly lockFree: string;
  /** True in a transaction that sweeps alone, over all servers, until it ends. SQLite has one writer at a time. */
  readonly trySweepLock: string;
  /**
   * Deletes the selected rows of a table and returns rows whose `count` adds up to their number. `select` gets the
   * columns that identify a row. PostgreSQL finds each row by its place: with a key it reads the whole table once that
   * looks cheaper than thousands of lookups. It returns one row, because locks last until thousands are read.
   */
  readonly deleteRows: (table: string, key: string, select: (row: string) => string) => string;
  /** Expired rows deleted in one transaction. */
  readonly sweepRows: number;
  /**
   * Pause after a batch, several times as long as the batch takes. Without pauses a sweep doubled the p95 of paid
   * requests on two processors.
   */
  readonly sweepPauseMs: number;
  /** An expression that locks a name, itself an expression, until the transaction ends. SQLite has one writer. */
  readonly lock: (kind: 'client' | 'jobs' | 'free_bytes' | 'paid_bytes', name: string) => string;
  /**
   * A statement that calls a listener of {@link Engine.onJob} in the process that has been idle for the longest time.
   * The first value is the time. It runs after the commit of a job: an earlier look could miss a process that becomes
   * idle before the job is visible.
   */
  readonly wakeWorker: string;
  /** A statement that writes without a change of meaning. */
  readonly touch: string;
}

/**
 * SQLite's connection for a call. `durable` is synced before the call resolves: money, and results that it bought.
 * `quick` is synced at checkpoints: a power cut may take the last moments.
 */
export type Durability = 'quick' | 'durable';

/** A database of the store. */
export interface Engine {
  readonly dialect: SqlDialect;
  /** Milliseconds since 1970 on this machine, for moments that callers compare with its clock. */
  readonly now: () => number;
  /** The value of the time in statements: the given moment, or null for the database's own clock. */
  readonly time: (nowMs?: number) => number | null;
  /** The text of an id or a client as a key of an index. */
  readonly keyText: (text: string) => string;
  /** Runs a call that only reads. */
  read<Result>(steps: () => Steps<Result>): Promise<Result>;
  /** Runs a call whose statements need no common transaction: in PostgreSQL each is a transaction of its own. */
  change<Result>(durability: Durability, steps: () => Steps<Result>): Promise<Result>;
  /** Runs all statements of a call in one transaction. PostgreSQL may run it again after a deadlock. */
  transaction<Result>(durability: Durability, steps: () => Steps<Result>): Promise<Result>;
  /** Throws a StoreError `disk_full` when the engine sees that the disk has no room. */
  requireDisk(): void;
  /** Calls back when there may be a job to claim. The returned function ends it. */
  onJob(listener: () => void): () => void;
  /** Marks this process as idle, so that {@link SqlDialect.wakeWorker} finds it; false where that needs no mark. */
  markIdle(): Promise<boolean>;
  close(): Promise<void>;
}
