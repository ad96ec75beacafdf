// Where documents are worked on: small text here and now, everything else in a child process. Stands between the
// request and the answer: a task goes in, the members of an answer come out.
import { isUtf8 } from 'node:buffer';
import { TIERS } from '@grainline/core';
import { runLine, acceptedKind } from './line.ts';
import { createPool, type PoolPorts, type PoolSettings } from './pool.ts';
import { finishedIn, replyOf } from './reply.ts';
import type { BytesInput, Finished, Task } from './task.ts';

export { refuseIllFormed, refuseLongText } from './line.ts';
export { WorkError } from './task.ts';
export type { RestartCause } from './pool.ts';
export type { BytesInput, CutOptions, Finished, RecordOptions, Task, TextInput } from './task.ts';

/** Runs the line, from bytes or text to the members of an answer. */
export interface Workplace {
  /**
   * Rejects with a {@link WorkError} when the document or its options are at fault, with the signal's reason when
   * aborted (the work stops), and with another error when something of ours is.
   */
  run(task: Task, signal: AbortSignal): Promise<Finished>;
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

/** A workplace with its child processes, which start at once. */
export function createWorkplace(settings: PoolSettings, ports: PoolPorts = {}): Workplace {
  const pool = createPool(settings, ports);

  async function run(task: Task, signal: AbortSignal): Promise<Finished> {
    signal.throwIfAborted();
    if (!(await isSmallText(task))) return pool.run(task, signal);
    return finishedIn(await replyOf(() => runLine(task, signal)));
  }

  return { run, close: () => pool.close() };
}

/** True for what may be worked on in the server itself: linear in a small size, and no parser of a format involved. */
async function isSmallText(task: Task): Promise<boolean> {
  const { input } = task;
  if (input.kind === 'text') return isShortWork(input.text.length, task);
  const { bytes } = input;
  // Plain UTF-8 only: telling other encodings, archives and images apart is work for a child process too.
  if (!isShortWork(bytes.byteLength, task) || bytes.includes(0) || !isUtf8(bytes)) return false;
  return isProse(input);
}

/** Judged by what will come out: full chunks, each of which repeats as much as it may. */
function isShortWork(length: number, { tier, size, overlap, target = size, encoding }: Task): boolean {
  if (encoding !== undefined || TIERS[tier].options.includes('embed')) return false;
  const most = tier === 'free' ? INLINE.free : INLINE.others;
  const chunks = length / Math.max(1, Math.min(target, size) - overlap);
  return length <= most.bytes && chunks <= most.chunks && chunks * size <= most.bytes;
}

async function isProse(input: BytesInput): Promise<boolean> {
  try {
    const kind = await acceptedKind(input);
    return kind === 'txt' || kind === 'markdown';
  } catch {
    // Something is wrong with it, and the line says so at its first look.
    return true;
  }
}
