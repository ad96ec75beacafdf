// Jobs whose processes die, in small numbers; test/long/jobs.ts has larger ones.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '@grainline/testing/postgres-server';
import { killJobs, type KillReport, MOST_IN_FLIGHT } from './kills.ts';

const isThere = await hasPostgres();
const SMALL = { kills: 3, jobs: 2, paragraphs: 24, leaseMs: 400, answerMs: 5 } as const;
const seed = Math.floor(Math.random() * 2 ** 31);

function expectWhole(report: KillReport): void {
  expect(report).toMatchObject({ completed: SMALL.jobs, areEqual: true, backwards: 0 });
  expect(report.questionsEach).toBeGreaterThan(2);
  expect(report.chunks).toBeGreaterThanOrEqual(SMALL.paragraphs);
  expect(report.repeatedCalls).toBeLessThanOrEqual(SMALL.kills * MOST_IN_FLIGHT);
}

describe('jobs whose process is killed', () => {
  it('are completed by the next one on the same folder, as if nothing had happened', async () => {
    console.log(`moments of kills: seed ${seed}`);
    const dataDir = mkdtempSync(join(tmpdir(), 'grainline-jobs-'));
    const store = openSqliteStore({ dataDir, maxStoredBytes: 1e9, now: Date.now });
    try {
      const address = { engine: 'sqlite', dataDir } as const;
      expectWhole(await killJobs({ ...SMALL, seed, store, address, instances: 1 }));
    } finally {
      await store.close();
      rmSync(dataDir, { recursive: true });
    }
  }, 120_000);
});

describe.skipIf(!isThere)('jobs of several processes on one PostgreSQL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());

  it('are taken over by another one when theirs is killed', async () => {
    const store = await openPostgresStore({ databaseUrl: database.url, maxStoredBytes: 1e9 });
    try {
      const address = { engine: 'postgres', databaseUrl: database.url } as const;
      expectWhole(await killJobs({ ...SMALL, seed, store, address, instances: 3 }));
    } finally {
      await store.close();
    }
  }, 120_000);
});
