// The code of a thread: runs one task after another, and reports progress and the result or the error.
// Each task loads its own code: the start of a thread is a wait of its user.
import { parentPort } from 'node:worker_threads';
import type { Document } from '@grainline/core';
import type { Ocr, OcrWord, PageProgress } from '@grainline/extract';
import type { CutRecords } from '@grainline/pipeline/load';
import type { DrawnPages } from '../../output/layout.ts';
import type {
  CutTask,
  DrawTask,
  FileResult,
  FileTask,
  OcrAnswer,
  ReadTask,
  ThreadMessage,
  ThreadResult,
  ThreadTask,
} from './tasks.ts';

const port = parentPort;
const send = (message: ThreadMessage): void => port?.postMessage(message);

port?.on('message', (message: ThreadTask | OcrAnswer) => {
  if ('ocrOf' in message) {
    settleOcr(message);
    return;
  }
  runTask(message).then(
    (result) => send({ result }),
    (error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      const { code } = Object(error) as { readonly code?: unknown };
      send({ error: { message: text, code: typeof code === 'string' ? code : 'internal' } });
    },
  );
});

/** Starts the clock of the document: loading code is no work on it. */
const sendReady = (): void => send({ isReady: true });

/** Cancelled work ends with the thread. */
const NEVER = new AbortController().signal;

async function runTask(task: ThreadTask): Promise<ThreadResult> {
  if ('read' in task) return readForRun(task.read);
  if ('file' in task) return chunkFileOfRun(task.file);
  if ('cut' in task) return cutForLoad(task.cut);
  if ('draw' in task) return drawForRun(task.draw);
  if ('embed' in task) {
    const { staticEmbedder } = await import('@grainline/models/embeddings');
    return (await staticEmbedder())(task.embed, {});
  }
  const { chunkForTool } = await import('./chunk-for-tool.ts');
  const { source, options } = task.chunk;
  return chunkForTool(source, options, (...progress) => send({ progress }));
}

async function readForRun({ source, options, hasOcr }: ReadTask): Promise<Document> {
  const { readSource } = await import('@grainline/pipeline');
  sendReady();
  return readSource(source, {
    ...options,
    ocr: hasOcr ? callOcr : undefined,
    onPage: (page) => send({ page, isOcr: false }),
    onOcrPage: (page) => send({ page, isOcr: true }),
  });
}

const ocrCalls = new Map<number, PromiseWithResolvers<readonly OcrWord[]>>();
let lastCall = 0;

/** Has the other thread read a picture. */
const callOcr: Ocr = (image, { page, dpi, language }) => {
  const id = ++lastCall;
  const call = Promise.withResolvers<readonly OcrWord[]>();
  ocrCalls.set(id, call);
  send({ ocr: { id, image, request: { page, dpi, language } } });
  return call.promise;
};

function settleOcr(answer: OcrAnswer): void {
  const call = ocrCalls.get(answer.ocrOf);
  ocrCalls.delete(answer.ocrOf);
  if ('words' in answer) call?.resolve(answer.words);
  else call?.reject(Object.assign(new Error(answer.error.message), { code: answer.error.code }));
}

async function drawForRun({ bytes, regions, options }: DrawTask): Promise<DrawnPages | undefined> {
  const { drawPages } = await import('../draw-pages.ts');
  sendReady();
  const onPage = (page: PageProgress): void => send({ page, isOcr: false });
  return drawPages(bytes, { regions }, { ...options, signal: NEVER, onPage });
}

async function chunkFileOfRun({ request, content, input, screen }: FileTask): Promise<FileResult> {
  const ignore = (): void => undefined;
  const report = {
    note: ignore,
    status: ignore,
    step: (_: string, share: number, stage: string) => send({ progress: [share, stage] }),
  };
  const { chunkHere } = await import('../chunk-here.ts');
  const { DIRECT_READER: reader } = await import('../document-reader.ts');
  const { gathered } = await import('../../output/terminal.ts');
  sendReady();
  const io = { cwd: '', environment: {}, signal: NEVER };
  const chunk = chunkHere(request, request.chunking, { io, report, model: undefined, reader });
  const { render, ...rest } = await chunk(content, input);
  return { ...rest, pieces: [...gathered(render(screen))] };
}

async function cutForLoad({ document, options }: CutTask): Promise<CutRecords> {
  const { cutDocument } = await import('@grainline/pipeline/load');
  sendReady();
  return cutDocument(document, {
    ...options,
    onPage: ({ done, total }) => send({ progress: [done / total, `page ${done} of ${total}`] }),
  });
}
