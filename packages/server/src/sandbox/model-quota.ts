// The quota of one document at a language model. The server keeps it independent of the child's messages, because the
// document may have taken the child over: a number of calls, a length of text, and one account of the cost.
import type { Complete, CompletionPlan, CompletionRequest } from '@grainline/core';

/** A language model with the quota of one document. */
export interface ModelQuota {
  /** Rejects with the code `too_expensive` when the quota is used up. */
  readonly complete: Complete;
  /** True after the model rejected a call because of its cost. */
  isTooExpensive(): boolean;
}

/** Longest text of a tier without a limit, in UTF-16 units. */
const ANY_LENGTH = 4_000_000;

/**
 * The quota of a document of so many UTF-16 units. The worst texts, made of the shortest sentences with three retries
 * of each call, use a third of it. The cost has a limit of its own; this quota ends endless loops.
 */
function quotaFor(units: number): {
  readonly calls: number;
  readonly units: number;
  readonly tokens: number;
} {
  return { calls: 64 + units / 100, units: 2 ** 20 + 64 * units, tokens: 2 ** 16 + 32 * units };
}

/** A quota for a document of at most so many UTF-16 units. */
export function createModelQuota(complete: Complete, maxCharacters = ANY_LENGTH): ModelQuota {
  const most = quotaFor(maxCharacters);
  const used = { calls: 0, units: 0, tokens: 0 };
  let isTooExpensive = false;
  // The model keeps an account by the identity of the plan: one object for the document, whatever its child sends.
  let plan: CompletionPlan | undefined;

  function count({ messages, maxTokens }: CompletionRequest): void {
    used.calls += 1;
    used.units += messages.reduce((sum, { content }) => sum + content.length, 0);
    used.tokens += maxTokens;
    if (used.calls <= most.calls && used.units <= most.units && used.tokens <= most.tokens) return;
    const message = `One document asked more than ${Math.floor(most.calls)} questions, or too long ones.`;
    throw Object.assign(new Error(message), { code: 'too_expensive' });
  }

  return {
    async complete(request, run) {
      count(request);
      plan ??= request.plan ?? { calls: 0, inputTokens: 0, outputTokens: 0 };
      try {
        return await complete({ ...request, plan }, run);
      } catch (error) {
        isTooExpensive ||= (Object(error) as { code?: unknown }).code === 'too_expensive';
        throw error;
      }
    },
    isTooExpensive: () => isTooExpensive,
  };
}
