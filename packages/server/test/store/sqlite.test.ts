import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Intent, Lease, Purchase, VerifiedPayment } from '@grainline/x402';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { openSqliteStore, storeIn } from '../../src/store/sqlite/index.ts';
import { migrate } from '../../src/store/sqlite/schema.ts';
import { type Store, StoreError } from '../../src/store/store.ts';
import { ledgerContract } from '@grainline/testing/ledger-contract';
import { testJobs } from './jobs.conformance.ts';
import { startOpeners } from './openers.ts';
import { testPayments } from './payments.conformance.ts';
import { prepareSqlite } from './sqlite-fixture.ts';
import { testStore } from './store.conformance.ts';

testStore('node:sqlite', prepareSqlite);
testPayments('node:sqlite', prepareSqlite);
testJobs('node:sqlite', prepareSqlite);

ledgerContract('on node:sqlite', ({ now }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'grainline-ledger-'));
  const store = openSqliteStore({ dataDir, maxStoredBytes: 1e9, now });
  const response = { status: 200, headers: {}, gzip: new Uint8Array(), expiresMs: 0 };
  return Promise.resolve({
    ledger: store,
    consume: async (lease) => ((await store.commit(lease, { response })) === 'committed' ? 'held' : 'lost'),
    process: async (lease) => {
      const job = { id: `of ${lease.token}`, payload: new Uint8Array(), timeoutMs: 1e9 };
      return (await store.submitJob(job, { most: 1000, lease })) === 'submitted' ? 'held' : 'lost';
    },
    blockPayer: (payer) => store.blockPayer(payer),
    close: async () => {
      await store.close();
      rmSync(dataDir, { recursive: true });
    },
  });
});

