// A process of its own that opens stores: `{"address":…,"atMs":…}`, a line each. Says that it is ready; opens and
// closes the store of each line at its moment, and prints `opened` or what was wrong.
import { createInterface } from 'node:readline';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import type { Store } from '../../src/store/store.ts';
import type { Opening } from './openers.ts';

console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const { address, atMs } = JSON.parse(line) as Opening;
  // Every one of them is on the processor when the moment comes.
  while (Date.now() < atMs);
  console.log(await open(address).then(closed, String));
}

async function open(address: Opening['address']): Promise<Store> {
  if (address.engine === 'sqlite')
    return openSqliteStore({ dataDir: address.dataDir, maxStoredBytes: 1e9, now: () => 0 });
  return openPostgresStore({ databaseUrl: address.databaseUrl, maxStoredBytes: 1e9 });
}

async function closed(store: Store): Promise<string> {
  await store.close();
  return 'opened';
}
