// Asks a language model what the chunks of a document are about. A file of its own when built: loaded by the first
// call.
//
// One question for an outline, then one for each section of chunks. What is missing in an answer or names what the
// document does not hold is asked for once more. No question depends on the answer about another section, nor on when
// that came.
import type { CompleteOptions, CompletionPlan, CompletionRequest } from '../../complete.ts';
import type { Cut } from '../../cut.ts';
import type { Document } from '../../document.ts';
import type { Limits } from '../../limits.ts';
import { measureOf } from '../../pack/measure.ts';
import { Asker, planOf } from '../ai/asker.ts';
import { estimateTokens } from '../ai/estimate.ts';
import { askAgain, markFor } from '../ai/question.ts';
import type { WaitingRun } from '../tier.ts';
import { type Draft, emptyDraft, isAnswer, readAnswer } from './answer.ts';
import { type Facts, factsOf } from './facts.ts';
import { isEmpty, withEnrichment } from './enriched.ts';
import { type Entry, entriesOf, outlineQuestion, plainOutline, readOutline } from './outline.ts';
import {
  type Common,
  commonOf,
  isShownWhole,
  prefixLength,
  PROMPT_VERSION,
  sectionQuestion,
  type Subject,
} from './question.ts';
import type { EnrichmentReport } from './report.ts';
import { type Section, sectionLength, sectionsOf } from './sections.ts';

/** What is to be described, and how long the answers may be. */
export interface Task {
  readonly document: Document;
  readonly cuts: readonly Cut[];
  /** The length that the packer aims at, in UTF-16 units. */
  readonly target: number;
  /** The longest context, in UTF-16 units. */
  readonly contextUnits: number;
}

/** An estimate of the questions about a document. */
export interface Foreseen {
  readonly sections: number;
  /** What all questions cost, those that have to be asked again left aside. */
  readonly plan: CompletionPlan;
}

/** Estimates the questions from cuts whose number is about that of the final ones. */
export function foresee(task: Task): Foreseen {
  const sections = sectionsOf(task.cuts, sectionLength(task.target));
  return { sections: sections.length, plan: planOf(questionsOf(task, sections), estimateTokens) };
}

function* questionsOf(
  { document, cuts, target, contextUnits }: Task,
  sections: readonly Section[],
): Generator<CompletionRequest> {
  if (cuts.length === 0) return;
  const mark = markFor(document.text);
  const most = prefixLength(sectionLength(target), 1, 1);
  const entries = isShownWhole(document, most) ? undefined : entriesOf(document.text, cuts);
  if (entries !== undefined) yield outlineQuestion(entries, mark);
  const outline = entries === undefined ? undefined : plainOutline(entries);
  const common = commonOf(document, outline, mark, most, contextUnits);
  for (const section of sections) yield sectionQuestion(document, common, subjectsOf(cuts, section));
}

function subjectsOf(cuts: readonly Cut[], { first, end }: Section): Subject[] {
  return cuts.slice(first, end).map((cut, at) => ({ id: at + 1, cut }));
}

/**
 * Returns the cuts with their enrichments. Resolves even when some sections failed; calls `onEnriched` with a report.
 *
 * @param foreseen the estimated sections, and the plan of all questions about the document, those of earlier stages too
 * @throws ChunkError `completion_failed` or `too_many_fallbacks`; rejects with the signal's reason once that is aborted
 */
export async function enrich(
  task: Task,
  foreseen: Foreseen,
  options: CompleteOptions & Limits,
  run: WaitingRun,
): Promise<Cut[]> {
  const enriching = new Enriching(
    task,
    foreseen.sections,
    new Asker(options, foreseen.plan, run.signal),
    run,
  );
  const { drafts, ...rest } = await enriching.all();
  const measure = measureOf(task.document.text, options.measure);
  const cuts = task.cuts.map((cut, at) =>
    withEnrichment(cut, drafts[at] ?? emptyDraft(), options.size, measure),
  );
  const chunks = { complete: 0, partial: 0, failed: 0 };
  for (const { enrichmentStatus = 'failed' } of cuts) chunks[enrichmentStatus]++;
  run.onEnriched?.({ ...rest, chunks });
  return cuts;
}

/** Where the outline comes from that is shown before the questions. */
type OutlineFacts = Pick<EnrichmentReport, 'outline' | 'outlineFallback'>;

class Enriching {
  readonly #task: Task;
  readonly #asker: Asker;
  readonly #run: WaitingRun;
  readonly #facts: Facts;
  readonly #mark: string;
  readonly #sections: readonly Section[];
  /** Units that every question begins with. */
  readonly #prefix: number;

  constructor(task: Task, foreseen: number, asker: Asker, run: WaitingRun) {
    const { text, title = '', filename = '' } = task.document;
    this.#task = task;
    this.#asker = asker;
    this.#run = run;
    this.#facts = factsOf(text, `${title}\n${filename}`);
    this.#mark = markFor(text);
    const length = sectionLength(task.target);
    this.#sections = sectionsOf(task.cuts, length);
    this.#prefix = prefixLength(length, foreseen, this.#sections.length);
  }

