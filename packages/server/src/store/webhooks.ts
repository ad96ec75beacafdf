// Webhooks of jobs: rows that outlive the process that ended the job. The end of a job makes its row due. A claim moves
// that moment by the lease, so that the delivery of a process that has died is repeated by another one.
import type { LeaseStatus } from '@grainline/x402';
import { type Engine, query, queryCount, queryOne, queryRow, type Steps } from './engine.ts';

/** The receiver of a job's end. */
export interface JobWebhook {
  readonly url: string;
  /** Key of its signatures: `whsec_` and Base64. */
  readonly secret: string;
}

/** One attempt of a delivery. */
export interface WebhookDelivery extends JobWebhook {
  /** The id of the job. */
  readonly id: string;
  readonly state: 'completed' | 'failed';
  /** From 1. */
  readonly attempt: number;
  /** Random, new for every attempt. */
  readonly token: string;
}

/** The reply of {@link WebhookQueue.claimWebhook}. `inMs` until the next attempt; null without any. */
export type WebhookClaim =
  | { readonly kind: 'claimed'; readonly delivery: WebhookDelivery }
  | { readonly kind: 'none'; readonly inMs: number | null };

/** Deliveries of all processes that share the store. They are deleted with their job. */
export interface WebhookQueue {
  /** Claims the delivery that is due for the longest time, for `ms`; afterwards it is due again. */
  claimWebhook(ms: number): Promise<WebhookClaim>;
  /**
   * Ends an attempt. `lost` when another process has claimed the delivery.
   *
   * @param retryMs milliseconds until the next attempt; null without one
   */
  endWebhook(delivery: WebhookDelivery, retryMs: number | null): Promise<LeaseStatus>;
}

/** Creates the deliveries of an engine. */
export function createWebhookQueue(engine: Engine, createToken: () => string): WebhookQueue {
  const { keyText } = engine;
  const sql = createStatements(engine);

  function* claim(ms: number): Steps<WebhookClaim> {
    const token = createToken();
    const row = yield* queryRow<DeliveryColumns>(sql.claim, [engine.time(), token, ms]);
    if (row !== undefined)
      return { kind: 'claimed', delivery: { ...row, attempt: Number(row.attempt), token } };
    const { in_ms: inMs } = yield* queryOne<{ in_ms: bigint | null }>(sql.nextMoment, [engine.time()]);
    return { kind: 'none', inMs: inMs === null ? null : Math.max(0, Number(inMs)) };
  }

  function* end({ id, token }: WebhookDelivery, retryMs: number | null): Steps<LeaseStatus> {
    const values = [keyText(id), token];
    const count =
      retryMs === null
        ? yield* queryCount(sql.drop, values)
        : yield* queryCount(sql.retry, [engine.time(), ...values, retryMs]);
    return count === 1 ? 'held' : 'lost';
  }

  return {
    claimWebhook: (ms) => engine.change('quick', () => claim(ms)),
    endWebhook: (delivery, retryMs) => engine.change('quick', () => end(delivery, retryMs)),
  };
}

/** Writes the webhook of a new job, within its transaction. */
export function* insertWebhook(id: string, { url, secret }: JobWebhook): Steps<void> {
  yield* query('INSERT INTO grainline.webhooks (id, url, secret) VALUES ($1, $2, $3)', [id, url, secret]);
}

/** Makes the webhook of an ended job due, within the transaction of the end. */
export function* releaseWebhook({ dialect, time }: Engine, id: string): Steps<void> {
  yield* query(`UPDATE grainline.webhooks SET due_ms = ${dialect.now} WHERE id = $2`, [time(), id]);
}

interface DeliveryColumns extends JobWebhook {
  readonly id: string;
  readonly state: WebhookDelivery['state'];
  readonly attempt: number | bigint;
}

function createStatements({ dialect: { now, quick, lockFree } }: Engine) {
  return {
    claim: `UPDATE grainline.webhooks SET token = $2, due_ms = ${now} + CAST($3 AS bigint), attempts = attempts + 1
      WHERE id = (
        SELECT id FROM grainline.webhooks WHERE due_ms <= ${now} ORDER BY due_ms LIMIT 1 ${lockFree}
      ) RETURNING id, url, secret, attempts AS attempt,
        (SELECT j.state FROM grainline.jobs AS j WHERE j.id = webhooks.id) AS state, ${quick}`,
    nextMoment: `SELECT min(due_ms) - ${now} AS in_ms FROM grainline.webhooks WHERE due_ms IS NOT NULL`,
    retry: `UPDATE grainline.webhooks SET due_ms = ${now} + CAST($4 AS bigint) WHERE id = $2 AND token = $3
      RETURNING ${quick}`,
    drop: `DELETE FROM grainline.webhooks WHERE id = $1 AND token = $2 RETURNING ${quick}`,
  } as const;
}
