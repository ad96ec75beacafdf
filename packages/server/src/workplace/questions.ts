// How a child process comes to vectors of an embedder that it must not have, because a key or the network belongs to it:
// it asks the server by message, and the server asks the embedder. Both ends stand here.
import type { Embed, Embeddings } from '@grainline/core';

/** What a child asks. */
export interface Question {
  /** Counts the questions of a process. */
  readonly question: number;
  readonly texts: readonly string[];
}

/** What the server answers: vectors, or why there are none. */
export type Answer =
  | { readonly question: number; readonly embeddings: Embeddings }
  | { readonly question: number; readonly failure: string };

/** The side of a child's process on which messages go out and come in. */
export interface Line {
  readonly send: (message: Question) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
}

/** An embedder that asks through a line. One question at a time or many. */
export function askingEmbedder({ send, onMessage }: Line): Embed {
  let asked = 0;
  const waiting = new Map<number, { resolve: (found: Embeddings) => void; reject: (error: Error) => void }>();
  onMessage((message) => {
    if (!isAnswer(message)) return;
    const asker = waiting.get(message.question);
    waiting.delete(message.question);
    if ('failure' in message) asker?.reject(new Error(message.failure));
    else asker?.resolve(message.embeddings);
  });
  return (texts) =>
    new Promise((resolve, reject) => {
      const question = asked++;
      waiting.set(question, { resolve, reject });
      send({ question, texts });
    });
}

/** The server's answer; never rejects. What takes longer than `timeoutMs` has failed. */
export async function answerTo(
  { question, texts }: Question,
  embed: Embed,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Answer> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const embeddings = await embed(texts, { signal: AbortSignal.any([signal, late]) });
    return { question, embeddings };
  } catch (error) {
    if (late.aborted) return { question, failure: `it did not answer within ${timeoutMs / 1000} s` };
    return { question, failure: error instanceof Error ? error.message : String(error) };
  }
}

/** True for a question of a child. Nothing is believed of its messages: a document may have taken it over. */
export function isQuestion(message: unknown): message is Question {
  const { question, texts } = Object(message) as Readonly<Record<string, unknown>>;
  return (
    typeof question === 'number' &&
    Array.isArray(texts) &&
    texts.length > 0 &&
    texts.every((text) => typeof text === 'string' && text !== '')
  );
}

function isAnswer(message: unknown): message is Answer {
  const { question, embeddings, failure } = Object(message) as Readonly<Record<string, unknown>>;
  return typeof question === 'number' && (embeddings !== undefined || typeof failure === 'string');
}
