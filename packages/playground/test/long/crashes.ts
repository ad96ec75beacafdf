// Kills under mixed load: the embedded server, three servers on one PostgreSQL, and PostgreSQL itself, each again and
// again at random moments, while clients go on with free uploads, paid requests and paid jobs, and send again what
// broke off or was refused for the moment. Nothing that was given may be lost or sold twice, no client may have more
// pages than a day has, and no job may be less far than it was.
//
//   node packages/playground/test/long/crashes.ts
//
// KILLS_EMBEDDED=40 KILLS_SHARED=20 KILLS_DATABASE=5 SEED=1 change it; 0 leaves one out. MOST_BACK_MS=2000 is for a
// machine that does nothing else: where others work too, a start takes as long as they leave it.
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { quantile } from '@grainline/testing/load';
import { createCluster } from '@grainline/testing/postgres-cluster';
import { type Books, findDiscrepancies, type HeldJob } from './books.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { earnings, embeddedPlace, type Workspace, postgresPlace, startGround } from './ground.ts';
import { startTraffic, WRONGS } from './traffic.ts';

const SEED = process.env['SEED'] ?? '1';
const KILLS = {
  embedded: Number(process.env['KILLS_EMBEDDED'] ?? 40),
  shared: Number(process.env['KILLS_SHARED'] ?? 20),
  database: Number(process.env['KILLS_DATABASE'] ?? 5),
};
/** Within which the embedded server is healthy again, from the kill on. */
const MOST_BACK_MS = Number(process.env['MOST_BACK_MS'] ?? 2_000);
/** Within which the job of a dead process goes on elsewhere. */
const MOST_TAKEOVER_MS = 15_000;
/** Longer than any honest way to an answer: leases, starts, a database that recovers. */
const PATIENCE_MS = 60_000;
const PAGES = 60;

/** One kind of kill. */
interface Plan {
  readonly name: string;
  readonly kills: number;
  readonly instances: number;
  readonly place: Workspace;
  /** Kills something and starts it again; resolves with the ms until the service was there again. */
  readonly kill: (fleet: Fleet) => Promise<number>;
  readonly mostBackMs: number;
}

const ground = await startGround('crashes');
const random = randomFrom(SEED);
const discrepancies: string[] = [];
const began = performance.now();
if (KILLS.embedded > 0) await embedded();
if (KILLS.shared > 0) await shared();
if (KILLS.database > 0) await database();
await ground.stop();
const minutes = ((performance.now() - began) / 60_000).toFixed(1);
console.log(
  `crashes: ${KILLS.embedded} + ${KILLS.shared} + ${KILLS.database} kills in ${minutes} minutes (seed ${SEED}); ` +
    (discrepancies.length === 0 ? 'all held' : `FAULTS: ${discrepancies.join(', ')}`),
);
process.exit(discrepancies.length === 0 ? 0 : 1);

async function embedded(): Promise<void> {
  const place = embeddedPlace();
  const kill = (fleet: Fleet) => killServer(fleet, 0);
  await run({
    ...{ name: 'embedded', kills: KILLS.embedded, instances: 1, place, kill, mostBackMs: MOST_BACK_MS },
  });
}

async function shared(): Promise<void> {
  const place = await postgresPlace();
  const kill = (fleet: Fleet) => killServer(fleet, Math.floor(random() * fleet.size));
  await run({
    ...{ name: 'shared', kills: KILLS.shared, instances: 3, place, kill, mostBackMs: Infinity },
  });
}

async function database(): Promise<void> {
  const cluster = await createCluster();
  try {
    const place = await postgresPlace(cluster.url);
    const kill = async (fleet: Fleet): Promise<number> => {
      await cluster.kill();
      // Sometimes so long that calls run into their time-outs, sometimes hardly at all.
      await wait(random() ** 2 * 6_000);
      const beganMs = performance.now();
      cluster.start();
      await Promise.all(Array.from({ length: fleet.size }, (_, index) => fleet.ready(index)));
      return performance.now() - beganMs;
    };
    await run({
      ...{ name: 'database', kills: KILLS.database, instances: 3, place, kill, mostBackMs: Infinity },
    });
  } finally {
    cluster.remove();
  }
}