  /** Returns one draft for each cut, and a report of how it went. */
  async all(): Promise<{ readonly drafts: Draft[] } & Omit<EnrichmentReport, 'chunks'>> {
    const { document, cuts, contextUnits } = this.#task;
    const sections = this.#sections;
    const { text, facts } = await this.#outline();
    const common = commonOf(document, text, this.#mark, this.#prefix, contextUnits);
    const drafts: Draft[][] = [];
    const failed: number[] = [];
    let done = 0;
    const work = async (section: Section, index: number, signal: AbortSignal): Promise<void> => {
      const found = await this.#section(subjectsOf(cuts, section), common, signal);
      drafts[index] = found;
      if (found.every(isEmpty)) failed.push(index);
      if (failed.length * 2 > sections.length)
        throw this.#asker.tooMany(`the chunks of ${failed.length} of ${sections.length} sections`);
      this.#run.onAnswered?.(++done, sections.length, 'enrich');
    };
    this.#run.onAnswered?.(0, sections.length, 'enrich');
    // The first question goes alone, so that the others find their common beginning in the service's cache.
    const [first, ...rest] = sections;
    if (first !== undefined) await this.#asker.one((signal) => work(first, 0, signal));
    await this.#asker.all(rest, (section, index, signal) => work(section, index + 1, signal));
    return {
      drafts: drafts.flat(),
      promptVersion: PROMPT_VERSION,
      model: this.#asker.model,
      ...facts,
      sections: sections.length,
      sectionsFailed: failed.sort((one, other) => one - other),
      usage: this.#asker.usage,
    };
  }

  /** The outline and where it comes from. The text is undefined when all of the document is shown instead. */
  async #outline(): Promise<{ readonly text: string | undefined; readonly facts: OutlineFacts }> {
    const { document, cuts } = this.#task;
    if (cuts.length === 0 || isShownWhole(document, this.#prefix))
      return { text: undefined, facts: { outline: 'whole' } };
    const entries = entriesOf(document.text, cuts);
    this.#run.onAnswered?.(0, 1, 'outline');
    const outcome = await this.#asker.one((signal) => this.#askOutline(entries, signal));
    this.#run.onAnswered?.(1, 1, 'outline');
    return 'text' in outcome
      ? { text: outcome.text, facts: { outline: 'model' } }
      : { text: plainOutline(entries), facts: { outline: 'headings', outlineFallback: outcome.code } };
  }

  /** Asks for the outline, once more when the answer is of no use. Nothing depends on the outline, it only helps. */
  async #askOutline(
    entries: readonly Entry[],
    signal: AbortSignal,
  ): Promise<{ readonly text: string } | { readonly code: string }> {
    let asked = outlineQuestion(entries, this.#mark);
    let code = 'wrong_answer';
    for (let tries = 0; tries < 2; tries++) {
      const outcome = await this.#asker.ask(asked, signal);
      if ('value' in outcome) {
        const text = readOutline(outcome.value, entries, this.#facts);
        if (text !== undefined) return { text };
        asked = askAgain(asked, outcome.value, 'it says nothing about the parts that could be kept');
      } else {
        code = outcome.code;
        if (outcome.givenUp) break;
      }
    }
    return { code };
  }

  /** Returns the drafts of the chunks of one section, after at most one more question about what is missing. */
  async #section(subjects: readonly Subject[], common: Common, signal: AbortSignal): Promise<Draft[]> {
    const drafts = new Map(subjects.map(({ id }) => [id, emptyDraft()]));
    const failure = await this.#ask(subjects, drafts, common, signal);
    if (failure?.givenUp !== true) {
      const open = subjects.filter(({ id }) => (drafts.get(id)?.lacks.size ?? 0) > 0);
      // A question that was refused, or whose answer was too long, may be answered about half of the chunks.
      for (const part of failure === undefined ? [open] : halvesOf(open)) {
        const asked =
          failure === undefined ? part.map((one) => ({ ...one, draft: drafts.get(one.id) })) : part;
        if (part.length > 0) await this.#ask(asked, drafts, common, signal);
      }
    }
    return [...drafts.values()];
  }

  /**
   * Asks about chunks and fills their drafts. Returns why there was no answer, if there was none; the drafts then say
   * it too.
   */
  async #ask(
    subjects: readonly Subject[],
    drafts: ReadonlyMap<number, Draft>,
    common: Common,
    signal: AbortSignal,
  ): Promise<{ readonly code: string; readonly givenUp: boolean } | undefined> {
    const outcome = await this.#asker.ask(sectionQuestion(this.#task.document, common, subjects), signal);
    const asked = new Map(
      subjects.flatMap(({ id }) => {
        const draft = drafts.get(id);
        return draft === undefined ? [] : [[id, draft] as const];
      }),
    );
    if ('value' in outcome && isAnswer(outcome.value)) {
      if (readAnswer(outcome.value, asked, this.#facts) === 0)
        this.#asker.unusable('it names no chunk that was shown');
      return undefined;
    }
    if ('value' in outcome) this.#asker.unusable('it has no list "chunks"');
    const failure = 'value' in outcome ? { code: 'wrong_answer', givenUp: false } : outcome;
    for (const { lacks } of asked.values()) for (const field of lacks.keys()) lacks.set(field, failure.code);
    return failure;
  }
}

function halvesOf<Item>(items: readonly Item[]): (readonly Item[])[] {
  const half = Math.ceil(items.length / 2);
  return [items.slice(0, half), items.slice(half)];
}
