// Sends a language model the requests of one stage: several at a time, adding up their cost, and prepared for a model
// that refuses, fails or hangs.
import { untilAborted } from '../../aborted.ts';
import {
  AT_ONCE,
  type Complete,
  type CompleteOptions,
  type Completion,
  type CompletionPlan,
  type CompletionRequest,
} from '../../complete.ts';
import { ChunkError, show } from '../../errors.ts';

/** The outcome of a request: a value, still unchecked, or the reason for its absence. */
export type CompletionOutcome =
  | { readonly value: unknown }
  | {
      /** The error's code, or `unavailable`. */
      readonly code: string;
      /** True when the adapter has retried already, so that another retry is no use. */
      readonly givenUp: boolean;
    };

/** Codes of errors that hold for every request. */
const FATAL: readonly unknown[] = ['rejected', 'too_expensive', 'invalid_options'];
const GIVEN_UP: readonly unknown[] = ['unavailable', 'timed_out'];

/** Sends the requests of one stage. */
export class ModelSession {
  readonly usage = { calls: 0, input: 0, cachedInput: 0, output: 0 };
  readonly #complete: Complete;
  readonly #atOnce: number;
  readonly #plan: CompletionPlan;
  readonly #signal: AbortSignal | undefined;
  readonly #models = new Set<string>();
  #failure: unknown;

  /**
   * @param plan the plan of all stages together
   */
  constructor(
    { complete, completeAtOnce = AT_ONCE }: CompleteOptions,
    plan: CompletionPlan,
    signal: AbortSignal | undefined,
  ) {
    this.#complete = complete;
    this.#atOnce = completeAtOnce;
    this.#plan = plan;
    this.#signal = signal;
  }

  /** Models that have answered, in order of appearance. */
  get model(): string {
    return [...this.#models].join(', ');
  }

  /**
   * Works on all items, several at a time, begun in order. When one rejects, the others are aborted and this rejects
   * too.
   */
  async runAll<Item>(
    items: readonly Item[],
    work: (item: Item, index: number, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const stop = new AbortController();
    const both = this.#signal === undefined ? stop.signal : AbortSignal.any([this.#signal, stop.signal]);
    const queue = items.entries();
    const worker = async (): Promise<void> => {
      for (const [index, item] of queue) await work(item, index, both);
    };
    try {
      await Promise.all(Array.from({ length: Math.min(this.#atOnce, items.length) }, worker));
    } catch (error) {
      this.#signal?.throwIfAborted();
      throw error;
    } finally {
      stop.abort();
    }
  }

  /** Does a single piece of work like {@link runAll} and returns its result. */
  async runOne<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const results: Result[] = [];
    await this.runAll([work], async (item, _, signal) => {
      results.push(await item(signal));
    });
    return results[0] as Result;
  }

  /**
   * Sends one request.
   *
   * @throws ChunkError `completion_failed` for an error that every request would meet; rejects with the signal's
   * reason once that is aborted
   */
  async request(request: CompletionRequest, signal: AbortSignal): Promise<CompletionOutcome> {
    try {
      const planned = { ...request, plan: this.#plan };
      const completion: unknown = await untilAborted(() => this.#complete(planned, { signal }), signal);
      const { model, usage, value } = Object(completion) as Partial<Completion>;
      if (typeof model === 'string' && model !== '') this.#models.add(model);
      this.#count(usage);
      return { value };
    } catch (error) {
      signal.throwIfAborted();
      const { code, usage } = Object(error) as { code?: unknown; usage?: Completion['usage'] };
      if (usage !== undefined) this.#count(usage);
      if (FATAL.includes(code)) throw failed(error);
      this.#failure = error;
      return { code: typeof code === 'string' ? code : 'unavailable', givenUp: GIVEN_UP.includes(code) };
    }
  }

  /** Records an unusable answer and the reason. */
  recordUnusable(why: string): void {
    this.#failure = new Error(`The answer cannot be used: ${why}.`);
  }

  /**
   * The error for a stage that failed for more than half of the text.
   *
   * @param what for the message, such as `12 of 20 parts of the text`
   */
  tooManyFallbacks(what: string): ChunkError {
    const cause = this.#failure;
    const why = cause instanceof Error ? ` The last time: ${cause.message}` : '';
    const message = `The language model gave no usable answer about ${what}.${why}`;
    return new ChunkError('too_many_fallbacks', message, { cause });
  }

  /** Adds the tokens of an answer; ignores malformed numbers. */
  #count(usage: Partial<Completion['usage']> | undefined): void {
    const count = (value: unknown): number => (Number.isFinite(value) ? Math.max(0, value as number) : 0);
    const { input, cachedInput, output } = Object(usage) as Partial<Completion['usage']>;
    this.usage.calls++;
    this.usage.input += count(input);
    this.usage.cachedInput += count(cachedInput);
    this.usage.output += count(output);
  }
}

/** The plan of some requests: their greatest cost. */
export function planOf(
  questions: Iterable<CompletionRequest>,
  estimate: (text: string) => number,
): CompletionPlan {
  const plan = { calls: 0, inputTokens: 0, outputTokens: 0 };
  for (const { messages, maxTokens } of questions) {
    plan.calls++;
    for (const { content } of messages) plan.inputTokens += estimate(content);
    plan.outputTokens += maxTokens;
  }
  return plan;
}

function failed(cause: unknown): ChunkError {
  const why = cause instanceof Error ? cause.message : show(cause);
  return new ChunkError('completion_failed', `The language model cannot be asked: ${why}`, { cause });
}
