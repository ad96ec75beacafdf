// Asks about all windows, some at a time, and bears what a language model may do: answer nonsense, refuse, fail, hang.
import { untilAborted } from '../../aborted.ts';
import { AT_ONCE, type CompleteOptions, type Completion, type CompletionPlan } from '../../complete.ts';
import { ChunkError, show } from '../../errors.ts';
import type { WaitingRun } from '../tier.ts';
import { type Decisions, hashOf, type WindowDecision } from './decisions.ts';
import { askAgain, PROMPT_VERSION, questionOf, questionTokens, readAnswer } from './question.ts';
import { type Units, windowsOf } from './units.ts';

/** Questions about one window: the first, and at most two retries. */
const MOST_TRIES = 3;
/** What is the same for every question. */
const FATAL: readonly unknown[] = ['rejected', 'too_expensive', 'invalid_options'];
/** Whoever answers so has asked again already. */
const GIVEN_UP: readonly unknown[] = ['unavailable', 'timed_out'];

/**
 * What the model decides about a document. Resolves also where some windows fell back.
 *
 * @throws ChunkError `completion_failed` or `too_many_fallbacks`; the signal's reason
 */
export async function decide(
  text: string,
  units: Units,
  options: CompleteOptions,
  run: WaitingRun,
): Promise<Decisions> {
  return new Asking(text, units, options, run).decisions();
}

class Asking {
  readonly #options: CompleteOptions;
  readonly #run: WaitingRun;
  readonly #text: string;
  readonly #units: Units;
  readonly #models = new Set<string>();
  readonly #usage = { calls: 0, input: 0, cachedInput: 0, output: 0 };
  /** The last failure of a window that fell back. */
  #failure: unknown;

  constructor(text: string, units: Units, options: CompleteOptions, run: WaitingRun) {
    this.#text = text;
    this.#units = units;
    this.#options = options;
    this.#run = run;
  }

  async decisions(): Promise<Decisions> {
    const windows = windowsOf(this.#text, this.#units);
    const decided = await this.#all(windows);
    return {
      promptVersion: PROMPT_VERSION,
      model: [...this.#models].join(', '),
      document: hashOf(this.#text),
      units: this.#units.starts.length,
      windows: decided,
      windowsFallback: decided.flatMap(({ fallback }, index) => (fallback === undefined ? [] : [index])),
      usage: this.#usage,
    };
  }

  async #all(windows: readonly { first: number; end: number }[]): Promise<WindowDecision[]> {
    const { signal, onAnswered } = this.#run;
    const plan = this.#planOf(windows);
    const stop = new AbortController();
    const both = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    const decided: WindowDecision[] = [];
    let [done, fallen] = [0, 0];
    const queue = windows.entries();
    onAnswered?.(0, windows.length);
    const worker = async (): Promise<void> => {
      for (const [index, window] of queue) {
        const decision = await this.#window(window, plan, both);
        decided[index] = decision;
        if (decision.fallback !== undefined) fallen++;
        if (fallen * 2 > windows.length) throw this.#tooMany(fallen, windows.length);
        onAnswered?.(++done, windows.length);
      }
    };
    const { completeAtOnce = AT_ONCE } = this.#options;
    try {
      await Promise.all(Array.from({ length: Math.min(completeAtOnce, windows.length) }, worker));
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      stop.abort();
    }
    return decided;
  }

  /** What all first questions cost; each question is made twice, so that they never stand in memory together. */
  #planOf(windows: readonly { first: number; end: number }[]): CompletionPlan {
    const plan = { calls: windows.length, inputTokens: 0, outputTokens: 0 };
    for (const window of windows) {
      const question = questionOf(this.#text, this.#units, window);
      plan.inputTokens += questionTokens(question);
      plan.outputTokens += question.maxTokens;
    }
    return plan;
  }

  async #window(
    window: { first: number; end: number },
    plan: CompletionPlan,
    signal: AbortSignal,
  ): Promise<WindowDecision> {
    const question = { ...questionOf(this.#text, this.#units, window), plan };
    let asked = question;
    let fallback = 'wrong_answer';
    let tries = 0;
    while (tries < MOST_TRIES) {
      tries++;
      try {
        const { value } = this.#counted(
          await untilAborted(() => this.#options.complete(asked, { signal }), signal),
        );
        const answer = readAnswer(value, window);
        if ('cuts' in answer) return { ...window, ...answer, tries };
        fallback = 'wrong_answer';
        this.#failure = new Error(`The answer cannot be used: ${answer.unusable}.`);
        asked = { ...askAgain(question, value, answer.unusable), plan };
      } catch (error) {
        signal.throwIfAborted();
        const { code, usage } = Object(error) as { code?: unknown; usage?: Completion['usage'] };
        if (usage !== undefined) this.#count(usage);
        if (FATAL.includes(code)) throw failed(error);
        this.#failure = error;
        fallback = typeof code === 'string' ? code : 'unavailable';
        if (GIVEN_UP.includes(code)) break;
      }
    }
    return { ...window, cuts: [], dropped: 0, tries, fallback };
  }

  /** Notes who answered, and what it took. */
  #counted(completion: Completion): Completion {
    const { model, usage } = Object(completion) as Partial<Completion>;
    if (typeof model === 'string' && model !== '') this.#models.add(model);
    this.#count(usage);
    return Object(completion) as Completion;
  }

  /** Counts what an answer took; believes none of its numbers blindly. */
  #count(usage: Partial<Completion['usage']> | undefined): void {
    const count = (value: unknown): number => (Number.isFinite(value) ? Math.max(0, value as number) : 0);
    const { input, cachedInput, output } = Object(usage) as Partial<Completion['usage']>;
    this.#usage.calls++;
    this.#usage.input += count(input);
    this.#usage.cachedInput += count(cachedInput);
    this.#usage.output += count(output);
  }

  #tooMany(fallen: number, all: number): ChunkError {
    const cause = this.#failure;
    const why = cause instanceof Error ? ` The last time: ${cause.message}` : '';
    const message = `The language model gave no usable answer about ${fallen} of ${all} parts of the text.${why}`;
    return new ChunkError('too_many_fallbacks', message, { cause });
  }
}

function failed(cause: unknown): ChunkError {
  const why = cause instanceof Error ? cause.message : show(cause);
  return new ChunkError('completion_failed', `The language model cannot be asked: ${why}`, { cause });
}
