// Kills processes that work on jobs of the tier ai-pro of 200 chunks: 30 times on the embedded store, and 20 times
// three of them on one PostgreSQL, with the leases of a real service. Every job must complete with the result of an
// undisturbed job, only model calls in flight may be repeated, and progress must not go back.
//
//   node --import ./packages/server/test/sandbox/from-sources.mjs packages/server/test/long/jobs.ts
//
// KILLS_EMBEDDED, KILLS_SHARED and SEED change it; POSTGRES_URL names the server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JOB_LEASE_MS } from '../../src/jobs/run.ts';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { killJobs, type KillPlan, type KillReport, MOST_IN_FLIGHT } from '../jobs/kills.ts';
import { createDatabase } from '@grainline/testing/postgres-server';

const SEED = Number(process.env['SEED'] ?? 1);
const EMBEDDED = Number(process.env['KILLS_EMBEDDED'] ?? 30);
const SHARED = Number(process.env['KILLS_SHARED'] ?? 20);
/** Documents of 200 chunks: the headings take some of them. */
const PARAGRAPHS = 160;
/** Within which a dead process's job has to go on elsewhere. */
const MOST_TAKEOVER_MS = 15_000;

/** Broken promises. */
const issues: string[] = [];
await embedded();
await shared();
process.exit(issues.length === 0 ? 0 : 1);

async function embedded(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'grainline-long-jobs-'));
  const store = openSqliteStore({ dataDir, maxStoredBytes: 1e9, now: Date.now });
  const address = { engine: 'sqlite', dataDir } as const;
  // A lease that is shorter than a service's, because each kill costs the wait for it.
  await check('embedded', {
    store,
    address,
    instances: 1,
    kills: EMBEDDED,
    jobs: 2,
    leaseMs: 3000,
    answerMs: 20,
  });
  await store.close();
  rmSync(dataDir, { recursive: true });
}

async function shared(): Promise<void> {
  const database = await createDatabase();
  const store = await openPostgresStore({ databaseUrl: database.url, maxStoredBytes: 1e9 });
  const address = { engine: 'postgres', databaseUrl: database.url } as const;
  const leaseMs = JOB_LEASE_MS;
  const report = await check('shared', {
    ...{ store, address, instances: 3, kills: SHARED, jobs: 12, leaseMs, answerMs: 100 },
  });
  if ((report.takeoverMs ?? 0) > MOST_TAKEOVER_MS) issues.push('taken over late');
  await store.close();
  await database.drop();
}

async function check(name: string, plan: Omit<KillPlan, 'seed' | 'paragraphs'>): Promise<KillReport> {
  const report = await killJobs({ ...plan, seed: SEED, paragraphs: PARAGRAPHS });
  console.log(`${name}: ${plan.kills} kills, ${JSON.stringify(report)}`);
  const { completed, areEqual, backwards, repeatedCalls: repeatedCalls, inFlight } = report;
  if (completed !== plan.jobs || !areEqual || backwards > 0 || repeatedCalls > plan.kills * MOST_IN_FLIGHT)
    issues.push(name);
  // Neither more than those that were out, nor other ones.
  if (inFlight !== undefined && (repeatedCalls !== inFlight.all || inFlight.most > MOST_IN_FLIGHT))
    issues.push(`${name}: asked again what was kept`);
  return report;
}
