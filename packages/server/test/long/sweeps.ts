// A million expired rows of each kind in PostgreSQL, swept by three servers while one of them serves paid requests: how
// much longer those take than before, whether any fails, and what is left.
//
//   node --import ./packages/server/test/sandbox/from-sources.mjs packages/server/test/long/sweeps.ts   ROWS=1000000
import { quantile, sleep } from '@grainline/testing/load';
import { createDatabase } from '@grainline/testing/postgres-server';
import { startService } from '../../src/main/server.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import { form, inlineWorkerPool, memoryDownloader } from '../http/fake-service.ts';
import { fakeChain, PAY_TO } from '../payments/fake-chain.ts';
import { fakePaymentNetwork } from '../payments/paid-service.ts';
import { send } from '../payments/selling.ts';

const ROWS = Number(process.env['ROWS'] ?? 1_000_000);
/** Rows of each kind that have not expired. */
const LIVE_ROWS = 1_000;
const SERVERS = 3;
/** Each server begins a sweep so often: more often than in service, so that sweeps would overlap. */
const SWEEP_EVERY_MS = 1_000;
/** Time of the quiet requests before the sweep, and of those after it. */
const QUIET_MS = 20_000;
/** Longest time of the sweep. */
const MOST_SWEEP_MS = 300_000;
/** Most that p95 may grow. */
const MOST_FACTOR = 2;
const PRICE = 2000n;
/** The tables, and the column of each that names a row. */
const TABLES = { quota: 'client', results: 'id', responses: 'key', jobs: 'id' } as const;

const database = await createDatabase();
const settings = readSettings({
  ...{ PORT: '0', PAY_TO, PAYMENT_WAIT_MS: '0', RATE_LIMIT: 'off', LOG_LEVEL: 'silent' },
  DATABASE_URL: database.url,
});
const { maxStoredBytes, maxPaidBytes } = settings;
const openStore = () => openPostgresStore({ databaseUrl: database.url, maxStoredBytes, maxPaidBytes });
const stores = [await openStore(), await openStore(), await openStore()].slice(0, SERVERS);
const [store] = stores;
if (store === undefined) throw new Error('There are several.');
const chain = fakeChain(Date.now);
const service = await startService(settings, {
  store,
  downloader: memoryDownloader(),
  workerPool: inlineWorkerPool,
  paymentNetwork: fakePaymentNetwork(chain, settings),
});
await service.ready;
const discrepancies: string[] = [];

const filledMs = await timed(fill);
console.log(`${ROWS} expired rows of each kind after ${(filledMs / 1000).toFixed(1)} s`);
for (let count = 0; count < 50; count++) await buy();
const quiet: number[] = [];
await buyFor(QUIET_MS);

const busy: number[] = [];
const sweeps: Promise<unknown>[] = [];
const end = new AbortController();
let mostAtOnce = 0;
const selling = (async () => {
  while (!end.signal.aborted) busy.push(await buy());
})();
const sweptMs = await timed(async () => {
  const lastMs = performance.now() + MOST_SWEEP_MS;
  while ((await countExpired()) > 0) {
    if (performance.now() > lastMs) {
      discrepancies.push('expired rows are left');
      break;
    }
    for (const each of stores) sweeps.push(each.sweep().catch((error: unknown) => noteFailure(error)));
    const endMs = performance.now() + SWEEP_EVERY_MS;
    while (performance.now() < endMs) {
      mostAtOnce = Math.max(mostAtOnce, await countDeleting());
      await sleep(20);
    }
  }
});
end.abort();
await Promise.all([selling, ...sweeps]);
await buyFor(QUIET_MS);

if (mostAtOnce > 1) discrepancies.push(`${mostAtOnce} sweeps at once`);
for (const [table, column] of Object.entries(TABLES)) {
  const live = `SELECT count(*) FROM grainline.${table} WHERE ${column} LIKE 'live %'`;
  const [row] = await database.query<{ count: string }>(live);
  if (Number(row?.count) !== LIVE_ROWS) discrepancies.push(`${row?.count} live rows of ${table}`);
}
const [sums] = await database.query<{ ok: boolean }>(
  `SELECT bytes = (SELECT sum(length(gzip)) FROM (SELECT gzip FROM grainline.results UNION ALL
       SELECT gzip FROM grainline.responses) AS kept)
     AND paid_bytes = (SELECT sum(length(gzip)) FROM (SELECT gzip FROM grainline.results WHERE paid UNION ALL
       SELECT gzip FROM grainline.responses) AS kept) AS ok FROM grainline.stored`,
);
if (sums?.ok !== true) discrepancies.push('the sums of bytes are wrong');
const [before, during] = [quantile(quiet, 0.95), quantile(busy, 0.95)];
if (during > MOST_FACTOR * before) discrepancies.push(`p95 grew ${(during / before).toFixed(1)} times`);
await service.stop();
await Promise.all(stores.map((each) => each.close()));
await database.drop();
console.log(
  `sweeps: ${ROWS} rows of each kind gone after ${(sweptMs / 1000).toFixed(1)} s; paid requests ` +
    `p50 ${quantile(quiet, 0.5).toFixed(1)} → ${quantile(busy, 0.5).toFixed(1)} ms, p95 ${before.toFixed(1)} → ` +
    `${during.toFixed(1)} ms, slowest ${Math.max(...quiet).toFixed(0)} → ${Math.max(...busy).toFixed(0)} ms of ` +
    `${busy.length}; ${discrepancies.length === 0 ? 'all held' : `FAULTS: ${discrepancies.join(', ')}`}`,
);
process.exit(discrepancies.length === 0 ? 0 : 1);

