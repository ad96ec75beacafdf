// The service's side of a payment: the transfer made ready, handed to the network, and looked for. The page itself
// reaches no network but the service.
import { addressOf } from '../order.ts';
import { refusalOf } from '../service.ts';

/** A transfer for a wallet to sign. */
export interface PreparedTransfer {
  /** In base64. */
  readonly transaction: string;
  readonly lastValidBlockHeight: string;
}

/** What became of a transfer. */
export type Found =
  { readonly kind: 'paid'; readonly signature: string } | { readonly kind: 'unknown' | 'unpaid' };

/**
 * The service, as far as payments go. Calls reject with a {@link Refusal}, with what `fetch` says, with an Error when
 * an answer cannot be read, or with the signal's reason.
 */
export interface PaymentService {
  prepare(payer: string, memo: string, signal: AbortSignal): Promise<PreparedTransfer>;
  /** Resolves with the signature once it is sent; that does not mean included. */
  send(transaction: string, signal: AbortSignal): Promise<string>;
  find(wanted: Wanted, signal: AbortSignal): Promise<Found>;
}

/** A transfer that may have been made. */
export interface Wanted {
  readonly memo: string;
  readonly lastValidBlockHeight?: string;
  /** Signatures of payments that are used up. */
  readonly except: readonly string[];
}

/** Signatures that one search may leave out: as many as the service takes. The last ones are told. */
const MOST_EXCEPT = 16;

/** Endpoints of one tier, relative to the page. */
export function paymentService(tier: string, base: string): PaymentService {
  const post = (path: string, body: object, signal: AbortSignal) =>
    ask(addressOf(base, `payment/${path}`), body, signal);
  return {
    async prepare(payer, memo, signal) {
      const answer = await post('transaction', { payer, tier, memo }, signal);
      const { transaction, last_valid_block_height: height } = answer;
      if (typeof transaction !== 'string' || typeof height !== 'number') throw malformed();
      return { transaction, lastValidBlockHeight: String(height) };
    },
    async send(transaction, signal) {
      const { signature } = await post('send', { transaction }, signal);
      if (typeof signature !== 'string') throw malformed();
      return signature;
    },
    async find({ memo, lastValidBlockHeight: height, except }, signal) {
      const known = height === undefined ? {} : { last_valid_block_height: Number(height) };
      const answer = await post('find', { memo, tier, except: except.slice(-MOST_EXCEPT), ...known }, signal);
      const { state, signature } = answer;
      if (state === 'paid' && typeof signature === 'string') return { kind: 'paid', signature };
      if (state === 'unknown' || state === 'unpaid') return { kind: state };
      throw malformed();
    },
  };
}

async function ask(
  url: string,
  body: object,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw refusalOf(response, answer);
  if (typeof answer !== 'object' || answer === null) throw malformed();
  return answer as Readonly<Record<string, unknown>>;
}

function malformed(): Error {
  return new Error('The service answered something that cannot be read.');
}
