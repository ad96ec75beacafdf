// The embedded engine of the store: one SQLite file, built into Node, for one machine and any number of processes on
// it.
//
// What it promises: a process that is killed loses nothing acknowledged. A power cut may lose the last moments of what
// nobody paid for (quota counts, free results), because that is synced at checkpoints only, about nine times faster;
// payments and what they bought are synced before they are acknowledged (database.ts, ledger.ts). Calls block the
// event loop for as long as SQLite takes, 10 µs to 20 ms; a lock held by another process is waited for 5 s at most.
import { randomUUID } from 'node:crypto';
import { statfsSync } from 'node:fs';
import type { Lease } from '@grainline/x402';
import { type Sale, type Store, StoreError } from '../store.ts';
import { type Connections, openDatabase, settled, transaction } from './database.ts';
import { createJobs } from './jobs.ts';
import { createLedger } from './ledger.ts';
import { createPaymentBook } from './payments.ts';
import { createQuotas } from './quota.ts';
import { createResults } from './results.ts';

/** Where the embedded engine keeps its file, and how much. */
export interface SqliteStoreOptions {
  /** Folder, made when it is missing, for this user alone. Never on a network file system: its locks do not hold. */
  readonly dataDir: string;
  /** Most bytes that free results may take together, compressed. */
  readonly maxStoredBytes: number;
  /** Most that results and answers which were paid for may take, besides the free ones. Default: as much as those. */
  readonly maxPaidBytes?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A new text that nobody can guess, for every lease. Default: a random UUID. */
  readonly createToken?: () => string;
}

/** The parts of a store in an open database. */
export interface SqliteStoreParts extends Omit<SqliteStoreOptions, 'dataDir'> {
  /** Bytes that the disk under the database still takes. Default: any number. */
  readonly freeBytes?: () => number;
}

/**
 * With fewer free bytes on the disk the store counts as full: the log of writes may need so many between two
 * checkpoints.
 */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;

/**
 * Opens the store in a folder, and makes both when they are missing.
 *
 * @throws StoreError `data_dir_unusable`, `data_dir_damaged`, `data_dir_newer`, or what else SQLite could not do.
 */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  const connections = openDatabase(options.dataDir);
  const freeBytes = (): number => {
    try {
      const { bavail, bsize } = statfsSync(options.dataDir);
      return bavail * bsize;
    } catch (cause) {
      // The folder is gone: what is written now is nobody's file.
      throw new StoreError('unavailable', { cause });
    }
  };
  return storeIn(connections, { ...options, freeBytes });
}

/**
 * A store in a database that is open already, on two connections or twice the same. It closes them when it is closed.
 */
export function storeIn(
  connections: Connections,
  {
    maxStoredBytes,
    maxPaidBytes = maxStoredBytes,
    now,
    createToken = randomUUID,
    freeBytes = () => Infinity,
  }: SqliteStoreParts,
): Store {
  const { quick, durable } = connections;
  const consume = durable.prepare(
    `UPDATE payments SET state = 'consumed', token = NULL, lease_ends_ms = NULL, changed_ms = ?,
     finality = 'pending', recheck_ms = ? WHERE key = ? AND token = ? AND state = 'bound'`,
  );
  const touch = quick.prepare('UPDATE stored SET bytes = bytes');
  const { keepPaid, makePaidRoom, dropAllExpired, ...results } = createResults(connections, {
    maxStoredBytes,
    maxPaidBytes,
    now,
  });
  const { dropOldQuota, ...quotas } = createQuotas(connections, { now });
  const { dropExpiredJobs, ...jobs } = createJobs(connections, { now, createToken, makePaidRoom, keepPaid });

  function commit({ key, token }: Lease, { response, result }: Sale): 'committed' | 'lost' {
    if (consume.run(now(), now(), key, token).changes === 0) return 'lost';
    keepPaid({ answer: { key, response }, ...(result === undefined ? {} : { result }) });
    return 'committed';
  }

  function requireDisk(): void {
    if (freeBytes() < LEAST_FREE_BYTES) throw new StoreError('disk_full');
  }

  /**
   * A write that changes nothing: reading alone would not notice a folder gone read-only or a file that cannot grow.
   */
  function writeNothing(): void {
    requireDisk();
    touch.run();
  }

  return {
    ...quotas,
    ...results,
    ...createLedger(connections, { now, createToken }),
    ...createPaymentBook(connections, { now }),
    ...jobs,
    commit: (lease, sale) => settled(() => transaction(durable, () => commit(lease, sale))),
    async paidRoom() {
      await settled(requireDisk);
      return results.paidRoom();
    },
    async sweep() {
      await dropOldQuota();
      await dropAllExpired();
      await dropExpiredJobs();
    },
    ping: () => settled(() => transaction(quick, writeNothing)),
    close: () =>
      settled(() => {
        for (const database of [durable, quick]) if (database.isOpen) database.close();
      }),
  };
}
