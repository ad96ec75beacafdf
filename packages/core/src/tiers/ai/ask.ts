// Asks a language model about all windows of a document, again where an answer is of no use. Built into a file of its
// own that the first call loads.
import type { CompleteOptions, CompletionPlan } from '../../complete.ts';
import type { WaitingRun } from '../tier.ts';
import { Asker, planOf } from './asker.ts';
import { type Decisions, hashOf, type WindowDecision } from './decisions.ts';
import { estimateTokens } from './estimate.ts';
import { askAgain, PROMPT_VERSION, questionOf, readAnswer } from './question.ts';
import { type Units, type Window, windowsOf } from './windows.ts';

/** Most questions about one window: the first, and two retries. */
const MOST_TRIES = 3;

/**
 * The cost of all first questions. Each question is made here and again when it is asked, so that they never stand in
 * memory together.
 */
export function planCuts(text: string, units: Units): CompletionPlan {
  return planOf(questionsOf(text, units), estimateTokens);
}

function* questionsOf(text: string, units: Units): Generator<ReturnType<typeof questionOf>> {
  for (const window of windowsOf(text, units)) yield questionOf(text, units, window);
}

/**
 * Returns the model's decisions about a document. Resolves even when some windows fell back.
 *
 * @param plan the plan of all questions about the document, those of later stages too
 * @throws ChunkError `completion_failed` or `too_many_fallbacks`; rejects with the signal's reason once that is aborted
 */
export async function decide(
  text: string,
  units: Units,
  plan: CompletionPlan,
  options: CompleteOptions,
  { signal, onAnswered }: WaitingRun,
): Promise<Decisions> {
  const windows = windowsOf(text, units);
  const asker = new Asker(options, plan, signal);
  const decided: WindowDecision[] = [];
  let [done, fallen] = [0, 0];
  onAnswered?.(0, windows.length, 'complete');
  await asker.all(windows, async (window, index, either) => {
    const decision = await decideWindow(asker, text, units, window, either);
    decided[index] = decision;
    if (decision.fallback !== undefined) fallen++;
    if (fallen * 2 > windows.length) throw asker.tooMany(`${fallen} of ${windows.length} parts of the text`);
    onAnswered?.(++done, windows.length, 'complete');
  });
  return {
    promptVersion: PROMPT_VERSION,
    model: asker.model,
    document: hashOf(text),
    units: units.starts.length,
    windows: decided,
    windowsFallback: decided.flatMap(({ fallback }, index) => (fallback === undefined ? [] : [index])),
    usage: asker.usage,
  };
}

async function decideWindow(
  asker: Asker,
  text: string,
  units: Units,
  window: Window,
  signal: AbortSignal,
): Promise<WindowDecision> {
  const question = questionOf(text, units, window);
  let asked = question;
  let fallback = 'wrong_answer';
  let tries = 0;
  while (tries < MOST_TRIES) {
    tries++;
    const outcome = await asker.ask(asked, signal);
    if ('value' in outcome) {
      const answer = readAnswer(outcome.value, window);
      if ('cuts' in answer) return { ...window, ...answer, tries };
      fallback = 'wrong_answer';
      asker.unusable(answer.unusable);
      asked = askAgain(question, outcome.value, answer.unusable);
    } else {
      fallback = outcome.code;
      if (outcome.givenUp) break;
    }
  }
  return { ...window, cuts: [], dropped: 0, tries, fallback };
}
