// The database of the engine for many machines: connections, transactions and errors.
import type * as Pg from 'pg';
import type { Value } from '../engine.ts';
import { StoreError } from '../store.ts';
import { createSubscriptions } from './subscriptions.ts';
import { decodeText, encodeText } from './text.ts';

/** Runs one statement. Rows hold bigint for large whole numbers and numeric sums, and Uint8Array for bytes. */
export type Query = <Row = unknown>(text: string, values?: readonly Value[]) => Promise<Row[]>;

/** The limits of a transaction. */
export interface TransactionLimits {
  /** False lifts the time-outs of its statements and waits for locks. Default: true. */
  readonly areTimed?: boolean;
}

/** A pool of connections. */
export interface Database {
  /** Runs one statement that is a transaction by itself. */
  readonly query: Query;
  /** Runs statements on one connection, each a transaction by itself. */
  session<Result>(run: (query: Query) => Promise<Result>): Promise<Result>;
  /** Runs all of the statements or none; runs them again when PostgreSQL ended them for another transaction. */
  transaction<Result>(run: (query: Query) => Promise<Result>, limits?: TransactionLimits): Promise<Result>;
  /**
   * Calls back with the payload at every NOTIFY on the channel, on a connection of its own that is renewed whenever it
   * breaks; then too, without a payload, because a notification may have been missed. The returned function ends it.
   */
  listen(channel: string, listener: (payload?: string) => void): () => void;
  /** Rejects further calls and waits for running ones, which end by their time-outs at the latest. */
  close(): Promise<void>;
}

/** Time limits in milliseconds. A request must not wait for a dead database. */
const TIMES = {
  /** Time to get a connection: a new one, or one of the pool that another call returns. */
  connectionTimeoutMillis: 5_000,
  /** Time to get a lock. Transactions here take milliseconds, and a result of 50 MB takes a second. */
  lock_timeout: 5_000,
  /** Time for a statement, on the server. */
  statement_timeout: 10_000,
  /** Time for a statement on this side, for a network that drops all packets. */
  query_timeout: 15_000,
  /** Time after which the locks of a vanished machine's transaction are free. */
  idle_in_transaction_session_timeout: 10_000,
  /** Idle connections are closed after this time. */
  idleTimeoutMillis: 30_000,
  keepAliveInitialDelayMillis: 10_000,
} as const;

/** The longest time of a timer, 24 days: `pg` accepts no 0 for one statement. */
const NEVER_MS = 2 ** 31 - 1;
const UNTIMED = `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0`;

/** Most runs of a transaction that PostgreSQL ends for another one. */
const MOST_RUNS = 4;
/**
 * Creates the pool; it connects at the first statement, and again whenever the database is back.
 *
 * @param connections most connections at a time
 * @throws StoreError `database_unusable` when the package `pg` is not installed, or cannot read the address
 */
export async function openDatabase(databaseUrl: string, connections: number): Promise<Database> {
  const pg = await importPg();
  const options = {
    ...TIMES,
    connectionString: databaseUrl,
    keepAlive: true,
    fallback_application_name: 'grainline-server',
    types: { getTypeParser: parserOf },
  };
  const pool = (() => {
    try {
      // The pool reads the address only when it connects.
      const { port } = new pg.Client({ connectionString: databaseUrl });
      if (!(port > 0)) throw new Error('no port');
      return new pg.Pool({ ...options, max: connections });
    } catch {
      // Its error holds the whole address, password included.
      throw new StoreError('database_unusable', { detail: 'its address cannot be read' });
    }
  })();
  // Idle connections may break, and the next call makes a new one. Without listeners their errors end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return databaseOn(pool, () => new pg.Client(options));
}

