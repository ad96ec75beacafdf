// One stage of questions to a language model: some at a time, with what they took, and bearing what a model may do:
// refuse, fail, hang.
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

/** What came of a question: a value, which nobody has looked at; or why there is none. */
export type Outcome =
  | { readonly value: unknown }
  | {
      /** Of the error, or `unavailable`. */
      readonly code: string;
      /** Whoever failed so has asked again already. */
      readonly givenUp: boolean;
    };

/** What is the same for every question. */
const FATAL: readonly unknown[] = ['rejected', 'too_expensive', 'invalid_options'];
const GIVEN_UP: readonly unknown[] = ['unavailable', 'timed_out'];

/** Asks the questions of one stage. */
export class Asker {
  readonly usage = { calls: 0, input: 0, cachedInput: 0, output: 0 };
  readonly #complete: Complete;
  readonly #atOnce: number;
  readonly #plan: CompletionPlan;
  readonly #signal: AbortSignal | undefined;
  readonly #models = new Set<string>();
  #failure: unknown;

  /** @param plan of all stages together */
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
   * Does the work of all items, some at a time, begun in order. When one rejects, the others are ended and so does
   * this.
   */
  async all<Item>(
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

  /** {@link all} of a single work, with its result. */
  async one<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const results: Result[] = [];
    await this.all([work], async (item, _, signal) => {
      results.push(await item(signal));
    });
    return results[0] as Result;
  }

  /** @throws ChunkError `completion_failed` for what is the same for every question; the signal's reason */
  async ask(request: CompletionRequest, signal: AbortSignal): Promise<Outcome> {
    try {
      const asked = { ...request, plan: this.#plan };
      const completion: unknown = await untilAborted(() => this.#complete(asked, { signal }), signal);
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

  /** Notes an answer that came and is of no use. */
  unusable(why: string): void {
    this.#failure = new Error(`The answer cannot be used: ${why}.`);
  }

  /** The error of a stage that failed for more than half. @param what `12 of 20 parts of the text` */
  tooMany(what: string): ChunkError {
    const cause = this.#failure;
    const why = cause instanceof Error ? ` The last time: ${cause.message}` : '';
    const message = `The language model gave no usable answer about ${what}.${why}`;
    return new ChunkError('too_many_fallbacks', message, { cause });
  }

  /** Counts what an answer took; believes none of its numbers blindly. */
  #count(usage: Partial<Completion['usage']> | undefined): void {
    const count = (value: unknown): number => (Number.isFinite(value) ? Math.max(0, value as number) : 0);
    const { input, cachedInput, output } = Object(usage) as Partial<Completion['usage']>;
    this.usage.calls++;
    this.usage.input += count(input);
    this.usage.cachedInput += count(cachedInput);
    this.usage.output += count(output);
  }
}

/** What questions cost at most. */
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
