// The code of a thread: runs one task after another, and reports progress and the result or the error.
import { parentPort } from 'node:worker_threads';
import type { Embeddings } from '@grainline/core';
import type { DocumentResult, ChunkerOptions, ChunkerSource } from '@grainline/mcp';
import { staticEmbedder } from '@grainline/models/embeddings';
import type { ChunkSourceOptions } from '@grainline/pipeline';
import { cutDocument, type CutRecords, type DocumentToCut } from '@grainline/pipeline/load';
import type { ChunkFilesRequest, LocalChunking } from '../../args/request.ts';
import type { InputFacts } from '../../inputs/input.ts';
import type { ChunkedInput, HashedContent, Screen } from '../../output/layout.ts';
import { gathered } from '../../output/terminal.ts';
import { chunkHere } from '../chunk-here.ts';
import { codeOf } from '../../errors.ts';
import { chunkForTool } from './chunk-for-tool.ts';

/** A file of a run, without models of the network. */
export interface FileTask {
  readonly request: ChunkFilesRequest & { readonly chunking: LocalChunking };
  readonly content: HashedContent;
  readonly input: InputFacts;
  readonly screen: Screen;
}

/** A rendered file. */
export interface FileResult extends Omit<ChunkedInput, 'render'> {
  /** Consecutive texts of the output. */
  readonly pieces: readonly string[];
}

/** A document of a load, and how to read and cut it. */
export interface CutTask {
  readonly document: DocumentToCut;
  /** Plain data. */
  readonly options: ChunkSourceOptions;
}

/** A document to chunk for a tool, a file of a run, a document to load, or texts to embed. */
export type ThreadTask =
  | { readonly chunk: { readonly source: ChunkerSource; readonly options: ChunkerOptions } }
  | { readonly file: FileTask }
  | { readonly cut: CutTask }
  | { readonly embed: readonly string[] };

type ThreadResult = DocumentResult | FileResult | CutRecords | Embeddings;

/** A message of a thread about its task; every message but progress is the last one. */
export type ThreadMessage =
  | { readonly progress: readonly [share: number, message: string] }
  | { readonly result: ThreadResult }
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

/** Cancelled work ends with the thread. */
const NEVER = new AbortController().signal;

async function runTask(task: ThreadTask): Promise<ThreadResult> {
  if ('file' in task) return chunkFileOfRun(task.file);
  if ('cut' in task) return cutForLoad(task.cut);
  if ('embed' in task) return (await staticEmbedder())(task.embed, {});
  const { source, options } = task.chunk;
  return chunkForTool(source, options, (...progress) => send({ progress }));
}

async function chunkFileOfRun({ request, content, input, screen }: FileTask): Promise<FileResult> {
  const ignore = (): void => undefined;
  const report = {
    note: ignore,
    status: ignore,
    step: (_: string, share: number, stage: string) => send({ progress: [share, stage] }),
  };
  const io = { cwd: '', environment: {}, signal: NEVER };
  const chunk = chunkHere(request, request.chunking, { io, report, model: undefined });
  const { render, ...rest } = await chunk(content, input);
  return { ...rest, pieces: [...gathered(render(screen))] };
}

function cutForLoad({ document, options }: CutTask): Promise<CutRecords> {
  return cutDocument(document, {
    ...options,
    onPage: ({ done, total }) => send({ progress: [done / total, `page ${done} of ${total}`] }),
  });
}