describe('the embedded engine', () => {
  let folder: string;
  const open = (dataDir: string): Store => openSqliteStore({ dataDir, maxStoredBytes: 1e9, now: () => 0 });
  const codeOf = (run: () => unknown): unknown => {
    try {
      run();
    } catch (error) {
      return error instanceof StoreError ? error.code : error;
    }
    return 'nothing was thrown';
  };

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'grainline-sqlite-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('makes its folder and its files for its own user alone', async () => {
    const dataDir = join(folder, 'a', 'b');
    const store = open(dataDir);
    await store.ping();
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    const files = readdirSync(dataDir);
    expect(files).toContain('grainline.db');
    for (const file of files) expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
    await store.close();
  });

  it('leaves one file behind when it is closed', async () => {
    const store = open(folder);
    await store.takeQuota({ client: 'a', day: '2026-01-01', pages: 1, limit: 1 });
    await store.close();
    expect(readdirSync(folder)).toEqual(['grainline.db']);
  });

  it('refuses a path that is a file, or that lies below one', () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'content');
    expect(codeOf(() => open(file))).toBe('data_dir_unusable');
    expect(codeOf(() => open(join(file, 'below')))).toBe('data_dir_unusable');
    expect(() => open(file)).toThrow(/DATA_DIR/);
  });

  it('refuses a file that is not a database, and says which and what to do', () => {
    writeFileSync(
      join(folder, 'grainline.db'),
      'this is no database, but it is long enough to be read as one'.repeat(100),
    );
    expect(codeOf(() => open(folder))).toBe('data_dir_damaged');
    expect(() => open(folder)).toThrow(
      `(${join(folder, 'grainline.db')}: file is not a database). Restore it`,
    );
  });

  it('refuses a file of a later version', async () => {
    await open(folder).close();
    const database = new DatabaseSync(join(folder, 'grainline.db'));
    database.exec('PRAGMA user_version = 1000');
    database.close();
    expect(codeOf(() => open(folder))).toBe('data_dir_newer');
  });

  it('uses a write-ahead log, synced at every commit of what was paid for, else at checkpoints', () => {
    const { quick, durable } = openDatabase(folder);
    for (const [database, synchronous] of [
      [quick, 1],
      [durable, 2],
    ] as const) {
      expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
      expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous });
      database.close();
    }
  });

  it('writes what money depends on through the connection that syncs, and nothing else', async () => {
    const connections = openDatabase(folder);
    const store = storeIn(connections, { maxStoredBytes: 1e9, now: () => 0 });
    /** The connections on which a call changes rows. */
    const writerOf = async (call: () => Promise<unknown>): Promise<string> => {
      const { quick, durable } = connections;
      const count = (database: DatabaseSync) =>
        Number(database.prepare('SELECT total_changes() AS changes').get()?.['changes']);
      const before = [count(quick), count(durable)];
      await call();
      const [byQuick, byDurable] = [count(quick) - before[0]!, count(durable) - before[1]!];
      return byQuick > 0 ? (byDurable > 0 ? 'both' : 'quick') : byDurable > 0 ? 'durable' : 'none';
    };
    const reserve = async (): Promise<Lease> => {
      const answer = await store.reserve('key', 1000);
      if (answer.kind !== 'reserved') throw new Error(answer.kind);
      return answer.lease;
    };
    const reason = { reason: 'timeout', counts: false };
    let lease!: Lease;
    expect(await writerOf(async () => (lease = await reserve()))).toBe('quick');
    expect(await writerOf(() => store.release(lease, reason))).toBe('quick');
    lease = await reserve();
    expect(await writerOf(() => store.recordVerified(lease, PAYMENT))).toBe('durable');
    expect(await writerOf(() => store.bind(lease, PURCHASE))).toBe('quick');
    expect(await writerOf(() => store.renew(lease, 1000))).toBe('quick');
    expect(await writerOf(() => store.release(lease, reason))).toBe('quick');
    expect(await writerOf(async () => (lease = await reserve()))).toBe('quick');
    expect(await writerOf(() => store.release(lease, { ...reason, counts: true }))).toBe('durable');
    lease = await reserve();
    await store.bind(lease, PURCHASE);
    expect(await writerOf(() => store.commit(lease, { response: RESPONSE }))).toBe('durable');
    expect(await writerOf(() => store.markRefunded('key', 'note'))).toBe('durable');
    expect(await writerOf(() => store.blockPayer('payer'))).toBe('durable');
    let intent!: Intent;
    expect(await writerOf(async () => (intent = await store.beginIntent('intent', 1000)))).toBe('durable');
    if (intent.kind !== 'begun') throw new Error(intent.kind);
    const { lease: settling } = intent;
    expect(await writerOf(() => store.endIntent(settling, 'key'))).toBe('durable');
    await store.close();
  });

  it('says so when another process holds the lock for too long, and changes nothing', async () => {
    await open(folder).close();
    const [database, other] = [1, 1].map(
      (timeout) => new DatabaseSync(join(folder, 'grainline.db'), { timeout }),
    ) as [DatabaseSync, DatabaseSync];
    const store = storeIn({ quick: database, durable: database }, { maxStoredBytes: 1e9, now: () => 0 });
    const answer = await store.reserve('key', 1000);
    if (answer.kind !== 'reserved') throw new Error(answer.kind);
    await store.recordVerified(answer.lease, PAYMENT);
    await store.bind(answer.lease, PURCHASE);
    other.exec('BEGIN IMMEDIATE');
    const busy = { code: 'unavailable' };
    await expect(store.reserve('another', 1000)).rejects.toMatchObject(busy);
    await expect(store.commit(answer.lease, { response: RESPONSE })).rejects.toMatchObject(busy);
    await expect(store.reserve('another', 1000)).rejects.not.toThrow(/SQL|database/);
    expect(await store.get('key')).toMatchObject({ state: 'bound' });
    other.exec('ROLLBACK');
    expect(await store.commit(answer.lease, { response: RESPONSE })).toBe('committed');
    other.close();
    await store.close();
  });

  it('sells nothing when the disk is full in the middle of it, and can sell it afterwards', async () => {
    const database = new DatabaseSync(join(folder, 'grainline.db'));
    migrate(database);
    const store = storeIn({ quick: database, durable: database }, { maxStoredBytes: 1e9, now: () => 0 });
    const answer = await store.reserve('key', 1000);
    if (answer.kind !== 'reserved') throw new Error(answer.kind);
    await store.recordVerified(answer.lease, PAYMENT);
    await store.bind(answer.lease, PURCHASE);
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number };
    database.exec(`PRAGMA max_page_count = ${pages + 4}`);
    const result = { id: 'a', gzip: new Uint8Array(1_000_000), etag: '""', createdMs: 0, expiresMs: 1 };
    const sale = store.commit(answer.lease, { response: RESPONSE, result });
    await expect(sale).rejects.toMatchObject({ code: 'disk_full' });
    expect(await store.get('key')).toMatchObject({ state: 'bound' });
    expect(await store.paidResponse('key')).toBeNull();
    expect(await store.reserve('key', 1000)).toMatchObject({ kind: 'held' });
    database.exec('PRAGMA max_page_count = 1000000');
    expect(await store.commit(answer.lease, { response: RESPONSE, result })).toBe('committed');
    expect(await store.getResult('a')).toEqual(result);
    await store.close();
  });

  it('refuses an amount of more than 64 bits, and goes on', async () => {
    const store = open(folder);
    const answer = await store.reserve('key', 1000);
    if (answer.kind !== 'reserved') throw new Error(answer.kind);
    await expect(store.recordVerified(answer.lease, { ...PAYMENT, credited: 2n ** 63n })).rejects.toThrow();
    expect(await store.get('key')).toMatchObject({ state: 'reserved' });
    const largest = { ...PAYMENT, credited: 2n ** 63n - 1n };
    expect(await store.recordVerified(answer.lease, largest)).toBe('held');
    expect(await store.get('key')).toMatchObject({ payment: largest });
    await store.close();
  });

  it('brings a file of the first version up to date, with all that is in it', async () => {
    const database = new DatabaseSync(join(folder, 'grainline.db'));
    database.exec(FIRST_VERSION);
    database.close();
    const store = openSqliteStore({ dataDir: folder, maxStoredBytes: 1000, now: () => 0 });
    expect(await store.quotaLeft({ client: 'a', day: '2026-11-21', limit: 100 })).toBe(58);
    expect(await store.getResult('free_0123456789ab')).toEqual({
      id: 'free_0123456789ab',
      gzip: new Uint8Array(600),
      etag: '"e"',
      createdMs: 1,
      expiresMs: 99,
    });
    // Its rows count as free results.
    const result = { id: 'b', gzip: new Uint8Array(401), etag: '""', createdMs: 0, expiresMs: 99 };
    await expect(store.putResult(result)).rejects.toMatchObject({ code: 'storage_full' });
    await store.putResult({ ...result, gzip: new Uint8Array(400) });
    const answer = await store.reserve('key', 1000);
    if (answer.kind !== 'reserved') throw new Error(answer.kind);
    await store.recordVerified(answer.lease, PAYMENT);
    await store.bind(answer.lease, PURCHASE);
    expect(await store.commit(answer.lease, { response: { ...RESPONSE, gzip: new Uint8Array(1000) } })).toBe(
      'committed',
    );
    expect(await store.deleteResult('free_0123456789ab')).toBe(true);
    await store.close();
    const file = new DatabaseSync(join(folder, 'grainline.db'));
    expect(file.prepare('PRAGMA user_version').get()).toEqual({ user_version: 8 });
    file.close();
  });

  it('opens in several processes at once on a new folder, again and again', async () => {
    const openers = await startOpeners(4);
    try {
      for (let round = 0; round < 30; round++) {
        const dataDir = join(folder, String(round));
        expect(await openers.open({ engine: 'sqlite', dataDir })).toEqual(Array(4).fill('opened'));
      }
    } finally {
      openers.end();
    }
  });

  it('waits for another process that has the new file to itself at this moment', async () => {
    const path = join(folder, 'grainline.db');
    const holder = spawn(process.execPath, ['--eval', HOLDER, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    const store = open(folder);
    expect(await store.quotaLeft({ client: 'a', day: 'd', limit: 9 })).toBe(9);
    await store.close();
  });

  it('says that the disk is full, loses nothing, and goes on when there is room again', async () => {
    const database = new DatabaseSync(join(folder, 'grainline.db'));
    migrate(database);
    const store = storeIn({ quick: database, durable: database }, { maxStoredBytes: 1e9, now: () => 0 });
    const result = { id: 'a', gzip: new Uint8Array(10_000), etag: '""', createdMs: 0, expiresMs: 1 };
    await store.putResult(result);
    database.exec('PRAGMA max_page_count = 20');
    const refused = store.putResult({ ...result, id: 'b', gzip: new Uint8Array(1_000_000) });
    await expect(refused).rejects.toMatchObject({ code: 'disk_full' });
    await expect(refused).rejects.not.toThrow(/SQL/);
    expect(await store.getResult('a')).toEqual(result);
    database.exec('PRAGMA max_page_count = 1000000');
    await store.putResult({ ...result, id: 'b', gzip: new Uint8Array(1_000_000) });
    expect(await store.getResult('b')).not.toBeNull();
    await store.close();
  });

  it('answers no ping, and requests no payment, while the disk has no room for what a request may write', async () => {
    const database = new DatabaseSync(join(folder, 'grainline.db'));
    migrate(database);
    let freeBytes = 16 * 1024 * 1024 - 1;
    const store = storeIn(
      { quick: database, durable: database },
      { maxStoredBytes: 1e9, now: () => 0, freeBytes: () => freeBytes },
    );
    await expect(store.ping()).rejects.toMatchObject({ code: 'disk_full' });
    await expect(store.paidRoom()).rejects.toMatchObject({ code: 'disk_full' });
    freeBytes += 1;
    await store.ping();
    expect(await store.paidRoom()).toBe(1e9);
    await store.close();
  });

  it('answers no ping, and requests no payment, once its folder was taken away', async () => {
    const dataDir = join(folder, 'gone');
    const store = open(dataDir);
    rmSync(dataDir, { recursive: true });
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(store.paidRoom()).rejects.toMatchObject({ code: 'unavailable' });
    await store.close();
  });

  it.skipIf(process.platform !== 'linux')('says at once that a folder below /proc cannot be made', () => {
    expect(() => open('/proc/x/data')).toThrow(/The data folder cannot be used: ENOENT/);
  });

  it('keeps its log small after a large result', async () => {
    const store = open(folder);
    await store.putResult({
      id: 'a',
      gzip: new Uint8Array(40_000_000),
      etag: '""',
      createdMs: 0,
      expiresMs: 1,
    });
    // The checkpoint after the next commits shrinks the log.
    for (let time = 0; time < 3; time++)
      await store.takeQuota({ client: 'a', day: 'd', pages: 1, limit: 10 });
    expect(statSync(join(folder, 'grainline.db-wal')).size).toBeLessThanOrEqual(16 * 1024 * 1024);
    await store.close();
  });
});

