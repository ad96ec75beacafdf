// What the page asks its service for, and what it makes of the answers: chunks at once, a link to them, or a job that
// is followed, also over a reload.
import { batch } from '@preact/signals';
import { aboutChunks, cutsFromChunks, documentOfChunks, fits, readAnswer } from '../answers.ts';
import { followJob, type Job, keepJob, keptJob, type JobStorage } from '../jobs.ts';
import { type Order, type Ordered, orderFor, readOrder } from '../order.ts';
import type { JobStatus, Service } from '../service.ts';
import type { AskWorker } from '../worker-client.ts';
import type { Known, Source } from './known.ts';

/** What asking the service needs of the world. */
export interface AskingParts {
  readonly ask: AskWorker;
  readonly service: Service;
  readonly storage: JobStorage;
  readonly nowMs: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

const NO_SERVICE = 'The service does not answer, and only it can fetch links.';

/** The page's side of its service. */
export function createAsking(known: Known, { ask, service, storage, nowMs, wait }: AskingParts) {
  const { overview, source, options, tier, order } = known;
  const jobs = createFollowing(known, { service, storage, wait }, take);

  /** Shows what was answered: on the text that is here, if it is that, or else on what its chunks hold. */
  async function take(body: unknown, ordered: Ordered, signal?: AbortSignal): Promise<void> {
    const answer = readAnswer(body);
    if (answer.kind === 'link') {
      const result = await service.result(answer.resultId);
      signal?.throwIfAborted();
      await take(result, ordered, signal);
      return;
    }
    if (answer.kind === 'job') {
      jobs.follow({ id: answer.jobId, begunMs: nowMs(), ...ordered });
      return;
    }
    const here = source.peek();
    const isHere = here !== undefined && fits(answer.chunks, here.reading.text);
    const other = isHere ? undefined : await sourceOf(answer, ordered, signal);
    batch(() => {
      if (other !== undefined) known.setSource(other);
      known.addResults([[answer.tier, { cuts: cutsFromChunks(answer.chunks), options: ordered.options }]]);
      tier.value = answer.tier;
    });
  }

  /** A document in place of one that only its chunks are known of. */
  async function sourceOf(
    answer: Parameters<typeof aboutChunks>[0],
    { url }: Ordered,
    signal?: AbortSignal,
  ): Promise<Source> {
    const reading = await ask('take', documentOfChunks(answer), signal === undefined ? {} : { signal });
    const origin = url === undefined ? ({ kind: 'answer' } as const) : ({ kind: 'url', url } as const);
    return { reading: { ...reading, ...aboutChunks(answer) }, origin };
  }

  async function takeAnswered(body: unknown, of: Order, signal?: AbortSignal): Promise<void> {
    order.value = undefined;
    await take(body, readOrder(of), signal);
  }

  /** Sends a request that costs nothing, or opens the part that pays. */
  async function request(wanted: Order): Promise<void> {
    const offer = wanted.overview.tiers.find(({ id }) => id === wanted.tier);
    if (offer !== undefined && offer.amount > 0) {
      order.value = wanted;
      return;
    }
    await known.whileBusy(
      { what: 'sending', name: wanted.tier },
      async ({ signal }) => takeAnswered(await service.send(wanted, signal), wanted, signal),
      wanted.request.kind === 'json' && 'url' in wanted.request.body ? known.beginDocument() : undefined,
    );
  }

  return {
    request,
    forgetJob: jobs.forget,

    /** Takes the answer to a request that was paid for. */
    answered: (body: unknown, of: Order): Promise<void> => takeAnswered(body, of).catch(known.report),

    /** Asks the service what it offers, and goes on with a job that an earlier visit has begun. */
    async start(): Promise<void> {
      const left = keptJob(storage, nowMs());
      if (left !== undefined) jobs.follow(left);
      // Without a service, as when the files are looked at alone, the page still cuts.
      overview.value = await service.overview().catch(() => undefined);
    },

    /**
     * Asks for a document behind a link, which only the service can fetch.
     *
     * @throws Error when the service has not said what it offers
     */
    async openUrl(url: string, by: string): Promise<void> {
      const about = overview.peek();
      if (about === undefined) throw new Error(NO_SERVICE);
      await request(orderFor({ origin: { kind: 'url', url } }, by, options.peek(), about));
    },

    close: jobs.stop,
  };
}

/**
 * Follows one job at a time to its result, also over a reload, and shows how far it is.
 *
 * @param take receives the result of a job, with what was ordered
 */
function createFollowing(
  { job, report }: Pick<Known, 'job' | 'report'>,
  { service, storage, wait }: Pick<AskingParts, 'service' | 'storage' | 'wait'>,
  take: (result: unknown, ordered: Ordered) => Promise<void>,
) {
  let following = new AbortController();

  /** Follows a job in place of the one before, and remembers it for a reload. */
  function follow(next: Job): void {
    following.abort();
    following = new AbortController();
    const { signal } = following;
    job.value = next;
    keepJob(storage, next);
    const onStatus = (status: JobStatus): void => {
      job.value = { ...next, ...status };
    };
    followJob(next.id, { service, wait, signal, onStatus })
      .then((result) => take(result, next))
      .catch(report)
      .finally(() => {
        if (!signal.aborted) forget();
      });
  }

  /** Ends following, and forgets the job. */
  function forget(): void {
    following.abort();
    job.value = undefined;
    keepJob(storage, undefined);
  }

  /** Ends following; a reload goes on with the job. */
  function stop(): void {
    following.abort();
  }

  return { follow, forget, stop };
}
