// Chat completions in OpenAI's format, which many others speak: Ollama, vLLM, llama.cpp, LM Studio, OpenRouter,
// Gemini's compatible endpoint.
import { type Dialect, httpModel, type HttpModelOptions } from './http.ts';
import type { ModelAnswer, PricedModel } from './model.ts';

/** The format of chat completions. */
export const OPENAI: Dialect = {
  name: 'chat completion',
  baseUrl: 'https://api.openai.com/v1',
  path: '/chat/completions',
  headers: (apiKey): Record<string, string> =>
    apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
  body: ({ model, messages, schema, maxTokens }, features, temperature) => ({
    model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    [features.completionTokens ? 'max_completion_tokens' : 'max_tokens']: maxTokens,
    ...(features.temperature ? { temperature } : {}),
    ...(features.schema
      ? { response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } } }
      : {}),
  }),
  read: readChoice,
};

/**
 * Creates a language model behind an OpenAI-compatible `POST {baseUrl}/chat/completions`. Creating it sends nothing.
 * Redirects are not followed, so that the key goes nowhere else. Calls reject with a ModelError, whose codes
 * are those of core's port, or with the signal's reason.
 *
 * @throws ModelError `invalid_options`
 * @example
 * const complete = openAiModel({ baseUrl: 'http://localhost:11434/v1', model: 'qwen3:8b' });
 */
export function openAiModel(options: HttpModelOptions): PricedModel {
  return httpModel(OPENAI, options);
}

interface Choice {
  readonly finish_reason?: unknown;
  readonly message?: unknown;
}

function readChoice(answer: unknown, requestedModel: string): ModelAnswer | undefined {
  const { choices, model, usage } = Object(answer) as Record<string, unknown>;
  if (!Array.isArray(choices)) return undefined;
  const { message, finish_reason: reason } = Object((choices as readonly unknown[])[0]) as Choice;
  if (typeof message !== 'object' || message === null) return undefined;
  const { content, refusal } = message as Record<string, unknown>;
  const refused = typeof refusal === 'string' && refusal !== '';
  return {
    text: refused ? refusal : textOf(content),
    model: typeof model === 'string' && model !== '' ? model : requestedModel,
    usage: usageOf(usage),
    end: refused ? 'refusal' : (ENDS[String(reason)] ?? 'other'),
  };
}

const ENDS: Readonly<Record<string, ModelAnswer['end']>> = {
  stop: 'stop',
  length: 'truncated',
  content_filter: 'content_filter',
};

/** The content as text, its parts joined if it has several. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const parts = content.map((part: unknown) => (Object(part) as { text?: unknown }).text);
  return parts.filter((text) => typeof text === 'string').join('');
}

function usageOf(usage: unknown): ModelAnswer['usage'] {
  const {
    prompt_tokens: input,
    completion_tokens: output,
    prompt_tokens_details: details,
  } = Object(usage) as Record<string, unknown>;
  const { cached_tokens: cached } = Object(details) as { cached_tokens?: unknown };
  return { input: tokens(input), cachedInput: tokens(cached), output: tokens(output) };
}

/** A count of tokens in an answer; 0 when the value is no such count. */
export function tokens(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}
