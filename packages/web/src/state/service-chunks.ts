// Requests to the service and their answers: chunks at once, or a job, which the page also follows over a reload.
import { batch } from '@preact/signals';
import type { Client, JobStatus } from '@grainline/client';
import { aboutChunks, checkAnswer, cutsFromChunks, documentOfChunks, fits } from '../service/answer.ts';
import { type StoredJob, storeJob, storedJob, type BrowserStorage } from '../service/job.ts';
import {
  type TierRequest,
  type RequestSummary,
  type RawSubmission,
  createTierRequest,
  type RawAnswer,
  summarize,
} from '../service/chunk-request.ts';
import type { WorkerClient } from '../worker/worker-client.ts';
import type { Signals, OpenDocument } from './signals.ts';

/** Dependencies of the state. */
export interface StateDeps {
  readonly ask: WorkerClient;
  readonly service: Pick<Client, 'overview' | 'submit' | 'job'>;
  readonly storage: BrowserStorage;
  readonly nowMs: () => number;
}

const NO_SERVICE = 'The service does not answer, and only it can fetch links.';

/** The actions with the service. */
export function createServiceChunks(signals: Signals, { ask, service, storage, nowMs }: StateDeps) {
  const { overview, source, options, tier, unpaidRequest } = signals;
  const jobs = createJobFollower(signals, { service, storage }, take);

  /** Shows an answer: on the current text if its chunks fit, otherwise on the text of the chunks. */
  async function take(answer: RawAnswer, summary: RequestSummary, signal?: AbortSignal): Promise<void> {
    checkAnswer(answer);
    const here = source.peek();
    const isHere = here !== undefined && fits(answer.chunks, here.reading.text);
    const other = isHere ? undefined : await documentFromAnswer(ask, answer, summary, signal);
    batch(() => {
      if (other !== undefined) signals.setSource(other);
      signals.addResults([[answer.tier, { cuts: cutsFromChunks(answer.chunks), options: summary.options }]]);
      tier.value = answer.tier;
    });
  }

  async function takeResult(result: RawSubmission, of: TierRequest, signal?: AbortSignal): Promise<void> {
    unpaidRequest.value = undefined;
    const summary = summarize(of);
    if (result.kind === 'answer') await take(result.answer, summary, signal);
    else jobs.follow({ id: result.job.id, begunMs: nowMs(), ...summary });
  }

  /** Sends a free request, or opens the payment panel. */
  async function request(wanted: TierRequest): Promise<void> {
    const offer = wanted.overview.tiers.find(({ id }) => id === wanted.tier);
    if (offer !== undefined && offer.amount > 0) {
      unpaidRequest.value = wanted;
      return;
    }
    await signals.whileBusy(
      { what: 'sending', name: wanted.tier },
      async ({ signal }) => {
        const { source, tier: by, options: controls } = wanted;
        const result = await service.submit(source, { tier: by, ...controls }, { signal, tries: 1 });
        await takeResult(result, wanted, signal);
      },
      'url' in wanted.source ? signals.beginDocument() : undefined,
    );
  }

  return {
    request,
    forgetJob: jobs.forget,

    /** Takes the answer to a paid request. */
    answered: (result: RawSubmission, of: TierRequest): Promise<void> =>
      takeResult(result, of).catch(signals.report),

    /** Loads the overview of the service, and resumes the job of an earlier visit. */
    async start(): Promise<void> {
      const left = storedJob(storage, nowMs());
      if (left !== undefined) jobs.follow(left);
      // Without a service the page still cuts locally.
      overview.value = await service.overview({ tries: 1 }).catch(() => undefined);
    },

    /**
     * Requests the chunks of a document behind a link, which only the service can fetch.
     *
     * @throws Error without an overview of the service
     */
    async openUrl(url: string, by: string): Promise<void> {
      const about = overview.peek();
      if (about === undefined) throw new Error(NO_SERVICE);
      await request(createTierRequest({ origin: { kind: 'url', url } }, by, options.peek(), about));
    },

    close: jobs.stop,
  };
}

/** A document made from the chunks of an answer. */
async function documentFromAnswer(
  ask: WorkerClient,
  answer: RawAnswer,
  { url }: RequestSummary,
  signal: AbortSignal | undefined,
): Promise<OpenDocument> {
  const reading = await ask('take', documentOfChunks(answer), { signal });
  const origin = url === undefined ? ({ kind: 'answer' } as const) : ({ kind: 'url', url } as const);
  return { reading: { ...reading, ...aboutChunks(answer) }, origin };
}

/**
 * Follows one job at a time to its result, also over a reload, and shows its progress.
 *
 * @param take receives the result of a job with the summary of its request
 */
function createJobFollower(
  { job, report }: Pick<Signals, 'job' | 'report'>,
  { service, storage }: Pick<StateDeps, 'service' | 'storage'>,
  take: (answer: RawAnswer, summary: RequestSummary) => Promise<void>,
) {
  let following = new AbortController();

  /** Follows a job in place of the previous one, and stores it for a reload. */
  function follow(next: StoredJob): void {
    following.abort();
    following = new AbortController();
    const { signal } = following;
    job.value = next;
    storeJob(storage, next);
    const onProgress = (status: JobStatus): void => {
      job.value = { ...next, ...status };
    };
    service
      .job<'raw'>(next.id)
      // The network may be away for long (a closed laptop, a tunnel), and the job goes on meanwhile.
      .answer({ signal, tries: Infinity, onProgress })
      .then((answer) => take(answer, next))
      .catch(report)
      .finally(() => {
        if (!signal.aborted) forget();
      });
  }

  /** Stops and removes the job. */
  function forget(): void {
    following.abort();
    job.value = undefined;
    storeJob(storage, undefined);
  }

  /** Stops; a reload resumes the job. */
  function stop(): void {
    following.abort();
  }

  return { follow, forget, stop };
}
