// The options that all adapters take, with their checks and defaults.
import type { TokenUsage } from '@grainline/core';
import { integerOption, wait } from '../service.ts';
import { ModelError, type ModelErrorCode } from '../errors.ts';
import type { Price } from './prices.ts';

/** Options of every adapter. */
export interface ModelOptions {
  /** Number of requests that may be open at the same time, of all callers together: an integer from 1. Default 4. */
  readonly concurrency?: number;
  /** Time for one answer, in milliseconds: an integer from 1. Default 60,000. */
  readonly timeoutMs?: number;
  /** Time for one request with all its tries, waits and models, in milliseconds: an integer from 1. Default 180,000. */
  readonly deadlineMs?: number;
  /** Number of retries after a transient failure: an integer from 0. Default 3. */
  readonly retries?: number;
  /**
   * Longest wait before a retry, in milliseconds. A service that demands a longer one counts as failed. Default 60,000.
   */
  readonly maxWaitMs?: number;
  /** Length of the longest accepted answer, in bytes: an integer from 1. Default 4 MiB. */
  readonly maxAnswerBytes?: number;
  /**
   * The cost limit of one piece of work, such as a document, in US dollars. The limit holds exactly: before each
   * request, the model reserves the most that the request can cost (a token for each of its bytes, and the longest
   * answer). Work whose plan exceeds the limit is rejected before its first request; retries may exceed it later. Needs
   * the model's price.
   */
  readonly maxCostUsd?: number | undefined;
  /** Prices by the model's name; they take precedence over this package's table. */
  readonly prices?: Readonly<Record<string, Price>> | undefined;
  /** Called for every call of a service and every failure. */
  readonly onEvent?: ((event: ModelEvent) => void) | undefined;
  /** Waits for some milliseconds; rejects when the signal is aborted. Default a timer. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The time in milliseconds since 1970. Default the system's clock. */
  readonly now?: () => number;
  /** A random number from 0 up to 1, by which waits differ. Default `Math.random`. */
  readonly random?: () => number;
}

/** An event of a call. `model` is the name from the options. */
export type ModelEvent =
  | {
      readonly kind: 'call';
      readonly model: string;
      /** Tokens as the service counted them; all 0 without an answer, or when the service does not count. */
      readonly usage: TokenUsage;
      /**
       * The cost in US dollars. A possible answer without a count costs the most that it can; 0 when no price is known.
       */
      readonly costUsd: number;
    }
  /** A call without a usable answer; several may belong to one request. */
  | { readonly kind: 'failure'; readonly model: string; readonly code: ModelErrorCode };

/** {@link ModelOptions} with their defaults. */
export type ModelSettings = {
  readonly [K in keyof Omit<ModelOptions, 'maxCostUsd'>]-?: NonNullable<ModelOptions[K]>;
} & {
  readonly maxCostUsd: number | undefined;
  /**
   * Price of a request's token that is written to a cache, as a multiple of one that is not, when the price does not
   * give it.
   */
  readonly cacheWriteShare: number;
};

/** Fills in the defaults. Adds wrong options to `issues`, which the caller throws together with its own. */
export function modelSettings(options: ModelOptions, issues: string[], cacheWriteShare = 1): ModelSettings {
  const integer = (name: keyof ModelOptions, fallback: number, least: number): number =>
    integerOption(issues, [name, options[name]], fallback, least);
  const { maxCostUsd } = options;
  if (maxCostUsd !== undefined && !(maxCostUsd > 0 && maxCostUsd <= MOST_USD))
    issues.push(`maxCostUsd must be a number over 0, at most ${MOST_USD}, but is ${String(maxCostUsd)}`);
  for (const [model, price] of Object.entries(options.prices ?? {})) {
    const { input, output, cachedInput = 0, cacheWrite = 0 } = Object(price) as Partial<Price>;
    if (
      ![input, output, cachedInput, cacheWrite].every(
        (part) => part !== undefined && part >= 0 && part < Infinity,
      )
    )
      issues.push(`prices of ${model} must be numbers from 0: { input, output, cachedInput?, cacheWrite? }`);
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

/** Throws `invalid_options` naming every issue; returns when there is none. */
export function assertNoIssues(issues: readonly string[]): void {
  if (issues.length > 0) throw new ModelError('invalid_options', `Wrong options: ${issues.join('; ')}.`);
}
