// A process that uses a store: `node store-program.ts '{"kind":"take",…}'`. Prints one line for each finished step.
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import type { Purchase, VerifiedPayment } from '@grainline/x402';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import { openBucket } from '../../src/store/s3.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import type { Store } from '../../src/store/store.ts';
import type { Delivery, StoredResult } from '../../src/store/responses.ts';
import type { StoreTask, PurchaseStep } from './store-process.ts';

const PAYMENT: VerifiedPayment = { payer: 'payer', credited: 2_500n, slot: 7n };
const PURCHASE: Purchase = { fingerprint: 'fingerprint', price: 2_000n, product: 'structure' };

await run(JSON.parse(process.argv[2] ?? '') as StoreTask);

async function run(task: StoreTask): Promise<void> {
  const store = await openAt(task);
  await { take, put, spend, purchase, claim, work }[task.kind](store, task);
  await store.close();
}

async function openAt({ address, bucket }: StoreTask): Promise<Store> {
  const now = (): number => 0;
  const objects = bucket && (await openBucket(bucket, { now }));
  const options = { maxStoredBytes: Number.MAX_SAFE_INTEGER, now, objects };
  return address.engine === 'postgres'
    ? openPostgresStore({ ...options, databaseUrl: address.databaseUrl })
    : openSqliteStore({ ...options, dataDir: address.dataDir });
}

async function take(store: Store, { client = '', day = '', limit = 0, times = 1 }: StoreTask): Promise<void> {
  await ready();
  let granted = 0;
  for (let time = 0; time < times; time++) {
    if ((await store.takeQuota({ client, day, limit, pages: 1 })).granted) granted++;
  }
  console.log(granted);
}

async function put(store: Store, task: StoreTask): Promise<void> {
  const { client = '', day = '', limit = 0, bytes = 0, expiresMs = 0 } = task;
  for (let count = 0; ; count++) {
    const id = `${process.pid} ${count}`;
    await store.takeQuota({ client, day, limit, pages: 1 });
    await store.putResult(resultOf(id, new Uint8Array(bytes).fill(count), expiresMs));
    await print(id);
  }
}

async function spend(store: Store, task: StoreTask): Promise<void> {
  const { times = 0, payments = 1, leaseMs = 0, offset = 0, expiresMs = 0 } = task;
  await ready();
  let wins = 0;
  for (let time = 0; time < times; time++) {
    const key = `payment ${(offset + time * 7919) % payments}`;
    const answer = await store.reserve(key, leaseMs);
    if (answer.kind !== 'reserved') continue;
    const { lease } = answer;
    if ((await store.recordVerified(lease, PAYMENT)) !== 'held') continue;
    if ((await store.bind(lease, PURCHASE)) !== 'held') continue;
    if ((await store.commit(lease, { response: responseTo(key, expiresMs) })) === 'committed') wins++;
  }
  console.log(wins);
}

async function purchase(store: Store, task: StoreTask): Promise<void> {
  const { name = '', bytes = 0, expiresMs = 0, dieAt } = task;
  for (let count = 0; ; count++) {
    const key = `${name} ${count}`;
    const dieIf = (step: StoreTask['dieAt']): void => {
      if (step === dieAt && count === 2) process.kill(process.pid, 'SIGKILL');
    };
    const done = async (step: PurchaseStep): Promise<void> => {
      await print(`${step} ${key}`);
      if (step !== 'released') dieIf(step);
    };
    const answer = await store.reserve(key, 30_000);
    if (answer.kind !== 'reserved') throw new Error(`${key}: ${answer.kind}`);
    const { lease } = answer;
    await done('reserved');
    await store.recordVerified(lease, PAYMENT);
    await done('verified');
    await store.bind(lease, PURCHASE);
    await done('bound');
    if (count % 3 === 1) {
      await store.release(lease, { reason: 'timeout', counts: false });
      await done('released');
    } else {
      const result = resultOf(`of ${key}`, new Uint8Array(bytes).fill(count), expiresMs);
      await store.commit(lease, dying({ response: responseTo(key, expiresMs), result }, dieIf));
      await done('committed');
    }
  }
}

async function claim(store: Store): Promise<void> {
  await ready();
  for (;;) {
    const found = await store.claimJob(60_000);
    if (found.kind === 'none') return;
    console.log(found.job.lease.id);
  }
}

async function work(store: Store, { name = '', expiresMs = 0 }: StoreTask): Promise<void> {
  for (let count = 0; ; count++) {
    const id = `${name} ${count}`;
    const answer = await store.reserve(`payment of ${id}`, 30_000);
    if (answer.kind !== 'reserved') throw new Error(`${id}: ${answer.kind}`);
    const { lease } = answer;
    await store.recordVerified(lease, PAYMENT);
    await store.bind(lease, PURCHASE);
    await store.submitJob({ id, payload: Buffer.from(id), timeoutMs: 60_000 }, { most: 1000, lease });
    await print(`submitted ${id}`);
    const found = await store.claimJob(60_000);
    if (found.kind === 'none') throw new Error('there is a job');
    const { job } = found;
    await store.recordAnswer(job.lease, 'question', Buffer.from('answer'));
    await print(`answered ${job.lease.id}`);
    if (count % 3 === 2) {
      await store.failJob(job.lease, { code: 'corrupted', message: 'Damaged.' }, true);
      await print(`failed ${job.lease.id}`);
    } else {
      const result = resultOf(job.lease.id, new Uint8Array(5000), expiresMs);
      await store.finishJob(job.lease, { result, response: responseTo(id, expiresMs) });
      await print(`finished ${job.lease.id}`);
    }
  }
}

/** A delivery whose parts end the process when the store reads them, right before it writes them. */
function dying({ response, result }: Delivery, dieIf: (step: StoreTask['dieAt']) => void): Delivery {
  return {
    response: {
      ...response,
      get headers() {
        dieIf('consumed is written');
        return response.headers;
      },
    },
    result: {
      ...result!,
      get id() {
        dieIf('the response is written');
        return result!.id;
      },
    },
  };
}

function responseTo(key: string, expiresMs: number): Delivery['response'] {
  return { status: 200, headers: {}, gzip: gzipSync(`answer to ${key}`), expiresMs };
}

function resultOf(id: string, gzip: Uint8Array, expiresMs: number): StoredResult {
  return { id, gzip, etag: '""', createdMs: 0, expiresMs };
}

async function ready(): Promise<void> {
  console.log('ready');
  await once(process.stdin, 'data');
  process.stdin.destroy();
}

/** Resolves when the line has left this process. */
function print(line: string): Promise<unknown> {
  return new Promise((written) => process.stdout.write(`${line}\n`, written));
}
