// The store on PostgreSQL for many machines, on a database server of its own with 200 connections:
//
// 1. Paid answers a second at 40 clients on two servers; with BASE, a checkout of another commit, also there, in turns.
// 2. Beside ROWS queued, finished and expired rows of each kind: claim, submission, quote and a batch of a sweep.
// 3. Claims for each job at 50 servers with DATABASE_CONNECTIONS=2.
//
//   node --import ./packages/server/test/sandbox/from-sources.mjs packages/server/test/long/scale.ts
//     ROWS=1000000 SECONDS=3 ROUNDS=5 COMMIT_MS=0 BASE=<checkout>
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { quantile } from '@grainline/testing/load';
import { createCluster } from '@grainline/testing/postgres-cluster';
import { createDatabase, type TestDatabase } from '@grainline/testing/postgres-server';
import { createPoll } from '../../src/jobs/poll.ts';
import { openPostgresStore, type PostgresStoreOptions } from '../../src/store/postgres/index.ts';
import type { PaidResponse, StoredResult } from '../../src/store/responses.ts';
import type { Store } from '../../src/store/store.ts';

const ROWS = Number(process.env['ROWS'] ?? 1_000_000);
const ROUND_MS = 1000 * Number(process.env['SECONDS'] ?? 3);
const { BASE } = process.env;
/** Further time of a commit, as for a synchronous replica or a slow disk: without processor time. */
const COMMIT_MS = Number(process.env['COMMIT_MS'] ?? 0);
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const CLIENTS = 40;
const SERVERS = 50;
const CALLS = 200;
const JOBS = 100;
/** Goals: of paid answers beside the base, of calls in ms, of claims for each job. */
const GOALS = { factor: 2.5, callMs: 20, claims: 2.5 };
const LEASE_MS = 8_000;
const HOUR_MS = 3_600_000;
const BYTES = new Uint8Array(4_096).fill(7);
const PAYMENT = { payer: 'payer', credited: 2_500n, slot: 7n };
const PURCHASE = { fingerprint: 'fingerprint', price: 2_000n, product: 'structure' };

type Open = (options: PostgresStoreOptions) => Promise<Store>;
const SPACE = { maxStoredBytes: 2 ** 40, maxPaidBytes: 2 ** 42 };

const cluster = await createCluster();
const discrepancies: string[] = [];
let names = 0;
try {
  const admin = await createDatabase(cluster.url);
  await admin.query('ALTER SYSTEM SET max_connections = 200');
  await admin.query('ALTER SYSTEM SET commit_siblings = 0');
  await admin.query(`ALTER SYSTEM SET commit_delay = ${1000 * COMMIT_MS}`);
  cluster.crash();
  cluster.start();
  await comparePaidAnswers();
  await measureBesideRows();
  await countClaims();
} finally {
  cluster.remove();
}
console.log(
  discrepancies.length === 0 ? 'scale: all held' : `scale: DISCREPANCIES: ${discrepancies.join('; ')}`,
);
process.exit(discrepancies.length === 0 ? 0 : 1);

async function comparePaidAnswers(): Promise<void> {
  const opens: [string, Open][] = [['now', openPostgresStore]];
  if (BASE !== undefined) {
    const path = resolve(BASE, 'packages/server/src/store/postgres/index.ts');
    const base = (await import(pathToFileURL(path).href)) as { openPostgresStore: Open };
    opens.push(['base', base.openPostgresStore]);
  }
  const sides = await Promise.all(
    opens.map(async ([name, open]) => {
      const database = await createDatabase(cluster.url);
      const options = { ...SPACE, databaseUrl: database.url, connections: CLIENTS / 2 };
      const stores = [await open(options), await open(options)];
      return { name, database, stores, rates: [] as number[], waits: [] as number[] };
    }),
  );
  for (let round = 0; round <= ROUNDS; round++)
    for (const { database, stores, rates, waits } of sides) {
      const [rate, waiting] = await Promise.all([rateOfPaidAnswers(stores), countLockWaits(database)]);
      // The first round warms up.
      if (round === 0) continue;
      rates.push(rate);
      waits.push(waiting);
    }
  const [now = 0, base] = sides.map(({ rates }) => quantile(rates, 0.5));
  for (const { name, rates, waits } of sides)
    console.log(
      `paid answers at ${CLIENTS} clients, ${name}: ${shown(rates)} a second, clients that wait for a lock ${shown(waits)}`,
    );
  if (base !== undefined) {
    console.log(`  ${(now / base).toFixed(2)} times the base`);
    if (now < GOALS.factor * base) discrepancies.push('paid answers');
  }
  await Promise.all(sides.flatMap(({ stores }) => stores.map((store) => store.close())));
}

