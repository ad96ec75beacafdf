// What a child process says to the server: plain values, because classes do not survive the way.
import { ChunkError } from '@grainline/core';
import { ExtractError } from '@grainline/extract';
import { type Finished, WorkError } from './task.ts';

/** Sent when a child begins with a task: from here on the time of the document counts. */
export interface Started {
  readonly started: true;
  readonly pid: number;
  /** Tasks that this process has begun, this one included. */
  readonly tasks: number;
}

/** The end of a task. */
export type Reply =
  | { readonly finished: Finished }
  | { readonly fault: Pick<WorkError, 'code' | 'message' | 'limit' | 'faults'> };

/** Runs the work and makes a value of either end. Only defects are thrown. */
export async function replyOf(run: () => Promise<Finished>): Promise<Reply> {
  try {
    return { finished: await run() };
  } catch (error) {
    if (error instanceof ExtractError)
      return { fault: { code: error.code, message: error.message, ...pagesOf(error) } };
    if (error instanceof ChunkError)
      return { fault: { code: error.code, message: error.message, faults: error.faults } };
    if (error instanceof WorkError) {
      const { code, message, limit = {} } = error;
      return { fault: { code, message, limit } };
    }
    throw error;
  }
}

/**
 * Turns a reply back into a result, or throws its error.
 *
 * @throws WorkError when the document or its options are at fault
 */
export function finishedIn(reply: Reply): Finished {
  if ('finished' in reply) return reply.finished;
  const { code, message, ...details } = reply.fault;
  throw new WorkError(code, message, details);
}

/** True for the message that a child sends first. */
export function isStarted(message: unknown): message is Started {
  return (
    typeof message === 'object' &&
    message !== null &&
    'started' in message &&
    'pid' in message &&
    'tasks' in message
  );
}

function pagesOf({ pages }: ExtractError): Pick<WorkError, 'limit'> {
  return pages === undefined ? {} : { limit: { pages } };
}
