// Buys the answer to one request.
import {
  type FindPayment,
  type Pay,
  PayingError,
  payingFetch,
  type PaymentMemory,
  USDC,
} from '@grainline/x402/client';
import { createClient, type Overview } from '@grainline/client';
import type { TierRequest, RawSubmission } from '../service/chunk-request.ts';

/** Dependencies of a purchase. */
export interface PurchaseDeps {
  /** Address of the page: the service's endpoints are beside it. */
  readonly base: string;
  readonly signal: AbortSignal;
  readonly remember: PaymentMemory;
}

/**
 * Sends the request, pays its price, and waits for the answer. An earlier payment for the same request is used first;
 * the same document chosen again is the same request.
 *
 * Rejects with a PayingError or a ClientError.
 */
export async function purchase(
  request: TierRequest,
  pay: Pay,
  { base, signal, remember }: PurchaseDeps,
): Promise<RawSubmission> {
  const { tier, source, options, overview } = request;
  const entry = overview.tiers.find(({ id }) => id === tier);
  const { pay_to: payTo } = overview;
  if (entry === undefined || payTo === null) throw new Error('The service does not sell this tier.');
  const maxAmount = BigInt(entry.amount);
  const assets = { [overview.network]: assetOf(overview) };
  const client = createClient({
    url: base,
    tries: 1,
    pay: (fetch) => payingFetch(fetch, { pay, maxAmount, assets, payTo, remember }),
  });
  return client.submit(source, { tier, ...options }, { signal, payAgain: true });
}

/** The main network has one USDC, whatever address a service names. */
function assetOf({ network, asset_address: asset }: Overview): string {
  return network === 'solana-mainnet' ? USDC['solana-mainnet'] : (asset ?? '');
}

/** Uses an earlier payment, found by `find`, and pays nothing. */
export function withoutPaying(find: FindPayment): Pay {
  const reject: Pay = () =>
    Promise.reject(
      new PayingError('payment_failed', { detail: 'no payment for this request is on the network' }),
    );
  return Object.assign(reject, { find });
}
