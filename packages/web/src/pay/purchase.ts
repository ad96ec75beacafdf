// Buys the answer to one request.
import { type FindPayment, type Pay, payingFetch, type PaymentMemory, USDC } from '@grainline/x402/client';
import { createClient, type FetchPort, type Overview } from '@grainline/client';
import { sentOptions, type TierRequest, type RawSubmission } from '../service/chunk-request.ts';
import { sentenceOf } from '../error-sentences.ts';
import { TROUBLE } from '../texts.ts';

/** The service does not take a document. Nothing was paid for it. */
export class UnpaidRefusal extends Error {
  /** True when the same document may be accepted later. */
  readonly isRetryable: boolean;

  constructor(message: string, isRetryable: boolean) {
    super(message);
    this.isRetryable = isRetryable;
  }
}

/** Dependencies of a purchase. */
export interface PurchaseDeps {
  /** Address of the page: the service's endpoints are beside it. */
  readonly base: string;
  readonly signal: AbortSignal;
  readonly remember: PaymentMemory;
  /** Called before each request with a payment: the wait is for the service then. */
  readonly onPaid: () => void;
}

/**
 * Sends the request, pays its price, and waits for the answer. An earlier payment for the same request is used first;
 * the same document chosen again is the same request.
 *
 * Rejects with a PayingError or a ClientError.
 */
export function purchase(request: TierRequest, pay: Pay, deps: PurchaseDeps): Promise<RawSubmission> {
  return submit(request, pay, deps, (fetch) => fetch);
}

/**
 * The answer for an earlier payment of the same request, remembered in this browser or found by `find`. Pays nothing,
 * and sends nothing without such a payment.
 *
 * @returns undefined without an earlier payment
 */
export async function repeatPurchase(
  request: TierRequest,
  find: FindPayment,
  deps: PurchaseDeps,
): Promise<RawSubmission | undefined> {
  const unpaid = new Error(TROUBLE.noEarlier);
  const reject = (): Promise<never> => Promise.reject(unpaid);
  const pay: Pay = Object.assign(reject, { find });
  try {
    return await submit(request, pay, deps, () => reject);
  } catch (error) {
    if (error !== unpaid) throw error;
    return undefined;
  }
}

/**
 * Has the service fetch and measure the document behind a link before anything is paid: a payment is bound to its
 * request, and buys nothing else when the document is refused. Other documents are measured in the page.
 *
 * @throws UnpaidRefusal
 */
export async function assertLinkAccepted(
  request: TierRequest,
  { base, signal }: Pick<PurchaseDeps, 'base' | 'signal'>,
): Promise<void> {
  if (!('url' in request.source)) return;
  const client = createClient({ url: base, tries: 1 });
  const estimate = await client
    .estimate(request.source, sentOptions(request), { signal })
    .catch((error: unknown) => {
      signal.throwIfAborted();
      throw new UnpaidRefusal(sentenceOf(error), true);
    });
  const [refusal] = estimate.tiers.flatMap(({ refusals }) => refusals);
  if (refusal !== undefined) throw new UnpaidRefusal(refusal.message, refusal.retryable);
}

/** @param unpaid makes the fetch for requests without a payment */
async function submit(
  request: TierRequest,
  pay: Pay,
  { base, signal, remember, onPaid }: PurchaseDeps,
  unpaid: (fetch: FetchPort) => FetchPort,
): Promise<RawSubmission> {
  const { tier, source, overview } = request;
  const entry = overview.tiers.find(({ id }) => id === tier);
  const { pay_to: payTo } = overview;
  if (entry === undefined || payTo === null) throw new Error(TROUBLE.notSold);
  const maxAmount = BigInt(entry.amount);
  const assets = { [overview.network]: assetOf(overview) };
  const watched = (fetch: FetchPort): FetchPort => {
    return (url, init) => {
      if (!new Headers(init.headers).has('X-PAYMENT')) return unpaid(fetch)(url, init);
      onPaid();
      return fetch(url, init);
    };
  };
  const client = createClient({
    url: base,
    tries: 1,
    pay: (fetch) => payingFetch(watched(fetch), { pay, maxAmount, assets, payTo, remember }),
  });
  return client.submit(source, sentOptions(request), { signal, payAgain: true });
}

/** The main network has one USDC, whatever address a service names. */
function assetOf({ network, asset_address: asset }: Overview): string {
  return network === 'solana-mainnet' ? USDC['solana-mainnet'] : (asset ?? '');
}
