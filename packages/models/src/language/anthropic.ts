// Messages in Anthropic's format.
import type { Message } from '@grainline/core';
import { type Dialect, httpModel, type HttpModelOptions } from './http.ts';
import type { ModelAnswer, PricedModel } from './model.ts';
import { textOf, tokens } from './openai.ts';

/** The format of Anthropic's messages. */
export const ANTHROPIC: Dialect = {
  name: 'message',
  baseUrl: 'https://api.anthropic.com/v1',
  path: '/messages',
  headers: (apiKey): Record<string, string> => ({
    'anthropic-version': '2023-06-01',
    ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
  }),
  body: ({ model, messages, schema, maxTokens }, features, temperature) => {
    const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
    return {
      model,
      max_tokens: maxTokens,
      ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
      messages: messages.filter(({ role }) => role !== 'system').map(turnOf),
      ...(features.temperature ? { temperature } : {}),
      ...(features.schema ? { output_config: { format: { type: 'json_schema', schema } } } : {}),
    };
  },
  // The price for keeping tokens five minutes; for an hour, which this package never requests, it would be 2.
  cacheWriteShare: 1.25,
  read: readMessage,
};

/**
 * Creates a language model behind Anthropic's `POST {baseUrl}/messages`. In all else it is like {@link openAiModel}.
 *
 * @throws ModelError `invalid_options`
 * @example
 * const complete = anthropicModel({ model: 'claude-haiku-4-5', apiKey, maxCostUsd: 0.5 });
 */
export function anthropicModel(options: HttpModelOptions): PricedModel {
  return httpModel(ANTHROPIC, options);
}

/**
 * Writes a turn. The beginning that other requests share becomes a part of its own, marked as the end of the cached
 * text. Other services detect that by themselves.
 */
function turnOf({ role, content, repeated = 0 }: Message): object {
  if (repeated <= 0 || repeated >= content.length) return { role, content };
  const kept = { type: 'text', text: content.slice(0, repeated), cache_control: { type: 'ephemeral' } };
  return { role, content: [kept, { type: 'text', text: content.slice(repeated) }] };
}

function readMessage(answer: unknown, requestedModel: string): ModelAnswer | undefined {
  const { content, model, usage, stop_reason: reason } = Object(answer) as Record<string, unknown>;
  if (!Array.isArray(content)) return undefined;
  return {
    text: textOf(content),
    model: typeof model === 'string' && model !== '' ? model : requestedModel,
    usage: usageOf(usage),
    end: ENDS[String(reason)] ?? 'other',
  };
}

const ENDS: Readonly<Record<string, ModelAnswer['end']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'truncated',
  model_context_window_exceeded: 'truncated',
  refusal: 'refusal',
};

/** Anthropic counts tokens read from and written to a cache apart from the others. */
function usageOf(usage: unknown): ModelAnswer['usage'] {
  const {
    input_tokens: fresh,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: output,
  } = Object(usage) as Record<string, unknown>;
  return {
    input: tokens(fresh) + tokens(read) + tokens(written),
    cachedInput: tokens(read),
    cacheWrites: tokens(written),
    output: tokens(output),
  };
}