async function timed(run: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await run();
  return performance.now() - beganMs;
}

function noteFailure(error: unknown): void {
  const { cause } = error as { cause?: unknown };
  noteOnce(`a sweep: ${cause instanceof Error ? cause.message : String(error)}`);
}

function noteOnce(discrepancy: string): void {
  if (!discrepancies.includes(discrepancy)) discrepancies.push(discrepancy);
}

/** Buys documents while no sweep has anything to delete. */
async function buyFor(ms: number): Promise<void> {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs) quiet.push(await buy());
}

/** Buys a document; resolves with the milliseconds until its answer. */
async function buy(): Promise<number> {
  const proof = chain.pay(PRICE);
  const beganMs = performance.now();
  const answer = await send(service, '/chunk/structure', form(`Text of ${proof}.`), proof);
  if (answer.status !== 200) noteOnce(`a purchase: ${answer.status} ${answer.json.code}`);
  return performance.now() - beganMs;
}

/** Rows are written past the triggers and checks of references, which take ten times as long. */
async function fill(): Promise<void> {
  const nowMs = Date.now();
  const rows = (select: string): string => `
    SELECT ${select} FROM (SELECT n, n >= ${ROWS} AS is_live, CASE WHEN n >= ${ROWS} THEN 'live ' ELSE 'old ' END || md5(n::text) AS id,
      CASE WHEN n >= ${ROWS} THEN ${nowMs + 36e5} ELSE ${nowMs - 36e5} + n % 3600000 END AS expires_ms
      FROM generate_series(0, ${ROWS + LIVE_ROWS - 1}) AS n) AS numbered`;
  await database.query(`
    SET session_replication_role = replica;
    INSERT INTO grainline.quota (day, client, pages)
      ${rows(`CASE WHEN is_live THEN to_char(now(), 'YYYY-MM-DD') ELSE '2026-01-01' END, id, 1`)};
    INSERT INTO grainline.results (id, etag, created_ms, expires_ms, paid, gzip)
      ${rows(`id, '"0"', 0, expires_ms, n % 2 = 0, decode(repeat(md5(n::text), 8), 'hex')`)};
    INSERT INTO grainline.payments (key, state, payer, credited, slot, fingerprint, price, product, created_ms,
        changed_ms, finality, recheck_ms)
      ${rows(`id, 'consumed', 'payer', 2000, 7, 'f', 2000, 'structure', 0, 0, 'finalized', 0`)};
    INSERT INTO grainline.responses (key, status, headers, expires_ms, gzip)
      ${rows(`id, 200, '{}', expires_ms, decode(repeat(md5(n::text), 4), 'hex')`)};
    INSERT INTO grainline.jobs (id, state, progress, message, payment, ran_ms, created_ms, deadline_ms, expires_ms)
      ${rows(`id, 'completed', 100, 'Completed', id, 1000, 0, 0, expires_ms`)};
    UPDATE grainline.stored_parts SET
      bytes = (SELECT sum(length(gzip)) FROM grainline.results) + (SELECT sum(length(gzip)) FROM grainline.responses),
      paid_bytes = (SELECT sum(length(gzip)) FROM grainline.results WHERE paid)
        + (SELECT sum(length(gzip)) FROM grainline.responses)
      WHERE part = 0;
    SET session_replication_role = DEFAULT;`);
  await database.query('ANALYZE');
}

/** Kinds that have expired rows. */
async function countExpired(): Promise<number> {
  const queries = Object.keys(TABLES).map((table) => {
    const condition = table === 'quota' ? `day = '2026-01-01'` : `expires_ms < ${Date.now() - 1000}`;
    return `(SELECT 1 FROM grainline.${table} WHERE ${condition} LIMIT 1)`;
  });
  return (await database.query(queries.join(' UNION ALL '))).length;
}

/** Deletions that run at this moment. */
async function countDeleting(): Promise<number> {
  const rows = await database.query(
    `SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
       AND query LIKE '%DELETE FROM grainline.%'`,
  );
  return rows.length;
}
