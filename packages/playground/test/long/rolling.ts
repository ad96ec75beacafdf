// Rolling restarts: three servers on one PostgreSQL behind a front, each told to stop, waited for and started again,
// one after the other, while all kinds of requests go on. Every request is sent once; not one may fail, and nothing
// that was given may be lost.
//
//   node packages/playground/test/long/rolling.ts        ROUNDS=3
import { setTimeout as wait } from 'node:timers/promises';
import { findDiscrepancies } from './books.ts';
import { startFleet } from './fleet.ts';
import { earnings, postgresPlace, startGround } from './ground.ts';
import { startTraffic, WRONGS } from './traffic.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const INSTANCES = 3;
/** SHUTDOWN_MS. */
const MOST_STOP_MS = 25_000;
const PAGES = 60;

const ground = await startGround('rolling');
const place = await postgresPlace();
const income = await earnings(ground.playground);
const settings = { ...ground.settings, ...place.settings, FREE_PAGES_PER_DAY: String(PAGES) };
const fleet = await startFleet(INSTANCES, settings);
const { playground } = ground;
const traffic = startTraffic({ fleet, playground, patienceMs: 0, pagesPerDay: PAGES });
const stopMs: number[] = [];
const discrepancies: string[] = [];
const beganMs = performance.now();
await wait(2000);
for (let restart = 0; restart < ROUNDS * INSTANCES; restart++) {
  const index = restart % INSTANCES;
  stopMs.push(
    await fleet.stop(index).catch((error: unknown) => {
      discrepancies.push(String(error));
      return 0;
    }),
  );
  await fleet.start(index);
  await fleet.ready(index);
  // A different moment each time.
  await wait((restart * 137) % 1000);
}
await traffic.end();
const seconds = (performance.now() - beganMs) / 1000;
await fleet.close();
const { tally } = traffic;
discrepancies.push(
  ...WRONGS.filter((wrong) => tally[wrong] > 0),
  ...(await findDiscrepancies(place.books, tally, await income())),
);
const slowest = Math.max(...stopMs);
if (slowest > MOST_STOP_MS) discrepancies.push('stopped late');
await place.drop();
await ground.stop();
console.log(
  `rolling restart: ${ROUNDS} rounds of ${INSTANCES} in ${seconds.toFixed(0)} s, slowest stop ${slowest.toFixed(0)} ms; ` +
    `${summaryOf()}; ${discrepancies.length === 0 ? 'all held' : `FAULTS: ${discrepancies.join(', ')}`}`,
);
process.exit(discrepancies.length === 0 ? 0 : 1);

function summaryOf(): string {
  return Object.entries(tally)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
