// Runs errand.ts in a process of its own, from the sources, and says what it can be told to do.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const HOOK = new URL('../workplace/from-sources.mjs', import.meta.url).href;
const PROGRAM = fileURLToPath(new URL('./errand.ts', import.meta.url));

/** What to do, and where. */
export interface Errand {
  /**
   * `take` says that it is ready, waits for a line, claims one page so many `times` and prints how many were granted.
   * `put` claims a page and stores a result, prints its id, and goes on until it is killed.
   * `spend` says that it is ready, waits for a line, tries so many `times` to buy something with one of so many
   * `payments`, and prints how often it could.
   * `claim` says that it is ready, waits for a line, claims jobs until there is none and prints their ids.
   * `work` submits jobs and works on them, prints `<step> <id>` for each step, and goes on until it is killed.
   * `sell` sells and releases new payments, prints `<step> <key>` for each step, and goes on until it is killed.
   */
  readonly kind: 'take' | 'put' | 'spend' | 'sell' | 'claim' | 'work';
  readonly address:
    | { readonly engine: 'sqlite'; readonly dataDir: string }
    | { readonly engine: 'postgres'; readonly databaseUrl: string };
  readonly client?: string;
  readonly day?: string;
  readonly limit?: number;
  readonly times?: number;
  readonly bytes?: number;
  readonly expiresMs?: number;
  readonly payments?: number;
  readonly leaseMs?: number;
  /** Where in the row of payments to begin. */
  readonly offset?: number;
  /** What keys begin with. */
  readonly name?: string;
  /** Where the process ends itself, in its third sale. */
  readonly dieAt?: (typeof SALE_STEPS)[number];
}

/** What a seller says that it has done. */
export type SaleStep = 'reserved' | 'verified' | 'bound' | 'committed' | 'released';

/** Moments of a sale. The fourth and the fifth are inside the transaction of `commit`, between two of its writes. */
export const SALE_STEPS = [
  'reserved',
  'verified',
  'bound',
  'consumed is written',
  'the response is written',
  'committed',
] as const;

/** The process; its standard output is what the errand prints. */
export function startErrand(errand: Errand): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(process.execPath, ['--import', HOOK, PROGRAM, JSON.stringify(errand)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}