function databaseOn(pool: Pg.Pool, createClient: () => Pg.Client): Database {
  const queryOn = createQueries();

  async function session<Result>(run: (query: Query) => Promise<Result>): Promise<Result> {
    const client = await pool.connect().catch(rejectAsStoreError);
    try {
      const result = await run(queryOn(client));
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async function runOnce<Result>(
    run: (query: Query) => Promise<Result>,
    { areTimed = true }: TransactionLimits,
  ): Promise<Result> {
    const client = await pool.connect().catch(rejectAsStoreError);
    const query = areTimed ? queryOn(client) : queryOn(client, { query_timeout: NEVER_MS });
    try {
      await query('BEGIN');
      if (!areTimed) await query(UNTIMED);
      const result = await run(query);
      await query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // A connection without a ROLLBACK is closed, and its transaction with it.
      await client.query('ROLLBACK').then(
        () => client.release(),
        () => client.release(true),
      );
      throw error;
    }
  }

  const subscriptions = createSubscriptions(createClient);
  let closed: Promise<void> | undefined;
  return {
    listen: subscriptions.listen,
    query: queryOn(pool),
    session,
    transaction: async (run, limits = {}) => {
      for (let runs = 1; ; runs++) {
        try {
          return await runOnce(run, limits);
        } catch (error) {
          if (runs === MOST_RUNS || !isRetryable(error)) throw error;
        }
      }
    },
    close: () => {
      subscriptions.end();
      return (closed ??= pool.end());
    },
  };
}

/** Creates the function that runs statements on a connection; each is prepared there once, under a name. */
function createQueries() {
  const names = new Map<string, string>();
  const configOf = (text: string, values: readonly Value[] | undefined): Pg.QueryConfig => {
    // Without values the simple protocol runs it, which takes several statements at once.
    if (values === undefined) return { text };
    let name = names.get(text);
    if (name === undefined) names.set(text, (name = `grainline_${names.size}`));
    return { name, text, values: values.map(parameterOf) };
  };
  return (client: Pg.Pool | Pg.PoolClient, times: { readonly query_timeout?: number } = {}): Query =>
    async (text, values) => {
      const config = { ...configOf(text, values), ...times };
      const { rows } = await client.query<never>(config).catch(rejectAsStoreError);
      return rows;
    };
}

async function importPg(): Promise<typeof Pg> {
  try {
    return await import('pg');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
    const detail = isMissing
      ? 'the package pg is not installed; npm install pg@8 beside @grainline/server brings it'
      : `the package pg cannot be loaded (${messageOf(cause)})`;
    throw new StoreError('database_unusable', { detail, cause });
  }
}

/** Parsers by the type's number in pg_type: exact whole numbers, bytes, decoded texts. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  17: bytesIn,
  20: BigInt,
  23: Number,
  25: decodeText,
  // Sums of bigint, which have no decimals.
  1700: BigInt,
};

function parserOf(type: number): (text: string) => unknown {
  return PARSERS[type] ?? ((text) => text);
}

/** `\x0a0b`, in memory of its own. */
function bytesIn(text: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(text.slice(2), 'hex');
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function parameterOf(value: Value): unknown {
  return typeof value === 'string' ? encodeText(value) : value;
}

/** True for a transaction that PostgreSQL ended for a deadlock or a conflicting write. */
function isRetryable(error: unknown): boolean {
  const code = error instanceof StoreError ? sqlStateOf(error.cause) : '';
  return code === '40P01' || code === '40001';
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const DISK_FULL = '53100';
/** Data that does not fit, and rows that break a constraint: defects of the caller. */
const DEFECTS = /^(?:22|23|42601)/;

/**
 * Turns errors of `pg` into a StoreError, so that no SQL and no address reaches a client. Apart from defects they are
 * outages: no connection, too many of them, a server that starts, stops or only reads, a time-out.
 */
function rejectAsStoreError(cause: unknown): never {
  const code = sqlStateOf(cause);
  if (DEFECTS.test(code)) throw cause;
  throw new StoreError(code === DISK_FULL ? 'disk_full' : 'unavailable', { cause });
}

/** The five characters of SQLSTATE; empty for errors of the connection. */
function sqlStateOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : '';
}

/**
 * The error of a start without a database. It names the address, never the password.
 */
export function startError(error: unknown): unknown {
  if (!(error instanceof StoreError) || error.code !== 'unavailable') return error;
  return new StoreError('database_unusable', { detail: messageOf(error.cause), cause: error.cause });
}

function messageOf(error: unknown): string {
  // The message is empty when both addresses of localhost refuse the connection.
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((each) => messageOf(each)).join('; ');
  return error instanceof Error ? error.message : String(error);
}
