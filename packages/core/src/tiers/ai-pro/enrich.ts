// Enriches the chunks of a document by a language model. A file of its own when built: loaded by the first call. One
// request for an outline, then one for each section of chunks. Missing fields, and fields with names that the document
// does not contain, are requested once more. No request depends on the answer about another section, nor on its time
// of arrival.
import type { CompleteOptions, CompletionPlan, CompletionRequest } from '../../complete.ts';
import type { Cut } from '../../cut.ts';
import type { Document } from '../../document.ts';
import type { Limits } from '../../limits.ts';
import { measureOf } from '../../pack/measure.ts';
import { ModelSession, planOf } from '../ai/model-session.ts';
import { estimateTokens } from '../ai/estimate.ts';
import { retryRequest, markFor } from '../ai/prompt.ts';
import type { AsyncRun } from '../tier.ts';
import { type EnrichmentDraft, emptyDraft, isChunkList, fillDrafts } from './answer.ts';
import { type Facts, factsOf } from './facts.ts';
import { isEmpty, withEnrichment } from './enriched.ts';
import { type OutlinePart, entriesOf, outlineRequest, plainOutline, readOutline } from './outline.ts';
import {
  type SharedPrompt,
  sharedPrompt,
  isShownWhole,
  prefixLength,
  PROMPT_VERSION,
  sectionRequest,
  type PromptChunk,
} from './prompt.ts';
import type { EnrichmentReport } from './report.ts';
import { type ChunkSection, sectionLength, sectionsOf } from './sections.ts';

/** The chunks to describe, and the longest answers. */
export interface EnrichmentTask {
  readonly document: Document;
  readonly cuts: readonly Cut[];
  /** The length that the packer aims at, in UTF-16 units. */
  readonly target: number;
  /** The longest context, in UTF-16 units. */
  readonly contextUnits: number;
}

/** An estimate of the requests about a document. */
export interface EnrichmentEstimate {
  readonly sections: number;
  /** The cost of all requests without retries. */
  readonly plan: CompletionPlan;
}

/** Estimates the requests from cuts whose number is about that of the final ones. */
export function estimateEnrichment(task: EnrichmentTask): EnrichmentEstimate {
  const sections = sectionsOf(task.cuts, sectionLength(task.target));
  return { sections: sections.length, plan: planOf(requestsOf(task, sections), estimateTokens) };
}

function* requestsOf(
  { document, cuts, target, contextUnits }: EnrichmentTask,
  sections: readonly ChunkSection[],
): Generator<CompletionRequest> {
  if (cuts.length === 0) return;
  const mark = markFor(document.text);
  const most = prefixLength(sectionLength(target), 1, 1);
  const entries = isShownWhole(document, most) ? undefined : entriesOf(document.text, cuts);
  if (entries !== undefined) yield outlineRequest(entries, mark);
  const outline = entries === undefined ? undefined : plainOutline(entries);
  const shared = sharedPrompt(document, outline, mark, most, contextUnits);
  for (const section of sections) yield sectionRequest(document, shared, promptChunks(cuts, section), false);
}

function promptChunks(cuts: readonly Cut[], { first, end }: ChunkSection): PromptChunk[] {
  return cuts.slice(first, end).map((cut, at) => ({ id: at + 1, cut, draft: emptyDraft() }));
}

/**
 * Returns the cuts with their enrichments. Resolves even when some sections fail; calls `onEnriched` with a report.
 *
 * @param foreseen the estimated sections, and the plan of all requests about the document, those of earlier stages too
 * @throws ChunkError `completion_failed` or `too_many_fallbacks`; rejects with the signal's reason once that is aborted
 */
