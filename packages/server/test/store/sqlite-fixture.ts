// A store of SQLite in a folder of its own, for the suites of the store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { ObjectStore } from '../../src/store/bodies.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import type { Store } from '../../src/store/store.ts';
import type { StoreFixture } from './store.conformance.ts';

/** @param openObjects opens the object store of each store. Default: bodies are in their rows */
export function prepareSqlite(
  openObjects?: (now: () => number) => Promise<ObjectStore>,
): Promise<StoreFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'grainline-store-'));
  const dataDir = join(folder, 'data');
  const stores: Store[] = [];
  return Promise.resolve({
    address: { engine: 'sqlite', dataDir },
    open: async (options) => {
      const store = openSqliteStore({ dataDir, ...options, objects: await openObjects?.(options.now) });
      stores.push(store);
      return store;
    },
    check: () => {
      const database = new DatabaseSync(join(dataDir, 'grainline.db'), { readOnly: true });
      const [{ integrity_check: integrity }] = database.prepare('PRAGMA integrity_check').all() as [
        { integrity_check: string },
      ];
      const sums = database.prepare('SELECT bytes, paid_bytes, unfinished FROM stored').get();
      const counted = database.prepare(
        `SELECT coalesce(sum(bytes), 0) AS bytes, coalesce(sum(paid * bytes), 0) AS paid_bytes,
           (SELECT count(*) FROM jobs WHERE state = 'processing') AS unfinished
         FROM (SELECT length(gzip) + object_bytes AS bytes, paid FROM results
           UNION ALL SELECT length(gzip), 1 FROM responses
           UNION ALL SELECT length(bytes), 1 FROM job_orders)`,
      );
      const areSumsRight = isDeepStrictEqual(sums, counted.get());
      database.close();
      return Promise.resolve(areSumsRight ? integrity : 'the sums of bytes are wrong');
    },
    remove: async () => {
      for (const store of stores) await store.close();
      rmSync(folder, { recursive: true });
    },
  });
}
