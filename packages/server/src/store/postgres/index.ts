// The engine of the store for many machines: one PostgreSQL, any number of servers on it.
//
// What it promises: what was told to anybody is in the log of the database, synced, as PostgreSQL is set up to:
// payments, results, pages that were taken, how far a job is. What a server does for itself, as renewing a lease, does
// not wait for that: a database that ends at once may lose the last half a second of such. Calls are one statement
// where one is enough, because each is a way to another machine and back; what is exact between machines is so by the
// row that is written, never by a row that was read before.
import { randomUUID } from 'node:crypto';
import type { Store } from '../store.ts';
import { type Clock, createClock, nowIn, QUICK } from './clock.ts';
import { type Database, openDatabase, startFault } from './database.ts';
import { createJobs } from './jobs.ts';
import { createLedger } from './ledger.ts';
import { createPaymentBook } from './payments.ts';
import { createQuotas } from './quota.ts';
import { createResults } from './results.ts';
import { migrate, requireMigrated, STEP_COUNT } from './schema.ts';

/** Which database, and how it is used. */
export interface PostgresStoreOptions {
  /** `postgresql://user:password@host:5432/database`. Everything is kept in its schema `grainline`. */
  readonly databaseUrl: string;
  /** Most connections of this process. Default: 10. */
  readonly connections?: number;
  /** Whether tables are made and brought up to date, or have to be so. Default: `run`. */
  readonly migrations?: 'run' | 'require';
  /** Most bytes of free results, over all machines, as in the embedded engine. */
  readonly maxStoredBytes: number;
  /** Most bytes of paid results. Default as much as of free ones. */
  readonly maxPaidBytes?: number;
  /** Milliseconds since 1970, for everything. Default: the clock of the database, which all machines share. */
  readonly now?: (() => number) | undefined;
  /** A new text that nobody can guess, for every lease. Default: a random UUID. */
  readonly createToken?: () => string;
}

/** Connections of a process unless told otherwise: nine servers fit into a PostgreSQL as it comes. */
const DEFAULT_CONNECTIONS = 10;

/**
 * Connects, and makes the tables when they are missing.
 *
 * @throws StoreError `database_unusable`, `database_behind`, `database_newer`
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { databaseUrl, connections = DEFAULT_CONNECTIONS, migrations = 'run' } = options;
  const database = await openDatabase(databaseUrl, connections);
  try {
    if (migrations === 'run') await migrate(database);
    else await requireMigrated(database);
  } catch (error) {
    await database.close();
    throw startFault(error);
  }
  return storeOn(database, options);
}

/**
 * Makes the tables in a database, or brings them up to date.
 *
 * @returns the steps before and after
 * @throws StoreError `database_unusable`, `database_newer`
 */
export async function migrateDatabase(databaseUrl: string): Promise<{ before: number; after: number }> {
  const database = await openDatabase(databaseUrl, 1);
  try {
    const before = await migrate(database);
    return { before, after: STEP_COUNT };
  } catch (error) {
    throw startFault(error);
  } finally {
    await database.close();
  }
}

function storeOn(
  database: Database,
  { maxStoredBytes, maxPaidBytes = maxStoredBytes, now, createToken = randomUUID }: PostgresStoreOptions,
): Store {
  const { query } = database;
  const clock: Clock = createClock(now);
  const { keepPaid, dropAllExpired, ...results } = createResults(database, {
    clock,
    maxStoredBytes,
    maxPaidBytes,
  });
  const { dropOldQuota, ...quotas } = createQuotas(database, { clock });
  const { dropExpiredJobs, ...jobs } = createJobs(database, { clock, createToken, keepPaid });

  return {
    ...quotas,
    ...results,
    ...createLedger(database, { clock, createToken }),
    ...createPaymentBook(database, { clock }),
    ...jobs,
    commit: ({ key, token }, { response, result }) =>
      database.transaction(async (run) => {
        const consumed = await run(SQL.consume, [clock.parameter(), key, token]);
        if (consumed.length === 0) return 'lost';
        await keepPaid(run, { answer: { key, response }, ...(result === undefined ? {} : { result }) });
        return 'committed';
      }),
    async sweep() {
      await dropOldQuota();
      await dropAllExpired();
      await dropExpiredJobs();
    },
    // A write: a server that only reads, or has no room, answers every question.
    ping: async () => {
      await query(SQL.ping, [clock.parameter()]);
    },
    close: () => database.close(),
  };
}

const SQL = {
  consume: `UPDATE grainline.payments SET state = 'consumed', token = NULL, lease_ends_ms = NULL,
      changed_ms = ${nowIn(1)}, finality = 'pending', recheck_ms = ${nowIn(1)}
    WHERE key = $2 AND token = $3 AND state = 'bound' RETURNING 1`,
  ping: `UPDATE grainline.pinged SET at_ms = ${nowIn(1)} RETURNING ${QUICK}`,
} as const;
