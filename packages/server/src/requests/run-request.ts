// From a request to chunks: the link is fetched and the pipeline run, within limits on concurrent work. A request waits
// a bounded time. A job waits without these limits, because it has its own queue and time.
import { type Complete, DEFAULT_SIZE, needsLanguageModel } from '@grainline/core';
import type { Kind } from '@grainline/extract';
import type { Limiter } from '../limits/limiter.ts';
import { coreTier, isPaid, type TierEntry } from '../catalog.ts';
import type { Downloader } from './download/index.ts';
import { HttpError, toHttpError } from '../errors/http-error.ts';
import type { FetchedDocument, ChunkRequest } from './chunk-request.ts';
import { KINDS, KINDS_WITH_OCR } from '../settings/limits.ts';
import type { Settings } from '../settings/settings.ts';
import {
  needsRemoteModel,
  ocrPageMs,
  type PipelineResult,
  type TaskContext,
  type TaskProgress,
  type WorkerTask,
  type CiteResult,
  type CiteTask,
  type DocumentMeasure,
  type PageResult,
  type PageTask,
  type WorkerPool,
} from '../sandbox/index.ts';

/** Options of the run of a request. */
export interface RequestRunOptions extends Pick<TaskContext, 'signal' | 'isFree' | 'onStart'> {
  readonly client: string;
  /** Free pages that are left to the client. Default: any. */
  readonly maxPages?: number | undefined;
}

/** Options of a job's run. */
export interface JobRunOptions {
  readonly signal: AbortSignal;
  readonly complete: Complete;
  readonly onProgress: (progress: TaskProgress) => void;
  /** Called with the fetched document; resolves when it is stored, so that no other run fetches it again. */
  readonly onFetched: (fetched: FetchedDocument) => Promise<void>;
}

/** Accepted kinds of documents behind links: all that can be read. */
export function linkKinds({ ocr }: Pick<Settings, 'ocr'>): readonly Kind[] {
  return ocr === 'off' ? KINDS : KINDS_WITH_OCR;
}

/** Dependencies of {@link runRequest}. */
export interface RunDeps {
  readonly settings: Settings;
  readonly downloader: Downloader;
  readonly workerPool: WorkerPool;
  /** Bounds documents behind links, whose size is unknown. */
  readonly links: Limiter;
  /** Bounds documents that wait for remote models, so that they never use up the places of other documents. */
  readonly modelPlaces: Limiter;
}

/**
 * Turns a request into chunks. The fetch of a link has a limit of its own, because the size of its document is unknown.
 */
export async function runRequest(
  request: ChunkRequest,
  options: RequestRunOptions,
  deps: RunDeps,
): Promise<PipelineResult> {
  const { source } = request;
  const { links, modelPlaces, settings } = deps;
  const { signal } = options;
  if (needsRemote(request.tier, settings))
    return modelPlaces.run(options, signal, async () => {
      // Another request may fetch a link during the wait for a model.
      const fetchTask = (): Promise<WorkerTask> => prepareTask(request, signal, deps);
      const task = await (source.kind === 'link' ? links.run(options, signal, fetchTask) : fetchTask());
      return runTask(task, options, deps);
    });
  const run = async (): Promise<PipelineResult> =>
    runTask(await prepareTask(request, signal, deps), options, deps);
  return source.kind === 'link' ? links.run(options, signal, run) : run();
}

/** Errors of a password, which is no part of the paid request; they cost little work. */
const LOCKED: ReadonlySet<string> = new Set(['encrypted', 'wrong_password']);

/** True for the error of a document whose password is missing or wrong. */
export function isLocked(error: unknown): boolean {
  return LOCKED.has(toHttpError(error).code);
}

/**
 * Opens the document of a request with its password, and reads no more than its first page.
 *
 * @throws WorkError `encrypted` or `wrong_password`, and errors of a download
 */
export async function assertOpens(
  request: ChunkRequest,
  options: RequestRunOptions,
  deps: RunDeps,
): Promise<void> {
  const { signal } = options;
  const open = async (): Promise<void> => {
    const { input, password, records } = await prepareTask(request, signal, deps);
    const cut = { tier: 'free', size: DEFAULT_SIZE.characters, overlap: 0, format: 'raw', records } as const;
    await runTask({ input, password, pages: '1', ...cut }, options, deps).catch((error: unknown) => {
      if (toHttpError(error).status !== 400 || isLocked(error)) throw error;
    });
  };
  await (request.source.kind === 'link' ? deps.links.run(options, signal, open) : open());
}

/** The task of a request, with its document or the document behind its link. */
async function prepareTask(
  request: ChunkRequest,
  signal: AbortSignal,
  { downloader, settings }: Pick<RunDeps, 'downloader' | 'settings'>,
  onFetched?: JobRunOptions['onFetched'],
): Promise<WorkerTask> {
  const { source } = request;
  if (source.kind === 'text') return createTask(request, source, settings);
  if (source.kind === 'upload')
    return createTask(request, { kind: 'bytes', ...source.upload, accept: settings.uploadKinds }, settings);
  let { fetched } = source;
  if (fetched === undefined) {
    const { bytes, filename, contentType } = await downloader.download(source.url, signal);
    fetched = { bytes, filename, contentType };
    await onFetched?.(fetched);
  }
  return createTask(
    request,
    { kind: 'bytes', ...fetched, accept: linkKinds(settings) },
    settings,
    source.url,
  );
}

