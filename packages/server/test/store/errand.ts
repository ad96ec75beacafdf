// A process of its own that uses a store: `node errand.ts '{"kind":"take",…}'`. Prints one line for each thing done.
import { once } from 'node:events';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import type { Store } from '../../src/store/store.ts';

/** What to do, and where. */
export interface Errand {
  /**
   * `take` says that it is ready, waits for a line, claims one page so many `times` and prints how many were granted.
   * `put` claims a page and stores a result, prints its id, and goes on until it is killed.
   */
  readonly kind: 'take' | 'put';
  readonly address: { readonly engine: 'sqlite'; readonly dataDir: string };
  readonly client: string;
  readonly day: string;
  readonly limit: number;
  readonly times?: number;
  readonly bytes?: number;
  readonly expiresMs?: number;
}

const errand = JSON.parse(process.argv[2] ?? '') as Errand;
const store = open(errand.address);
await (errand.kind === 'take' ? take(errand) : put(errand));
await store.close();

function open({ dataDir }: Errand['address']): Store {
  return openSqliteStore({ dataDir, maxStoredBytes: Number.MAX_SAFE_INTEGER, now: () => 0 });
}

async function take({ client, day, limit, times = 1 }: Errand): Promise<void> {
  console.log('ready');
  await once(process.stdin, 'data');
  process.stdin.destroy();
  let granted = 0;
  for (let time = 0; time < times; time++) {
    if ((await store.takeQuota({ client, day, limit, pages: 1 })).granted) granted++;
  }
  console.log(granted);
}

async function put({ client, day, limit, bytes = 0, expiresMs = 0 }: Errand): Promise<void> {
  for (let count = 0; ; count++) {
    const id = `${process.pid} ${count}`;
    await store.takeQuota({ client, day, limit, pages: 1 });
    await store.putResult({
      id,
      gzip: new Uint8Array(bytes).fill(count),
      etag: '""',
      createdMs: 0,
      expiresMs,
    });
    await new Promise((written) => process.stdout.write(`${id}\n`, written));
  }
}
