// From an order to chunks: what is behind a link is fetched, and the line run on it, in places that bound how much of
// both is in work. Requests wait here for so long at most; jobs, which have a queue and a time of their own, for
// themselves.
import type { Admission } from './limits/admission.ts';
import { asksLanguageModel, coreTier, type TierEntry } from './catalog.ts';
import type { Downloader } from './download/index.ts';
import { Fault } from './errors.ts';
import type { Intake } from './http/intake.ts';
import type { Order } from './http/order.ts';
import type { JobRun } from './jobs/run.ts';
import { URL_KINDS } from './overview.ts';
import type { Settings } from './settings/settings.ts';
import { asksElsewhere, type Finished, type Task, type Workplace } from './workplace/index.ts';

/** The parts of the service that the work needs. */
export interface WorkParts {
  readonly settings: Settings;
  readonly downloader: Downloader;
  readonly workplace: Workplace;
  /** Places for documents behind links, whose size nobody announces. */
  readonly links: Admission;
  /** Places for documents that wait for models elsewhere, so that they never take those of all others. */
  readonly modelPlaces: Admission;
}

/**
 * Turns an order into chunks. A link is fetched first, in a place of its own, because nobody knows how large its
 * document is.
 */
export async function work(
  order: Order,
  { client, signal }: Pick<Intake, 'client' | 'signal'>,
  parts: WorkParts,
): Promise<Finished> {
  const { source } = order;
  const { links, modelPlaces, settings } = parts;
  if (waitsElsewhere(order.tier, settings))
    return modelPlaces.hold({ client, bytes: 0 }, signal, async () => {
      // While it waits for a model, somebody else may fetch a link.
      const fetchTask = (): Promise<Task> => taskFor(order, signal, parts);
      const task = await (source.kind === 'link'
        ? links.hold({ client, bytes: 0 }, signal, fetchTask)
        : fetchTask());
      return runLine(task, { client, signal }, parts);
    });
  const run = async (): Promise<Finished> =>
    runLine(await taskFor(order, signal, parts), { client, signal }, parts);
  return source.kind === 'link' ? links.hold({ client, bytes: 0 }, signal, run) : run();
}

/** The task for an order: with what came in the request, or with what is behind its link. */
async function taskFor(
  order: Order,
  signal: AbortSignal,
  { downloader, settings }: Pick<WorkParts, 'downloader' | 'settings'>,
  onFetched?: JobRun['onFetched'],
): Promise<Task> {
  const { source } = order;
  if (source.kind === 'text') return taskOf(order, source);
  if (source.kind === 'upload')
    return taskOf(order, { kind: 'bytes', ...source.upload, accept: settings.uploadKinds });
  let { fetched } = source;
  if (fetched === undefined) {
    const { bytes, filename, contentType } = await downloader.download(source.url, signal);
    fetched = { bytes, filename, contentType };
    await onFetched?.(fetched);
  }
  return taskOf(order, { kind: 'bytes', ...fetched, accept: URL_KINDS }, source.url);
}

/** Whether a tier waits for what is neither in this process nor in a child of it. */
export function waitsElsewhere({ offer }: TierEntry, { embeddings }: Settings): boolean {
  return 'tier' in offer && asksElsewhere(offer.tier, embeddings !== 'builtin');
}

/** The work of a job, which waits for itself: what is behind a link is fetched once, however often it is worked on. */
export async function workOnJob(
  order: Order,
  { onFetched, ...run }: JobRun,
  parts: Pick<WorkParts, 'downloader' | 'workplace' | 'settings'>,
): Promise<Finished> {
  return parts.workplace.run(await taskFor(order, run.signal, parts, onFetched), run);
}

/**
 * The most that the line may take where nobody elsewhere is asked, the wait for a free process included: a document
 * waits at most as long as another one may be worked on.
 */
function patienceMs({ workTimeoutMs }: Pick<Settings, 'workTimeoutMs'>): number {
  return 2 * workTimeoutMs;
}

/** The most that a request may wait for its answer once it has a place, whatever its tier. */
export function longestWorkMs(settings: Pick<Settings, 'workTimeoutMs' | 'aiTimeoutMs'>): number {
  return Math.max(patienceMs(settings), MODEL_QUEUE.waitMs + settings.aiTimeoutMs);
}

/** How long documents wait for a place among those that wait for models. */
export const MODEL_QUEUE = { waitMs: 20_000 } as const;

/**
 * Runs the line on a task. A request that waits too long for a process, or for a language model, is told to come again.
 */
async function runLine(
  task: Task,
  { client, signal }: Pick<Intake, 'client' | 'signal'>,
  { workplace, settings }: WorkParts,
): Promise<Finished> {
  const stop = new AbortController();
  // By hand: what AbortSignal.any ties together stays until the next full collection.
  const leave = (): void => stop.abort(signal.reason);
  const asks = asksLanguageModel(task.tier);
  const timer = setTimeout(
    () => stop.abort(new Fault(asks ? 'model_timeout' : 'busy')),
    asks ? settings.aiTimeoutMs : patienceMs(settings),
  );
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await workplace.run(task, { client, signal: stop.signal });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  }
}

function taskOf({ tier, fields }: Order, input: Task['input'], sourceUrl?: string): Task {
  const { documentId, collection, textField, ...cutting } = fields;
  const records = {
    ...(documentId === undefined ? undefined : { documentId }),
    ...(sourceUrl === undefined ? undefined : { sourceUrl }),
    ...(collection === undefined ? undefined : { collection }),
    ...(textField === undefined ? undefined : { textField }),
    tierName: tier.id,
  };
  const most = tier.maxCharacters === null ? undefined : { maxCharacters: tier.maxCharacters };
  const cost = tier.maxCostUsd === null ? undefined : { maxCostUsd: tier.maxCostUsd };
  return { input, tier: coreTier(tier), ...cutting, ...most, ...cost, records };
}
