// Sends a language model the requests about all windows of a document, with retries for unusable answers. Built into a
// file of its own that the first call loads.
import type { CompleteOptions, CompletionPlan } from '../../complete.ts';
import type { AsyncRun } from '../tier.ts';
import { ModelSession, planOf } from './model-session.ts';
import { type Decisions, hashOf, type WindowDecision } from './decisions.ts';
import { estimateTokens } from './estimate.ts';
import { retryRequest, PROMPT_VERSION, cutsRequest, parseCuts } from './prompt.ts';
import { type TextUnits, type Window, windowsOf } from './windows.ts';

/** Most requests about one window: the first, and two retries. */
const MOST_TRIES = 3;

/**
 * The cost of all first requests. Each request is made here and again when it is sent, so that they are never in
 * memory together.
 */
export function planCuts(text: string, units: TextUnits): CompletionPlan {
  return planOf(requestsOf(text, units), estimateTokens);
}

function* requestsOf(text: string, units: TextUnits): Generator<ReturnType<typeof cutsRequest>> {
  for (const window of windowsOf(text, units)) yield cutsRequest(text, units, window);
}

/**
 * Returns the model's decisions about a document. Resolves even when some windows fall back.
 *
 * @param plan the plan of all requests about the document, those of later stages too
 * @throws ChunkError `completion_failed` or `too_many_fallbacks`; rejects with the signal's reason once that is aborted
 */
export async function decide(
  text: string,
  units: TextUnits,
  plan: CompletionPlan,
  options: CompleteOptions,
  { signal, onAnswered }: AsyncRun,
): Promise<Decisions> {
  const windows = windowsOf(text, units);
  const session = new ModelSession(options, plan, signal);
  const decided: WindowDecision[] = [];
  let [done, fallen] = [0, 0];
  onAnswered?.(0, windows.length, 'complete');
  await session.runAll(windows, async (window, index, either) => {
    const decision = await decideWindow(session, text, units, window, either);
    decided[index] = decision;
    if (decision.fallback !== undefined) fallen++;
    if (fallen * 2 > windows.length)
      throw session.tooManyFallbacks(`${fallen} of ${windows.length} parts of the text`);
    onAnswered?.(++done, windows.length, 'complete');
  });
  return {
    promptVersion: PROMPT_VERSION,
    model: session.model,
    document: hashOf(text),
    units: units.starts.length,
    windows: decided,
    windowsFallback: decided.flatMap(({ fallback }, index) => (fallback === undefined ? [] : [index])),
    usage: session.usage,
  };
}

async function decideWindow(
  session: ModelSession,
  text: string,
  units: TextUnits,
  window: Window,
  signal: AbortSignal,
): Promise<WindowDecision> {
  const firstRequest = cutsRequest(text, units, window);
  let request = firstRequest;
  let fallback = 'wrong_answer';
  let tries = 0;
  while (tries < MOST_TRIES) {
    tries++;
    const outcome = await session.request(request, signal);
    if ('value' in outcome) {
      const answer = parseCuts(outcome.value, window);
      if ('cuts' in answer) return { ...window, ...answer, tries };
      fallback = 'wrong_answer';
      session.recordUnusable(answer.unusable);
      request = retryRequest(firstRequest, outcome.value, answer.unusable);
    } else {
      fallback = outcome.code;
      if (outcome.givenUp) break;
    }
  }
  return { ...window, cuts: [], dropped: 0, tries, fallback };
}
