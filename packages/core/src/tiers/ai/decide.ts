// Sends a language model the requests about all windows of a document, with retries for unusable answers. Built into a
// file of its own that the first call loads.
import type { CompletionPlan } from '../../complete.ts';
import type { AiOptions } from '../registry.ts';
import type { AsyncRun } from '../tier.ts';
import { ModelSession, planOf } from './model-session.ts';
import { type Decisions, hashOf, type WindowDecision } from './decisions.ts';
import { estimateTokens } from './estimate.ts';
import { retryRequest, PROMPT_VERSION, cutsRequest, parseCuts } from './prompt.ts';
import { type TextUnits, type Window, windowsOf } from './windows.ts';

/** Options of the tier, with the target that the packer aims at. */
type CutOptions = AiOptions & { readonly target: number };

/** Most requests about one window: the first, and two retries. */
const MOST_TRIES = 3;
/** Sentences of at least this share of the target are long enough for passages. */
const LEAST_SHARE = 0.25;

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
  options: CutOptions,
  { signal, onAnswered }: AsyncRun,
): Promise<Decisions> {
  const windows = windowsOf(text, units);
  const session = new ModelSession(options, plan, signal);
  const mayCutAll = createCutAllCheck(text, units, options);
  const decided: WindowDecision[] = [];
  let [done, fallen] = [0, 0];
  onAnswered?.(0, windows.length, 'complete');
  await session.runAll(windows, async (window, index, either) => {
    const decision = await decideWindow(session, { text, units, mayCutAll }, window, either);
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

/** True for a window in which a passage may begin at every unit. */
type CutAllCheck = (window: Window) => boolean;

/**
 * A cut at every unit divides a list, or sections of one line: the packer joins chunks below the minimum. Of prose it
 * names every sentence, and divides nothing, unless the sentences are about as long as chunks should be.
 */
function createCutAllCheck(
  text: string,
  { starts, ends, continues }: TextUnits,
  { measure, min = 0, target }: CutOptions,
): CutAllCheck {
  const least = Math.min(min > 0 ? min : target, LEAST_SHARE * target);
  return ({ first, end }) => {
    const inside = continues.slice(first + 1, end).filter(Boolean).length;
    if (2 * inside <= end - first - 1) return true;
    const shown = text.slice(starts[first], ends[end - 1]);
    return (measure?.count(shown) ?? shown.length) >= least * (end - first);
  };
}

/** The document of the requests. */
interface DecidedDocument {
  readonly text: string;
  readonly units: TextUnits;
  readonly mayCutAll: CutAllCheck;
}

async function decideWindow(
  session: ModelSession,
  { text, units, mayCutAll }: DecidedDocument,
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
      const answer = parseCuts(outcome.value, window, () => mayCutAll(window));
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
