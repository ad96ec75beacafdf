// From a question to a checked answer, whichever service is asked. A question goes to the models in order; for each
// there are tries with waits between; the JSON in the answer is found and checked; a wrong answer is sent back once for
// repair. Services differ in how a single try is made, which they pass in.
import type { Completion, CompletionRequest, JsonSchema, Message, TokenUsage } from '@grainline/core';
import { quoted } from '../service.ts';
import { LanguageModelError } from './errors.ts';
import type { ModelSettings } from './options.ts';
import { Budget, type Share, type Took } from './budget.ts';
import { type ServiceUsage, usdOf } from './prices.ts';
import { faultIn, jsonIn } from './schema.ts';

/** A question as a service gets it. */
export interface ModelQuestion {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly schema: JsonSchema;
  readonly maxTokens: number;
}

/** What a model said, before anybody has looked for JSON in it. */
export interface ModelAnswer {
  readonly text: string;
  /** Name of the model, as the service gives it. */
  readonly model: string;
  /** All 0 when the service does not count. */
  readonly usage: ServiceUsage;
  readonly end: 'stop' | 'other' | 'refusal' | 'truncated' | 'content_filter';
}

/** The outcome of one try: what was said, or why nothing was and whether to try again. */
export type Tried =
  | { readonly answer: ModelAnswer }
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

/** Makes one try. Resolves even when it fails; rejects only with the signal's reason. */
export type Try = (question: ModelQuestion, timeoutMs: number, signal: AbortSignal) => Promise<Tried>;

/** What a caller passes with a question besides its words. */
export interface QuestionRun {
  readonly signal?: AbortSignal;
  /**
   * What the work of this question has already cost, in US dollars, in a process that has died; it counts towards the
   * limit. Read with the first question of a work. Default 0.
   */
  readonly spentUsd?: number;
  /**
   * Called before each try with the most that this question may have cost once the try is over, in US dollars; the try
   * waits until it resolves. Called once more at the end, with `isSettled`, with the real cost. 0 when no price is
   * known. A caller that keeps these numbers knows after a crash what was spent.
   */
  readonly onCost?: (usd: number, isSettled: boolean) => Promise<void> | void;
}

/** A language model for core's port `complete` that also reports what it costs. */
export type PricedModel = (request: CompletionRequest, run: QuestionRun) => Promise<Completion>;

/** Creates a language model for core's port from a way to make one try. */
export function createModel(attempt: Try, models: readonly string[], settings: ModelSettings): PricedModel {
  const model = new Model(attempt, models, settings);
  return (request, run) => model.complete(request, run);
}

/** One question on its way to an answer. */
interface Course {
  readonly request: CompletionRequest;
  readonly run: QuestionRun;
  readonly signal: AbortSignal;
  /** When the question fails, in milliseconds since 1970. Waiting for money moves it. */
  deadlineMs: number;
  /** The cost so far, in picodollars. */
  cost: bigint;
}

/** Longest wait before the first retry when the service names none; it doubles with each retry. */
const FIRST_WAIT_MS = 1000;
/** Most units of an answer that are quoted back for repair, because they cost tokens. */
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

  /** Waits until fewer questions are open than are allowed. */
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
      // A caller that was let through but was aborted meanwhile lets the next one through.
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

  /** Gets the checked answer of one model; asks it once more with what was wrong. */
  async #answer(course: Course, model: string): Promise<Completion> {
    const { request } = course;
    let usage = NOTHING;
    let { messages } = request;
    for (let repairs = 0; ; repairs++) {
      const answer = await this.#askWithRetries(course, { ...request, messages }, model);
      usage = sum(usage, answer.usage);
      if (answer.end !== 'stop' && answer.end !== 'other') throw this.#failed(model, ended(answer, usage));
      const found = jsonIn(answer.text);
      const fault = found === undefined ? 'it is no JSON' : faultIn(found.value, request.schema);
      if (found !== undefined && fault === undefined)
        return { value: found.value, model: answer.model, usage, stopReason: answer.end };
      const message = `The language model ${model} answered twice what was not asked for: ${fault ?? ''}.`;
      const failure = this.#failed(model, new LanguageModelError('wrong_answer', message, { usage }));
      if (repairs === 1) throw failure;
      messages = [
        ...request.messages,
        { role: 'assistant', content: answer.text.slice(0, LONGEST_QUOTE).toWellFormed() || '(nothing)' },
        { role: 'user', content: repairRequest(fault ?? '', request.schema) },
      ];
    }
  }

  /** Gets what a model says, with as many retries as the settings allow. */
  async #askWithRetries(course: Course, request: CompletionRequest, model: string): Promise<ModelAnswer> {
    const { retries, maxWaitMs, now, sleep, random } = this.#settings;
    const { signal } = course;
    for (let attempt = 0; ; attempt++) {
      const tried = await this.#attempt(course, request, model, await this.#setAside(course, request, model));
      if ('answer' in tried) return tried.answer;
      this.#failed(model, tried.error);
      if (!tried.again || attempt === retries) throw tried.error;
      const most = Math.min(maxWaitMs, FIRST_WAIT_MS * 2 ** attempt);
      // Half of the wait is fixed and half is random, so that callers that failed together do not come back together.
      const waitMs = tried.waitMs ?? Math.ceil((most * (1 + random())) / 2);
      if (waitMs > maxWaitMs || now() + waitMs >= course.deadlineMs) throw tried.error;
      await sleep(waitMs, signal);
    }
  }

  /** Sets aside the most that a try can cost; waits until the work has so much left. */
  async #setAside(course: Course, request: CompletionRequest, model: string): Promise<Share> {
    const { now } = this.#settings;
    const { signal, run } = course;
    const began = now();
    // A repair belongs to the same work as its question.
    const work = course.request.plan ?? course.request;
    const share = await this.#budget.setAside(request, model, { work, spentUsd: run.spentUsd ?? 0, signal });
    course.deadlineMs += now() - began;
    return share;
  }

  /** Makes a try and gives back the money that it did not cost. */
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
      const question = { model, messages, schema, maxTokens };
      const tried = await this.#try(question, Math.min(timeoutMs, left), course.signal);
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

  /** Reports a failure to `onEvent` and returns it. */
  #failed(model: string, error: LanguageModelError): LanguageModelError {
    this.#settings.onEvent({ kind: 'failure', model, code: error.code });
    return error;
  }
}

function tookOf(tried: Tried): Took {
  if (!('answer' in tried)) return tried.mayCost ? 'unknown' : 'none';
  const { usage, text } = tried.answer;
  // Some services do not count, or count only one side.
  return usage.input === 0 || (usage.output === 0 && text !== '') ? 'unknown' : usage;
}

/** True for failures that another model need not have; a wrong key, for example, is wrong for all of them. */
function mayDifferElsewhere({ code, status }: LanguageModelError): boolean {
  if (code === 'rejected') return status !== 401 && status !== 403;
  return code !== 'too_expensive';
}

function repairRequest(fault: string, schema: JsonSchema): string {
  return `That cannot be used: ${fault}. Answer again, with JSON alone, valid by this JSON Schema: ${JSON.stringify(schema)}`;
}

function ended({ end, model, text }: ModelAnswer, usage: TokenUsage): LanguageModelError {
  const words = quoted(text);
  switch (end) {
    case 'refusal':
      return new LanguageModelError('refusal', `The language model ${model} refused: ${words}`, { usage });
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
