// How a child process comes to what models say that it must not reach, because a key or the network belongs to them: it
// asks the server by message, and the server asks the model. Both ends stand here. Nothing is believed of a child's
// messages, for a document may have taken it over.
import type {
  Complete,
  Completion,
  CompletionRequest,
  Embed,
  Embeddings,
  JsonSchema,
  Message,
  TokenUsage,
} from '@grainline/core';

/** What a child asks. The number counts the questions of a process. */
export type Question =
  | { readonly question: number; readonly texts: readonly string[] }
  | { readonly question: number; readonly request: CompletionRequest };

/** A child's message that it no longer waits for an answer. */
export interface Withdrawal {
  readonly withdrawn: number;
}

/** Why there is no answer; the members of an error, because classes do not survive the way. */
export interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly usage?: TokenUsage;
}

/** What the server answers. */
export type Answer =
  | { readonly question: number; readonly embeddings: Embeddings }
  | { readonly question: number; readonly completion: Completion }
  | { readonly question: number; readonly failure: Failure };

/** The side of a child's process on which messages go out and come in. */
export interface Line {
  readonly send: (message: Question | Withdrawal) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
}

/** Models that are asked through a line, one question at a time or many. */
export interface AskedModels {
  readonly embed: Embed;
  readonly complete: Complete;
}

/** What one question may be. Tiers ask for less; more than this no model's window takes. */
const MOST = {
  /** Turns of a conversation. */
  messages: 16,
  /** UTF-16 units of all turns. */
  units: 512 * 1024,
  /** UTF-16 units of a schema's JSON. */
  schema: 32 * 1024,
  /** Tokens of the answer. */
  tokens: 32 * 1024,
  /** Tokens or calls that a plan may name. */
  planned: 1e9,
} as const;

/** An answer that is none of a failure. */
type Given = Exclude<Answer, { readonly failure: Failure }>;

interface Asker {
  readonly resolve: (answer: Given) => void;
  readonly reject: (error: Error) => void;
  /** Stops listening to the signal. */
  readonly end: () => void;
}

/** The child's end. */
export function askingModels({ send, onMessage }: Line): AskedModels {
  let asked = 0;
  const waiting = new Map<number, Asker>();
  onMessage((message) => {
    if (!isAnswer(message)) return;
    const asker = waiting.get(message.question);
    waiting.delete(message.question);
    asker?.end();
    if ('failure' in message) asker?.reject(errorFrom(message.failure));
    else asker?.resolve(message);
  });

  function ask(
    what: { texts: readonly string[] } | { request: CompletionRequest },
    signal?: AbortSignal,
  ): Promise<Given> {
    return new Promise<Given>((resolve, reject) => {
      signal?.throwIfAborted();
      const question = asked++;
      const leave = (): void => {
        waiting.delete(question);
        send({ withdrawn: question });
        reject(signal?.reason as Error);
      };
      waiting.set(question, { resolve, reject, end: () => signal?.removeEventListener('abort', leave) });
      signal?.addEventListener('abort', leave, { once: true });
      send({ question, ...what });
    });
  }

  return {
    async embed(texts, { signal }) {
      const answer = await ask({ texts }, signal);
      if ('embeddings' in answer) return answer.embeddings;
      throw new TypeError('The server answered with something else than vectors.');
    },
    async complete(request, { signal }) {
      const answer = await ask({ request }, signal);
      if ('completion' in answer) return answer.completion;
      throw new TypeError('The server answered with something else than a completion.');
    },
  };
}

/** Whom the server asks for one document. */
export interface Models {
  readonly embed?: Embed | undefined;
  readonly complete?: Complete | undefined;
}

/**
 * The server's answer; never rejects. Vectors that take longer than `timeoutMs` have failed; for language models, which
 * know how long they may take, only the signal ends the wait.
 *
 * @param timeout a signal that is aborted after so many milliseconds
 */
export async function answerTo(
  asked: Question,
  { embed, complete }: Models,
  signal: AbortSignal,
  timeoutMs: number,
  timeout: (ms: number) => AbortSignal = (ms) => AbortSignal.timeout(ms),
): Promise<Answer> {
  const { question } = asked;
  const late = 'texts' in asked ? timeout(timeoutMs) : undefined;
  try {
    if ('texts' in asked) {
      if (embed === undefined) return { question, failure: NOT_ASKED };
      const run = { signal: AbortSignal.any(late === undefined ? [signal] : [signal, late]) };
      return { question, embeddings: await embed(asked.texts, run) };
    }
    if (complete === undefined) return { question, failure: NOT_ASKED };
    const { value, model, usage, stopReason } = await complete(asked.request, { signal });
    return { question, completion: { value, model, usage, stopReason } };
  } catch (error) {
    const failure =
      late?.aborted === true
        ? { message: `it did not answer within ${timeoutMs / 1000} s` }
        : failureOf(error);
    return { question, failure };
  }
}