/** True when a tier waits for a model outside this machine's processes. */
export function needsRemote({ offer }: TierEntry, { embeddings }: Settings): boolean {
  return 'tier' in offer && needsRemoteModel(offer.tier, embeddings !== 'builtin');
}

/** Runs a job's request. The document behind a link is fetched once for all runs. */
export async function runJobRequest(
  request: ChunkRequest,
  { onFetched, ...run }: JobRunOptions,
  deps: Pick<RunDeps, 'downloader' | 'workerPool' | 'settings'>,
): Promise<PipelineResult> {
  return deps.workerPool.run(await prepareTask(request, run.signal, deps, onFetched), run);
}

/**
 * The longest run without a remote model, including the wait for a free process: a document waits at most as long as
 * another one runs.
 */
function runTimeoutMs({ workTimeoutMs, ...ocr }: RunTimeSettings): number {
  return 2 * (workTimeoutMs + ocrTimeMs({ workTimeoutMs, ...ocr }));
}

type RunTimeSettings = Pick<Settings, 'workTimeoutMs' | 'ocr' | 'ocrMaxPages'>;

/** The time that OCR may add to a document's. */
function ocrTimeMs({ workTimeoutMs, ocr, ocrMaxPages }: RunTimeSettings): number {
  return ocr === 'off' ? 0 : ocrMaxPages * ocrPageMs(workTimeoutMs);
}

/** Finds a quotation in a stored answer, within the time of a document. */
export function runCite(
  task: CiteTask,
  options: Omit<RequestRunOptions, 'maxPages'>,
  { workerPool, settings }: Pick<RunDeps, 'workerPool' | 'settings'>,
): Promise<CiteResult> {
  return runWithin(runTimeoutMs(settings), 'busy', options.signal, (signal) =>
    workerPool.cite(task, { ...options, signal }),
  );
}

/** Reads chunks of a stored answer, within the time of a document. */
export function runPage(
  task: PageTask,
  options: Omit<RequestRunOptions, 'maxPages'>,
  { workerPool, settings }: Pick<RunDeps, 'workerPool' | 'settings'>,
): Promise<PageResult> {
  return runWithin(runTimeoutMs(settings), 'busy', options.signal, (signal) =>
    workerPool.page(task, { ...options, signal }),
  );
}

/** Reads the document of a request and measures it, within the limits of a run without models. */
export function runMeasure(
  request: ChunkRequest,
  options: Omit<RequestRunOptions, 'maxPages'>,
  deps: RunDeps,
): Promise<DocumentMeasure> {
  const { links, workerPool, settings } = deps;
  const { signal } = options;
  const measure = async (): Promise<DocumentMeasure> => {
    const task = await prepareTask(request, signal, deps);
    return runWithin(runTimeoutMs(settings), 'busy', signal, (ending) =>
      workerPool.measure(task, { ...options, signal: ending }),
    );
  };
  return request.source.kind === 'link' ? links.run(options, signal, measure) : measure();
}

/** The longest wait of documents for a remote model. */
export const MODEL_QUEUE = { waitMs: 20_000 } as const;

/** Runs the pipeline on a task. A request that waits too long for a process or a language model is rejected. */
async function runTask(
  task: WorkerTask,
  { signal, maxPages, ...options }: RequestRunOptions,
  { workerPool, settings }: RunDeps,
): Promise<PipelineResult> {
  const asks = needsLanguageModel(task.tier);
  const ms = asks ? settings.aiTimeoutMs + ocrTimeMs(settings) : runTimeoutMs(settings);
  return runWithin(ms, asks ? 'model_timeout' : 'busy', signal, (ending) =>
    workerPool.run({ ...task, maxPages }, { ...options, signal: ending }),
  );
}

/** Runs work with a signal that ends with the given one, or with an error after so many milliseconds. */
async function runWithin<Result>(
  ms: number,
  code: 'busy' | 'model_timeout',
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  // AbortSignal.any would keep its signals until the next full collection.
  const leave = (): void => stop.abort(signal.reason);
  const timer = setTimeout(() => stop.abort(new HttpError(code)), ms);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await run(stop.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  }
}

function createTask(
  { tier, options }: ChunkRequest,
  input: WorkerTask['input'],
  {
    maxAnswerBytes,
    ocrLanguages: languages,
    receiptKeyFile,
  }: Pick<Settings, 'maxAnswerBytes' | 'ocrLanguages' | 'receiptKeyFile'>,
  sourceUrl?: string,
): WorkerTask {
  const { documentId, collection, textField, ...cutting } = options;
  const records = {
    ...(documentId === undefined ? undefined : { documentId }),
    ...(sourceUrl === undefined ? undefined : { sourceUrl }),
    ...(collection === undefined ? undefined : { collection }),
    ...(textField === undefined ? undefined : { textField }),
    tierName: tier.id,
  };
  const most = tier.maxCharacters === null ? undefined : { maxCharacters: tier.maxCharacters };
  const cost = tier.maxCostUsd === null ? undefined : { maxCostUsd: tier.maxCostUsd };
  const ocr =
    tier.maxScannedPages === null ? undefined : { ocr: { languages, maxPages: tier.maxScannedPages } };
  const needsHashes = receiptKeyFile !== undefined && isPaid(tier);
  const limits = { ...most, ...cost, ...ocr, maxAnswerBytes };
  return { input, tier: coreTier(tier), ...cutting, ...limits, records, needsHashes };
}
