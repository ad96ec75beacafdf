// The code of a thread: runs one task after another, and reports progress and the result or the error.
import { parentPort } from 'node:worker_threads';
import type { DocumentResult, ChunkerOptions, ChunkerSource } from '@grainline/mcp';
import { countHere, type Readable } from '../../local/count.ts';
import { codeOf } from '../../errors.ts';
import { chunkForTool } from './chunk-for-tool.ts';

/** A document to chunk, or one to count the characters of. */
export type ThreadTask =
  | { readonly chunk: { readonly source: ChunkerSource; readonly options: ChunkerOptions } }
  | { readonly count: Readable };

/** A message of a thread about its task; every message but progress is the last one. */
export type ThreadMessage =
  | { readonly progress: readonly [share: number, message: string] }
  | { readonly result: DocumentResult | number }
  | { readonly error: { readonly message: string; readonly code: string } };

const port = parentPort;
const send = (message: ThreadMessage): void => port?.postMessage(message);

port?.on('message', (task: ThreadTask) => {
  runTask(task).then(
    (result) => send({ result }),
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      send({ error: { message, code: codeOf(error) ?? 'internal' } });
    },
  );
});

async function runTask(task: ThreadTask): Promise<DocumentResult | number> {
  // Cancelled work ends with the thread.
  if ('count' in task) return countHere(task.count, new AbortController().signal);
  const { source, options } = task.chunk;
  return chunkForTool(source, options, (...progress) => send({ progress }));
}
