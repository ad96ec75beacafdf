// A process that opens stores: each input line is `{"address":…,"atMs":…}`. It prints `ready`, opens and closes the
// store of each line at its moment, and prints `opened` or the error.
import { createInterface } from 'node:readline';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import type { Store } from '../../src/store/store.ts';
import type { Opening } from './openers.ts';

console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const { address, atMs } = JSON.parse(line) as Opening;
  // A busy wait: every process is on the processor at the moment.
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
