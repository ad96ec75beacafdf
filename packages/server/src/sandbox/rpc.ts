// Calls from a child process to models that it must not reach, because a key or the network belongs to them. The child
// sends a message, and the server calls the model. Both ends are here. The server checks every message of a child,
// because a document may have taken the child over.
import type {
  Complete,
  Completion,
  CompletionPlan,
  CompletionRequest,
  Embed,
  Embeddings,
  JsonSchema,
  Message,
  TokenUsage,
} from '@grainline/core';

/** A call of a child. The number `call` is unique in the process. */
export type ModelCall =
  | { readonly call: number; readonly texts: readonly string[] }
  | { readonly call: number; readonly request: CompletionRequest };

/** Ends the wait of a child for the result of a call. */
export interface Cancellation {
  readonly cancelled: number;
}

/** The members of an error. Classes do not cross a process border. */
export interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly usage?: TokenUsage | undefined;
}

type ModelCallSuccess =
  | { readonly call: number; readonly embeddings: Embeddings }
  | { readonly call: number; readonly completion: Completion };

/** The server's result of a call. */
export type ModelCallResult = ModelCallSuccess | { readonly call: number; readonly failure: Failure };

/** The messages of a child process. */
export interface Channel {
  readonly send: (message: ModelCall | Cancellation) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
}

/** Models behind a channel. Any number of calls can be open. */
export interface RemoteModels {
  readonly embed: Embed;
  readonly complete: Complete;
}

/** The child's end. */
export function createRemoteModels({ send, onMessage }: Channel): RemoteModels {
  let calls = 0;
  const open = new Map<number, Pick<PromiseWithResolvers<ModelCallSuccess>, 'resolve' | 'reject'>>();
  onMessage((message) => {
    if (!isCallResult(message)) return;
    const pending = open.get(message.call);
    if ('failure' in message) pending?.reject(errorFrom(message.failure));
    else pending?.resolve(message);
  });

  async function request(
    payload: { texts: readonly string[] } | { request: CompletionRequest },
    signal?: AbortSignal,
  ): Promise<ModelCallSuccess> {
    signal?.throwIfAborted();
    const call = calls++;
    const { promise, resolve, reject } = Promise.withResolvers<ModelCallSuccess>();
    const cancel = (): void => {
      send({ cancelled: call });
      reject(signal?.reason as Error);
    };
    open.set(call, { resolve, reject });
    signal?.addEventListener('abort', cancel, { once: true });
    send({ call, ...payload });
    try {
      return await promise;
    } finally {
      open.delete(call);
      signal?.removeEventListener('abort', cancel);
    }
  }

  return {
    async embed(texts, { signal }) {
      const result = await request({ texts }, signal);
      if ('embeddings' in result) return result.embeddings;
      throw new TypeError('The server answered with something else than vectors.');
    },
    async complete(completionRequest, { signal }) {
      const result = await request({ request: completionRequest }, signal);
      if ('completion' in result) return result.completion;
      throw new TypeError('The server answered with something else than a completion.');
    },
  };
}

/** The server's models for one document. */
export interface Models {
  readonly embed?: Embed | undefined;
  readonly complete?: Complete | undefined;
}

/**
 * The server's end; never rejects. `timeoutMs` bounds the embedder. Language models have time limits of their own, so
 * only the signal ends their calls.
 *
 * @param timeout a signal that is aborted after so many milliseconds
 */
export async function executeCall(
  modelCall: ModelCall,
  { embed, complete }: Models,
  signal: AbortSignal,
  timeoutMs: number,
  timeout: (ms: number) => AbortSignal = (ms) => AbortSignal.timeout(ms),
): Promise<ModelCallResult> {
  const { call } = modelCall;
  const late = 'texts' in modelCall ? timeout(timeoutMs) : undefined;
  try {
    if ('texts' in modelCall) {
      if (embed === undefined) return { call, failure: NO_MODEL };
      const run = { signal: AbortSignal.any(late === undefined ? [signal] : [signal, late]) };
      return { call, embeddings: await embed(modelCall.texts, run) };
    }
    if (complete === undefined) return { call, failure: NO_MODEL };
    const { value, model, usage, stopReason } = await complete(modelCall.request, { signal });
    return { call, completion: { value, model, usage, stopReason } };
  } catch (error) {
    const message = `it did not answer within ${timeoutMs / 1000} s`;
    return { call, failure: late?.aborted === true ? { message } : failureFrom(error) };
  }
}

/** A tier calls only the models of its options, and the server has those. */
const NO_MODEL: Failure = { message: 'no model here answers such calls', code: 'rejected' };