export async function enrich(
  task: EnrichmentTask,
  foreseen: EnrichmentEstimate,
  options: CompleteOptions & Limits,
  run: AsyncRun,
): Promise<Cut[]> {
  const enriching = new EnrichmentRun(
    task,
    foreseen.sections,
    new ModelSession(options, foreseen.plan, run.signal),
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

/** The source of the outline that precedes the requests. */
type OutlineFacts = Pick<EnrichmentReport, 'outline' | 'outlineFallback'>;

class EnrichmentRun {
  readonly #task: EnrichmentTask;
  readonly #session: ModelSession;
  readonly #run: AsyncRun;
  readonly #facts: Facts;
  readonly #mark: string;
  readonly #sections: readonly ChunkSection[];
  /** Length in units of the common beginning of all requests. */
  readonly #prefix: number;

  constructor(task: EnrichmentTask, foreseen: number, session: ModelSession, run: AsyncRun) {
    const { text, title = '', filename = '' } = task.document;
    this.#task = task;
    this.#session = session;
    this.#run = run;
    this.#facts = factsOf(text, `${title}\n${filename}`);
    this.#mark = markFor(text);
    const length = sectionLength(task.target);
    this.#sections = sectionsOf(task.cuts, length);
    this.#prefix = prefixLength(length, foreseen, this.#sections.length);
  }

  /** Returns one draft for each cut, and a report on the run. */
  async all(): Promise<{ readonly drafts: EnrichmentDraft[] } & Omit<EnrichmentReport, 'chunks'>> {
    const { document, cuts, contextUnits } = this.#task;
    const sections = this.#sections;
    const { text, facts } = await this.#outline();
    const shared = sharedPrompt(document, text, this.#mark, this.#prefix, contextUnits);
    const drafts: EnrichmentDraft[][] = [];
    const failed: number[] = [];
    let done = 0;
    const work = async (section: ChunkSection, index: number, signal: AbortSignal): Promise<void> => {
      const found = await this.#section(promptChunks(cuts, section), shared, signal);
      drafts[index] = found;
      if (found.every(isEmpty)) failed.push(index);
      if (failed.length * 2 > sections.length)
        throw this.#session.tooManyFallbacks(`the chunks of ${failed.length} of ${sections.length} sections`);
      this.#run.onAnswered?.(++done, sections.length, 'enrich');
    };
    this.#run.onAnswered?.(0, sections.length, 'enrich');
    // The first request goes alone, so that the others find their common beginning in the service's cache.
    const [first, ...rest] = sections;
    if (first !== undefined) await this.#session.runOne((signal) => work(first, 0, signal));
    await this.#session.runAll(rest, (section, index, signal) => work(section, index + 1, signal));
    return {
      drafts: drafts.flat(),
      promptVersion: PROMPT_VERSION,
      model: this.#session.model,
      ...facts,
      sections: sections.length,
      sectionsFailed: failed.sort((one, other) => one - other),
      usage: this.#session.usage,
    };
  }

  /** The outline and its source. The text is undefined when the requests contain the whole document instead. */
  async #outline(): Promise<{ readonly text: string | undefined; readonly facts: OutlineFacts }> {
    const { document, cuts } = this.#task;
    if (cuts.length === 0 || isShownWhole(document, this.#prefix))
      return { text: undefined, facts: { outline: 'whole' } };
    const entries = entriesOf(document.text, cuts);
    this.#run.onAnswered?.(0, 1, 'outline');
    const outcome = await this.#session.runOne((signal) => this.#requestOutline(entries, signal));
    this.#run.onAnswered?.(1, 1, 'outline');
    return 'text' in outcome
      ? { text: outcome.text, facts: { outline: 'model' } }
      : { text: plainOutline(entries), facts: { outline: 'headings', outlineFallback: outcome.code } };
  }

  /** Requests the outline, once more when the answer is unusable. Nothing depends on the outline, it only helps. */
  async #requestOutline(
    entries: readonly OutlinePart[],
    signal: AbortSignal,
  ): Promise<{ readonly text: string } | { readonly code: string }> {
    let request = outlineRequest(entries, this.#mark);
    let code = 'wrong_answer';
    for (let tries = 0; tries < 2; tries++) {
      const outcome = await this.#session.request(request, signal);
      if ('value' in outcome) {
        const text = readOutline(outcome.value, entries, this.#facts);
        if (text !== undefined) return { text };
        request = retryRequest(request, outcome.value, 'it says nothing about the parts that could be kept');
      } else {
        code = outcome.code;
        if (outcome.givenUp) break;
      }
    }
    return { code };
  }

  /** Returns the drafts of the chunks of one section, after at most one more request about missing fields. */
  async #section(
    chunks: readonly PromptChunk[],
    shared: SharedPrompt,
    signal: AbortSignal,
  ): Promise<EnrichmentDraft[]> {
    const failure = await this.#request(chunks, shared, false, signal);
    if (failure?.givenUp !== true) {
      const open = chunks.filter(({ draft }) => draft.lacks.size > 0);
      // After a refusal, or an answer that was too long, a request about half of the chunks may succeed.
      for (const part of failure === undefined ? [open] : halvesOf(open))
        if (part.length > 0) await this.#request(part, shared, failure === undefined, signal);
    }
    return chunks.map(({ draft }) => draft);
  }

  /**
   * Sends a request about chunks and fills their drafts. Returns the reason for a missing answer, if any, and records
   * it in the drafts.
   */
  async #request(
    chunks: readonly PromptChunk[],
    shared: SharedPrompt,
    isRepeated: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly code: string; readonly givenUp: boolean } | undefined> {
    const request = sectionRequest(this.#task.document, shared, chunks, isRepeated);
    const outcome = await this.#session.request(request, signal);
    if ('value' in outcome && isChunkList(outcome.value)) {
      const drafts = new Map(chunks.map(({ id, draft }) => [id, draft]));
      if (fillDrafts(outcome.value, drafts, this.#facts) === 0)
        this.#session.recordUnusable('it names no chunk that was shown');
      return undefined;
    }
    if ('value' in outcome) this.#session.recordUnusable('it has no list "chunks"');
    const failure = 'value' in outcome ? { code: 'wrong_answer', givenUp: false } : outcome;
    for (const { draft } of chunks)
      for (const field of draft.lacks.keys()) draft.lacks.set(field, failure.code);
    return failure;
  }
}

function halvesOf<Item>(items: readonly Item[]): (readonly Item[])[] {
  const half = Math.ceil(items.length / 2);
  return [items.slice(0, half), items.slice(half)];
}
