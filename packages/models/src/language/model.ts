// Turns a request into a checked answer, for any service. It sends the request to the models in order, each with
// retries and waits between them, finds and checks the JSON in the answer, and sends a wrong answer back once for
// repair. A service passes in the function that makes a single try.
import type { Completion, CompletionRequest, JsonSchema, Message, TokenUsage } from '@grainline/core';
import { quoted } from '../service.ts';
import { ModelError } from '../errors.ts';
import type { ModelSettings } from './options.ts';
import { Budget, type BudgetShare, type TryUsage } from './budget.ts';
import { type ServiceUsage, usdOf } from './prices.ts';
import { issueIn, jsonIn } from './schema.ts';
import { Waiters } from './waiters.ts';

/** A request as a service gets it. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly schema: JsonSchema;
  readonly maxTokens: number;
}

/** A model's answer before its JSON is read. */
export interface ModelAnswer {
  readonly text: string;
  /** Name of the model, as the service gives it. */
  readonly model: string;
  /** All 0 when the service does not count. */
  readonly usage: ServiceUsage;
  readonly end: 'stop' | 'other' | 'refusal' | 'truncated' | 'content_filter';
}

/** The outcome of one try: the answer, or an error with the advice whether to try again. */
export type TryOutcome =
  | { readonly answer: ModelAnswer }
  | (FailedTry & { readonly again: false })
  | (FailedTry & {
      readonly again: true;
      /** The wait that the service demands; undefined without a demand. */
      readonly waitMs: number | undefined;
    });

interface FailedTry {
  readonly error: ModelError;
  /** True when the service may still have answered and may charge for it. */
  readonly mayCost: boolean;
}

/** Makes one try. Resolves even when the try fails; rejects only with the signal's reason. */
export type TryRequest = (
  question: ModelRequest,
  timeoutMs: number,
  signal: AbortSignal,
) => Promise<TryOutcome>;

/** The part of a call besides the request itself. */
export interface ModelRun {
  readonly signal?: AbortSignal;
  /**
   * Cost of this work so far, in US dollars, in an earlier process; it counts towards the limit. Read with the first
   * request of a work. Default 0.
   */
  readonly spentUsd?: number;
  /**
   * Called before each try with the most that this request may have cost after the try, in US dollars; the try waits
   * until the call resolves. Called once more at the end, with `isSettled`, with the real cost. 0 when no price is
   * known. A caller that stores these numbers can tell the cost after a crash.
   */
  readonly onCost?: (usd: number, isSettled: boolean) => Promise<void> | void;
}

/** A language model for core's port `complete` that also reports its cost. */
export type PricedModel = (request: CompletionRequest, run: ModelRun) => Promise<Completion>;

/** Creates a language model for core's port from a way to make one try. */
export function createModel(
  attempt: TryRequest,
  models: readonly string[],
  settings: ModelSettings,
): PricedModel {
  const model = new Model(attempt, models, settings);
  return (request, run) => model.complete(request, run);
}

/** One request on its way to an answer. */
interface OpenRequest {
  readonly request: CompletionRequest;
  readonly run: ModelRun;
  readonly signal: AbortSignal;
  /** The deadline of the request, in milliseconds since 1970. Waiting for the budget moves it. */
  deadlineMs: number;
  /** The cost so far, in picodollars. */
  cost: bigint;
}

/** Longest wait before the first retry when the service names none; it doubles with each retry. */
const FIRST_WAIT_MS = 1000;
/** Most units of an answer that a repair quotes, because they cost tokens. */
const LONGEST_QUOTE = 2000;
const NOTHING: TokenUsage = { input: 0, cachedInput: 0, output: 0 };
const NEVER = new AbortController().signal;

class Model {
  readonly #try: TryRequest;
  readonly #models: readonly string[];
  readonly #settings: ModelSettings;
  readonly #budget: Budget;
  #running = 0;
  readonly #waiting = new Waiters();

  constructor(attempt: TryRequest, models: readonly string[], settings: ModelSettings) {
    this.#try = attempt;
    this.#models = models;
    this.#settings = settings;
    this.#budget = new Budget(settings, models);
  }

  async complete(request: CompletionRequest, run: ModelRun): Promise<Completion> {
    const { signal = NEVER } = run;
    signal.throwIfAborted();
    await this.#takeSlot(signal);
    const deadlineMs = this.#settings.now() + this.#settings.deadlineMs;
    const course: OpenRequest = { request, run, signal, deadlineMs, cost: 0n };
    try {
      return await this.#firstThatAnswers(course);
    } finally {
      this.#running--;
      this.#waiting.wake(1);
      await run.onCost?.(usdOf(course.cost), true);
    }
  }

  /** Waits until fewer requests are open than are allowed. */
  async #takeSlot(signal: AbortSignal): Promise<void> {
    while (this.#running >= this.#settings.concurrency) {
      await this.#waiting.wait(signal);
      // A call that was woken and aborted at once wakes the next one.
      if (signal.aborted && this.#running < this.#settings.concurrency) this.#waiting.wake(1);
      signal.throwIfAborted();
    }
    this.#running++;
  }

