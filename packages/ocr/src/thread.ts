// The entry of the thread: an engine that gets its jobs by message.
import { parentPort, workerData } from 'node:worker_threads';
import type { OcrWord } from '@grainline/extract';
import { createEngine, type RecognitionJob } from './engine.ts';
import { OcrError, type OcrErrorCode } from './errors.ts';
import { engineFiles } from './files.ts';

/** The end of a job. Classes do not cross the border of a thread. */
export type Reply =
  | { readonly words: readonly OcrWord[] }
  | { readonly code: OcrErrorCode | undefined; readonly message: string };

const { folder } = workerData as { readonly folder: string | undefined };
const engine = createEngine(engineFiles(folder));

parentPort?.on('message', (job: RecognitionJob) => {
  void engine.read(job).then(
    (words) => parentPort?.postMessage({ words } satisfies Reply),
    (error: unknown) => {
      const code = error instanceof OcrError ? error.code : undefined;
      const message = error instanceof Error ? error.message : String(error);
      parentPort?.postMessage({ code, message } satisfies Reply);
    },
  );
});
