// BullMQ and pg-boss, which packages/pipeline/peers installs, by the parts that tests and programs use.
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';

const PEERS = join(import.meta.dirname, '../../pipeline/peers');

/** Options of every object of BullMQ. */
export interface BullOptions {
  readonly connection: { readonly host: string; readonly port: number };
  readonly prefix: string;
}

/** BullMQ. */
export interface BullMq {
  readonly FlowProducer: new (options: BullOptions) => {
    add(flow: unknown): Promise<unknown>;
    on(event: 'error', listener: (error: unknown) => void): unknown;
    close(): Promise<void>;
  };
  readonly Queue: new (
    name: string,
    options: BullOptions,
  ) => {
    getJobCounts(): Promise<Record<string, number>>;
    on(event: 'error', listener: (error: unknown) => void): unknown;
    obliterate(options: { readonly force: boolean }): Promise<void>;
    close(): Promise<void>;
  };
  readonly Worker: new (
    name: string,
    process: (job: { readonly data: unknown }, token?: string, signal?: AbortSignal) => Promise<void>,
    options: BullOptions & {
      readonly concurrency?: number;
      readonly lockDuration?: number;
      readonly stalledInterval?: number;
      readonly maxStalledCount?: number;
    },
  ) => {
    on(event: 'failed' | 'error', listener: (...given: unknown[]) => void): unknown;
    close(): Promise<void>;
  };
}

/** A job of pg-boss. */
export interface QueueJob {
  readonly id: string;
  readonly data: unknown;
  readonly signal?: AbortSignal;
}

/** pg-boss. */
export interface PgBossPackage {
  readonly PgBoss: new (options: Readonly<Record<string, unknown>>) => {
    start(): Promise<unknown>;
    stop(options?: object): Promise<void>;
    on(event: 'error', listener: (error: unknown) => void): unknown;
    createQueue(name: string, options?: object): Promise<void>;
    send(queue: string, data: object, options: object): Promise<unknown>;
    work(
      queue: string,
      options: object,
      handler: (jobs: readonly QueueJob[]) => Promise<unknown[]>,
    ): Promise<unknown>;
  };
}

/** True when the queues are installed. */
export function hasQueues(): boolean {
  if (existsSync(join(PEERS, 'node_modules/bullmq'))) return true;
  console.warn('\nSKIPPED: the engines of the steps; run `npm ci --prefix packages/pipeline/peers`\n');
  return false;
}

export async function loadBullMq(): Promise<BullMq> {
  return (await load('bullmq')) as BullMq;
}

export async function loadPgBoss(): Promise<PgBossPackage> {
  return (await load('pg-boss')) as PgBossPackage;
}

async function load(name: string): Promise<unknown> {
  const { load: from } = (await import(join(PEERS, 'load.mjs'))) as {
    load: (name: string) => Promise<unknown>;
  };
  return from(name);
}

/** True when a Redis answers at this address; an error in CI, where it must. */
export async function hasRedis(host: string, port: number): Promise<boolean> {
  const answers = await new Promise<boolean>((resolve) => {
    const socket = createConnection({ host, port }, () => socket.write('PING\r\n'));
    socket.setTimeout(5000, () => resolve(false));
    socket.on('error', () => resolve(false));
    socket.on('data', (data) => {
      resolve(data.toString().startsWith('+PONG'));
      socket.destroy();
    });
  });
  if (answers) return true;
  if (process.env['CI'] === 'true') throw new Error(`the tests need Redis at ${host}:${port}`);
  console.warn(`\nSKIPPED: no Redis answers at ${host}:${port}, so that BullMQ is not tested\n`);
  return false;
}
