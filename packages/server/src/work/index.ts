// Where documents are worked on: small text here and now, everything else in a child process. Stands between the
// request and the answer: a task goes in, the members of an answer come out.
import { isUtf8 } from 'node:buffer';
import { runLine, acceptedKind } from './line.ts';
import { createPool, type PoolPorts, type PoolSettings } from './pool.ts';
import { finishedIn, replyOf } from './reply.ts';
import type { BytesInput, Finished, Task } from './task.ts';

export { WorkError } from './task.ts';
export type { BytesInput, Finished, RecordOptions, Task, TextInput } from './task.ts';

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

/** Text up to this size holds the event loop for some 3 ms; the way to a child process and back costs 0.6 ms and a turn. */
const INLINE_BYTES = 128 * 1024;

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
async function isSmallText({ input }: Task): Promise<boolean> {
  if (input.kind === 'text') return input.text.length <= INLINE_BYTES;
  const { bytes } = input;
  // Plain UTF-8 only: telling other encodings, archives and images apart is work for a child process too.
  if (bytes.byteLength > INLINE_BYTES || bytes.includes(0) || !isUtf8(bytes)) return false;
  return isProse(input);
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
