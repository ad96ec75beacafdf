// The database of the engine for many machines: how it is reached, how its transactions run, and what its errors
// become.
import type * as Pg from 'pg';
import { StoreError } from '../store.ts';
import { decodeText, encodeText } from './text.ts';

/** What a statement may be given. Texts are any; they are encoded here and decoded in rows. */
export type Value = string | number | bigint | boolean | Uint8Array | null;

/** Runs one statement. Rows hold bigint for whole numbers of any size and numeric sums, and Uint8Array for bytes. */
export type Query = <Row = unknown>(text: string, values?: readonly Value[]) => Promise<Row[]>;

/** How long a transaction may take. */
export interface TransactionLimits {
  /** Whether its statements and its waits for locks end by their time-outs. Default: true. */
  readonly areTimed?: boolean;
}

/** A pool of connections. */
export interface Database {
  /** Runs one statement that is a transaction by itself. */
  readonly query: Query;
  /** All of the statements or none; again from the start when another transaction stood in the way. */
  transaction<Result>(run: (query: Query) => Promise<Result>, limits?: TransactionLimits): Promise<Result>;
  /**
   * Calls back at every NOTIFY on the channel, on a connection of its own that is made again whenever it breaks; then
   * too, because something may have been missed. The returned function ends it.
   */
  listen(channel: string, listener: () => void): () => void;
  /** Takes no more calls; waits for those in work, which end by their own time-outs at the latest. */
  close(): Promise<void>;
}

/** How long things may take, in milliseconds. A request has better things to do than to wait for a dead database. */
const TIMES = {
  /** Time to get a connection: a new one, or one of the pool that another call gives back. */
  connectionTimeoutMillis: 5_000,
  /** Time to get a lock. Transactions here take milliseconds, and a result of 50 MB takes a second. */
  lock_timeout: 5_000,
  /** Time for a statement, on the server. */
  statement_timeout: 10_000,
  /** Time for a statement, on this side, for a network that swallows everything. */
  query_timeout: 15_000,
  /** Time after which locks are free that a machine held when it vanished in the middle of a transaction. */
  idle_in_transaction_session_timeout: 10_000,
  /** Connections beyond the first ones are given back to the server after this. */
  idleTimeoutMillis: 30_000,
  keepAliveInitialDelayMillis: 10_000,
} as const;

/** The longest that a timer can wait, 24 days: `pg` takes no 0 for one statement. */
const NEVER_MS = 2 ** 31 - 1;
const UNTIMED = `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0`;

/** How often a transaction begins again that PostgreSQL ended in favour of another one. */
const MOST_RUNS = 4;
/** A connection that only listens is made again so long after it broke. */
const LISTEN_AGAIN_MS = 1_000;