/** Locks a file before its mode is a log, for longer than an opening takes. */
const HOLDER = `
  const database = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
  database.exec('BEGIN IMMEDIATE');
  process.stdout.write('held');
  setTimeout(() => database.close(), 300);`;

/** The tables of the first version, as that version wrote them, with a count and a result. */
const FIRST_VERSION = `
   PRAGMA journal_mode = WAL;
   CREATE TABLE quota (
     day TEXT NOT NULL,
     client TEXT NOT NULL,
     pages INTEGER NOT NULL,
     PRIMARY KEY (day, client)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE results (
     id TEXT NOT NULL PRIMARY KEY,
     etag TEXT NOT NULL,
     created_ms INTEGER NOT NULL,
     expires_ms INTEGER NOT NULL,
     gzip BLOB NOT NULL
   ) STRICT;
   CREATE INDEX results_by_expiry ON results (expires_ms);
   CREATE TABLE stored (bytes INTEGER NOT NULL) STRICT;
   INSERT INTO stored VALUES (0);
   CREATE TRIGGER result_put AFTER INSERT ON results
     BEGIN UPDATE stored SET bytes = bytes + length(NEW.gzip); END;
   CREATE TRIGGER result_dropped AFTER DELETE ON results
     BEGIN UPDATE stored SET bytes = bytes - length(OLD.gzip); END;
   PRAGMA user_version = 1;
   INSERT INTO quota VALUES ('2026-11-21', 'a', 42);
   INSERT INTO results VALUES ('free_0123456789ab', '"e"', 1, 99, zeroblob(600));`;

const PAYMENT: VerifiedPayment = { payer: 'payer', credited: 2_500n, slot: 7n };
const PURCHASE: Purchase = { fingerprint: 'fingerprint', price: 2_000n, product: 'structure' };
const RESPONSE = { status: 200, headers: {}, gzip: new Uint8Array(10), expiresMs: 99 };
