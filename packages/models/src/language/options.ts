// The options that all adapters take, with their checks and defaults.
import type { TokenUsage } from '@grainline/core';
import { integerOption } from '../service.ts';
import { wait } from '../wait.ts';
import { LanguageModelError, type LanguageModelErrorCode } from './errors.ts';
import type { Price } from './prices.ts';

/** Options of every adapter. */
export interface ModelOptions {
  /** How many questions may be open at the same time, counting all callers: an integer from 1. Default 4. */
  readonly concurrency?: number;
  /** Time for one answer, in milliseconds: an integer from 1. Default 60,000. */
  readonly timeoutMs?: number;
  /**
   * Time for one question with all its tries, waits and models, in milliseconds: an integer from 1. Default 180,000.
   */
  readonly deadlineMs?: number;
  /** How often a question is sent again that failed for a reason which may pass: an integer from 0. Default 3. */
  readonly retries?: number;
  /**
   * Longest wait before a retry, in milliseconds. A service that asks for a longer one counts as failed. Default
   * 60,000.
   */
  readonly maxWaitMs?: number;
  /** The longest answer that is read, in bytes: an integer from 1. Default 4 MiB. */
  readonly maxAnswerBytes?: number;
  /**
   * The most that one piece of work, such as a document, may cost, in US dollars. It never costs more: before a
   * question goes out, the most that it can cost is set aside (a token for each of its bytes, and the longest answer).
   * Work is refused before its first question when all of it could cost more, and later when questions that had to be
   * asked again have used the money up. Needs the model's price.
   */
  readonly maxCostUsd?: number;
  /** Prices by the model's name; they take precedence over this package's table. */
  readonly prices?: Readonly<Record<string, Price>>;
  /** Called for every call of a service and every failure, for counting them. */
  readonly onEvent?: (event: ModelEvent) => void;
  /** Waits for some milliseconds; rejects when the signal is aborted. Default a timer. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The time in milliseconds since 1970. Default the system's clock. */
  readonly now?: () => number;
  /** A random number from 0 up to 1, by which waits differ. Default `Math.random`. */
  readonly random?: () => number;
}

/** What happened to a call. The model has the name that the options give it. */
export type ModelEvent =
  | {
      readonly kind: 'call';
      readonly model: string;
      /** Tokens as the service counted them; all 0 when nothing was answered, or the service does not count. */
      readonly usage: TokenUsage;
      /**
       * The cost in US dollars. An answer that may have been given, and that nobody counted, costs the most that it
       * can; 0 when no price is known.
       */
      readonly costUsd: number;
    }
  /** A call without a usable answer; several may belong to one question. */
  | { readonly kind: 'failure'; readonly model: string; readonly code: LanguageModelErrorCode };

/** {@link ModelOptions} with their defaults. */
export type ModelSettings = Required<Omit<ModelOptions, 'maxCostUsd'>> & {
  readonly maxCostUsd: number | undefined;
  /**
   * Price of a token of the question that is written to a cache, as a multiple of one that is not, when the price does
   * not say.
   */
  readonly cacheWriteShare: number;
};

/** Fills in the defaults. Adds what is wrong to `faults`, which the caller throws together with its own. */
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

/** Highest limit on the cost of a work, in US dollars; above it a number does not hold picodollars exactly. */
const MOST_USD = 9000;

/** Throws `invalid_options` naming every fault; returns when there is none. */
export function refuseFaults(faults: readonly string[]): void {
  if (faults.length > 0)
    throw new LanguageModelError('invalid_options', `Wrong options: ${faults.join('; ')}.`);
}