/** Bounds of one call. Tiers stay far below them, and no model's window is larger. */
const MOST = {
  /** Turns of a conversation. */
  messages: 16,
  /** UTF-16 units of all turns. */
  units: 512 * 1024,
  /** UTF-16 units of a schema's JSON. */
  schema: 32 * 1024,
  /** Tokens of the answer. */
  tokens: 32 * 1024,
  /** Tokens or calls of a plan. */
  planned: 1e9,
} as const;

/** Detects a message that claims to be a call. */
export function isCall(message: unknown): boolean {
  return Object.hasOwn(Object(message) as object, 'call');
}

/** A copy of the checked members of a call; undefined for an invalid call and for other messages. */
export function readCall(message: unknown): ModelCall | undefined {
  const { call, texts, request } = membersOf(message);
  if (!Number.isSafeInteger(call)) return undefined;
  const number = call as number;
  if (request !== undefined) {
    const valid = readRequest(request);
    return valid && { call: number, request: valid };
  }
  return isTexts(texts) ? { call: number, texts } : undefined;
}

/** The number of the cancelled call; undefined for other messages. */
export function readCancellation(message: unknown): number | undefined {
  const { cancelled } = membersOf(message);
  return typeof cancelled === 'number' ? cancelled : undefined;
}

function readRequest(value: unknown): CompletionRequest | undefined {
  const { messages, schema: unchecked, maxTokens, plan } = membersOf(value);
  const schema = readSchema(unchecked);
  if (schema === undefined || JSON.stringify(schema).length > MOST.schema) return undefined;
  if (!isMessages(messages) || !isWithin(maxTokens, 1, MOST.tokens)) return undefined;
  const request = { messages: messages.map(({ role, content }) => ({ role, content })), schema, maxTokens };
  if (plan === undefined) return request;
  const { calls, inputTokens, outputTokens } = membersOf(plan);
  const counts = { calls, inputTokens, outputTokens };
  const isPlan = Object.values(counts).every((count) => isWithin(count, 0, MOST.planned));
  return isPlan ? { ...request, plan: counts as CompletionPlan } : undefined;
}

const ROLES: readonly unknown[] = ['system', 'user', 'assistant'];

function isMessages(value: unknown): value is Message[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST.messages) return false;
  const lengths = value.map((message: unknown) => {
    const { role, content } = membersOf(message);
    return ROLES.includes(role) && typeof content === 'string' ? content.length : Infinity;
  });
  return lengths.reduce((sum, length) => sum + length, 0) <= MOST.units;
}

/** Tiers stay below this depth. Without a bound a child's schema could exhaust the stack or be a ring. */
const DEEPEST_SCHEMA = 8;

/** A copy of the known members of a schema. */
function readSchema(value: unknown, depth = 0): JsonSchema | undefined {
  if (depth > DEEPEST_SCHEMA) return undefined;
  const { type, properties, required, items, enum: words, description } = membersOf(value);
  const common = typeof description === 'string' ? { description } : {};
  switch (type) {
    case 'object': {
      if (!isTexts(required, 0)) return undefined;
      const inner: Record<string, JsonSchema> = {};
      for (const [name, property] of Object.entries(membersOf(properties))) {
        const schema = readSchema(property, depth + 1);
        if (schema === undefined) return undefined;
        // A property named `__proto__` must not set the prototype.
        Object.defineProperty(inner, name, { value: schema, enumerable: true });
      }
      return { ...common, type, properties: inner, required, additionalProperties: false };
    }
    case 'array': {
      const schema = readSchema(items, depth + 1);
      return schema && { ...common, type, items: schema };
    }
    case 'string':
      if (words === undefined) return { ...common, type };
      return isTexts(words, 0) ? { ...common, type, enum: words } : undefined;
    case 'integer':
    case 'number':
    case 'boolean':
      return { ...common, type };
    default:
      return undefined;
  }
}

/** Detects a list of texts: of `least` texts or more, none of them empty when one is required. */
function isTexts(value: unknown, least: 0 | 1 = 1): value is string[] {
  return (
    Array.isArray(value) &&
    value.length >= least &&
    value.every((text) => typeof text === 'string' && text.length >= least)
  );
}

function isWithin(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most;
}

/** The members of a value; none for a value that is no object. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value) as Readonly<Record<string, unknown>>;
}

/** The members of an error that the child receives. */
function failureFrom(error: unknown): Failure {
  const { code, usage } = Object(error) as { code?: unknown; usage?: TokenUsage };
  return {
    message: error instanceof Error ? error.message : String(error),
    ...(typeof code === 'string' ? { code } : {}),
    usage,
  };
}

/** Core reads the code of this error. */
function errorFrom({ message, ...members }: Failure): Error {
  return Object.assign(new Error(message), members);
}

function isCallResult(message: unknown): message is ModelCallResult {
  const { call, embeddings, completion, failure } = membersOf(message);
  return typeof call === 'number' && (embeddings ?? completion ?? failure) !== undefined;
}
