// Options that all adapters take, their checks and defaults.
import type { TokenUsage } from '@grainline/core';
import { integerOption } from '../service.ts';
import { wait } from '../wait.ts';
import { LanguageModelError, type LanguageModelErrorCode } from './errors.ts';
import type { Price } from './prices.ts';

/** Options of every adapter. */
export interface ModelOptions {
  /** Questions at the same time, all callers together: an integer from 1. Default 4. */
  readonly concurrency?: number;
  /** Time for one answer, in milliseconds: an integer from 1. Default 60,000. */
  readonly timeoutMs?: number;
  /**
   * Time for one question, all tries, waits and models together, in milliseconds: an integer from 1. Default 180,000.
   */
  readonly deadlineMs?: number;
  /** How often a question is sent again that failed for a reason which may pass: an integer from 0. Default 3. */
  readonly retries?: number;
  /** The longest wait before that, in milliseconds; a service that asks for a longer one has failed. Default 60,000. */
  readonly maxWaitMs?: number;
  /** The longest answer that is read, in bytes: an integer from 1. Default 4 MiB. */
  readonly maxAnswerBytes?: number;
  /**
   * What one piece of work, a document, may cost, in US dollars. It never costs more: before a question goes out, the
   * most that it can cost is set aside, a token for each byte of it and the longest answer. Refused before the first
   * question when all of the work could cost more, and later when questions that had to be asked again have used it up.
   * Needs a price.
   */
  readonly maxCostUsd?: number;
  /** Prices by the model's name; they go before the table of this package. */
  readonly prices?: Readonly<Record<string, Price>>;
  /** Told of every call and every failure, for counting them. */
  readonly onEvent?: (event: ModelEvent) => void;
  /** Waits; rejects when the signal is aborted. Default by a timer. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds since 1970. Default the system's clock. */
  readonly now?: () => number;
  /** From 0 to 1, 1 excluded, by which waits differ. Default `Math.random`. */
  readonly random?: () => number;
}

/** What becomes of calls. The model is named as the options name it. */
export type ModelEvent =
  | {
      readonly kind: 'call';
      readonly model: string;
      /** As the service counted; all 0 where nothing was answered, or nobody counted. */
      readonly usage: TokenUsage;
      /**
       * US dollars. What may have been answered, and nobody counted, costs the most that it can; 0 where no price is
       * known.
       */
      readonly costUsd: number;
    }
  /** A call without an answer of use; several may belong to one question. */
  | { readonly kind: 'failure'; readonly model: string; readonly code: LanguageModelErrorCode };

/** {@link ModelOptions} with their defaults. */
export type ModelSettings = Required<Omit<ModelOptions, 'maxCostUsd'>> & {
  readonly maxCostUsd: number | undefined;
  /** Price of a token of the question that is written to a cache, to one that is not, where it has none of its own. */
  readonly cacheWriteShare: number;
};

/** Fills in the defaults; adds what is wrong to `faults`, which the caller throws with its own. */
export function modelSettings(options: ModelOptions, faults: string[], cacheWriteShare = 1): ModelSettings {
  const integer = (name: keyof ModelOptions, fallback: number, least: number): number =>
    integerOption(faults, [name, options[name]], fallback, least);
  const { maxCostUsd } = options;
  if (maxCostUsd !== undefined && !(maxCostUsd > 0 && maxCostUsd <= MOST_USD))
    faults.push(`maxCostUsd must be a number over 0, at most ${MOST_USD}, but is ${String(maxCostUsd)}`);
  for (const [model, price] of Object.entries(options.prices ?? {})) {
    const { input, output, cachedInput = 0, cacheWrite = 0 } = Object(price) as Partial<Price>;
    if (
      ![input, output, cachedInput, cacheWrite].every(
        (part) => part !== undefined && part >= 0 && part < Infinity,
      )
    )
      faults.push(`prices of ${model} must be numbers from 0: { input, output, cachedInput?, cacheWrite? }`);
  }
  return {
    concurrency: integer('concurrency', 4, 1),
    timeoutMs: integer('timeoutMs', 60_000, 1),
    deadlineMs: integer('deadlineMs', 180_000, 1),
    retries: integer('retries', 3, 0),
    maxWaitMs: integer('maxWaitMs', 60_000, 0),
    maxAnswerBytes: integer('maxAnswerBytes', 4 * 1024 * 1024, 1),
    maxCostUsd,
    cacheWriteShare,
    prices: options.prices ?? {},
    onEvent: options.onEvent ?? ((): void => undefined),
    sleep: options.sleep ?? wait,
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
  };
}

/** Of what a work may cost: above it, picodollars are not exact as a number. */
const MOST_USD = 9000;

/** Throws `invalid_options` naming every fault; returns when there is none. */
export function refuseFaults(faults: readonly string[]): void {
  if (faults.length > 0)
    throw new LanguageModelError('invalid_options', `Wrong options: ${faults.join('; ')}.`);
}
