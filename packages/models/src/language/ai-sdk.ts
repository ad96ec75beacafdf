// Language models of the Vercel AI SDK's providers. This file relies on the shape of their objects and imports nothing,
// so that users without the SDK need not install it.
import { mayPass, quoted, retryAfterMs } from '../service.ts';
import { ModelError } from '../errors.ts';
import { GAVE_UP_WAITING } from './http.ts';
import {
  createModel,
  type ModelAnswer,
  type ModelRequest,
  type PricedModel,
  type TryOutcome,
} from './model.ts';
import { type ModelOptions, type ModelSettings, modelSettings, assertNoIssues } from './options.ts';
import { textOf, tokens } from './openai.ts';

/** The used part of a model of the AI SDK's providers, in the specifications v2 to v4. */
export interface AiSdkModel {
  readonly modelId: string;
  // Their types are wider, and differ from version to version.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly doGenerate: (options: any) => PromiseLike<unknown>;
}

/**
 * Creates a language model from a model of the AI SDK. Waits, retries, checks and limits are those of this package.
 *
 * @throws ModelError `invalid_options`
 * @example
 * import { mistral } from '@ai-sdk/mistral';
 * const complete = fromAiSdk(mistral('mistral-small-latest'));
 */
export function fromAiSdk(model: AiSdkModel, options: ModelOptions = {}): PricedModel {
  const issues: string[] = [];
  const settings = modelSettings(options, issues);
  const { modelId, doGenerate } = Object(model) as Partial<Record<keyof AiSdkModel, unknown>>;
  if (typeof doGenerate !== 'function' || typeof modelId !== 'string')
    issues.push('model must be a model object of the AI SDK, such as openai("gpt-4.1-mini"), not its name');
  assertNoIssues(issues);
  const attempt = (request: ModelRequest, timeoutMs: number, signal: AbortSignal): Promise<TryOutcome> =>
    generate(model, request, { timeoutMs, signal, now: settings.now });
  return createModel(attempt, [model.modelId], settings);
}

/** Signal and time limit of one try. */
interface TryRun extends Pick<ModelSettings, 'timeoutMs' | 'now'> {
  readonly signal: AbortSignal;
}

async function generate(
  model: AiSdkModel,
  { messages, schema, maxTokens }: ModelRequest,
  { timeoutMs, signal, now }: TryRun,
): Promise<TryOutcome> {
  const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
  try {
    const result = await model.doGenerate({
      prompt: messages.map(({ role, content }) =>
        role === 'system' ? { role, content } : { role, content: [{ type: 'text', text: content }] },
      ),
      responseFormat: { type: 'json', schema, name: 'answer' },
      maxOutputTokens: maxTokens,
      temperature: 0,
      abortSignal: AbortSignal.any([signal, timeout]),
    });
    return { answer: answerIn(result, model.modelId) };
  } catch (cause) {
    signal.throwIfAborted();
    if (timeout.aborted) {
      const message = `The language model ${model.modelId} did not answer within ${timeoutMs} ms.`;
      const error = new ModelError('timed_out', message, { cause });
      return { error, again: true, waitMs: undefined, mayCost: true };
    }
    return failure(cause, model.modelId, now());
  }
}

function answerIn(result: unknown, requestedModel: string): ModelAnswer {
  const { content, finishReason, usage, response } = Object(result) as Record<string, unknown>;
  const { modelId } = Object(response) as { modelId?: unknown };
  const texts = Array.isArray(content)
    ? content.filter((part: unknown) => (Object(part) as { type?: unknown }).type === 'text')
    : content;
  // A string up to v2; since then an object that also holds the provider's own word.
  const { unified = finishReason } = Object(finishReason) as { unified?: unknown };
  return {
    text: textOf(texts),
    model: typeof modelId === 'string' && modelId !== '' ? modelId : requestedModel,
    usage: usageOf(usage),
    end: ENDS[String(unified)] ?? 'other',
  };
}

const ENDS: Readonly<Record<string, ModelAnswer['end']>> = {
  stop: 'stop',
  length: 'truncated',
  'content-filter': 'content_filter',
};

function usageOf(usage: unknown): ModelAnswer['usage'] {
  const { inputTokens, outputTokens, cachedInputTokens } = Object(usage) as Record<string, unknown>;
  // Numbers up to v2; since then objects with their parts.
  const { total: input = inputTokens, cacheRead = cachedInputTokens } = Object(inputTokens) as Record<
    string,
    unknown
  >;
  const { total: output = outputTokens } = Object(outputTokens) as Record<string, unknown>;
  return { input: tokens(input), cachedInput: tokens(cacheRead), output: tokens(output) };
}

/** Classifies a provider's error by its status and its own retry hint. */
function failure(cause: unknown, model: string, nowMs: number): TryOutcome {
  const { statusCode, isRetryable, responseHeaders, message } = Object(cause) as Record<string, unknown>;
  const status = typeof statusCode === 'number' ? { status: statusCode } : {};
  const words = typeof message === 'string' ? quoted(message) : 'it gave no reason';
  const again = isRetryable === true || (typeof statusCode === 'number' && mayPass(statusCode));
  const error = new ModelError(
    again || typeof statusCode !== 'number' ? 'unavailable' : 'rejected',
    `The language model ${model} failed: ${words}`,
    { ...status, cause },
  );
  // Without a status the request may have reached the model.
  const mayCost = typeof statusCode !== 'number' || GAVE_UP_WAITING.includes(statusCode);
  if (!again) return { error, again, mayCost };
  const { 'retry-after': after } = Object(responseHeaders) as Record<string, unknown>;
  const waitMs = retryAfterMs(typeof after === 'string' ? after : null, nowMs);
  return { error, again, waitMs, mayCost };
}