/**
 * Makes the pool; connects when the first statement is run, and again whenever the database comes back.
 *
 * @param connections most at a time
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
      // The pool would read the address only when it connects.
      const { port } = new pg.Client({ connectionString: databaseUrl });
      if (!(port > 0)) throw new Error('no port');
      return new pg.Pool({ ...options, max: connections });
    } catch {
      // Its error holds the whole address, and the password in it.
      throw new StoreError('database_unusable', { detail: 'its address cannot be read' });
    }
  })();
  // Connections that break while nobody uses them; the next call makes a new one. Without listeners they end the
  // process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return databaseOn(pool, () => new pg.Client(options));
}

function databaseOn(pool: Pg.Pool, createClient: () => Pg.Client): Database {
  /** Statements are prepared once on each connection, under a name. */
  const names = new Map<string, string>();
  const configOf = (text: string, values: readonly Value[] | undefined): Pg.QueryConfig => {
    // Without values the simple protocol runs it, which takes several statements at once.
    if (values === undefined) return { text };
    let name = names.get(text);
    if (name === undefined) names.set(text, (name = `grainline_${names.size}`));
    return { name, text, values: values.map(parameterOf) };
  };
  const queryOn =
    (client: Pg.Pool | Pg.PoolClient, times: { readonly query_timeout?: number } = {}): Query =>
    async (text, values) => {
      const { rows } = await client.query<never>({ ...configOf(text, values), ...times }).catch(refuse);
      return rows;
    };

  async function runOnce<Result>(
    run: (query: Query) => Promise<Result>,
    { areTimed = true }: TransactionLimits,
  ): Promise<Result> {
    const client = await pool.connect().catch(refuse);
    const query = areTimed ? queryOn(client) : queryOn(client, { query_timeout: NEVER_MS });
    try {
      await query('BEGIN');
      if (!areTimed) await query(UNTIMED);
      const result = await run(query);
      await query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // A connection on which not even this works is thrown away, and its transaction with it.
      await client.query('ROLLBACK').then(
        () => client.release(),
        () => client.release(true),
      );
      throw error;
    }
  }

  const listening = new Set<() => void>();

  function listen(channel: string, listener: () => void): () => void {
    let client: Pg.Client | undefined;
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const connect = (): void => {
      const made = createClient();
      client = made;
      const again = (): void => {
        if (client !== made || isOver) return;
        client = undefined;
        // One that failed may have half a connection left.
        void made.end().catch(() => undefined);
        timer = setTimeout(connect, LISTEN_AGAIN_MS);
        timer.unref();
      };
      made.on('error', again).on('end', again).on('notification', listener);
      made
        .connect()
        .then(() => made.query(`LISTEN ${channel}`))
        .then(listener, again);
    };
    const end = (): void => {
      isOver = true;
      listening.delete(end);
      clearTimeout(timer);
      void client?.end().catch(() => undefined);
    };
    listening.add(end);
    connect();
    return end;
  }

  let closed: Promise<void> | undefined;
  return {
    listen,
    query: queryOn(pool),
    transaction: async (run, limits = {}) => {
      for (let runs = 1; ; runs++) {
        try {
          return await runOnce(run, limits);
        } catch (error) {
          if (runs === MOST_RUNS || !isOvertaken(error)) throw error;
        }
      }
    },
    close: () => {
      for (const end of listening) end();
      return (closed ??= pool.end());
    },
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

/** Types by their number in pg_type: whole numbers exact, bytes as bytes, texts decoded. */
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

/** A transaction that PostgreSQL ended because two waited for one another, or wrote the same. */
function isOvertaken(error: unknown): boolean {
  const code = error instanceof StoreError ? sqlStateOf(error.cause) : '';
  return code === '40P01' || code === '40001';
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const DISK_FULL = '53100';
/** Data that does not fit, and rows that break a rule: faults of ours, or of whoever calls. */
const DEFECTS = /^(?:22|23|42601)/;

/**
 * Turns what `pg` rejects with into a StoreError, so that no SQL and no address reaches a client. Apart from defects
 * that is whatever keeps the database from its work: no connection, no room for one, a server that starts, stops or
 * only reads, a time-out.
 */
function refuse(cause: unknown): never {
  const code = sqlStateOf(cause);
  if (DEFECTS.test(code)) throw cause;
  throw new StoreError(code === DISK_FULL ? 'disk_full' : 'unavailable', { cause });
}

/** The five characters of SQLSTATE; empty for faults of the connection. */
function sqlStateOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : '';
}

/**
 * The fault that a start reports when the database does not answer. It says where the database was looked for, never
 * the password.
 */
export function startFault(error: unknown): unknown {
  if (!(error instanceof StoreError) || error.code !== 'unavailable') return error;
  return new StoreError('database_unusable', { detail: messageOf(error.cause), cause: error.cause });
}

function messageOf(error: unknown): string {
  // Both addresses of localhost refused: the message of the whole is empty.
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((each) => messageOf(each)).join('; ');
  return error instanceof Error ? error.message : String(error);
}
