// From a question to a checked answer, whoever is asked: turns → models, first to last → tries with waits → JSON →
// check → one repair. What differs between services is how one try is made, which they bring.
import type { Completion, CompletionRequest, JsonSchema, Message, TokenUsage } from '@grainline/core';
import { quoted } from '../service.ts';
import { LanguageModelError } from './errors.ts';
import type { ModelSettings } from './options.ts';
import { Budget, type Share, type Took } from './budget.ts';
import { type ServiceUsage, usdOf } from './prices.ts';
import { faultIn, jsonIn } from './schema.ts';

/** What a service is asked for. */
export interface Utterance {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly schema: JsonSchema;
  readonly maxTokens: number;
}

/** What a model said, before anybody has looked for JSON in it. */
export interface Said {
  readonly text: string;
  /** As the service names it. */
  readonly model: string;
  /** All 0 where the service does not count. */
  readonly usage: ServiceUsage;
  readonly end: 'stop' | 'other' | 'refusal' | 'truncated' | 'content_filter';
}

/** The end of one try: what was said, or why not and whether to try again. */
export type Tried =
  | { readonly said: Said }
  | (Failed & { readonly again: false })
  | (Failed & {
      readonly again: true;
      /** How long the service asks to wait; undefined when it does not. */
      readonly waitMs: number | undefined;
    });

interface Failed {
  readonly error: LanguageModelError;
  /** True when the service may have answered nevertheless, and charge for it. */
  readonly mayCost: boolean;
}

/** Makes one try. Resolves also where it fails; rejects with the signal's reason alone. */
export type Try = (utterance: Utterance, timeoutMs: number, signal: AbortSignal) => Promise<Tried>;

/** What a question brings besides its words. */
export interface QuestionRun {
  readonly signal?: AbortSignal;
  /**
   * What the work of this question has cost before, in US dollars, in a process that is gone: it counts towards the
   * limit. Read with the first question of a work. Default 0.
   */
  readonly spentUsd?: number;
  /**
   * Told before each try, which waits until it resolves, the most that this question may have cost when the try is
   * over; and at the end, `isSettled`, what it did cost. US dollars; 0 where no price is known. A caller that keeps
   * these numbers knows after a crash what was spent.
   */
  readonly onCost?: (usd: number, isSettled: boolean) => Promise<void> | void;
}

/** A language model of core's port that tells what it costs. */
export type PricedModel = (request: CompletionRequest, run: QuestionRun) => Promise<Completion>;

/** A language model of core's port. */
export function createModel(attempt: Try, models: readonly string[], settings: ModelSettings): PricedModel {
  const model = new Model(attempt, models, settings);
  return (request, run) => model.complete(request, run);
}

/** One question on its way to an answer. */
interface Course {
  readonly request: CompletionRequest;
  readonly run: QuestionRun;
  readonly signal: AbortSignal;
  /** When it is over. Waits for money do not count. */
  deadlineMs: number;
  /** Picodollars. */
  cost: bigint;
}

/** Wait before the first retry without a Retry-After, at most; the most doubles each time. */
const FIRST_WAIT_MS = 1000;
/** An answer that is quoted back to be repaired costs tokens. */
const LONGEST_QUOTE = 2000;
const NOTHING: TokenUsage = { input: 0, cachedInput: 0, output: 0 };
const NEVER = new AbortController().signal;

