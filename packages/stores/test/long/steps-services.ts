// Parts of programs with workers of the steps: a Redis of their own, the queues, and the chunks in the database.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createBossSteps,
  createBullSteps,
  type DocumentSteps,
  type SubmittedDocument,
} from '@grainline/pipeline/steps';
import { hasPrograms } from '@grainline/testing/postgres-cluster';
import { hasQueues, loadBullMq, loadPgBoss } from '@grainline/testing/queues';
import { Client } from 'pg';
import { BOSS_JOBS, bossOptions, BULL_JOBS, bullOptions, QUEUE, type Run } from './steps-worker.ts';

/** Ends the program when PostgreSQL, Redis or the queues are missing; in CI with an error. */
export function requireServices(): void {
  const hasServer = ['/usr/bin/redis-server', '/usr/local/bin/redis-server'].some((path) => existsSync(path));
  if (hasPrograms() && hasQueues() && hasServer) return;
  console.warn('SKIPPED: PostgreSQL, Redis or the queues are not installed');
  process.exit(process.env['CI'] === 'true' ? 1 : 0);
}

/** A Redis of this program that keeps every write on its disk. */
export class Redis {
  readonly #folder = mkdtempSync(join(tmpdir(), 'grainline-redis-'));
  readonly port: number;
  #process: ChildProcess | undefined;

  constructor(port: number) {
    this.port = port;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(): Promise<void> {
    const settings = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--bind', '127.0.0.1'];
    this.#process = spawn('redis-server', ['--port', `${this.port}`, '--dir', this.#folder, ...settings], {
      stdio: 'ignore',
    });
    const ping = (): boolean =>
      spawnSync('redis-cli', ['-p', `${this.port}`, 'ping'], { encoding: 'utf8' }).stdout.startsWith('PONG');
    while (!ping()) await sleep(50);
  }

  async kill(): Promise<void> {
    const ended = this.#process && once(this.#process, 'exit');
    this.#process?.kill('SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** The queue of a run, into which documents are submitted. */
export interface Submitter {
  readonly submit: (document: SubmittedDocument) => Promise<void>;
  readonly end: () => Promise<void>;
}

export async function connectQueue(run: Run, steps: DocumentSteps): Promise<Submitter> {
  if (run.engine === 'bullmq') {
    const { FlowProducer } = await loadBullMq();
    const producer = new FlowProducer(bullOptions(run));
    producer.on('error', () => undefined);
    const { submit } = createBullSteps(steps, producer, QUEUE, BULL_JOBS);
    return { submit, end: () => producer.close() };
  }
  const { PgBoss } = await loadPgBoss();
  const boss = new PgBoss(bossOptions(run));
  boss.on('error', () => undefined);
  await boss.start();
  await boss.createQueue(QUEUE, { notify: true });
  const { submit } = createBossSteps(steps, boss, QUEUE, BOSS_JOBS);
  return { submit, end: () => boss.stop({ graceful: false }) };
}

/** The members of an object in the order of their names. */
export const ordered = (value: object): [string, unknown][] =>
  Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));

/** A hash of everything that a chunk has. */
export const chunkText = (text: string, metadata: object, vector: readonly number[]): string =>
  hash('sha1', JSON.stringify([text, ordered(metadata), vector.map(Math.fround)]));

/** The chunks of the array store by their ids. */
export async function chunksIn(url: string): Promise<Map<string, string>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ id: string; text: string; metadata: object; embedding: number[] }>(
    'SELECT id, text, metadata, embedding FROM chunks',
  );
  await client.end();
  return new Map(rows.map(({ id, text, metadata, embedding }) => [id, chunkText(text, metadata, embedding)]));
}
