// The cost limit of a piece of work. Before a request, the budget reserves the most that the request can cost; after
// the answer it releases the rest. No answer, however expensive, exceeds the limit.
import type { CompletionRequest } from '@grainline/core';
import { ModelError } from '../errors.ts';
import type { ModelSettings } from './options.ts';
import { costOf, picodollars, type Price, priceOf, type ServiceUsage, usdOf } from './prices.ts';
import { Waiters } from './waiters.ts';

/**
 * The usage of a try: tokens; `none` without an answer; `unknown`, as after a broken connection, when the whole
 * reservation counts as spent.
 */
export type TryUsage = ServiceUsage | 'none' | 'unknown';

/** The reservation for one try. Amounts are picodollars; 0 when no price is known. */
export interface BudgetShare {
  readonly most: bigint;
  /** Releases the unspent part and returns the cost of the try. Called exactly once, also after a failure. */
  readonly settle: (took: TryUsage) => bigint;
}

/**
 * The account of one work: the spent amount, the reservations of open requests, and the requests that wait for a
 * release.
 */
interface Account {
  spent: bigint;
  open: bigint;
  readonly waiting: Waiters;
}

/**
 * Tokens that a service may add to a request, for the schema and for the marks around each turn. Generous: services add
 * some ten to a turn, and up to 350 for a tool or a schema.
 */
const [FRAME_TOKENS, TURN_TOKENS] = [512, 32] as const;

/** Keeps each piece of work below its limit. */
export class Budget {
  readonly #limit: bigint | undefined;
  readonly #prices: ModelSettings['prices'];
  readonly #models: readonly string[];
  readonly #cacheWriteShare: number;
  /** Accounts by the object that all requests of one work share: their plan, or the request itself without a plan. */
  readonly #accounts = new WeakMap<object, Account>();

  constructor({ maxCostUsd, prices, cacheWriteShare }: ModelSettings, models: readonly string[]) {
    this.#limit = maxCostUsd === undefined ? undefined : picodollars(maxCostUsd);
    this.#prices = prices;
    this.#models = models;
    this.#cacheWriteShare = cacheWriteShare;
  }

  /**
   * Reserves the most that a request can cost. Waits while the reservation fits only after other requests of the same
   * work have released theirs.
   *
   * @param work the object that all requests of one work share
   * @param spentUsd cost of the work before the first of them
   * @throws ModelError `too_expensive`; rejects with the signal's reason once that is aborted
   */
  async setAside(
    request: CompletionRequest,
    model: string,
    {
      work,
      spentUsd,
      signal,
    }: { readonly work: object; readonly spentUsd: number; readonly signal: AbortSignal },
  ): Promise<BudgetShare> {
    const limit = this.#limit;
    const price = this.#priceOf(model);
    if (price === undefined) return { most: 0n, settle: () => 0n };
    const most = this.#mostOf(request, price);
    const costIf = (took: TryUsage): bigint => {
      if (took === 'none') return 0n;
      return took === 'unknown' ? most : costOf(took, price, this.#cacheWriteShare);
    };
    if (limit === undefined) return { most, settle: costIf };
    const account = this.#accountOf(work, request, spentUsd, limit);
    while (account.spent + account.open + most > limit) {
      if (account.spent + most > limit)
        throw tooExpensive(account.spent + most, limit, 'this question included');
      await account.waiting.wait(signal);
    }
    account.open += most;
    return {
      most,
      settle(took) {
        const cost = costIf(took);
        account.open -= most;
        account.spent += cost;
        account.waiting.wake(Infinity);
        return cost;
      },
    };
  }

  /** The account of a work. Opens it only if the whole plan is within the limit. */
  #accountOf(work: object, request: CompletionRequest, spentUsd: number, limit: bigint): Account {
    const known = this.#accounts.get(work);
    if (known !== undefined) return known;
    // When a work resumes after a crash, much of its plan is done already.
    if (spentUsd === 0) this.#rejectExpensivePlan(request, limit);
    const account = { spent: picodollars(spentUsd), open: 0n, waiting: new Waiters() };
    this.#accounts.set(work, account);
    return account;
  }

  /**
   * Rejects a plan that could not be finished: with every answer at its longest, the last request, too, must fit at its
   * highest cost. Counts with the dearest model of the list.
   */
  #rejectExpensivePlan(request: CompletionRequest, limit: bigint): void {
    const { plan } = request;
    if (plan === undefined) return;
    const { calls, inputTokens, outputTokens } = plan;
    for (const model of this.#models) {
      const price = this.#priceOf(model);
      if (price === undefined) continue;
      const planned = costOf({ input: inputTokens, cachedInput: 0, output: outputTokens }, price);
      const others =
        (planned * BigInt(Math.max(0, Math.ceil(calls) - 1))) / BigInt(Math.max(1, Math.ceil(calls)));
      const atMost = others + this.#mostOf(request, price);
      const cost = planned > atMost ? planned : atMost;
      if (cost > limit) throw tooExpensive(cost, limit, `${calls} questions to ${model}`);
    }
  }

  /**
   * The most that a request can cost: a token for each of its bytes at the dearest price of input, and the longest
   * answer.
   */
  #mostOf({ messages, schema, maxTokens }: CompletionRequest, price: Price): bigint {
    let input = FRAME_TOKENS + utf8Length(JSON.stringify(schema));
    for (const { content } of messages) input += TURN_TOKENS + utf8Length(content);
    const written = price.cacheWrite ?? price.input * this.#cacheWriteShare;
    const dearest = Math.max(price.input, written, price.cachedInput ?? 0);
    return costOf({ input, cachedInput: 0, output: maxTokens }, { input: dearest, output: price.output });
  }

  /**
   * The price of a model.
   *
   * @throws ModelError `too_expensive` with a limit and without a price
   */
  #priceOf(model: string): Price | undefined {
    const price = priceOf(model, this.#prices);
    if (price !== undefined || this.#limit === undefined) return price;
    const message = `No price of the model ${model} is known, so that maxCostUsd cannot be kept: give it in the option prices.`;
    throw new ModelError('too_expensive', message);
  }
}

/**
 * Bytes of a text in UTF-8, which is the most tokens that it can have with any vocabulary that falls back to bytes, as
 * those of all the usual models do. A model that rewrites text before it counts (NFKC) may count more for a few
 * characters such as ﷺ.
 */
function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

function tooExpensive(cost: bigint, limit: bigint, what: string): ModelError {
  const usd = (amount: bigint): string => `$${usdOf(amount).toPrecision(3)}`;
  const message = `The work may cost up to ${usd(cost)} (${what}), more than maxCostUsd, ${usd(limit)}.`;
  return new ModelError('too_expensive', message);
}
