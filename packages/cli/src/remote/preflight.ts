// The check of a document right before its payment: the service estimates the same request, free of charge. A payment
// that is bound to a rejected document buys nothing else.
import { type ChunkRequestOptions, ClientError, createClient, type DocumentInput } from '@grainline/client';
import type { FormatId } from '@grainline/core/formats';
import { usdc } from './usdc.ts';

/** A document for a service, with the options of its chunks. */
export interface ServiceRequest<Format extends FormatId = FormatId> {
  readonly source: DocumentInput;
  readonly options: ChunkRequestOptions<Format>;
}

/** The signal and the callback of one request. */
export interface ServiceRun {
  readonly signal: AbortSignal;
  /** Receives the progress, from 0 to 100: 0 at the payment, then each status of a job. */
  readonly onProgress?: (percent: number, message: string) => void;
}

/**
 * Checks a request before its payment: the expected rejection, or undefined without one. Rejects with the signal's
 * reason.
 *
 * @param amount price of the service, in millionths of a USDC
 */
export type Preflight = (
  request: ServiceRequest,
  amount: bigint,
  signal: AbortSignal,
) => Promise<string | undefined>;

/** A preflight for the documents of one service. */
export function createPreflight(remote: string): Preflight {
  const client = createClient({ url: remote });
  return async ({ source, options }, amount, signal) => {
    try {
      const { tiers } = await client.estimate(source, options, { signal });
      const [tier] = tiers;
      if (tier === undefined) return undefined;
      const [refusal] = tier.refusals;
      if (refusal !== undefined) return explain(refusal);
      return amount > tier.amount ? priceDiffers(amount, BigInt(tier.amount)) : undefined;
    } catch (error) {
      signal.throwIfAborted();
      // A service without estimates takes the document as it is; the limit of the run still bounds the payment.
      if (error instanceof ClientError && error.status === 404) return undefined;
      return `The service does not say whether it takes the document: ${explain(error as Error)}`;
    }
  };
}

/** A user who read a price, by `--dry-run` or describe_tiers, pays no higher one. */
function priceDiffers(amount: bigint, estimated: bigint): string {
  return `The service asks for ${usdc(amount)}, and estimates ${usdc(estimated)}. If it has just raised its price, ask again in a minute. (price_differs)`;
}

function explain({ message, code }: { readonly message: string; readonly code?: unknown }): string {
  return typeof code === 'string' ? `${message} (${code})` : message;
}
