// Buys the answer to one request: what is sent, how it is paid, and where both are kept until the answer is there.
import {
  type FindPayment,
  type Pay,
  PayingError,
  payingFetch,
  type PaymentMemory,
  USDC,
} from '@grainline/x402/client';
import { type Order, sendingOf } from '../order.ts';
import type { Overview } from '../overview.ts';
import { refusalOf } from '../service.ts';

/** The service's last word on a request that was paid for. */
export type Bought =
  | { readonly kind: 'answer'; readonly json: unknown }
  /** The document or the request is at fault: the payment was not used. */
  | { readonly kind: 'refused'; readonly message: string };

/** What a purchase needs from outside. */
export interface PurchaseParts {
  /** Address of the page: the service's endpoints are beside it. */
  readonly base: string;
  readonly signal: AbortSignal;
  readonly remember: PaymentMemory;
}

/**
 * Sends the request, pays when it is asked to, and waits for the answer. What was paid before for the same request is
 * used first; the same document chosen again is the same request.
 *
 * @throws PayingError, or what the browser rejects with while nothing is paid
 */
export async function purchase(
  order: Order,
  pay: Pay,
  { base, signal, remember }: PurchaseParts,
): Promise<Bought> {
  const { tier, overview } = order;
  const entry = overview.tiers.find(({ id }) => id === tier);
  if (entry === undefined || overview.pay_to === null)
    throw new Error('The service does not sell this tier.');
  const fetchPaid = payingFetch((url, init) => fetch(url, init), {
    pay,
    maxAmount: BigInt(entry.amount),
    assets: { [overview.network]: assetOf(overview) },
    payTo: overview.pay_to,
    remember,
  });
  const [url, init] = sendingOf(order, base);
  const response = await fetchPaid(url, { ...init, signal });
  const json: unknown = await response.json().catch(() => null);
  if (response.ok) return { kind: 'answer', json };
  return { kind: 'refused', message: refusalOf(response, json).message };
}

/** On the main network there is one USDC, whatever a service says. */
function assetOf({ network, asset_address: asset }: Overview): string {
  return network === 'solana-mainnet' ? USDC['solana-mainnet'] : (asset ?? '');
}

/** Uses what was paid before, which `find` looks for, and pays nothing. */
export function withoutPaying(find: FindPayment): Pay {
  const refuse: Pay = () =>
    Promise.reject(
      new PayingError('payment_failed', { detail: 'no payment for this request is on the network' }),
    );
  return Object.assign(refuse, { find });
}