  async #firstThatAnswers(course: OpenRequest): Promise<Completion> {
    for (const [index, model] of this.#models.entries()) {
      try {
        return await this.#answer(course, model);
      } catch (error) {
        const isLast = index === this.#models.length - 1;
        if (isLast || !(error instanceof ModelError) || !mayDifferElsewhere(error)) throw error;
      }
    }
    throw new RangeError('There is no model to ask.');
  }

  /** Gets the checked answer of one model; requests one repair of a wrong answer. */
  async #answer(course: OpenRequest, model: string): Promise<Completion> {
    const { request } = course;
    let usage = NOTHING;
    let { messages } = request;
    for (let repairs = 0; ; repairs++) {
      const answer = await this.#askWithRetries(course, { ...request, messages }, model);
      usage = sum(usage, answer.usage);
      if (answer.end !== 'stop' && answer.end !== 'other') throw this.#failed(model, ended(answer, usage));
      const found = jsonIn(answer.text);
      const issue = found === undefined ? 'it is no JSON' : issueIn(found.value, request.schema);
      if (found !== undefined && issue === undefined)
        return { value: found.value, model: answer.model, usage, stopReason: answer.end };
      const message = `The language model ${model} answered twice what was not asked for: ${issue ?? ''}.`;
      const failure = this.#failed(model, new ModelError('wrong_answer', message, { usage }));
      if (repairs === 1) throw failure;
      messages = [
        ...request.messages,
        { role: 'assistant', content: answer.text.slice(0, LONGEST_QUOTE).toWellFormed() || '(nothing)' },
        { role: 'user', content: repairRequest(issue ?? '', request.schema) },
      ];
    }
  }

  /** Gets the answer of one model, with as many retries as the settings allow. */
  async #askWithRetries(
    course: OpenRequest,
    request: CompletionRequest,
    model: string,
  ): Promise<ModelAnswer> {
    const { retries, maxWaitMs, now, sleep, random } = this.#settings;
    const { signal } = course;
    for (let attempt = 0; ; attempt++) {
      const tried = await this.#attempt(course, request, model, await this.#setAside(course, request, model));
      if ('answer' in tried) return tried.answer;
      this.#failed(model, tried.error);
      if (!tried.again || attempt === retries) throw tried.error;
      const most = Math.min(maxWaitMs, FIRST_WAIT_MS * 2 ** attempt);
      // Half of the wait is fixed and half is random, so that calls that failed together do not retry together.
      const waitMs = tried.waitMs ?? Math.ceil((most * (1 + random())) / 2);
      if (waitMs > maxWaitMs || now() + waitMs >= course.deadlineMs) throw tried.error;
      await sleep(waitMs, signal);
    }
  }

  /** Reserves the most that a try can cost; waits until the work has so much left. */
  async #setAside(course: OpenRequest, request: CompletionRequest, model: string): Promise<BudgetShare> {
    const { now } = this.#settings;
    const { signal, run } = course;
    const began = now();
    // A repair belongs to the same work as its request.
    const work = course.request.plan ?? course.request;
    const share = await this.#budget.setAside(request, model, { work, spentUsd: run.spentUsd ?? 0, signal });
    course.deadlineMs += now() - began;
    return share;
  }

  /** Makes a try and releases the unspent part of its reservation. */
  async #attempt(
    course: OpenRequest,
    request: CompletionRequest,
    model: string,
    share: BudgetShare,
  ): Promise<TryOutcome> {
    const { timeoutMs, now } = this.#settings;
    const { messages, schema, maxTokens } = request;
    let took: TryUsage = 'none';
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
  #failed(model: string, error: ModelError): ModelError {
    this.#settings.onEvent({ kind: 'failure', model, code: error.code });
    return error;
  }
}

function tookOf(tried: TryOutcome): TryUsage {
  if (!('answer' in tried)) return tried.mayCost ? 'unknown' : 'none';
  const { usage, text } = tried.answer;
  // Some services do not count, or count only one side.
  return usage.input === 0 || (usage.output === 0 && text !== '') ? 'unknown' : usage;
}

/** True for failures that another model need not have; a wrong key, for example, fails for all of them. */
function mayDifferElsewhere({ code, status }: ModelError): boolean {
  if (code === 'rejected') return status !== 401 && status !== 403;
  return code !== 'too_expensive';
}

function repairRequest(issue: string, schema: JsonSchema): string {
  return `That cannot be used: ${issue}. Answer again, with JSON alone, valid by this JSON Schema: ${JSON.stringify(schema)}`;
}

function ended({ end, model, text }: ModelAnswer, usage: TokenUsage): ModelError {
  const words = quoted(text);
  switch (end) {
    case 'refusal':
      return new ModelError('refusal', `The language model ${model} refused: ${words}`, { usage });
    case 'content_filter':
      return new ModelError('content_filter', `A filter withheld what ${model} answered.`, { usage });
    default:
      return new ModelError('truncated', `The answer of ${model} was cut off at its longest.`, {
        usage,
      });
  }
}

function late(model: string, { deadlineMs }: ModelSettings): ModelError {
  return new ModelError('timed_out', `The language model ${model} had no answer within ${deadlineMs} ms.`);
}

function sum(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    input: one.input + other.input,
    cachedInput: one.cachedInput + other.cachedInput,
    output: one.output + other.output,
  };
}