async function rateOfPaidAnswers(stores: readonly Store[]): Promise<number> {
  let count = 0;
  const beganMs = performance.now();
  const endMs = beganMs + ROUND_MS;
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      const store = stores[client % stores.length];
      while (store !== undefined && performance.now() < endMs) {
        await buy(store);
        count++;
      }
    }),
  );
  return (1000 * count) / (performance.now() - beganMs);
}

/** The mean number of transactions that wait for the end of another one. */
async function countLockWaits(database: TestDatabase): Promise<number> {
  const endMs = performance.now() + ROUND_MS / 2;
  const counts: number[] = [];
  while (performance.now() < endMs) {
    await wait(50);
    const [row] = await database.query<{ count: string }>(
      `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event IN ('transactionid', 'tuple')`,
    );
    counts.push(Number(row?.count));
  }
  return counts.reduce((sum, count) => sum + count, 0) / counts.length;
}

async function buy(store: Store): Promise<void> {
  const number = names++;
  const key = `key ${number}`;
  const lease = await store.reserve(key, LEASE_MS);
  if (lease.kind !== 'reserved') throw new Error(lease.kind);
  await store.recordVerified(lease.lease, PAYMENT);
  await store.bind(lease.lease, PURCHASE);
  await store.commit(lease.lease, { response: responseOf(), result: resultOf(`result ${number}`) });
}

async function measureBesideRows(): Promise<void> {
  const database = await createDatabase(cluster.url);
  const store = await openPostgresStore({ ...SPACE, databaseUrl: database.url });
  await fill(database);
  console.log(`${ROWS} queued, finished and expired rows of each kind`);
  const jobs = () => ({
    id: `new ${names++}`,
    payload: BYTES,
    timeoutMs: HOUR_MS,
    client: `client ${names % 50}`,
  });
  const terms = { most: 10 * ROWS };
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    claim: () => store.claimJob(LEASE_MS),
    submission: () => store.submitJob(jobs(), terms),
    quote: async () => Promise.all([store.jobLoad(), store.paidRoom(), store.takeQuota(claimOf())]),
    status: () => store.jobStatus('queued 1'),
    'paid answer': () => buy(store),
  };
  for (const [name, call] of Object.entries(calls)) {
    const times: number[] = [];
    for (let count = 0; count < CALLS; count++) times.push(await timed(call));
    report(name, times);
  }
  const batches = await sweepBatches(store, database);
  report('batch of a sweep', batches);
  await store.close();
}

function claimOf() {
  return { client: `client ${names++ % 50}`, day: '2100-01-01', pages: 1, limit: 1e6 };
}

function report(name: string, times: readonly number[]): void {
  const p95 = quantile([...times], 0.95);
  console.log(
    `  ${name}: p50 ${quantile([...times], 0.5).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms of ${times.length}`,
  );
  if (p95 > GOALS.callMs) discrepancies.push(`${name} ${p95.toFixed(1)} ms`);
}

/** The server times the deletions of a sweep, which runs for some seconds. */
async function sweepBatches(store: Store, database: TestDatabase): Promise<number[]> {
  const sweeping = store.sweep();
  const times: number[] = [];
  const endMs = performance.now() + 4 * ROUND_MS;
  const before = await countExpired(database);
  const isRunning = { value: true };
  void sweeping.then(
    () => (isRunning.value = false),
    () => (isRunning.value = false),
  );
  while (isRunning.value && performance.now() < endMs) {
    const rows = await database.query<{ ms: string }>(
      `SELECT extract(epoch FROM clock_timestamp() - xact_start) * 1000 AS ms FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE '%DELETE FROM grainline.%' AND pid <> pg_backend_pid()
         AND xact_start IS NOT NULL`,
    );
    for (const { ms } of rows) times.push(Number(ms));
    await wait(5);
  }
  const after = await countExpired(database);
  console.log(`  a sweep deleted ${before - after} rows in ${(4 * ROUND_MS) / 1000} s`);
  return times;
}

async function countExpired(database: TestDatabase): Promise<number> {
  const [row] = await database.query<{ count: string }>(
    `SELECT (SELECT count(*) FROM grainline.quota WHERE day < '2026-11-02') + (SELECT count(*) FROM grainline.results
       WHERE id LIKE 'expired %') AS count`,
  );
  return Number(row?.count);
}

