// The messages of a child process: the start of a task, progress, and the reply. They are plain values, because classes
// do not cross a process border. The server checks them, because a document may have taken the child over.
import { ChunkError, type Progress } from '@grainline/core';
import { ExtractError } from '@grainline/extract';
import { type PipelineResult, WorkError } from './task.ts';

/** Sent at the start of a task. The time limit of the document begins with it. */
export interface StartedMessage {
  readonly started: true;
  readonly pid: number;
  /** Tasks that this process has begun, this one included. */
  readonly tasks: number;
}

/** The end of a task. */
export type WorkerReply<Result = PipelineResult> =
  { readonly result: Result } | { readonly error: Pick<WorkError, 'code' | 'message' | 'limit' | 'issues'> };

/** Runs the work and returns its result, or an error of the document, as a value. A defect is thrown. */
export async function captureReply<Result>(run: () => Promise<Result>): Promise<WorkerReply<Result>> {
  try {
    return { result: await run() };
  } catch (error) {
    if (error instanceof ExtractError) {
      const { code, message, pages } = error;
      return { error: { code, message, limit: pages === undefined ? undefined : { pages } } };
    }
    if (error instanceof ChunkError) {
      const { code, message, issues } = error;
      return { error: { code, message, issues } };
    }
    if (error instanceof WorkError) {
      const { code, message, limit } = error;
      return { error: { code, message, limit } };
    }
    throw error;
  }
}

/**
 * The result of a reply.
 *
 * @throws WorkError for an error of the document or its options
 */
export function unwrapReply<Result>(reply: WorkerReply<Result>): Result {
  if ('result' in reply) return reply.result;
  const { code, message, ...details } = reply.error;
  throw new WorkError(code, message, details);
}

/** Detects the first message of a task. */
export function isStarted(message: unknown): message is StartedMessage {
  return (
    typeof message === 'object' &&
    message !== null &&
    'started' in message &&
    'pid' in message &&
    'tasks' in message
  );
}

/** Progress of a task: that of the cutting, and before it the pages that OCR has read. */
export type TaskProgress = Progress | (Omit<Progress, 'stage'> & { readonly stage: 'ocr' });

/** The time of a stage of a task. A tier may embed while it cuts. */
export interface StageTime {
  readonly stage: (typeof STAGES)[number];
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
}

const STAGES = ['read', 'cut', 'embed'] as const;

/** The stage in a message; undefined for other messages and for impossible values. */
export function readStage(message: unknown): StageTime | undefined {
  const { time } = Object(message) as Readonly<Record<string, unknown>>;
  const { stage, startMs, endMs } = Object(time) as Partial<StageTime>;
  if (stage === undefined || !STAGES.includes(stage)) return undefined;
  if (!Number.isFinite(startMs) || !Number.isFinite(endMs)) return undefined;
  return { stage, startMs: Number(startMs), endMs: Number(endMs) };
}

/** Detects the message before each picture that OCR reads. */
export function isOcrStarted(message: unknown): boolean {
  return (Object(message) as { ocr?: unknown }).ocr === 'started';
}

/** The progress in a message; undefined for other messages and for impossible values. */
export function readProgress(message: unknown): TaskProgress | undefined {
  const { progress } = Object(message) as Readonly<Record<string, unknown>>;
  const { stage, done, total } = Object(progress) as Partial<TaskProgress>;
  // Core may add stages, so this check only bounds their names.
  const isSound =
    typeof stage === 'string' &&
    /^[a-z]{1,20}$/.test(stage) &&
    Number.isSafeInteger(done) &&
    Number.isSafeInteger(total);
  if (!isSound || done === undefined || total === undefined || done < 0 || done > total) return undefined;
  return { stage, done, total };
}
