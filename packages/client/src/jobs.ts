// Jobs of background tiers: their status, and their result.
import { chunkAnswerOf, type ChunkAnswer, type JobStatus, jobStatusOf } from './answers.ts';
import { ClientError } from './errors.ts';
import { type CallOptions, type ClientClock, type SendRequest, readMembers } from './transport.ts';

/** Options for following a job. */
export interface FollowOptions extends CallOptions {
  /** The wait between two requests for the status, in milliseconds. Default 1500. */
  readonly pollMs?: number | undefined;
  /** The longest wait for the end, in milliseconds. Default without limit. */
  readonly timeoutMs?: number | undefined;
}

/** A {@link FollowOptions} with a callback for each status. */
export interface ProgressOptions extends FollowOptions {
  /** Called with each status of a job. */
  readonly onProgress?: ((status: JobStatus) => void) | undefined;
}

/** A job of the service. Calls reject with a {@link ClientError}, or with the signal's reason. */
export interface Job<Answer = ChunkAnswer> {
  /** The id; `client.job(id)` continues with the job after a restart. */
  readonly id: string;
  /** Key of the webhook's signatures, `whsec_…`; only of a new job with `webhookUrl`. */
  readonly webhookSecret?: string;
  /** The present status. */
  status(call?: CallOptions): Promise<JobStatus>;
  /**
   * The statuses until the job is completed; `progress` never decreases. Throws the code and the message of a failed
   * job. Leaving the loop or aborting the signal stops the requests; the job itself continues.
   */
  watch(options?: FollowOptions): AsyncIterable<JobStatus>;
  /** Waits for the end, and resolves with the chunks. */
  answer(options?: ProgressOptions): Promise<Answer>;
  /** Removes the result of a completed job, with all text of the document. */
  delete(call?: CallOptions): Promise<void>;
}

const POLL_MS = 1500;

/**
 * The job of an id.
 *
 * @param payment proof that bought it; the errors of its calls carry it
 */
export function createJob(
  id: string,
  { sendRequest, clock }: { readonly sendRequest: SendRequest; readonly clock: ClientClock },
  payment?: string,
): Job {
  const path = `job/${encodeURIComponent(id)}`;
  const run = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof ClientError) error.payment ??= payment;
      throw error;
    }
  };
  const status = (call?: CallOptions): Promise<JobStatus> =>
    run(async () =>
      jobStatusOf((await sendRequest({ path: `${path}/status` }, readMembers, call)).value, id),
    );

  async function* watch(options: FollowOptions = {}): AsyncGenerator<JobStatus> {
    const { pollMs = POLL_MS, timeoutMs = Infinity, signal } = options;
    let progress = 0;
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      const now = await status(options);
      if (now.status === 'failed')
        throw new ClientError(now.code ?? 'job_failed', now.message || 'The job has failed.', { payment });
      progress = Math.max(progress, now.progress);
      yield { ...now, progress };
      if (now.status === 'completed') return;
      if (waitedMs >= timeoutMs)
        throw new ClientError('still_processing', `The job ${id} has not ended yet.`, {
          payment,
          retryable: true,
        });
      await clock.wait(pollMs, signal);
    }
  }

  return {
    id,
    status,
    watch,
    answer: (options = {}) =>
      run(async () => {
        for await (const now of watch(options)) options.onProgress?.(now);
        const { value } = await sendRequest({ path: `${path}/result` }, readMembers, options);
        return chunkAnswerOf(value, id);
      }),
    delete: (call) =>
      run(async () => {
        await sendRequest({ path: `${path}/result`, method: 'DELETE' }, () => Promise.resolve(), call);
      }),
  };
}
