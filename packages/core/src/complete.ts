// The port through which a language model is asked. Core holds no model and no key: whoever calls brings a function
// (`@grainline/models/language` has adapters for the usual services), and core asks it for JSON of a given shape and
// believes nothing of the answer.
import { faultUnless, type OptionFault } from './errors.ts';
import { isIntegerWithin } from './limits.ts';

/** One turn of a conversation. Turns of the user and the assistant alternate; the first may be of the system. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /**
   * Leading UTF-16 units of `content` that other questions of the same work begin with too, all turns before it
   * included: what a service that caches should be told to keep. Default: not known.
   */
  readonly repeated?: number;
}

/** The part of JSON Schema that all services take: every key of an object is required, and there is no other. */
export type JsonSchema = { readonly description?: string } & (
  | {
      readonly type: 'object';
      readonly properties: Readonly<Record<string, JsonSchema>>;
      readonly required: readonly string[];
      readonly additionalProperties: false;
    }
  | { readonly type: 'array'; readonly items: JsonSchema }
  | { readonly type: 'string'; readonly enum?: readonly string[] }
  | { readonly type: 'integer' | 'number' | 'boolean' }
);

/** All that one piece of work is going to ask, so that its cost can be refused before the first question. */
export interface CompletionPlan {
  readonly calls: number;
  /** An estimate: core has no tokenizer. */
  readonly inputTokens: number;
  /** The most that may be answered: the sum of all `maxTokens`. */
  readonly outputTokens: number;
}

/** One question. */
export interface CompletionRequest {
  readonly messages: readonly Message[];
  /** Shape of the answer. */
  readonly schema: JsonSchema;
  /** The longest answer, in tokens. */
  readonly maxTokens: number;
  /**
   * Of the work that this question is part of; the same object in all its questions. Questions asked again come on top
   * of it.
   */
  readonly plan?: CompletionPlan;
}

/** Tokens that questions and answers took, as the service counted them. */
export interface TokenUsage {
  /** Of the question, those read from a cache included. */
  readonly input: number;
  /** Of these, read from a cache, which most services sell for less. */
  readonly cachedInput: number;
  readonly output: number;
}

/** An answer. */
export interface Completion {
  /** What the model answered, parsed. */
  readonly value: unknown;
  /** The model that answered, as the service names it. */
  readonly model: string;
  readonly usage: TokenUsage;
  /** `stop`: the answer is all that the model had to say. */
  readonly stopReason: 'stop' | 'other';
}

/**
 * Why there is no answer, as the `code` of the error that {@link Complete} rejects with.
 *
 * `rejected` (a wrong key, an unknown model) and `too_expensive` are the same for every question, and end the work at
 * once. `unavailable` and `timed_out` are what is left when asking again has not helped. `wrong_answer` (no JSON of
 * that shape), `refusal`, `truncated` and `content_filter` are of the one question.
 */
export type CompletionErrorCode =
  | 'rejected'
  | 'too_expensive'
  | 'unavailable'
  | 'timed_out'
  | 'wrong_answer'
  | 'refusal'
  | 'truncated'
  | 'content_filter';

/**
 * Asks a language model. Rejects with an error that has a {@link CompletionErrorCode}, or with the signal's reason. The
 * error may have the `usage` of answers that were of no use.
 */
export type Complete = (
  request: CompletionRequest,
  run: { readonly signal?: AbortSignal },
) => Promise<Completion>;

/** Options of every tier that asks a language model. */
export interface CompleteOptions {
  /** The language model. */
  readonly complete: Complete;
  /** Questions at the same time: an integer from 1. Default 4. */
  readonly completeAtOnce?: number;
}

/** Names of {@link CompleteOptions}. */
export const COMPLETE_OPTIONS: readonly string[] = ['complete', 'completeAtOnce'];
/** Default of `completeAtOnce`. */
export const AT_ONCE = 4;

/** Faults of {@link CompleteOptions}. */
export function completeFaults({
  complete,
  completeAtOnce = AT_ONCE,
}: Readonly<Record<string, unknown>>): OptionFault[] {
  return [
    ...faultUnless(
      typeof complete === 'function',
      'complete',
      'a language model, such as openAiModel({ model }) of @grainline/models/language',
      complete,
    ),
    ...faultUnless(
      isIntegerWithin(1, Infinity, completeAtOnce),
      'completeAtOnce',
      'an integer from 1',
      completeAtOnce,
    ),
  ];
}
