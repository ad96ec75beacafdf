// What tokens cost, and the limit on it. Money is counted in whole picodollars: a price per million tokens with up to six
// decimals is an integer per token then, and no sum is rounded.
import type { CompletionRequest, TokenUsage } from '@grainline/core';
import { LanguageModelError } from './errors.ts';
import type { ModelSettings } from './options.ts';

/** What a model costs, in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Of tokens read from a cache. Default as `input`. */
  readonly cachedInput?: number;
}

/**
 * List prices of models whose makers publish them, for estimates: `[input, cachedInput, output]`. Prices change, and
 * resellers have their own; the option `prices` goes before.
 */
const LISTED: Readonly<Record<string, readonly [number, number, number]>> = {
  'gpt-4o': [2.5, 1.25, 10],
  'gpt-4o-mini': [0.15, 0.075, 0.6],
  'gpt-4.1': [2, 0.5, 8],
  'gpt-4.1-mini': [0.4, 0.1, 1.6],
  'gpt-4.1-nano': [0.1, 0.025, 0.4],
  'gpt-5': [1.25, 0.125, 10],
  'gpt-5-mini': [0.25, 0.025, 2],
  'gpt-5-nano': [0.05, 0.005, 0.4],
  'claude-3-5-haiku': [0.8, 0.08, 4],
  'claude-haiku-4-5': [1, 0.1, 5],
  // Of questions up to 100,000 tokens; the tiers ask shorter ones.
  'claude-haiku-5-5': [0.1, 0.01, 0.5],
  'claude-sonnet-4': [3, 0.3, 15],
  'claude-sonnet-4-5': [3, 0.3, 15],
  'claude-sonnet-5': [2, 0.2, 10],
  'claude-sonnet-5-5': [2, 0.1, 10],
};

/** The price of a model, if it is known: by its name, or that name without a date (`gpt-4o-2024-08-06`). */
export function priceOf(model: string, prices: Readonly<Record<string, Price>> = {}): Price | undefined {
  const plain = model.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, '');
  for (const name of [model, plain]) {
    const given = Object.hasOwn(prices, name) ? prices[name] : undefined;
    if (given !== undefined) return given;
  }
  const listed = Object.hasOwn(LISTED, plain) ? LISTED[plain] : undefined;
  if (listed === undefined) return undefined;
  const [input, cachedInput, output] = listed;
  return { input, cachedInput, output };
}

/** What tokens cost in US dollars, for people to read. */
export function costUsd(usage: TokenUsage, price: Price): number {
  return Number(costOf(usage, price)) / PICO;
}

const PICO = 1e12;

/** In picodollars. */
function costOf({ input, cachedInput, output }: TokenUsage, price: Price): bigint {
  const each = (usd: number): bigint => BigInt(Math.round(usd * 1e6));
  const count = (tokens: number): bigint => BigInt(Math.max(0, Math.ceil(tokens)));
  const cached = Math.min(cachedInput, input);
  return (
    count(input - cached) * each(price.input) +
    count(cached) * each(price.cachedInput ?? price.input) +
    count(output) * each(price.output)
  );
}

/** UTF-16 units a token, at least, in nearly all texts: more tokens than there will be. */
const UNITS_PER_TOKEN = 3;

/** What one work has spent, and what questions that are out may still cost. */
interface Account {
  spent: bigint;
  open: bigint;
}

/** Keeps each piece of work below the limit. */
export class Budget {
  readonly #limit: bigint | undefined;
  readonly #prices: ModelSettings['prices'];
  readonly #models: readonly string[];
  /** By plan, or by question where there is none. */
  readonly #accounts = new WeakMap<object, Account>();

  constructor({ maxCostUsd, prices }: ModelSettings, models: readonly string[]) {
    this.#limit = maxCostUsd === undefined ? undefined : BigInt(Math.round(maxCostUsd * PICO));
    this.#prices = prices;
    this.#models = models;
  }

  /**
   * Sets aside what a question may cost. Returns how to settle: with what it took, with `none` when nothing was answered, or
   * with `unknown`, as after a cut connection, when all of it counts as spent.
   *
   * @throws LanguageModelError `too_expensive`
   */
  setAside(request: CompletionRequest, model: string): (took: TokenUsage | 'none' | 'unknown') => void {
    const limit = this.#limit;
    if (limit === undefined) return () => undefined;
    const price = this.#priceOf(model);
    const account = this.#accountOf(request, limit);
    const units = request.messages.reduce((sum, { content }) => sum + content.length, 0);
    const most = { input: units / UNITS_PER_TOKEN, cachedInput: 0, output: request.maxTokens };
    const share = costOf(most, price);
    if (account.spent + account.open + share > limit)
      throw tooExpensive(account.spent + account.open + share, limit, 'this question included');
    account.open += share;
    return (took) => {
      account.open -= share;
      if (took !== 'none') account.spent += took === 'unknown' ? share : costOf(took, price);
    };
  }

  /** The account of the work that a question belongs to; opened only if all of the work is within the limit. */
  #accountOf(request: CompletionRequest, limit: bigint): Account {
    const { plan } = request;
    const known = this.#accounts.get(plan ?? request);
    if (known !== undefined) return known;
    if (plan !== undefined) {
      const all = { input: plan.inputTokens, cachedInput: 0, output: plan.outputTokens };
      // Any model of the list may have to answer.
      for (const model of this.#models) {
        const cost = costOf(all, this.#priceOf(model));
        if (cost > limit) throw tooExpensive(cost, limit, `${plan.calls} questions to ${model}`);
      }
    }
    const account = { spent: 0n, open: 0n };
    this.#accounts.set(plan ?? request, account);
    return account;
  }

  #priceOf(model: string): Price {
    const price = priceOf(model, this.#prices);
    if (price !== undefined) return price;
    const message = `No price of the model ${model} is known, so that maxCostUsd cannot be kept: give it in the option prices.`;
    throw new LanguageModelError('too_expensive', message);
  }
}

function tooExpensive(cost: bigint, limit: bigint, what: string): LanguageModelError {
  const usd = (amount: bigint): string => `$${(Number(amount) / PICO).toPrecision(3)}`;
  const message = `The work may cost up to ${usd(cost)} (${what}), more than maxCostUsd, ${usd(limit)}.`;
  return new LanguageModelError('too_expensive', message);
}
