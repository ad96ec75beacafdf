// `node --import <checkout>/packages/server/test/sandbox/from-sources.mjs
// packages/server/test/compatibility/fill-states.ts --checkout <checkout> --output <folder>`: fills a store of each
// engine by the store's own calls at commit cb793e3, with the states that HTTP requests rarely leave behind.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { createDatabase } from '@grainline/testing/postgres-server';
import { dumpPostgres, dumpSqlite } from './dump.ts';
import { ANSWER, COST, NOW_MS, payloadOf, paymentOf, PURCHASE, RESPONSE, resultOf } from './states.ts';

const { values: options } = parseArgs({
  options: { checkout: { type: 'string', default: '' }, output: { type: 'string', default: '' } },
});
const load = async (path: string): Promise<Record<string, (options: object) => Store | Promise<Store>>> => {
  const file = resolve(options.checkout, 'packages/server/src/store', path);
  return (await import(pathToFileURL(file).href)) as Record<string, (options: object) => Store>;
};
let token = '';
const shared = { maxStoredBytes: 1e6, now: () => NOW_MS, createToken: () => token };

const dataDir = mkdtempSync(join(tmpdir(), 'grainline-states-'));
const sqlite = await (await load('sqlite/index.ts'))['openSqliteStore']?.({ ...shared, dataDir });
await fill(sqlite);
await sqlite?.close();
writeFileSync(join(options.output, 'states.sqlite.sql'), dumpSqlite(dataDir));
rmSync(dataDir, { recursive: true });

const database = await createDatabase();
const open = { ...shared, databaseUrl: database.url };
const postgres = await (await load('postgres/index.ts'))['openPostgresStore']?.(open);
await fill(postgres);
await postgres?.close();
writeFileSync(join(options.output, 'states.postgres.sql'), dumpPostgres(database.url));
await database.drop();

async function fill(store: Store | undefined): Promise<void> {
  if (store === undefined) throw new Error('The checkout has another store.');
  const reserve = async (key: string): Promise<unknown> => {
    token = `token of ${key}`;
    return (await store.reserve(key, 30_000)).lease;
  };
  const verify = async (key: string, refusal?: string): Promise<unknown> => {
    const lease = await reserve(key);
    await store.verified(lease, paymentOf(key), refusal);
    return lease;
  };
  const bind = async (key: string): Promise<unknown> => {
    const lease = await verify(key);
    await store.bind(lease, PURCHASE);
    return lease;
  };
  const release = (lease: unknown, reason: string, counts: boolean) =>
    store.release(lease, { reason, counts });
  const consume = async (key: string): Promise<unknown> =>
    store.commit(await bind(key), { response: RESPONSE, result: resultOf(`result of ${key}`) });
  const submit = async (id: string, key?: string): Promise<unknown> => {
    const terms = key === undefined ? { most: 9 } : { most: 9, lease: await bind(key) };
    const job = { id, order: payloadOf(id), timeoutMs: 600_000 };
    return store.submitJob(job, terms);
  };
  const claim = async (id: string): Promise<unknown> => {
    token = `token of ${id}`;
    return (await store.claimJob(30_000)).job.lease;
  };

  await reserve('reserved');
  await verify('verified');
  await bind('bound');
  await release(await verify('released'), 'timeout', false);
  await release(await verify('tried'), 'corrupted', true);
  for (let tries = 0; tries < 5; tries++) await release(await verify('exhausted'), 'corrupted', true);
  await release(await verify('refused', 'payment_too_old'), 'timeout', false);
  await verify('refused and held', 'payment_too_old');
  await store.blockPayer('payer of blocked');
  await release(await verify('blocked'), 'payer_blocked', false);
  await release(await verify('refunded'), 'timeout', false);
  await store.markRefunded('refunded', 'sent back');
  await consume('pending');
  await consume('finalized');
  await store.markFinal('finalized', 'finalized');
  await consume('vanished');
  await store.markFinal('vanished', 'vanished');
  await consume('consumed and refunded');
  await store.markRefunded('consumed and refunded', 'sent back');

  await submit('job 1 failed', 'payment of job 1');
  await store.failJob(await claim('job 1 failed'), { code: 'corrupted', message: 'Damaged.' }, true);
  await submit('job 2 completed', 'payment of job 2');
  const delivery = { response: RESPONSE, result: resultOf('job 2 completed') };
  await store.finishJob(await claim('job 2 completed'), delivery);
  await submit('job 3 running', 'payment of job 3');
  const running = await claim('job 3 running');
  await store.renewJob(running, 30_000, { progress: 42, message: 'Enriching' });
  await store.recordCost(running, 'question 0 cost 0', COST);
  await store.recordAnswer(running, 'question 0', ANSWER);
  await submit('job 4 queued', 'payment of job 4');
  await submit('job 5 queued and free');

  token = 'token of intent';
  await store.intend('begun', 30_000);
  token = 'token of settled intent';
  await store.settled((await store.intend('settled', 30_000)).lease, 'pending');
  await store.takeQuota({ client: '192.0.2.1', day: '2026-11-21', pages: 42, limit: 100 });
  await store.putResult(resultOf('free'));
}

/** The calls of the store at the commit of the fixture. */
interface Store {
  reserve(key: string, ms: number): Promise<{ readonly lease: unknown }>;
  verified(lease: unknown, payment: object, refusal: string | undefined): Promise<unknown>;
  bind(lease: unknown, purchase: object): Promise<unknown>;
  release(lease: unknown, reason: object): Promise<unknown>;
  commit(lease: unknown, sale: object): Promise<unknown>;
  blockPayer(payer: string): Promise<unknown>;
  markRefunded(key: string, note: string): Promise<unknown>;
  markFinal(key: string, finality: string): Promise<unknown>;
  intend(key: string, ms: number): Promise<{ readonly lease: unknown }>;
  settled(lease: unknown, key: string): Promise<unknown>;
  submitJob(job: object, terms: object): Promise<unknown>;
  claimJob(ms: number): Promise<{ readonly job: { readonly lease: unknown } }>;
  renewJob(lease: unknown, ms: number, step: object): Promise<unknown>;
  recordAnswer(lease: unknown, key: string, answer: Uint8Array): Promise<unknown>;
  recordCost(lease: unknown, key: string, cost: Uint8Array): Promise<unknown>;
  finishJob(lease: unknown, bought: object): Promise<unknown>;
  failJob(lease: unknown, failure: object, counts: boolean): Promise<unknown>;
  takeQuota(claim: object): Promise<unknown>;
  putResult(result: object): Promise<unknown>;
  close(): Promise<void>;
}
