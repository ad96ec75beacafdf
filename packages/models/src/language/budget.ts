// The limit on what a piece of work may cost. Before a question goes out, the most that it can cost is set aside; when
// its answer has come, the rest is given back. So no answer, however expensive, takes the work over its limit.
import type { CompletionRequest } from '@grainline/core';
import { LanguageModelError } from './errors.ts';
import type { ModelSettings } from './options.ts';
import { costOf, picodollars, type Price, priceOf, type ServiceUsage, usdOf } from './prices.ts';

/**
 * What a try took: tokens; `none` when nothing was answered; `unknown`, as after a broken connection, when everything
 * set aside counts as spent.
 */
export type Took = ServiceUsage | 'none' | 'unknown';

/** Money set aside for one try. Amounts are picodollars; 0 when no price is known. */
export interface Share {
  readonly most: bigint;
  /** Gives back what was not spent and returns what the try cost. Called exactly once, whatever became of the try. */
  readonly settle: (took: Took) => bigint;
}

/** The money of one work: what is spent, what open questions may still cost, and who waits for some of that. */
interface Account {
  spent: bigint;
  open: bigint;
  waiting: (() => void)[];
}

/**
 * Tokens that a service may add to a question: for the schema, and for the marks around each turn. These are generous:
 * services add some ten to a turn, and up to 350 for a tool or a schema.
 */
const [FRAME_TOKENS, TURN_TOKENS] = [512, 32] as const;

/** Keeps each piece of work below its limit. */
export class Budget {
  readonly #limit: bigint | undefined;
  readonly #prices: ModelSettings['prices'];
  readonly #models: readonly string[];
  readonly #cacheWriteShare: number;
  /**
   * Accounts by the object that all questions of one work share: their plan, or the question itself when there is none.
   */
  readonly #accounts = new WeakMap<object, Account>();

  constructor({ maxCostUsd, prices, cacheWriteShare }: ModelSettings, models: readonly string[]) {
    this.#limit = maxCostUsd === undefined ? undefined : picodollars(maxCostUsd);
    this.#prices = prices;
    this.#models = models;
    this.#cacheWriteShare = cacheWriteShare;
  }

  /**
   * Sets aside the most that a question can cost. Waits while that fits only once other questions of the same work have
   * given back what they did not need.
   *
   * @param work the object that all questions of one work share
   * @param spentUsd what the work had cost before the first of them
   * @throws LanguageModelError `too_expensive`; rejects with the signal's reason once that is aborted
   */
  async setAside(
    request: CompletionRequest,
    model: string,
    {
      work,
      spentUsd,
      signal,
    }: { readonly work: object; readonly spentUsd: number; readonly signal: AbortSignal },
  ): Promise<Share> {
    const limit = this.#limit;
    const price = this.#priceOf(model);
    if (price === undefined) return { most: 0n, settle: () => 0n };
    const most = this.#mostOf(request, price);
    const costIf = (took: Took): bigint => {
      if (took === 'none') return 0n;
      return took === 'unknown' ? most : costOf(took, price, this.#cacheWriteShare);
    };
    if (limit === undefined) return { most, settle: costIf };
    const account = this.#accountOf(work, request, spentUsd, limit);
    while (account.spent + account.open + most > limit) {
      if (account.spent + most > limit)
        throw tooExpensive(account.spent + most, limit, 'this question included');
      await settlement(account, signal);
    }
    account.open += most;
    return {
      most,
      settle(took) {
        const cost = costIf(took);
        account.open -= most;
        account.spent += cost;
        for (const look of account.waiting.splice(0)) look();
        return cost;
      },
    };
  }

  /** The account of a work. It is opened only if the whole plan is within the limit. */
  #accountOf(work: object, request: CompletionRequest, spentUsd: number, limit: bigint): Account {
    const known = this.#accounts.get(work);
    if (known !== undefined) return known;
    // When a work goes on after a break, much of its plan is done already.
    if (spentUsd === 0) this.#refuseDearPlan(request, limit);
    const account = { spent: picodollars(spentUsd), open: 0n, waiting: [] };
    this.#accounts.set(work, account);
    return account;
  }

  /**
   * Refuses a plan that could not be finished: with every answer at its longest, the last question, too, must fit at
   * the most that it can cost. Counts with the dearest model of the list.
   */
  #refuseDearPlan(request: CompletionRequest, limit: bigint): void {
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
   * The most that a question can cost: a token for each of its bytes at the dearest price of input, and the longest
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
   * @throws LanguageModelError `too_expensive` when there is a limit and no price to keep it by
   */
  #priceOf(model: string): Price | undefined {
    const price = priceOf(model, this.#prices);
    if (price !== undefined || this.#limit === undefined) return price;
    const message = `No price of the model ${model} is known, so that maxCostUsd cannot be kept: give it in the option prices.`;
    throw new LanguageModelError('too_expensive', message);
  }
}

/** Resolves when a question of the account has given its money back. Rejects with the signal's reason. */
function settlement(account: Account, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      account.waiting = account.waiting.filter((one) => one !== look);
      reject(signal.reason as Error);
    };
    const look = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    if (signal.aborted) {
      leave();
      return;
    }
    account.waiting.push(look);
    signal.addEventListener('abort', leave, { once: true });
  });
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

function tooExpensive(cost: bigint, limit: bigint, what: string): LanguageModelError {
  const usd = (amount: bigint): string => `$${usdOf(amount).toPrecision(3)}`;
  const message = `The work may cost up to ${usd(cost)} (${what}), more than maxCostUsd, ${usd(limit)}.`;
  return new LanguageModelError('too_expensive', message);
}
