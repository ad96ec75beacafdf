// The language model of one job, with a journal: what it answers is kept before it is used, and a job that is worked on
// again is answered from there. The work itself is deterministic, so it asks the same questions again, and none that was
// answered is paid for twice.
import { createHash } from 'node:crypto';
import type { Complete, Completion, CompletionRequest, TokenUsage } from '@grainline/core';

/** What a journal stands on. */
export interface JournalParts {
  readonly complete: Complete;
  /** What is known from before, by the key of its question. */
  readonly answers: ReadonlyMap<string, Uint8Array>;
  /** Resolves when the answer is kept. */
  readonly record: (key: string, answer: Uint8Array) => Promise<void>;
}

/** A language model that remembers. */
export interface Journal {
  readonly complete: Complete;
  /** Asks nothing more; resolves when all that was asked is answered and kept. What is asked from now on waits for its signal. */
  settle(): Promise<void>;
}

/** Why a question had no answer, where asking it again would be paid for again: a failure that is kept. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly usage?: TokenUsage;
}

/** These are of the one question, and were paid for; other failures are of the moment. */
const OF_THE_QUESTION: readonly unknown[] = ['wrong_answer', 'refusal', 'truncated', 'content_filter'];

export function createJournal({ complete, answers, record }: JournalParts): Journal {
  /** How often each question was asked in this run: asked again after a useless answer, it is another question. */
  const times = new Map<string, number>();
  const open = new Set<Promise<unknown>>();
  let isSettling = false;

  function keyOf(request: CompletionRequest): string {
    const hash = hashOf(request);
    const before = times.get(hash) ?? 0;
    times.set(hash, before + 1);
    return `${hash} ${before}`;
  }

  async function ask(
    key: string,
    request: CompletionRequest,
    run: Parameters<Complete>[1],
  ): Promise<Completion> {
    const answer: Completion | Failure = await complete(request, run).catch((error: unknown) => {
      const failure = failureIn(error);
      if (failure === undefined) throw error;
      return failure;
    });
    await record(key, new TextEncoder().encode(JSON.stringify(answer)));
    return answered(answer);
  }

  return {
    async complete(request, run) {
      const key = keyOf(request);
      const known = answers.get(key);
      // Only this file writes answers.
      if (known !== undefined)
        return answered(JSON.parse(new TextDecoder().decode(known)) as Completion | Failure);
      if (isSettling) return untilAborted(run.signal);
      const asked = ask(key, request, run);
      open.add(asked);
      try {
        return await asked;
      } finally {
        open.delete(asked);
      }
    },
    async settle() {
      isSettling = true;
      await Promise.allSettled(open);
    },
  };
}

/** The same for equal questions, whatever work they are part of. */
function hashOf({ messages, schema, maxTokens }: CompletionRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([messages, schema, maxTokens]))
    .digest('base64url');
}

function answered(answer: Completion | Failure): Completion {
  if (!('code' in answer)) return answer;
  const { code, message, usage } = answer;
  throw Object.assign(new Error(message), { code, ...(usage === undefined ? {} : { usage }) });
}

function failureIn(error: unknown): Failure | undefined {
  const { code, message, usage } = Object(error) as { code?: unknown; message?: unknown; usage?: TokenUsage };
  if (typeof code !== 'string' || !OF_THE_QUESTION.includes(code)) return undefined;
  return { code, message: String(message), ...(usage === undefined ? {} : { usage }) };
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const leave = (): void => reject(signal?.reason as Error);
    if (signal?.aborted === true) leave();
    else signal?.addEventListener('abort', leave, { once: true });
  });
}
