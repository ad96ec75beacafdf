// An answer in the words of either dialect.
import type { ModelCall } from './model-call.ts';

/** A reply. Absent members have the values of an obedient model. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body: an object as JSON, a string as it is. */
  readonly body?: unknown;
  /** The model's words, in place of JSON. */
  readonly says?: string;
  /** The model's answer, before it becomes JSON. */
  readonly value?: unknown;
  /** How it ends. Default `stop`. */
  readonly ends?: Ending;
  /** Waits so long before it answers, in milliseconds. */
  readonly afterMs?: number;
  /** No answer at all; the connection stays open. */
  readonly hangs?: true;
  /** The connection ends in the middle of the answer. */
  readonly breaks?: true;
  /** So many bytes of blanks before the answer. */
  readonly padding?: number;
}

export type Ending = 'stop' | 'truncated' | 'refusal' | 'content_filter';

/** Tokens of one question and its answer, as the service counts them. */
export interface Count {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** The body of an answer. */
export function answerBody({ dialect, model }: ModelCall, says: string, ends: Ending, count: Count): object {
  return dialect === 'openai' ? chatCompletion(model, says, ends, count) : message(model, says, ends, count);
}

const FINISH_REASONS: Readonly<Record<Ending, string>> = {
  stop: 'stop',
  truncated: 'length',
  refusal: 'stop',
  content_filter: 'content_filter',
};

function chatCompletion(model: string, says: string, ends: Ending, { input, cached, output }: Count): object {
  const content = ends === 'refusal' ? { content: null, refusal: says } : { content: says };
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
  const choice = {
    index: 0,
    message: { role: 'assistant', ...content },
    finish_reason: FINISH_REASONS[ends],
  };
  return { id: 'chatcmpl-scripted', object: 'chat.completion', model, choices: [choice], usage };
}

const STOP_REASONS: Readonly<Record<Ending, string>> = {
  stop: 'end_turn',
  truncated: 'max_tokens',
  refusal: 'refusal',
  content_filter: 'refusal',
};

/** Anthropic's messages count cached tokens separately. */
function message(model: string, says: string, ends: Ending, { input, cached, output }: Count): object {
  const usage = {
    input_tokens: input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: output,
  };
  const content = [{ type: 'text', text: says }];
  return {
    id: 'msg_scripted',
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: STOP_REASONS[ends],
    usage,
  };
}
