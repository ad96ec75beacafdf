// A service that chunks documents, with the budget and the wallet of one run.
import { type ChunkAnswer, createClient, type JobStatus } from '@grainline/client';
import type { Warning } from '@grainline/core';
import type { FormatId } from '@grainline/core/formats';
import {
  type BeforePayment,
  type Pay,
  payingFetch,
  PayingError,
  paymentOf,
  payWithKeypair,
  USDC,
} from '@grainline/x402/client';
import type { Io } from '../io.ts';
import { type RunBudget, createRunBudget, readKeypairFile, usdc } from './budget.ts';
import { openPaymentFolder, paymentFolder } from './payment-folder.ts';
import type { Preflight, ServiceRequest } from './preflight.ts';
import type { ServiceTarget, WalletRequest } from '../args/request.ts';
import { explained } from './service-errors.ts';

/** The signal and the callbacks of one request. */
export interface ServiceRun {
  readonly signal: AbortSignal;
  /** Receives the progress, from 0 to 100: 0 at the payment, then each status of a job. */
  readonly onProgress?: (percent: number, message: string) => void;
  /** Receives warnings that do not prevent the payment. */
  readonly onWarning?: (warning: Warning) => void;
}

/** A service for one run. */
export interface ServiceSession {
  /** Resolves with all chunks. Rejects with a CliError, a PayingError, or the signal's reason. */
  readonly chunk: <Format extends FormatId>(
    request: ServiceRequest<Format>,
    run: ServiceRun,
  ) => Promise<ChunkAnswer<Format>>;
  /** The payments as lines for the user; empty without any. */
  readonly summary: () => string[];
}

/** Limits of polling a job. Services usually let a job work for 30 minutes. */
const FOLLOWING = { pollMs: 1500, timeoutMs: 35 * 60_000 };

/**
 * Opens a service for a run.
 *
 * Rejects with `keypair_unusable`, `keypair_exposed` or `no_state_folder`.
 *
 * @param preflight checks each document before its payment
 */
export async function openService(
  target: ServiceTarget,
  io: Pick<Io, 'cwd' | 'environment'>,
  preflight: Preflight,
  following = FOLLOWING,
): Promise<ServiceSession> {
  const budget = createRunBudget(target.wallet?.maxCost ?? 0n);
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
    const { refusal, warning } = await preflight(request, amount, run.signal);
    if (warning !== undefined) run.onWarning?.(warning);
    // The preflight may take long, and another payment may have failed meanwhile.
    const reason = refusal ?? budget.closed();
    if (reason !== undefined) return { abort: true, reason };
    run.onProgress?.(0, `paying ${usdc(amount)}, and waiting for the answer`);
    return undefined;
  };
  const options = { ...(await payingOptions(target.wallet, budget, io)), beforePayment };
  const client = createClient({
    url: target.remote,
    pay: (fetch) => {
      const fetchPaid = payingFetch(fetch, options);
      return async (url, init) => {
        const response = await fetchPaid(url, init);
        const payment = paymentOf(response);
        if (payment !== undefined) budget.used(payment.signature);
        return response;
      };
    },
  });

  return {
    async chunk(request, run) {
      const signal = AbortSignal.any([run.signal]);
      underWay.set(signal, { request, run });
      const onProgress = ({ progress, message }: JobStatus): void => run.onProgress?.(progress, message);
      try {
        const call = { ...following, signal, onProgress, payAgain: true };
        return await client.chunk(request.source, request.options, call);
      } catch (error) {
        const failure = explained(error, target, { budget, timeoutMs: following.timeoutMs });
        budget.failed(failure);
        throw failure;
      }
    },
    summary: () => budget.summary(),
  };
}

async function payingOptions(
  wallet: WalletRequest | undefined,
  budget: RunBudget,
  io: Pick<Io, 'cwd' | 'environment'>,
) {
  if (wallet === undefined) {
    const pay: Pay = () => Promise.reject(new Error('Every price is above the ceiling.'));
    return { pay, maxAmount: 0n, assets: USDC };
  }
  const { network, rpcUrl, maxCost } = wallet;
  const keypair = await readKeypairFile(wallet.keypair, io);
  return {
    pay: budget.guard(payWithKeypair({ rpcUrl, keypair })),
    maxAmount: maxCost,
    assets: { [network]: USDC[network] },
    remember: openPaymentFolder(paymentFolder(io.environment)),
  };
}
