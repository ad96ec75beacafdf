// Probes the features of a language model's service by one small request.
import type { JsonSchema, TokenUsage } from '@grainline/core';
import { connect, type Dialect, type HttpModelOptions } from './http.ts';
import { type Price, priceOf } from './prices.ts';
import { issueIn, jsonIn } from './schema.ts';

/** The result of {@link probeModel}. */
export interface Probe {
  /** Name of the model, as the service gives it. */
  readonly model: string;
  readonly latencyMs: number;
  /**
   * How the service treats a schema: `enforced`, because the answer follows it although the prompt does not lead there;
   * `ignored`, when the service took the schema and answered otherwise; `refused`, when it takes none. Answers are
   * checked in any case.
   */
  readonly structuredOutput: 'enforced' | 'ignored' | 'refused';
  /** True when the service takes a temperature. */
  readonly temperature: boolean;
  /** Most tokens that the model can read at once, when the service reports it. */
  readonly contextTokens: number | undefined;
  /** Tokens of the request; all 0 when the service does not count. */
  readonly usage: TokenUsage;
  readonly price: Price | undefined;
}

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: { number: { type: 'integer' } },
  required: ['number'],
  additionalProperties: false,
};
/** The prompt does not mention JSON, so an answer in JSON follows from the schema. */
const QUESTION = 'Which number comes after six? Answer in one short sentence.';
/** Most tokens of the answer: models that think first need some. */
const ANSWER_TOKENS = 1024;

/**
 * Sends one small request to the first model of the options, without retries.
 *
 * Rejects with ModelError as the model itself would, or with the signal's reason.
 */
export async function probeModel(
  dialect: Dialect,
  options: HttpModelOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<Probe> {
  const { service, models, settings } = connect(dialect, options);
  const [model = ''] = models;
  const messages = [{ role: 'user' as const, content: QUESTION }];
  const began = settings.now();
  const request = { model, messages, schema: SCHEMA, maxTokens: ANSWER_TOKENS };
  const tried = await service.try(request, settings.timeoutMs, signal);
  const latencyMs = settings.now() - began;
  if (!('answer' in tried)) throw tried.error;
  const { answer } = tried;
  const found = jsonIn(answer.text);
  const keeps = found !== undefined && issueIn(found.value, SCHEMA) === undefined;
  const { schema, temperature } = service.features;
  const described = await service.describe(model, settings.timeoutMs, signal);
  return {
    model: answer.model,
    latencyMs,
    structuredOutput: !schema ? 'refused' : keeps ? 'enforced' : 'ignored',
    temperature,
    contextTokens: contextIn(described),
    usage: answer.usage,
    price: priceOf(model, settings.prices),
  };
}

/** Reads the context length under the names that vLLM, OpenRouter, llama.cpp and others have for it. */
function contextIn(described: unknown): number | undefined {
  const { meta, ...entry } = Object(described) as Record<string, unknown>;
  const places = { ...(Object(meta) as Record<string, unknown>), ...entry };
  const names = [
    'max_model_len',
    'context_length',
    'context_window',
    'max_input_tokens',
    'n_ctx',
    'n_ctx_train',
  ];
  const found = names.map((name) => places[name]).find((value) => Number.isSafeInteger(value));
  return found as number | undefined;
}