/** Rows are written past the triggers and checks of references, which take ten times as long. */
async function fill(database: TestDatabase): Promise<void> {
  const nowMs = Date.now();
  const [live, dead] = [nowMs + HOUR_MS, nowMs - HOUR_MS];
  const numbers = `FROM generate_series(1, ${ROWS}) AS n`;
  const jobColumns =
    'id, state, progress, message, ran_ms, created_ms, deadline_ms, expires_ms, client, turn';
  await database.query(`
    SET session_replication_role = replica;
    INSERT INTO grainline.jobs (${jobColumns})
      SELECT 'queued ' || n, 'processing', 0, 'm', NULL, ${nowMs} - n, ${live} + n, NULL, 'client ' || n % 1000, n / 1000 ${numbers};
    INSERT INTO grainline.job_orders (id, bytes) SELECT 'queued ' || n, '\\x01' ${numbers};
    INSERT INTO grainline.jobs (${jobColumns})
      SELECT 'finished ' || n, 'completed', 100, 'm', 1000, 0, 0, ${live} + n, '', 0 ${numbers};
    INSERT INTO grainline.jobs (${jobColumns})
      SELECT 'expired ' || n, 'completed', 100, 'm', 1000, 0, 0, ${dead} - n, '', 0 ${numbers};
    INSERT INTO grainline.results (id, etag, created_ms, expires_ms, paid, gzip)
      SELECT 'finished ' || n, '', 0, ${live} + n, n % 2 = 0, '\\x0102' ${numbers};
    INSERT INTO grainline.results (id, etag, created_ms, expires_ms, paid, gzip)
      SELECT 'expired ' || n, '', 0, ${dead} - n, n % 2 = 0, '\\x0102' ${numbers};
    INSERT INTO grainline.payments (key, state, payer, credited, slot, fingerprint, price, product, created_ms,
        changed_ms, finality, recheck_ms)
      SELECT 'filled ' || n, 'consumed', 'payer', 2000, 7, 'f', 2000, 'structure', 0, 0, 'finalized', 0 ${numbers};
    INSERT INTO grainline.responses (key, status, headers, expires_ms, gzip)
      SELECT 'filled ' || n, 200, '{}', ${dead} - n, '\\x01' ${numbers};
    INSERT INTO grainline.quota (day, client, pages) SELECT '2026-11-01', 'client ' || n, 1 ${numbers};
    UPDATE grainline.stored_parts SET unfinished = ${ROWS} WHERE part = 0;
    SET session_replication_role = DEFAULT;`);
  await database.query('VACUUM ANALYZE');
}

async function countClaims(): Promise<void> {
  const database = await createDatabase(cluster.url);
  let claims = 0;
  let completed = 0;
  const stores: Store[] = [];
  const polls: ReturnType<typeof createPoll>[] = [];
  for (let server = 0; server < SERVERS; server++) {
    const store = await openPostgresStore({ ...SPACE, databaseUrl: database.url, connections: 2 });
    stores.push(store);
    // As jobs.ts claims, with one job at a time that takes 20 ms.
    const poll = createPoll(async () => {
      for (;;) {
        claims++;
        const claim = await store.claimJob(LEASE_MS);
        if (claim.kind === 'none') return LEASE_MS / 2;
        await wait(20);
        const { lease } = claim.job;
        await store.finishJob(lease, { result: resultOf(lease.id), response: responseOf() });
        completed++;
      }
    });
    polls.push(poll);
    store.onJob(poll.wake);
    poll.wake();
  }
  // Every server has polled once, and is idle.
  await wait(LEASE_MS);
  const [store] = stores;
  if (store === undefined) throw new Error('There are several.');
  const submit = (id: string) =>
    store.submitJob({ id, payload: BYTES, timeoutMs: HOUR_MS, client: 'c' }, { most: 1e6 });
  for (const [name, pauseMs] of [
    ['one after the other', 50],
    ['all at once', 0],
  ] as const) {
    const before = { claims, completed };
    const beganMs = performance.now();
    for (let job = 0; job < JOBS; job++) {
      await submit(`${name} ${job}`);
      if (pauseMs > 0) await wait(pauseMs);
    }
    while (completed - before.completed < JOBS) await wait(5);
    const ms = performance.now() - beganMs;
    // Idle servers poll every 4 s besides.
    const polled = (SERVERS * ms) / (LEASE_MS / 2);
    const perJob = (claims - before.claims - polled) / JOBS;
    console.log(
      `${JOBS} jobs ${name} at ${SERVERS} servers: ${perJob.toFixed(2)} claims a job without polls, ${((claims - before.claims) / JOBS).toFixed(2)} with them, in ${(ms / 1000).toFixed(1)} s`,
    );
    if (perJob > GOALS.claims) discrepancies.push(`${perJob.toFixed(1)} claims a job`);
  }
  const [row] = await database.query<{ count: string }>(
    'SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()',
  );
  console.log(`  ${row?.count} connections of ${SERVERS} servers`);
  await Promise.all(polls.map((poll) => poll.stop()));
  await Promise.all(stores.map((each) => each.close()));
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await run();
  return performance.now() - beganMs;
}

function shown(rates: readonly number[]): string {
  return rates.map((rate) => rate.toFixed(0)).join(' ');
}

function responseOf(): PaidResponse {
  return { status: 200, headers: {}, gzip: BYTES, expiresMs: Date.now() + HOUR_MS };
}

function resultOf(id: string): StoredResult {
  return { id, gzip: BYTES, etag: '""', createdMs: Date.now(), expiresMs: Date.now() + HOUR_MS };
}
