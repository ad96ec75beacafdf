import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore, storeIn } from '../../src/store/sqlite/index.ts';
import { migrate } from '../../src/store/sqlite/schema.ts';
import { type Store, StoreError } from '../../src/store/store.ts';
import { ledgerContract } from '../../../x402/test/ledger.contract.ts';
import type { Errand } from './errand.ts';
import { startErrand, testStore } from './store.conformance.ts';

testStore('node:sqlite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grainline-store-'));
  const dataDir = join(folder, 'data');
  const stores: Store[] = [];
  return Promise.resolve({
    address: { engine: 'sqlite', dataDir },
    open: (options) => {
      const store = openSqliteStore({ dataDir, ...options });
      stores.push(store);
      return Promise.resolve(store);
    },
    remove: async () => {
      for (const store of stores) await store.close();
      rmSync(folder, { recursive: true });
    },
  });
});

ledgerContract('on node:sqlite', ({ now }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'grainline-ledger-'));
  const store = openSqliteStore({ dataDir, maxStoredBytes: 1e9, now });
  const response = { status: 200, headers: {}, gzip: new Uint8Array(), expiresMs: 0 };
  return Promise.resolve({
    ledger: store,
    consume: async (lease) => ((await store.commit(lease, { response })) === 'committed' ? 'held' : 'lost'),
    // What the submission of a job will do, by hand: there are no jobs yet.
    process: ({ key, token }) => {
      const database = new DatabaseSync(join(dataDir, 'grainline.db'));
      const { changes } = database
        .prepare(
          `UPDATE payments SET state = 'processing', token = NULL, lease_ends_ms = NULL
           WHERE key = ? AND token = ? AND state = 'bound'`,
        )
        .run(key, token);
      database.close();
      return Promise.resolve(changes === 1 ? 'held' : 'lost');
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

  it('refuses a file that is not a database, without naming SQL', () => {
    writeFileSync(
      join(folder, 'grainline.db'),
      'this is no database, but it is long enough to be read as one'.repeat(100),
    );
    expect(codeOf(() => open(folder))).toBe('unavailable');
    expect(() => open(folder)).not.toThrow(/SQL|grainline\.db/);
  });

  it('refuses a file of a later version', async () => {
    await open(folder).close();
    const database = new DatabaseSync(join(folder, 'grainline.db'));
    database.exec('PRAGMA user_version = 1000');
    database.close();
    expect(codeOf(() => open(folder))).toBe('data_dir_newer');
  });

  it('uses a write-ahead log, synced at checkpoints', () => {
    const store = open(folder);
    const database = new DatabaseSync(join(folder, 'grainline.db'), { readOnly: true });
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    database.close();
    return store.close();
  });

  it('opens in several processes at once on an empty folder', async () => {
    const errand: Errand = {
      kind: 'take',
      address: { engine: 'sqlite', dataDir: folder },
      client: 'a',
      day: 'd',
      limit: 9,
      times: 3,
    };
    const racers = [1, 2, 3, 4].map(() => startErrand(errand));
    for (const { stdout } of racers) stdout.resume();
    for (const { stdin } of racers) stdin.write('go\n');
    const exits = await Promise.all(racers.map((racer) => once(racer, 'exit')));
    expect(exits).toEqual(racers.map(() => [0, null]));
    const store = open(folder);
    expect(await store.quotaLeft({ client: 'a', day: 'd', limit: 9 })).toBe(0);
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

  it('does not answer a ping while the disk has no room for what a request may write', async () => {
    const database = new DatabaseSync(join(folder, 'grainline.db'));
    migrate(database);
    let freeBytes = 16 * 1024 * 1024 - 1;
    const store = storeIn(
      { quick: database, durable: database },
      { maxStoredBytes: 1e9, now: () => 0, freeBytes: () => freeBytes },
    );
    await expect(store.ping()).rejects.toMatchObject({ code: 'disk_full' });
    freeBytes += 1;
    await store.ping();
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
    // The checkpoint that follows the next commits gives the room back.
    for (let time = 0; time < 3; time++)
      await store.takeQuota({ client: 'a', day: 'd', pages: 1, limit: 10 });
    expect(statSync(join(folder, 'grainline.db-wal')).size).toBeLessThanOrEqual(16 * 1024 * 1024);
    await store.close();
  });
});
