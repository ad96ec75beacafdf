// The check of a document right before its payment. The service names its price before it reads the document, and a
// payment bound to a rejected document buys nothing else. The service checks options, links and texts before the price.
import type { ChunkRequestOptions, DocumentInput, Overview, ServiceTier } from '@grainline/client';
import type { Warning } from '@grainline/core';
import type { FormatId } from '@grainline/core/formats';
import { pickOptions } from '@grainline/core/options';
import { detectKind, type ExtractErrorCode } from '@grainline/extract';
import { usdc } from './usdc.ts';
import type { CountCharacters, Readable } from '../local/count.ts';
import { codeOf } from '../errors.ts';
import {
  findTier,
  type UploadLimits,
  limitsOf,
  readOverview,
  refusals,
  unknownKind,
  unreadScan,
} from './offer.ts';

/** A document for a service, with the options of its chunks. */
export interface ServiceRequest<Format extends FormatId = FormatId> {
  readonly source: DocumentInput;
  readonly options: ChunkRequestOptions<Format>;
}

/** The signal and the callbacks of one request. */
export interface ServiceRun {
  readonly signal: AbortSignal;
  /** Receives the progress, from 0 to 100: 0 at the payment, then each status of a job. */
  readonly onProgress?: (percent: number, message: string) => void;
  /** Receives warnings that do not prevent the payment. */
  readonly onWarning?: (warning: Warning) => void;
}

/** The result of a preflight. */
export interface PreflightResult {
  /** The expected rejection; undefined without one. */
  readonly refusal?: string | undefined;
  /** A warning before the payment. */
  readonly warning?: Warning | undefined;
}

/**
 * Checks a request before its payment. Rejects with the signal's reason, or with a defect.
 *
 * @param amount price of the service, in millionths of a USDC
 */
export type Preflight = (
  request: ServiceRequest,
  amount: bigint,
  signal: AbortSignal,
) => Promise<PreflightResult>;

/** Most time of an overview. A service that has just named a price answers quickly or not at all. */
const OVERVIEW_MS = 10_000;
/** Lifetime of an overview, in milliseconds: prices may change while a server for agents runs. */
const FRESH_MS = 60_000;
/** Lifetime of a failed overview, in milliseconds. */
const MISSING_MS = 5_000;

/**
 * A preflight for the documents of one service.
 *
 * @param count reads a document as the service does, and takes as long
 * @param signal of the run: ends the requests for all its documents
 */
export function createPreflight(remote: string, count: CountCharacters, signal: AbortSignal): Preflight {
  let known: { readonly overview: Promise<Partial<Overview>>; untilMs: number } | undefined;
  /** All documents share one request. */
  const overview = (): Promise<Partial<Overview>> => {
    if (known !== undefined && performance.now() < known.untilMs) return known.overview;
    const within = AbortSignal.any([signal, AbortSignal.timeout(OVERVIEW_MS)]);
    const overviewEntry: NonNullable<typeof known> = {
      untilMs: performance.now() + FRESH_MS,
      overview: readOverview(remote, within, 1).catch(() => {
        overviewEntry.untilMs = performance.now() + MISSING_MS;
        return {};
      }),
    };
    known = overviewEntry;
    return overviewEntry.overview;
  };
  return async ({ source, options: { tier = '', ...options } }, amount, taken) => {
    const about = await overview();
    taken.throwIfAborted();
    const listed = findTier(about, tier);
    if (listed !== undefined && amount > listed.amount) return refused(priceDiffers(amount, listed));
    return 'bytes' in source
      ? find({ ...source, reading: pickOptions('extract', options) }, limitsOf(about, listed), count, taken)
      : {};
  };
}

/** A user who read a price, by `--dry-run` or describe_tiers, pays no higher one. */
function priceDiffers(amount: bigint, listed: ServiceTier): Warning {
  const message = `The service asks for ${usdc(amount)}, and lists the tier at ${usdc(BigInt(listed.amount))}. If it has just raised its price, ask again in a minute.`;
  return { code: 'price_differs', message };
}

/** Errors of a document that the service finds as well, because it reads by the same package. */
const DOCUMENT_ERRORS: ReadonlySet<string> = new Set<ExtractErrorCode | 'too_large_here'>([
  'empty_document',
  'unsupported_type',
  'corrupted',
  'encrypted',
  'wrong_password',
  'no_such_pages',
  'no_text',
  'too_large',
  'too_complex',
  'too_large_here',
]);

async function find(
  document: Omit<Readable, 'kind'>,
  limits: UploadLimits,
  count: CountCharacters,
  signal: AbortSignal,
): Promise<PreflightResult> {
  const { bytes, filename, contentType } = document;
  try {
    const kind = await detectKind(bytes, { filename, contentType });
    const [ofKind] = refusals(limits, kind, 0);
    if (ofKind !== undefined) return refused(ofKind);
    const [ofLength] = refusals(limits, kind, await count({ ...document, kind }, signal));
    return ofLength === undefined ? {} : refused(ofLength);
  } catch (error) {
    signal.throwIfAborted();
    const unknown = unknownKind(limits, error) ?? unreadScan(limits, error);
    if (unknown !== undefined)
      return unknown.isRefused ? refused(unknown.warning) : { warning: unknown.warning };
    const code = codeOf(error);
    if (!(error instanceof Error) || code === undefined || !DOCUMENT_ERRORS.has(code)) throw error;
    return refused({ code, message: error.message });
  }
}

function refused({ code, message }: Warning): PreflightResult {
  return { refusal: `${message} (${code})` };
}
