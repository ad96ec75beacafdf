// Where documents are worked on: small text here and now, everything else in a child process. Stands between the
// request and the answer: a task goes in, the members of an answer come out.
import { isUtf8 } from 'node:buffer';
import { needsEmbedder, TIERS } from '@grainline/core';
import { runLine, acceptedKind } from './line.ts';
import type { WorkRun } from './conversation.ts';
import { createPool, type Pool, type PoolPorts, type PoolSettings } from './pool.ts';
import { finishedIn, replyOf } from './reply.ts';
import type { BytesInput, Finished, Task } from './task.ts';

export { refuseLongText } from './line.ts';
export { WorkError } from './task.ts';
export type { WorkRun } from './conversation.ts';
export type { RestartCause } from './task-limits.ts';
export type { BytesInput, CutOptions, Finished, RecordOptions, Task, TextInput } from './task.ts';

/** Runs the line, from bytes or text to the members of an answer. */
export interface Workplace {
  /**
   * Rejects with a {@link WorkError} when the document or its options are at fault, with the signal's reason when
   * aborted (the work stops), and with another error when something of ours is.
   */
  run(task: Task, run: WorkRun): Promise<Finished>;
  /** Ends all work and waits until no process is left. */
  close(): Promise<void>;
}

/**
 * What may be made in the server itself: up to these limits it holds the event loop for some 3 ms, while the way to a
 * child process and back costs 0.6 ms and a turn. The chunks count beside their size, because each costs some 15 µs:
 * 100 kB in chunks of 10 characters would take 0.17 s. Tiers that look for sentences and blocks need up to 11 ms for
 * 128 KiB, the free tier 0.8 ms; the worst 16 KiB tried, of nothing but the shortest sentences or items, 40 ms. Tokens
 * are counted and texts embedded in child processes alone, which load the tables for it.
 */
const INLINE = {
  free: { bytes: 128 * 1024, chunks: 256 },
  others: { bytes: 16 * 1024, chunks: 128 },
} as const;

/** Settings of a workplace. */
export interface WorkplaceSettings extends PoolSettings {
  /** Documents that may wait for models elsewhere at the same time. */
  readonly aiAtOnce: number;
  /**
   * Whether the processes for these start at once too, so that the first of them waits for none. Default: with the
   * first.
   */
  readonly expectsAsking?: boolean;
}

/**
 * A workplace with its child processes, which start at once. Those for documents that wait for models elsewhere stand
 * apart, so that nobody else waits with them.
 */
export function createWorkplace(settings: WorkplaceSettings, ports: PoolPorts = {}): Workplace {
  const pool = createPool(settings, ports);
  const closing = new AbortController();
  const createAskingPool = (): Pool => createPool({ ...settings, workers: settings.aiAtOnce }, ports);
  let asking = settings.expectsAsking === true ? createAskingPool() : undefined;

  function poolFor(task: Task): Pool {
    closing.signal.throwIfAborted();
    if (!asksElsewhere(task.tier, ports.embed !== undefined)) return pool;
    return (asking ??= createAskingPool());
  }

  async function run(task: Task, work: WorkRun): Promise<Finished> {
    work.signal.throwIfAborted();
    const small = await smallText(task);
    if (small === undefined) return poolFor(task).run(task, work);
    return finishedIn(await replyOf(() => runLine(small, work)));
  }

  async function close(): Promise<void> {
    closing.abort(new Error('The workplace is closed.'));
    await Promise.all([pool.close(), asking?.close()]);
  }

  return { run, close };
}

/**
 * Whether a tier waits for a model that is not in this process: a language model always, an embedder where it is not
 * built in.
 */
export function asksElsewhere(tier: Task['tier'], embedsElsewhere: boolean): boolean {
  const options: readonly string[] = TIERS[tier].options;
  return options.includes('complete') || (embedsElsewhere && needsEmbedder(tier));
}

/**
 * What may be worked on in the server itself, linear in a small size, and no parser of a format involved; else
 * undefined.
 */
async function smallText(task: Task): Promise<Task | undefined> {
  const { input } = task;
  if (input.kind === 'text') return isShortWork(input.text.length, task) ? task : undefined;
  const { bytes } = input;
  // Plain UTF-8 only: telling other encodings, archives and images apart is work for a child process too.
  if (!isShortWork(bytes.byteLength, task) || bytes.includes(0) || !isUtf8(bytes)) return undefined;
  return proseIn(task, input);
}

/** Judged by what will come out: full chunks, each of which repeats as much as it may. */
function isShortWork(length: number, { tier, size, overlap, target = size, encoding }: Task): boolean {
  if (encoding !== undefined || asksElsewhere(tier, true)) return false;
  const most = tier === 'free' ? INLINE.free : INLINE.others;
  const chunks = length / Math.max(1, Math.min(target, size) - overlap);
  return length <= most.bytes && chunks <= most.chunks && chunks * size <= most.bytes;
}

async function proseIn(task: Task, input: BytesInput): Promise<Task | undefined> {
  try {
    const found = await acceptedKind(input);
    return found === 'txt' || found === 'markdown' ? { ...task, input: { ...input, found } } : undefined;
  } catch {
    // Something is wrong with it, and the line says so at its first look.
    return task;
  }
}