async function killServer(fleet: Fleet, index: number): Promise<number> {
  const beganMs = performance.now();
  await fleet.kill(index);
  await fleet.start(index);
  return performance.now() - beganMs;
}

async function run({ name, kills, instances, place, kill, mostBackMs }: Plan): Promise<void> {
  const { playground } = ground;
  const income = await earnings(playground);
  const fleet = await startFleet(instances, {
    ...ground.settings,
    ...place.settings,
    FREE_PAGES_PER_DAY: String(PAGES),
    // Shorter than a service's, because each kill costs the wait for it.
    PAYMENT_LEASE_MS: '3000',
    PAYMENT_WAIT_MS: '3000',
  });
  const traffic = startTraffic({ fleet, playground, patienceMs: PATIENCE_MS, pagesPerDay: PAGES });
  const watch = watchLeases(place.books);
  const backMs: number[] = [];
  const beganMs = performance.now();
  for (let count = 0; count < kills; count++) {
    await wait(500 + random() * 2_500);
    watch.killed();
    backMs.push(await kill(fleet));
  }
  await traffic.end();
  const seconds = (performance.now() - beganMs) / 1000;
  const takeoverMs = await watch.end();
  const { tally } = traffic;
  const wrong = [
    ...WRONGS.filter((each) => tally[each] > 0),
    ...(await findDiscrepancies(place.books, tally, await income())),
    ...(Math.max(...backMs) > mostBackMs ? ['back late'] : []),
    ...(takeoverMs > MOST_TAKEOVER_MS ? ['taken over late'] : []),
  ];
  discrepancies.push(...wrong.map((each) => `${name}: ${each}`));
  await fleet.close();
  await place.drop();
  const seen = Object.entries(tally).map(([what, count]) => `${what} ${count}`);
  console.log(
    `${name}: ${kills} kills in ${seconds.toFixed(0)} s, back after ${quantile(backMs, 0.5).toFixed(0)} ms (p50), ${Math.max(...backMs).toFixed(0)} at most, ` +
      `jobs of the dead taken over after ${(takeoverMs / 1000).toFixed(1)} s at most; ${seen.join(', ')}`,
  );
}

/** Looks who has which job. A lease that gives way to another one without being given back was a dead process's. */
function watchLeases(books: Books) {
  const leases = new Map<string, { token: string; leaseEndsMs: number; aliveMs: number }>();
  const killsMs: number[] = [];
  let slowestMs = 0;
  let isOver = false;

  /** @param beforeMs of the look before: whatever is new has happened since */
  function note({ id, token, claimedMs, leaseEndsMs }: HeldJob, beforeMs: number): void {
    const lease = leases.get(id);
    if (lease?.token === token && lease.leaseEndsMs === leaseEndsMs) return;
    if (lease !== undefined && lease.token !== token) {
      // Dead since the first kill after its process was last seen to renew it: perhaps another one's, which errs to the
      // longer side.
      const deadMs = killsMs.find((ms) => ms >= lease.aliveMs && ms <= claimedMs) ?? claimedMs;
      slowestMs = Math.max(slowestMs, claimedMs - deadMs);
    }
    leases.set(id, { token, leaseEndsMs, aliveMs: beforeMs });
  }

  const watching = (async () => {
    let beforeMs = Date.now();
    while (!isOver) {
      const pollStartMs = Date.now();
      // Away is what it may be here.
      for (const job of await books.held().catch(() => [])) note(job, beforeMs);
      beforeMs = pollStartMs;
      await wait(100);
    }
  })();
  return {
    killed: () => void killsMs.push(Date.now()),
    /** Resolves with the longest time from a kill to the claim of a job by another process, in ms. */
    async end(): Promise<number> {
      isOver = true;
      await watching;
      return slowestMs;
    },
  };
}

/** Numbers from 0 up to 1: the same seed gives the same moments. */
function randomFrom(seed: string): () => number {
  let drawn = 0;
  return () => createHash('sha256').update(`${seed}/${drawn++}`).digest().readUInt32BE() / 2 ** 32;
}
