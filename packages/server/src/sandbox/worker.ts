// The work of a child process: one document at a time, from a task to a reply. The process can reach nothing but its
// code (permissions.ts, confine.ts), so no document harms the server.
import type { Ocr } from '@grainline/extract';
import type { TesseractOcr } from '@grainline/ocr';
import { confine } from './confine.ts';
import {
  captureReply,
  type StageTime,
  type StartedMessage,
  type TaskProgress,
  type WorkerReply,
} from './reply.ts';
import { createRemoteModels } from './rpc.ts';
import { citeStored } from './cite-stored.ts';
import { pageStored } from './page-stored.ts';
import { measureDocument, runPipeline } from './run-pipeline.ts';
import type {
  CiteResult,
  CiteTask,
  DocumentMeasure,
  PageResult,
  PageTask,
  TaskOcr,
  WorkerTask,
} from './task.ts';

confine();
// A killed server takes no reply.
process.on('disconnect', () => process.exit());

/** A process that cannot send is about to end with its server. */
const models = createRemoteModels({
  send: (message) => void process.send?.(message),
  onMessage: (listener) => void process.on('message', listener),
});

const reportProgress = (progress: TaskProgress): void => void process.send?.({ progress });

const reportStage = (time: StageTime): void => void process.send?.({ time });

let tasks = 0;

/** Runs one task for the pool. An error of the document is a value; a defect is thrown. */
export function runTask(task: WorkerTask): Promise<WorkerReply> {
  return runStarted(() =>
    runPipeline(task, {
      embed: task.usesRemoteEmbedder === true ? models.embed : undefined,
      complete: models.complete,
      ocr: task.ocr && createTaskOcr(task.ocr),
      onProgress: task.reportsProgress === true ? reportProgress : undefined,
      onStage: task.reportsStages === true ? reportStage : undefined,
    }),
  );
}

/** Tesseract, from the first scanned page on. All tasks of a process have the same languages. */
let tesseract: Promise<TesseractOcr> | undefined;

/** OCR in this thread: under the permission model a thread could read every file. The pool ends it with the process. */
function createTaskOcr({ languages }: TaskOcr): Ocr {
  return async (image, request) => {
    process.send?.({ ocr: 'started' });
    tesseract ??= import('@grainline/ocr').then(({ createOcr }) => createOcr({ languages, runs: 'here' }));
    return (await tesseract).ocr(image, request);
  };
}

/** Measures a document for the pool. */
export function runMeasure(task: WorkerTask): Promise<WorkerReply<DocumentMeasure>> {
  return runStarted(() => measureDocument(task));
}

/** Reads chunks of a stored answer for the pool. */
export function runPage(task: PageTask): Promise<WorkerReply<PageResult>> {
  return runStarted(() => Promise.resolve(pageStored(task)));
}

/** Finds a quotation for the pool. */
export function runCite(task: CiteTask): Promise<WorkerReply<CiteResult>> {
  return runStarted(() => Promise.resolve(citeStored(task)));
}

/** Resident memory above which the rest of the last document is collected before the next one, in bytes. */
const TIDY_BYTES = 384 << 20;

async function runStarted<Result>(run: () => Promise<Result>): Promise<WorkerReply<Result>> {
  // The watch counts what the engine has not yet given back, and would end an innocent document.
  if (process.memoryUsage.rss() > TIDY_BYTES) globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
  tasks++;
  await sendStarted({ started: true, pid: process.pid, tasks });
  return captureReply(run);
}

/** Resolves after the write, because the work that follows may block the process. */
function sendStarted(message: StartedMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) throw new Error('This file is run by the pool, as a child process.');
    process.send(message, undefined, {}, (error: Error | null) =>
      error === null ? resolve() : reject(error),
    );
  });
}
