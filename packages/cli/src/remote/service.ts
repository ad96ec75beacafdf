// A service that chunks documents, with the payments of one run where there is a wallet.
import { type ChunkAnswer, createClient, type JobStatus } from '@grainline/client';
import type { FormatId } from '@grainline/core/formats';
import type { Io } from '../io.ts';
import { CliError, isMissing } from '../errors.ts';
import type { Preflight, ServiceRequest, ServiceRun } from './preflight.ts';
import type { ServiceTarget } from '../args/request.ts';
import type * as Payments from './payments.ts';
import { explained } from './service-errors.ts';

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

/** Loads the part of a run that pays, with its optional package. */
export type ImportPayments = () => Promise<Pick<typeof Payments, 'openPayments'>>;

/** Limits of polling a job. Services usually let a job work for 30 minutes. */
const FOLLOWING = { pollMs: 1500, timeoutMs: 35 * 60_000 };

/**
 * Opens a service for a run.
 *
 * Rejects with `payments_missing`, `keypair_unusable`, `keypair_exposed` or `no_state_folder`.
 *
 * @param preflight checks each document before its payment
 */
export async function openService(
  target: ServiceTarget,
  io: Pick<Io, 'cwd' | 'environment'>,
  preflight: Preflight,
  following = FOLLOWING,
  importPayments?: ImportPayments,
): Promise<ServiceSession> {
  const payments = await paymentsFor(target, io, preflight, importPayments);
  const client = createClient({ url: target.remote, pay: payments?.pay });
  return {
    async chunk(request, run) {
      const signal = AbortSignal.any([run.signal]);
      payments?.begin(signal, request, run);
      const onProgress = ({ progress, message }: JobStatus): void => run.onProgress?.(progress, message);
      try {
        const call = { ...following, signal, onProgress, payAgain: true };
        return await client.chunk(request.source, request.options, call);
      } catch (error) {
        const bounds = { timeoutMs: following.timeoutMs };
        const failure = explained(error, target, payments ? { ...bounds, budget: payments.budget } : bounds);
        payments?.budget.failed(failure);
        throw failure;
      }
    },
    summary: () => payments?.budget.summary() ?? [],
  };
}

/** Without a wallet nothing is paid, and the package for payments is not needed. */
async function paymentsFor(
  { wallet }: ServiceTarget,
  io: Pick<Io, 'cwd' | 'environment'>,
  preflight: Preflight,
  importPayments: ImportPayments = () => import('./payments.ts'),
): Promise<Payments.RunPayments | undefined> {
  if (wallet === undefined) return undefined;
  const { openPayments } = await importPayments().catch((error: unknown) => {
    throw isMissing('@grainline/x402', error) ? new CliError('payments_missing', { cause: error }) : error;
  });
  return openPayments(wallet, io, preflight);
}
