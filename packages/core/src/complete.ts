// The port for a language model. Core contains no model and no key: the caller brings a function
// (`@grainline/models/language` has adapters for the usual services). Core requests JSON of a given shape and trusts
// nothing in the answer.
import { issueUnless, type OptionIssue } from './errors.ts';
import { isIntegerWithin } from './limits.ts';

/** One turn of a conversation. Turns of `user` and `assistant` alternate; the first turn may be of `system`. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /**
   * Length in UTF-16 units of the beginning of `content` that other requests of the same work share, with equal turns
   * before this one: the part for a service's prompt cache. Absent when unknown.
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

/** All requests of one piece of work in numbers, so that a caller can reject the cost before the first request. */
export interface CompletionPlan {
  readonly calls: number;
  /** Estimated, because core has no vocabulary of the model's. */
  readonly inputTokens: number;
  /** Most tokens of all answers: the sum of `maxTokens` over all requests. */
  readonly outputTokens: number;
}

/** One request. */
export interface CompletionRequest {
  readonly messages: readonly Message[];
  /** The shape that the answer must have. */
  readonly schema: JsonSchema;
  /** Most tokens of the answer. */
  readonly maxTokens: number;
  /**
   * The plan of the whole work that this request belongs to: the same object in all its requests. Retries come on top
   * of the plan.
   */
  readonly plan?: CompletionPlan;
}

/** Tokens that requests and answers took, as the service counted them. */
export interface TokenUsage {
  /** Tokens of the request, those read from a cache included. */
  readonly input: number;
  /** Number of `input` tokens read from a cache, which most services charge less for. */
  readonly cachedInput: number;
  readonly output: number;
}

/** A language model's answer to one request. */
export interface Completion {
  /** The model's answer, parsed. */
  readonly value: unknown;
  /** Name of the answering model, as the service gives it. */
  readonly model: string;
  readonly usage: TokenUsage;
  /** `stop` when the model finished; `other` when something else ended the answer. */
  readonly stopReason: 'stop' | 'other';
}

/**
 * Why there is no answer: the `code` of the error that {@link Complete} rejects with. `rejected` (a wrong key, an
 * unknown model) and `too_expensive` hold for every request and end the work at once. `unavailable` and `timed_out`
 * remain after retries. `wrong_answer` (no JSON of the wanted shape), `refusal`, `truncated` and `content_filter`
 * concern only the one request.
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
 * Sends a language model one request. Rejects with an error whose `code` is a {@link CompletionErrorCode}, or with the
 * signal's reason. The error may carry the `usage` of unusable answers, since they cost tokens too.
 */
export type Complete = (
  request: CompletionRequest,
  run: { readonly signal?: AbortSignal },
) => Promise<Completion>;

/** Options of every tier with a language model. */
export interface CompleteOptions {
  /** The language model. */
  readonly complete: Complete;
  /** Number of requests that may be open at the same time: an integer from 1. Default 4. */
  readonly completeAtOnce?: number;
}

/** Names of {@link CompleteOptions}. */
export const COMPLETE_OPTIONS: readonly string[] = ['complete', 'completeAtOnce'];
/** Default of `completeAtOnce`. */
export const AT_ONCE = 4;

/** Issues of {@link CompleteOptions}. */
export function completeIssues({
  complete,
  completeAtOnce = AT_ONCE,
}: Readonly<Record<string, unknown>>): OptionIssue[] {
  return [
    ...issueUnless(
      typeof complete === 'function',
      'complete',
      'a language model, such as openAiModel({ model }) of @grainline/models/language',
      complete,
    ),
    ...issueUnless(
      isIntegerWithin(1, Infinity, completeAtOnce),
      'completeAtOnce',
      'an integer from 1',
      completeAtOnce,
    ),
  ];
}