/** A tier asks only for what it lists, and then somebody is there. */
const NOT_ASKED: Failure = { message: 'nobody here answers such questions', code: 'rejected' };

/** A sound question of a child; undefined for everything else. Holds what was checked, and nothing more. */
export function readQuestion(message: unknown): Question | undefined {
  const { question, texts, request } = Object(message) as Readonly<Record<string, unknown>>;
  if (!Number.isSafeInteger(question)) return undefined;
  const number = question as number;
  if (request !== undefined) {
    const read = readRequest(request);
    return read === undefined ? undefined : { question: number, request: read };
  }
  const isTexts =
    Array.isArray(texts) &&
    texts.length > 0 &&
    texts.every((text) => typeof text === 'string' && text !== '');
  return isTexts ? { question: number, texts: texts as string[] } : undefined;
}

/** Whether a message tries to ask at all: one that does, and is no sound question, is a defect or worse. */
export function isAsking(message: unknown): boolean {
  return Object.hasOwn(Object(message) as object, 'question');
}

/** The question that is waited for no more; undefined for other messages. */
export function readWithdrawal(message: unknown): number | undefined {
  const { withdrawn } = Object(message) as Readonly<Record<string, unknown>>;
  return typeof withdrawn === 'number' ? withdrawn : undefined;
}

function readRequest(given: unknown): CompletionRequest | undefined {
  const { messages, schema: shape, maxTokens, plan } = Object(given) as Readonly<Record<string, unknown>>;
  if (!isMessages(messages) || !isWithin(maxTokens, 1, MOST.tokens)) return undefined;
  const schema = readSchema(shape);
  if (schema === undefined || JSON.stringify(schema).length > MOST.schema) return undefined;
  const read = { messages: messages.map(({ role, content }) => ({ role, content })), schema, maxTokens };
  if (plan === undefined) return read;
  const { calls, inputTokens, outputTokens } = Object(plan) as Readonly<Record<string, unknown>>;
  const isPlan = [calls, inputTokens, outputTokens].every((count) => isWithin(count, 0, MOST.planned));
  if (!isPlan) return undefined;
  return {
    ...read,
    plan: {
      calls: calls as number,
      inputTokens: inputTokens as number,
      outputTokens: outputTokens as number,
    },
  };
}

const ROLES: readonly unknown[] = ['system', 'user', 'assistant'];

function isMessages(given: unknown): given is Message[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST.messages) return false;
  let units = 0;
  for (const message of given as readonly unknown[]) {
    const { role, content } = Object(message) as Readonly<Record<string, unknown>>;
    if (!ROLES.includes(role) || typeof content !== 'string') return false;
    units += content.length;
  }
  return units <= MOST.units;
}

/** Deeper than this no tier asks; without a bound a child's schema could use up the stack, or be a ring. */
const DEEPEST_SCHEMA = 8;

/** A copy of what a schema may say, and of nothing else that a child put there. */
function readSchema(given: unknown, depth = 0): JsonSchema | undefined {
  if (depth > DEEPEST_SCHEMA) return undefined;
  const {
    type,
    properties,
    required,
    items,
    enum: words,
    ...rest
  } = Object(given) as Record<string, unknown>;
  const about = typeof rest['description'] === 'string' ? { description: rest['description'] } : {};
  switch (type) {
    case 'object': {
      if (!isWords(required)) return undefined;
      const inner: Record<string, JsonSchema> = {};
      for (const [name, value] of Object.entries(Object(properties) as object)) {
        const read = readSchema(value, depth + 1);
        if (read === undefined) return undefined;
        Object.defineProperty(inner, name, { value: read, enumerable: true });
      }
      return { ...about, type, properties: inner, required, additionalProperties: false };
    }
    case 'array': {
      const read = readSchema(items, depth + 1);
      return read === undefined ? undefined : { ...about, type, items: read };
    }
    case 'string':
      if (words === undefined) return { ...about, type };
      return isWords(words) ? { ...about, type, enum: words } : undefined;
    case 'integer':
    case 'number':
    case 'boolean':
      return { ...about, type };
    default:
      return undefined;
  }
}

function isWords(given: unknown): given is string[] {
  return Array.isArray(given) && given.every((word) => typeof word === 'string');
}

function isWithin(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most;
}

/** What of an error a child is told. */
function failureOf(error: unknown): Failure {
  const { code, usage } = Object(error) as { code?: unknown; usage?: TokenUsage };
  return {
    message: error instanceof Error ? error.message : String(error),
    ...(typeof code === 'string' ? { code } : {}),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** The error that a failure stands for: core looks at its code. */
function errorFrom({ message, ...members }: Failure): Error {
  return Object.assign(new Error(message), members);
}

function isAnswer(message: unknown): message is Answer {
  const { question, embeddings, completion, failure } = Object(message) as Readonly<Record<string, unknown>>;
  return typeof question === 'number' && (embeddings ?? completion ?? failure) !== undefined;
}
