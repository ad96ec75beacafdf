// How many paid requests and how many paid jobs one, two and three servers on one PostgreSQL complete in a second,
// behind one front, each paid for before the clock runs. The model takes its time for each answer, so that jobs wait
// rather than work; paid requests work, and more servers than processors share what there is.
//
//   node packages/playground/test/long/throughput.ts        PURCHASES=400 JOBS=24
import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { quantile, type Sendable, uploadOf } from '@grainline/testing/load';
import { findDiscrepancies } from './books.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { earnings, postgresPlace, startGround } from './ground.ts';
import { payOnce, PRICE } from './payments.ts';
import { getOf, JOB_PRICE, JOB_TEXT, membersOf, paidUploadOf, paidWith } from './traffic.ts';

const PURCHASES = Number(process.env['PURCHASES'] ?? 400);
const JOBS = Number(process.env['JOBS'] ?? 24);
const INSTANCES = [1, 2, 3];
/** Requests that are on their way at the same time, and payments that are made. */
const AT_ONCE = 24;
const PAYING_AT_ONCE = 8;
const POLL_MS = 200;

const ground = await startGround('throughput');
const { playground } = ground;
const [payer] = playground.payers;
if (payer === undefined) throw new Error('There is one.');
const discrepancies: string[] = [];
const lines: string[] = [];
let paid = 0;
for (const instances of INSTANCES) {
  const place = await postgresPlace();
  const income = await earnings(playground);
  const fleet = await startFleet(instances, { ...ground.settings, ...place.settings });
  const purchases = await ordersOf(PURCHASES, PRICE, (number) => paidUploadOf(number, false));
  const jobs = await ordersOf(JOBS, JOB_PRICE, () => uploadOf(JOB_TEXT, 'tides.txt', 'ai-pro'));
  // Each server has worked once.
  for (let index = 0; index < instances; index++) await buy(fleet, purchases.pop());
  const ms: number[] = [];
  const requestsS = await timed(AT_ONCE, purchases, async (order) => void ms.push(await buy(fleet, order)));
  const jobsS = await timed(jobs.length, jobs, (order) => complete(fleet, order));
  const payments = PURCHASES + JOBS;
  const paidMicroUsdc = BigInt(PURCHASES) * PRICE + BigInt(JOBS) * JOB_PRICE;
  const bought = { payments, paidMicroUsdc, sold: PURCHASES, jobs: JOBS };
  discrepancies.push(...(await findDiscrepancies(place.books, bought, await income())));
  await fleet.close();
  await place.drop();
  lines.push(
    `${instances}: ${((PURCHASES - instances) / requestsS).toFixed(1)} paid requests/s ` +
      `(p50 ${quantile(ms, 0.5).toFixed(0)}, p99 ${quantile(ms, 0.99).toFixed(0)} ms), ${(JOBS / jobsS).toFixed(2)} jobs/s`,
  );
  console.log(lines.at(-1));
}
await ground.stop();
console.log(
  `throughput on ${availableParallelism()} processors, of servers: ${lines.join('; ')}; ` +
    (discrepancies.length === 0 ? 'all held' : `FAULTS: ${discrepancies.join(', ')}`),
);
process.exit(discrepancies.length === 0 ? 0 : 1);

/** Requests that are paid for. */
async function ordersOf(
  count: number,
  price: bigint,
  orderOf: (number: number) => Sendable,
): Promise<Sendable[]> {
  const orders: Sendable[] = [];
  const numbers = Array.from({ length: count }, (_, number) => number);
  await timed(PAYING_AT_ONCE, numbers, async (number) => {
    if (payer === undefined) throw new Error('There is one.');
    const proof = await payOnce(playground, payer, `throughput ${paid++}`, price);
    orders.push(paidWith({ 'X-PAYMENT': proof }, orderOf(number)));
  });
  return orders;
}

/** Does the work on every item, so many at a time; resolves with the seconds that it took. */
async function timed<Item>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<number> {
  const beganMs = performance.now();
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return (performance.now() - beganMs) / 1000;
}

/** Resolves with the ms that the answer took. */
async function buy(fleet: Fleet, order: Sendable | undefined): Promise<number> {
  if (order === undefined) throw new Error('There are more.');
  const { outcome, text, ms } = await fleet.send(order);
  if (outcome !== 200) discrepancies.push(`a purchase: ${outcome} ${text}`);
  return ms;
}

async function complete(fleet: Fleet, order: Sendable): Promise<void> {
  const { outcome, text } = await fleet.send(order);
  if (outcome !== 200) return void discrepancies.push(`a job: ${outcome} ${text}`);
  const path = `/job/${String(membersOf(text)['job_id'])}/status`;
  for (;;) {
    const { status } = membersOf((await fleet.send(getOf(path))).text);
    if (status === 'completed') return;
    if (status !== 'processing') return void discrepancies.push(`a job: ${String(status)}`);
    await wait(POLL_MS);
  }
}