class Model {
  readonly #try: Try;
  readonly #models: readonly string[];
  readonly #settings: ModelSettings;
  readonly #budget: Budget;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(attempt: Try, models: readonly string[], settings: ModelSettings) {
    this.#try = attempt;
    this.#models = models;
    this.#settings = settings;
    this.#budget = new Budget(settings, models);
  }

  async complete(request: CompletionRequest, run: QuestionRun): Promise<Completion> {
    const { signal = NEVER } = run;
    signal.throwIfAborted();
    await this.#turn(signal);
    const deadlineMs = this.#settings.now() + this.#settings.deadlineMs;
    const course: Course = { request, run, signal, deadlineMs, cost: 0n };
    try {
      return await this.#firstThatAnswers(course);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
      await run.onCost?.(usdOf(course.cost), true);
    }
  }

  /** Waits until fewer questions than allowed are out. */
  async #turn(signal: AbortSignal): Promise<void> {
    while (this.#running >= this.#settings.concurrency) {
      await new Promise<void>((resolve) => {
        const go = (): void => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        const leave = (): void => {
          this.#waiting.splice(this.#waiting.indexOf(go), 1);
          resolve();
        };
        this.#waiting.push(go);
        signal.addEventListener('abort', leave, { once: true });
      });
      // Whoever was let go but has ended meanwhile lets the next one go.
      if (signal.aborted) {
        if (this.#running < this.#settings.concurrency) this.#waiting.shift()?.();
        signal.throwIfAborted();
      }
    }
    this.#running++;
  }

  async #firstThatAnswers(course: Course): Promise<Completion> {
    for (const [index, model] of this.#models.entries()) {
      try {
        return await this.#answer(course, model);
      } catch (error) {
        const isLast = index === this.#models.length - 1;
        if (isLast || !(error instanceof LanguageModelError) || !mayDifferElsewhere(error)) throw error;
      }
    }
    throw new RangeError('There is no model to ask.');
  }

  /** One model's answer, checked; asked once more for what is wrong with it. */
  async #answer(course: Course, model: string): Promise<Completion> {
    const { request } = course;
    let usage = NOTHING;
    let { messages } = request;
    for (let repairs = 0; ; repairs++) {
      const said = await this.#persist(course, { ...request, messages }, model);
      usage = sum(usage, said.usage);
      if (said.end !== 'stop' && said.end !== 'other') throw this.#failed(model, ended(said, usage));
      const found = jsonIn(said.text);
      const fault = found === undefined ? 'it is no JSON' : faultIn(found.value, request.schema);
      if (found !== undefined && fault === undefined)
        return { value: found.value, model: said.model, usage, stopReason: said.end };
      const message = `The language model ${model} answered twice what was not asked for: ${fault ?? ''}.`;
      const failure = this.#failed(model, new LanguageModelError('wrong_answer', message, { usage }));
      if (repairs === 1) throw failure;
      messages = [
        ...request.messages,
        { role: 'assistant', content: said.text.slice(0, LONGEST_QUOTE).toWellFormed() || '(nothing)' },
        { role: 'user', content: repairRequest(fault ?? '', request.schema) },
      ];
    }
  }

  /** What a model says, asked until it does, no more than the settings allow. */
  async #persist(course: Course, request: CompletionRequest, model: string): Promise<Said> {
    const { retries, maxWaitMs, now, sleep, random } = this.#settings;
    const { signal } = course;
    for (let attempt = 0; ; attempt++) {
      const tried = await this.#attempt(course, request, model, await this.#setAside(course, request, model));
      if ('said' in tried) return tried.said;
      this.#failed(model, tried.error);
      if (!tried.again || attempt === retries) throw tried.error;
      const most = Math.min(maxWaitMs, FIRST_WAIT_MS * 2 ** attempt);
      // Half of it fixed, half by chance, so that those who failed together do not come back together.
      const waitMs = tried.waitMs ?? Math.ceil((most * (1 + random())) / 2);
      if (waitMs > maxWaitMs || now() + waitMs >= course.deadlineMs) throw tried.error;
      await sleep(waitMs, signal);
    }
  }

  /** The most that a try can cost, once the work has so much left. */
  async #setAside(course: Course, request: CompletionRequest, model: string): Promise<Share> {
    const { now } = this.#settings;
    const { signal, run } = course;
    const began = now();
    // A repair is part of the work of its question.
    const work = course.request.plan ?? course.request;
    const share = await this.#budget.setAside(request, model, { work, spentUsd: run.spentUsd ?? 0, signal });
    course.deadlineMs += now() - began;
    return share;
  }

  /** Makes a try, and gives back what it did not cost. */
  async #attempt(course: Course, request: CompletionRequest, model: string, share: Share): Promise<Tried> {
    const { timeoutMs, now } = this.#settings;
    const { messages, schema, maxTokens } = request;
    let took: Took = 'none';
    let isSent = false;
    try {
      const left = course.deadlineMs - now();
      if (left <= 0) throw late(model, this.#settings);
      await course.run.onCost?.(usdOf(course.cost + share.most), false);
      took = 'unknown';
      isSent = true;
      const utterance = { model, messages, schema, maxTokens };
      const tried = await this.#try(utterance, Math.min(timeoutMs, left), course.signal);
      took = tookOf(tried);
      return tried;
    } finally {
      const cost = share.settle(took);
      course.cost += cost;
      const { input, cachedInput, output } = typeof took === 'string' ? NOTHING : took;
      const usage = { input, cachedInput, output };
      if (isSent) this.#settings.onEvent({ kind: 'call', model, usage, costUsd: usdOf(cost) });
    }
  }

  /** Tells of a failure, which it returns. */
  #failed(model: string, error: LanguageModelError): LanguageModelError {
    this.#settings.onEvent({ kind: 'failure', model, code: error.code });
    return error;
  }
}

function tookOf(tried: Tried): Took {
  if (!('said' in tried)) return tried.mayCost ? 'unknown' : 'none';
  const { usage, text } = tried.said;
  // Some services do not count, or only one side.
  return usage.input === 0 || (usage.output === 0 && text !== '') ? 'unknown' : usage;
}

/** True for failures that another model need not have; a wrong key is wrong for all of them. */
function mayDifferElsewhere({ code, status }: LanguageModelError): boolean {
  if (code === 'rejected') return status !== 401 && status !== 403;
  return code !== 'too_expensive';
}

function repairRequest(fault: string, schema: JsonSchema): string {
  return `That cannot be used: ${fault}. Answer again, with JSON alone, valid by this JSON Schema: ${JSON.stringify(schema)}`;
}

function ended({ end, model, text }: Said, usage: TokenUsage): LanguageModelError {
  const said = quoted(text);
  switch (end) {
    case 'refusal':
      return new LanguageModelError('refusal', `The language model ${model} refused: ${said}`, { usage });
    case 'content_filter':
      return new LanguageModelError('content_filter', `A filter withheld what ${model} answered.`, { usage });
    default:
      return new LanguageModelError('truncated', `The answer of ${model} was cut off at its longest.`, {
        usage,
      });
  }
}

function late(model: string, { deadlineMs }: ModelSettings): LanguageModelError {
  return new LanguageModelError(
    'timed_out',
    `The language model ${model} had no answer within ${deadlineMs} ms.`,
  );
}

function sum(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    input: one.input + other.input,
    cachedInput: one.cachedInput + other.cachedInput,
    output: one.output + other.output,
  };
}
