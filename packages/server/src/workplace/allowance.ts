// What one document may ask of a language model. The server keeps to it by itself, whatever a child process says, for
// that may have been taken over by the document: so many questions, so much text, and one account of what they cost.
import type { Complete, CompletionPlan, CompletionRequest } from '@grainline/core';

/** A language model as one document may ask it. */
export interface Allowance {
  /** Rejects with the code `too_expensive` when the document has asked for all that it may. */
  readonly complete: Complete;
  /** Whether a question was not asked because the work would cost too much: the document is at fault, not the model. */
  isTooExpensive(): boolean;
}

/** Longest text for which an allowance is made when its tier takes any, in UTF-16 units. */
const ANY_LENGTH = 4_000_000;

/**
 * What a document of so many UTF-16 units may ask for. The worst texts need a third of it, of nothing but the shortest
 * sentences, each question asked three times: it is there to end what would never end, and the cost is limited by
 * itself.
 */
function mostFor(units: number): { readonly calls: number; readonly units: number; readonly tokens: number } {
  return { calls: 64 + units / 100, units: 2 ** 20 + 64 * units, tokens: 2 ** 16 + 32 * units };
}

/** An allowance for a document of at most so many UTF-16 units. */
export function createAllowance(complete: Complete, maxCharacters = ANY_LENGTH): Allowance {
  const most = mostFor(maxCharacters);
  const asked = { calls: 0, units: 0, tokens: 0 };
  let isTooExpensive = false;
  // The model keeps an account by plan: one object for all that the document asks, whatever plans its child tells.
  let plan: CompletionPlan | undefined;

  function count({ messages, maxTokens }: CompletionRequest): void {
    asked.calls += 1;
    asked.units += messages.reduce((sum, { content }) => sum + content.length, 0);
    asked.tokens += maxTokens;
    if (asked.calls <= most.calls && asked.units <= most.units && asked.tokens <= most.tokens) return;
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
