// The payments of one run: a paying fetch with the wallet, the budget and the memory of the run. It needs the optional
// package for payments.
import type { PayPort } from '@grainline/client';
import {
  type BeforePayment,
  payingFetch,
  PayingError,
  paymentOf,
  payWithKeypair,
  USDC,
} from '@grainline/x402/client';
import type { Io } from '../io.ts';
import type { WalletRequest } from '../args/request.ts';
import { createRunBudget, readKeypairFile, type RunBudget } from './budget.ts';
import { openPaymentFolder, paymentFolder } from './payment-folder.ts';
import type { Preflight, ServiceRequest, ServiceRun } from './preflight.ts';
import { usdc } from './usdc.ts';

/** The paying part of a run over a service. */
export interface RunPayments {
  readonly pay: PayPort;
  readonly budget: RunBudget;
  /** Names the request that is sent with a signal. Only such requests are paid for. */
  readonly begin: (signal: AbortSignal, request: ServiceRequest, run: ServiceRun) => void;
}

/**
 * Opens the wallet of a run.
 *
 * Rejects with `keypair_unusable`, `keypair_exposed` or `no_state_folder`.
 */
export async function openPayments(
  { network, rpcUrl, maxCost, keypair: file }: WalletRequest,
  io: Pick<Io, 'cwd' | 'environment'>,
  preflight: Preflight,
): Promise<RunPayments> {
  const budget = createRunBudget(maxCost);
  /** Requests under way, by their signals. */
  const underWay = new WeakMap<AbortSignal, { readonly request: ServiceRequest; readonly run: ServiceRun }>();
  const beforePayment: BeforePayment = async ({ order: { amount }, signal }) => {
    const closed = budget.closed();
    if (closed !== undefined) return { abort: true, reason: closed };
    // The wallet checks too late: a refund meanwhile would skip the preflight.
    if (amount > budget.left()) throw new PayingError('price_too_high', { amount });
    const found = underWay.get(signal);
    if (found === undefined) throw new Error('Only requests of this run are paid for.');
    const { request, run } = found;
    const refusal = await preflight(request, amount, run.signal);
    // The preflight may take long, and another payment may have failed meanwhile.
    const reason = refusal ?? budget.closed();
    if (reason !== undefined) return { abort: true, reason };
    run.onProgress?.(0, `paying ${usdc(amount)}, and waiting for the answer`);
    return undefined;
  };
  const keypair = await readKeypairFile(file, io);
  const options = {
    pay: budget.guard(payWithKeypair({ rpcUrl, keypair })),
    maxAmount: maxCost,
    assets: { [network]: USDC[network] },
    remember: openPaymentFolder(paymentFolder(io.environment)),
    beforePayment,
  };
  return {
    budget,
    begin: (signal, request, run) => void underWay.set(signal, { request, run }),
    pay: (fetch) => {
      const fetchPaid = payingFetch(fetch, options);
      return async (url, init) => {
        const response = await fetchPaid(url, init);
        const payment = paymentOf(response);
        if (payment !== undefined) budget.used(payment.signature);
        return response;
      };
    },
  };
}
