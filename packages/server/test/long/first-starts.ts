// Fifty processes that open a new store at the same moment, like servers that start together for the first time, on
// SQLite and on PostgreSQL: all of them succeed.
//
//   node --import ./packages/server/test/sandbox/from-sources.mjs packages/server/test/long/first-starts.ts
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCluster } from '@grainline/testing/postgres-cluster';
import { createDatabase } from '@grainline/testing/postgres-server';
import { startOpeners } from '../store/openers.ts';

const PROCESSES = Number(process.env['PROCESSES'] ?? 50);
const ROUNDS = 10;

const folder = mkdtempSync(join(tmpdir(), 'grainline-first-starts-'));
// Its own server: each process has a connection, and others use the usual one.
const cluster = await createCluster();
const openers = await startOpeners(PROCESSES);
const failures: string[] = [];
const slowestMs = { sqlite: 0, postgres: 0 };
try {
  for (let round = 0; round < ROUNDS; round++) {
    await openAll({ engine: 'sqlite', dataDir: join(folder, String(round)) });
    const database = await createDatabase(cluster.url);
    await openAll({ engine: 'postgres', databaseUrl: database.url });
    await database.drop();
  }
} finally {
  openers.end();
  cluster.remove();
  rmSync(folder, { recursive: true });
}
console.log(
  `first-starts: ${ROUNDS} times ${PROCESSES} processes, slowest ${slowestMs.sqlite.toFixed(0)} ms on SQLite and ` +
    `${slowestMs.postgres.toFixed(0)} ms on PostgreSQL; ` +
    (failures.length === 0 ? 'all held' : `FAULTS: ${[...new Set(failures)].join(', ')}`),
);
process.exit(failures.length === 0 ? 0 : 1);

async function openAll(address: Parameters<typeof openers.open>[0]): Promise<void> {
  const beganMs = performance.now();
  const answers = await openers.open(address);
  failures.push(...answers.filter((answer) => answer !== 'opened'));
  const ms = performance.now() - beganMs;
  slowestMs[address.engine] = Math.max(slowestMs[address.engine], ms);
}
