// The deliveries of one process: it claims webhooks that are due, of any process, sends some at a time, and repeats a
// failed one later. No job waits for a delivery.
import type { Logger } from 'pino';
import { createPoll } from '../jobs/poll.ts';
import type { WebhookDelivery, WebhookQueue } from '../store/webhooks.ts';
import type { WebhookSender } from './send.ts';

/** Dependencies of {@link createWebhooks}. */
export interface WebhooksDeps {
  readonly store: WebhookQueue;
  readonly sender: WebhookSender;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** The deliveries of one process. */
export interface Webhooks {
  /** Starts the deliveries. Called once. */
  begin(): void;
  /** Looks for webhooks that are due: a job of this process has ended. */
  wake(): void;
  /** Aborts running attempts, which count, and ends. */
  close(): Promise<void>;
}

/** The deliveries of a deployment without jobs. */
export const NO_WEBHOOKS: Webhooks = {
  begin: () => undefined,
  wake: () => undefined,
  close: () => Promise.resolve(),
};

/** Pauses after failed attempts, in milliseconds; a job and its webhook are deleted after an hour. */
export const RETRIES_MS: readonly number[] = [5_000, 60_000, 300_000, 1_800_000];
/** Attempts of a process at one time. Slow receivers hold one each for ten seconds. */
const AT_ONCE = 32;
/** Longer than an attempt: another process repeats one that did not end. */
const LEASE_MS = 30_000;
/** Pause before the next look for webhooks of jobs that other processes ended. */
const POLL_MS = 5_000;

/** Creates the deliveries. */
export function createWebhooks({ store, sender, log }: WebhooksDeps): Webhooks {
  const running = new Set<Promise<void>>();
  const stop = new AbortController();
  const poll = createPoll(async () => {
    try {
      return await claimAll();
    } catch (err) {
      if (!stop.signal.aborted) log.warn({ err }, 'webhooks cannot be claimed');
      return POLL_MS;
    }
  });

  /** Claims deliveries up to the limit; resolves with the time until the next poll. */
  async function claimAll(): Promise<number> {
    while (running.size < AT_ONCE && !stop.signal.aborted) {
      const claim = await store.claimWebhook(LEASE_MS);
      if (claim.kind === 'none') return Math.min(claim.inMs ?? POLL_MS, POLL_MS);
      const attempt = deliver(claim.delivery).finally(() => {
        running.delete(attempt);
        poll.wake();
      });
      running.add(attempt);
    }
    return POLL_MS;
  }

  async function deliver(delivery: WebhookDelivery): Promise<void> {
    const { id: job, attempt } = delivery;
    const pause = RETRIES_MS[attempt - 1];
    const outcome =
      // The process of the last attempt has died.
      attempt > RETRIES_MS.length + 1
        ? { failure: 'no attempt is left' }
        : await sender.send(delivery, stop.signal);
    const retryMs = typeof outcome === 'string' ? null : (pause ?? null);
    const failure = typeof outcome === 'string' ? undefined : outcome.failure;
    if (failure !== undefined) log.info({ job, attempt, failure, retry_ms: retryMs }, 'a webhook failed');
    // Without this write the delivery is due again after the lease.
    await store.endWebhook(delivery, retryMs).catch((err: unknown) => {
      log.warn({ err }, 'the end of a webhook cannot be written');
    });
  }

  return {
    begin: poll.wake,
    wake: poll.wake,
    async close() {
      stop.abort();
      await poll.stop();
      await Promise.all(running);
      await sender.close();
    },
  };
}
