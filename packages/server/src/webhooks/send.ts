// One delivery of a webhook: signed by the Standard Webhooks specification 1.0.0
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md), and sent to addresses
// that links may have. Nothing of the answer is read but its status.
import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import type { Settings } from '../settings/settings.ts';
import { createConnect, type Lookup } from '../requests/download/connect.ts';
import type { WebhookDelivery } from '../store/webhooks.ts';
import { parseWebhookUrl, SECRET_PREFIX } from './address.ts';

/** The end of one attempt: `gone` when the receiver wants no more, otherwise the reason of a failure, for the log. */
export type WebhookOutcome = 'delivered' | 'gone' | { readonly failure: string };

/** Sends webhooks. */
export interface WebhookSender {
  /** Never rejects. */
  send(delivery: WebhookDelivery, signal: AbortSignal): Promise<WebhookOutcome>;
  close(): Promise<void>;
}

/** Dependencies of {@link createWebhookSender}. */
export interface WebhookSenderDeps {
  readonly settings: Pick<Settings, 'fetchAllow'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: that of links. */
  readonly lookup?: Lookup | undefined;
  /** Time of an attempt. Default {@link TIMEOUT_MS}. */
  readonly timeoutMs?: number | undefined;
}

/** Time of an attempt in milliseconds. A receiver answers before it works. */
const TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;
const GONE = 410;

/**
 * The headers of a delivery.
 *
 * @param timestampS seconds since 1970, of the attempt
 */
export function signWebhook(
  secret: string,
  id: string,
  timestampS: number,
  body: string,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': `v1,${signature}`,
  };
}

/** Creates the sender. Each attempt has a connection of its own, whose address is checked. */
export function createWebhookSender(deps: WebhookSenderDeps): WebhookSender {
  const { now, lookup, timeoutMs = TIMEOUT_MS } = deps;
  const allow = new Set(deps.settings.fetchAllow);
  const agent = new Agent({
    connect: createConnect({ allow, lookup, timeoutMs }),
    headersTimeout: timeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    allowH2: false,
    pipelining: 0,
  });

  async function post({ id, url, secret, state }: WebhookDelivery, signal: AbortSignal): Promise<number> {
    const body = JSON.stringify({ job_id: id, status: state });
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Grainline',
      ...signWebhook(secret, `msg_${id}`, Math.floor(now() / 1000), body),
    };
    const answer = await request(parseWebhookUrl(url, allow), {
      ...{ dispatcher: agent, method: 'POST', headers, body },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    // A destroyed body emits an error, which without a listener would end the process.
    answer.body.on('error', () => undefined).destroy();
    return answer.statusCode;
  }

  return {
    async send(delivery, signal) {
      try {
        const status = await post(delivery, signal);
        if (status >= 200 && status < 300) return 'delivered';
        return status === GONE ? 'gone' : { failure: `status ${status}` };
      } catch (error) {
        return { failure: reasonOf(error) };
      }
    },
    close: () => agent.destroy(),
  };
}

/** The code of an error: messages of the network hold addresses. */
function reasonOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name);
}
