// Ground of the long programs with whole services: play money, a scripted model, and an empty store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '@grainline/testing/postgres-server';
import { startScriptedModel } from '@grainline/testing/scripted-model/server';
import { type Playground, startPlayground } from '../../src/playground.ts';
import { type Books, embeddedBooks, postgresBooks } from './books.ts';
import { earned } from './payments.ts';

export interface Ground {
  readonly playground: Playground;
  /** Of servers whose clients name themselves in X-Forwarded-For. */
  readonly settings: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** An empty store. */
export interface Workspace {
  readonly settings: Readonly<Record<string, string>>;
  readonly books: Books;
  drop(): Promise<void>;
}

/** How long the model takes for an answer. */
const ANSWER_MS = 200;

export async function startGround(seed: string): Promise<Ground> {
  const playground = await startPlayground({ chain: { slotMs: 50 }, seed, payers: 1 });
  const model = await startScriptedModel({ script: () => ({ afterMs: ANSWER_MS }) });
  return {
    playground,
    settings: {
      ...playground.environment,
      PORT: '0',
      PUBLIC_URL: 'http://grainline.test',
      TRUSTED_PROXIES: '127.0.0.1',
      WORKERS: '1',
      JOB_CONCURRENCY: '2',
      AI_AT_ONCE: '1',
      AI_MODEL: model.model,
      AI_BASE_URL: model.baseUrl,
      AI_PRICE: '0,0',
    },
    async stop() {
      await Promise.all([playground.stop(), model.stop()]);
    },
  };
}

export function embeddedPlace(): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'grainline-long-'));
  return {
    settings: { DATA_DIR: folder },
    books: embeddedBooks(folder),
    drop: () => {
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

/** @param serverUrl another PostgreSQL than that of the tests */
export async function postgresPlace(serverUrl?: string): Promise<Workspace> {
  const database = await createDatabase(serverUrl);
  return {
    settings: { DATABASE_URL: database.url },
    books: postgresBooks(database.url),
    drop: () => database.drop(),
  };
}

/** Starts counting; the returned function gives the earnings since then. */
export async function earnings(playground: Playground): Promise<() => Promise<bigint>> {
  const before = await earned(playground);
  return async () => (await earned(playground)) - before;
}
