// Prices of tokens. Money is counted in whole picodollars: a price per million tokens with up to six decimals is then
// an integer per token, and no sum is rounded.
import type { TokenUsage } from '@grainline/core';

/** The price of a model, in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Price of tokens read from a cache. Default as `input`. */
  readonly cachedInput?: number | undefined;
  /**
   * Price of tokens written to a cache. Default as `input`; for Anthropic's messages 1.25 × `input`, its price for
   * keeping tokens for five minutes, as requests of this package do. A service that keeps them for an hour charges 2 ×
   * `input`.
   */
  readonly cacheWrite?: number | undefined;
}

/**
 * List prices of models whose makers publish them, for estimates: `[input, cachedInput, output]`. Prices change, and
 * resellers have their own; the option `prices` takes precedence.
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
  // The price for questions of up to 100,000 tokens; those of the tiers are shorter.
  'claude-haiku-5-5': [0.1, 0.01, 0.5],
  'claude-sonnet-4': [3, 0.3, 15],
  'claude-sonnet-4-5': [3, 0.3, 15],
  'claude-sonnet-5': [2, 0.2, 10],
  'claude-sonnet-5-5': [2, 0.1, 10],
};

/** The price of a model, if it is known under its name, or under that name without a date (`gpt-4o-2024-08-06`). */
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

/**
 * A price as settings write it: two to four amounts in US dollars per million tokens, with commas: input, output,
 * cached input, cache write. Undefined for anything else.
 *
 * @example
 * parsePrice('0.15,0.6,0.075'); // { input: 0.15, output: 0.6, cachedInput: 0.075 }
 */
export function parsePrice(text: string): Price | undefined {
  const amounts = text.split(',').map(parseUsd);
  const [input, output, cachedInput, cacheWrite] = amounts;
  if (amounts.length > 4 || amounts.includes(undefined)) return undefined;
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    cachedInput,
    cacheWrite,
  };
}

/** An amount in US dollars from 0, below a million, as plain decimals: `0.15`, `.15`. Undefined for anything else. */
export function parseUsd(text: string): number | undefined {
  return /^(?:\d{1,6}(?:\.\d{1,9})?|\.\d{1,9})$/.test(text.trim()) ? Number(text) : undefined;
}

/** The cost of tokens in US dollars. */
export function costUsd(usage: TokenUsage, price: Price): number {
  return usdOf(costOf(usage, price));
}

const PICO = 1e12;

/** Picodollars as US dollars: exact up to $9007. */
export function usdOf(amount: bigint): number {
  return Number(amount) / PICO;
}

/** US dollars as picodollars. */
export function picodollars(usd: number): bigint {
  return BigInt(Math.round(usd * PICO));
}

/** Tokens as a service counts them. */
export interface ServiceUsage extends TokenUsage {
  /** How many of the `input` tokens were written to a cache, where that has a price of its own. */
  readonly cacheWrites?: number;
}

/**
 * The cost of tokens in picodollars.
 *
 * @param cacheWriteShare price of a token that is written to a cache, as a multiple of one read plainly, when the price
 * does not say
 */
export function costOf(
  { input, cachedInput, output, cacheWrites = 0 }: ServiceUsage,
  price: Price,
  cacheWriteShare = 1,
): bigint {
  const each = (usd: number): bigint => BigInt(Math.round(usd * 1e6));
  const count = (tokens: number): bigint => BigInt(Math.max(0, Math.ceil(tokens)));
  const cached = Math.min(cachedInput, input);
  const written = Math.min(cacheWrites, input - cached);
  return (
    count(input - cached - written) * each(price.input) +
    count(cached) * each(price.cachedInput ?? price.input) +
    count(written) * each(price.cacheWrite ?? price.input * cacheWriteShare) +
    count(output) * each(price.output)
  );
}
