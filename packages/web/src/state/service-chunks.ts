// Requests to the service and their answers: chunks at once, or a job, which the page also follows over a reload.
import { batch } from '@preact/signals';
import type { Client, JobStatus } from '@grainline/client';
import { aboutChunks, checkAnswer, cutsFromChunks, documentOfChunks, fits } from '../service/answer.ts';
import { type StoredJob, storeJob, storedJob, type BrowserStorage } from '../service/job.ts';
import { type PaidAnswer, type PaidAnswers, readContent } from '../service/paid-answers.ts';
import {
  type AnswerOrigin,
  type TierRequest,
  type RequestSummary,
  type RawSubmission,
  createTierRequest,
  sentOptions,
  type RawAnswer,
  summarize,
} from '../service/chunk-request.ts';
import type { WorkerClient } from '../worker/worker-client.ts';
import { DEFAULT_TIER, tierChoices } from '../document/tiers.ts';
import { createPaidChunks } from './paid-chunks.ts';
import type { Signals, OpenDocument } from './signals.ts';
import { ERRORS } from '../texts.ts';

/** Dependencies of the state. */
export interface StateDeps {
  readonly ask: WorkerClient;
  /** Absent in the static demo. */
  readonly service: Pick<Client, 'overview' | 'submit' | 'job' | 'receiptKeys'> | undefined;
  readonly storage: BrowserStorage;
  readonly answers: PaidAnswers;
  /** The part of the page's address behind `#`. */
  readonly address: { readonly read: () => string; readonly write: (hash: string) => void };
  readonly nowMs: () => number;
}

/** The actions with the service. */
export function createServiceChunks(signals: Signals, deps: StateDeps) {
  const { ask, service, storage, answers, nowMs } = deps;
  const { overview, source, options, tier, unpaidRequest } = signals;
  const paid = createPaidChunks(signals, answers);
  const jobs = createJobFollower(signals, deps, async (answer, summary) => {
    await paid.keep(answer, summary);
    await take(answer, summary);
  });

  /** Shows an answer: on the current text if its chunks fit, otherwise on the text of the chunks. */
  async function take(
    answer: RawAnswer,
    summary: RequestSummary,
    { origin = 'bought', signal }: { origin?: AnswerOrigin; signal?: AbortSignal } = {},
  ): Promise<void> {
    checkAnswer(answer);
    const here = source.peek();
    const isHere = here !== undefined && fits(answer.chunks, here.reading.text);
    const other = isHere ? undefined : await documentFromAnswer(ask, answer, summary, signal);
    const stored = paid.find(summary);
    const payment = stored === undefined ? {} : { paid: { answer: stored, origin } };
    const result = { cuts: cutsFromChunks(answer.chunks), options: summary.options, ...payment };
    batch(() => {
      if (other !== undefined) signals.setSource(other);
      signals.addResults([[answer.tier, result]]);
      tier.value = answer.tier;
      const isEnriched = (result.cuts.enrichments?.size ?? 0) > 0;
      signals.current.value = { chunk: isEnriched ? 0 : undefined, reveal: false, isPinned: isEnriched };
    });
  }

  async function takeResult(
    result: RawSubmission,
    of: TierRequest,
    terms?: { origin?: AnswerOrigin; signal?: AbortSignal },
  ): Promise<void> {
    unpaidRequest.value = undefined;
    const summary = summarize(of);
    if (result.kind === 'answer') await take(result.answer, summary, terms);
    else jobs.follow({ id: result.job.id, begunMs: nowMs(), ...summary });
  }

  /** Shows a stored answer, with its text when its document is not open. */
  async function openPaid(answer: PaidAnswer): Promise<void> {
    const raw = await readContent(answer);
    if (raw === undefined) throw new Error(ERRORS.lost);
    await take(raw, answer, { origin: 'stored' });
    options.value = answer.options;
  }

  /** Sends a free request, shows a stored answer, or opens the payment panel. */
  async function request(wanted: TierRequest): Promise<void> {
    const offer = wanted.overview.tiers.find(({ id }) => id === wanted.tier);
    if (offer !== undefined && offer.amount > 0) {
      const stored = paid.find(wanted);
      const raw = stored === undefined ? undefined : await readContent(stored);
      if (raw === undefined) unpaidRequest.value = wanted;
      else await take(raw, summarize(wanted), { origin: 'stored' }).catch(signals.report);
      return;
    }
    await signals.whileBusy(
      { what: 'sending', name: wanted.tier },
      async ({ signal }) => {
        if (service === undefined) throw new Error(ERRORS.noService);
        const result = await service.submit(wanted.source, sentOptions(wanted), { signal, tries: 1 });
        await takeResult(result, wanted, { signal });
      },
      'url' in wanted.source ? signals.beginDocument() : undefined,
    );
  }

  return {
    request,
    forgetJob: jobs.forget,

    /** Stores the answer to a paid request, before anything else forgets its payment. */
    keepAnswer: async (result: RawSubmission, of: TierRequest): Promise<void> => {
      if (result.kind === 'answer') await paid.keep(result.answer, summarize(of));
    },

    /** Takes the answer to a paid request. */
    answered: (result: RawSubmission, of: TierRequest, origin?: AnswerOrigin): Promise<void> =>
      takeResult(result, of, origin === undefined ? {} : { origin }).catch(signals.report),

    openPaid: (answer: PaidAnswer): Promise<void> => openPaid(answer).catch(signals.report),
    forgetPaid: paid.forget,

    /** Loads the overview of the service, and resumes the job of an earlier visit. */
    async start(): Promise<void> {
      const left = service === undefined ? undefined : storedJob(storage, nowMs());
      if (left !== undefined) jobs.follow(left);
      // Without a service the page still cuts locally.
      overview.value = await service?.overview({ tries: 1 }).catch(() => undefined);
      const isKnown = (id: string): boolean =>
        tierChoices(overview.peek()).some((choice) => choice.id === id);
      // An address may name a tier of another service.
      if (!isKnown(tier.peek())) tier.value = DEFAULT_TIER;
      if (service !== undefined) await paid.refresh();
    },

    /**
     * Requests the chunks of a document behind a link, which only the service can fetch.
     *
     * @throws Error without an overview of the service
     */
    async openUrl(url: string, by: string): Promise<void> {
      const about = overview.peek();
      if (about === undefined) throw new Error(ERRORS.noService);
      await request(createTierRequest({ origin: { kind: 'url', url } }, by, options.peek(), about));
    },

    close(): void {
      jobs.stop();
      paid.close();
    },
  };
}

/** A document made from the chunks of an answer. */
async function documentFromAnswer(
  ask: WorkerClient,
  answer: RawAnswer,
  { url, documentId }: RequestSummary,
  signal: AbortSignal | undefined,
): Promise<OpenDocument> {
  const reading = { ...(await ask('take', documentOfChunks(answer), { signal })), ...aboutChunks(answer) };
  if (url !== undefined) return { reading, origin: { kind: 'url', url } };
  // The same document in the next visit has the same identity, and so the same paid answers and ids.
  return { reading: { ...reading, documentId }, origin: { kind: 'answer' } };
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
      ?.job<'raw'>(next.id)
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
