// The port through which a language model is asked. Core contains no model and no key: the caller brings a function
// (`@grainline/models/language` has adapters for the usual services). Core asks it for JSON of a given shape and trusts
// nothing in the answer.
import { faultUnless, type OptionFault } from './errors.ts';
import { isIntegerWithin } from './limits.ts';

/** One turn of a conversation. Turns of `user` and `assistant` alternate; the first turn may be of `system`. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /**
   * How many leading UTF-16 units of `content` other questions of the same work begin with as well, all turns before
   * this one being the same too: the part that a service's prompt cache should keep. Absent when that is not known.
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

/** Everything that one piece of work is going to ask, so that its cost can be refused before the first question. */
export interface CompletionPlan {
  readonly calls: number;
  /** Estimated, because core has no vocabulary of the model's. */
  readonly inputTokens: number;
  /** The most that may be answered: the sum of `maxTokens` over all questions. */
  readonly outputTokens: number;
}

/** One question. */
export interface CompletionRequest {
  readonly messages: readonly Message[];
  /** The shape that the answer must have. */
  readonly schema: JsonSchema;
  /** The most tokens that the answer may have. */
  readonly maxTokens: number;
  /**
   * The plan of the whole work that this question is part of: the same object in all its questions. Questions that are
   * asked a second time come on top of the plan.
   */
  readonly plan?: CompletionPlan;
}

/** Tokens that questions and answers took, as the service counted them. */
export interface TokenUsage {
  /** Tokens of the question, those read from a cache included. */
  readonly input: number;
  /** How many of the `input` tokens were read from a cache, which most services sell for less. */
  readonly cachedInput: number;
  readonly output: number;
}

/** A language model's answer to one question. */
export interface Completion {
  /** What the model answered, parsed. */
  readonly value: unknown;
  /** Name of the model that answered, as the service gives it. */
  readonly model: string;
  readonly usage: TokenUsage;
  /** `stop` when the model had nothing more to say; `other` when something else ended the answer. */
  readonly stopReason: 'stop' | 'other';
}

/**
 * Why there is no answer: the `code` of the error that {@link Complete} rejects with. `rejected` (a wrong key, an
 * unknown model) and `too_expensive` hold for every question and end the work at once. `unavailable` and `timed_out`
 * remain after asking again did not help. `wrong_answer` (no JSON of the wanted shape), `refusal`, `truncated` and
 * `content_filter` concern only the one question.
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
 * Asks a language model one question. Rejects with an error whose `code` is a {@link CompletionErrorCode}, or with the
 * signal's reason. The error may carry the `usage` of answers that were of no use, since they cost tokens too.
 */
export type Complete = (
  request: CompletionRequest,
  run: { readonly signal?: AbortSignal },
) => Promise<Completion>;

/** Options of every tier that asks a language model. */
export interface CompleteOptions {
  /** The language model. */
  readonly complete: Complete;
  /** How many questions may be open at the same time: an integer from 1. Default 4. */
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
