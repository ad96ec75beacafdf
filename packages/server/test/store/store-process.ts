// Starts `store-program.ts` as a process of its own, from the sources, and describes its tasks.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { BucketSettings } from '../../src/settings/bucket.ts';

const HOOK = new URL('../sandbox/from-sources.mjs', import.meta.url).href;
const PROGRAM = fileURLToPath(new URL('./store-program.ts', import.meta.url));

/** A task of the program. */
export interface StoreTask {
  /**
   * `take` prints `ready`, waits for a line, claims one page `times` times and prints the number of granted pages.
   * `put` claims a page and stores a result, prints its id, and repeats until it is killed.
   * `spend` prints `ready`, waits for a line, tries `times` purchases with one of `payments` payments, and prints the
   * number of successes.
   * `claim` prints `ready`, waits for a line, claims jobs until there is none and prints their ids.
   * `work` submits jobs and works on them, prints `<step> <id>` for each step, and repeats until it is killed.
   * `purchase` consumes and releases new payments, prints `<step> <key>` for each step, and repeats until it is killed.
   */
  readonly kind: 'take' | 'put' | 'spend' | 'purchase' | 'claim' | 'work';
  readonly address:
    | { readonly engine: 'sqlite'; readonly dataDir: string }
    | { readonly engine: 'postgres'; readonly databaseUrl: string };
  /** Holds the bodies of results. */
  readonly bucket?: BucketSettings;
  readonly client?: string;
  readonly day?: string;
  readonly limit?: number;
  readonly times?: number;
  readonly bytes?: number;
  readonly expiresMs?: number;
  readonly payments?: number;
  readonly leaseMs?: number;
  /** Index of the first payment. */
  readonly offset?: number;
  /** Prefix of the keys. */
  readonly name?: string;
  /** Step after which the process kills itself, in its third purchase. */
  readonly dieAt?: (typeof PURCHASE_STEPS)[number];
}

/** A printed step of a purchase. */
export type PurchaseStep = 'reserved' | 'verified' | 'bound' | 'committed' | 'released';

/** Steps of a purchase. The fourth and the fifth are inside the transaction of `commit`, between two writes. */
export const PURCHASE_STEPS = [
  'reserved',
  'verified',
  'bound',
  'consumed is written',
  'the response is written',
  'committed',
] as const;

/** Starts the program; its standard output has the printed lines. */
export function startStoreTask(task: StoreTask): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(process.execPath, ['--import', HOOK, PROGRAM, JSON.stringify(task)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}
