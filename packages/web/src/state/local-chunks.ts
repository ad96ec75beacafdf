// Cuts the visible tiers whenever the document, the tiers or the options change. Of several quick changes only the last
// one reaches the worker.
import { batch, effect, signal } from '@preact/signals';
import type { Span } from '@grainline/core';
import { countOf, type CutTable } from '../document/cut-table.ts';
import type { ControlValues } from '../document/options.ts';
import { type Hit } from '../worker/protocol.ts';
import { isLocal, LOCAL_TIERS, type LocalTier } from '../document/tiers.ts';
import { Superseded, type WorkerClient } from '../worker/worker-client.ts';
import type { Signals, TierResult } from './signals.ts';

/** The hits of one tier for a question. */
export interface TierHits {
  readonly tier: string;
  readonly cuts: CutTable;
  /** Best first. */
  readonly hits: readonly Hit[];
}

/** Starts cutting; `close` ends it. */
export function createLocalChunks(signals: Signals, ask: WorkerClient) {
  const { source, options, tier, other, current, errorText } = signals;
  const isCutting = signal(false);
  let isOutdated = false;
  /** The chunk to reveal after its tier's cut, with the part that answers a question. */
  let wanted: { readonly chunk: number; readonly answer: Span | undefined } | undefined;
  /** The error of the last failed cut, until a cut succeeds. */
  let errorBefore: string | undefined;

  const close = effect(() => {
    const values = [source.value, options.value, tier.value, other.value];
    if (values[0] !== undefined) void update();
  });

  /** Runs one cut at a time. All changes meanwhile wait for one further cut, so that a dragged slider stays quick. */
  async function update(): Promise<void> {
    isOutdated = true;
    if (isCutting.peek()) return;
    isCutting.value = true;
    while (isOutdated) {
      isOutdated = false;
      await cutMissing().catch(fail);
    }
    isCutting.value = false;
  }

  function fail(error: unknown): void {
    if (error instanceof Superseded) return;
    signals.report(error);
    errorBefore = errorText.peek();
  }

  async function cutMissing(): Promise<void> {
    const of = source.peek();
    if (of === undefined) return;
    const by = options.peek();
    const made: [string, TierResult][] = [];
    for (const id of new Set([tier.peek(), other.peek() ?? tier.peek()].filter(isLocal)))
      if (currentCuts(signals, id) === undefined) made.push([id, { ...(await cut(id, by)), options: by }]);
    // The document may have changed during the cut.
    if (made.length === 0 || source.peek() !== of) return;
    batch(() => {
      signals.addResults(made);
      if (errorText.peek() === errorBefore) errorText.value = undefined;
      errorBefore = undefined;
      arrive();
    });
  }

  const cut = (id: LocalTier, by: ControlValues) => ask('cut', { tier: id, options: by });

  function arrive(): void {
    const isWanted = wanted !== undefined;
    current.value = { chunk: wanted?.chunk, answer: wanted?.answer, reveal: isWanted, isPinned: isWanted };
    wanted = undefined;
  }

  return {
    close,

    /** True while the visible cuts are outdated. */
    isCutting,

    /** Reveals a chunk of a tier after that tier's cut. */
    showChunk(by: string, chunk: number, answer?: Span): void {
      tier.value = by;
      if (other.peek() === by) other.value = undefined;
      wanted = { chunk, answer };
      if (!isLocal(by) || currentCuts(signals, by) !== undefined) arrive();
    },

    step: (by: number): void => step(signals, by),

    search: (question: string, most: number) => search(signals, ask, question, most),
  };
}

/** Moves the current chunk by so many, within the first and the last. */
function step({ results, tier, current }: Signals, by: number): void {
  const cuts = results.peek().get(tier.peek())?.cuts;
  if (cuts === undefined || countOf(cuts) === 0) return;
  const last = countOf(cuts) - 1;
  const from = current.peek().chunk ?? (by > 0 ? -1 : last + 1);
  current.value = { chunk: Math.min(last, Math.max(0, from + by)), reveal: true, isPinned: true };
}

/** The cuts of a tier by exactly the current options; undefined for others. */
function currentCuts({ results, options }: Signals, id: string): CutTable | undefined {
  const result = results.peek().get(id);
  return result?.options === options.peek() ? result.cuts : undefined;
}

/** The chunks nearest to a question, for each local tier and each cut of the service; the chosen tier is first. */
async function search(
  signals: Signals,
  ask: WorkerClient,
  question: string,
  most: number,
): Promise<TierHits[]> {
  const { source, results } = signals;
  const options = signals.options.peek();
  const text = source.peek()?.reading.text ?? '';
  const made: [string, CutTable][] = [];
  for (const id of LOCAL_TIERS)
    made.push([id, currentCuts(signals, id) ?? (await ask('cut', { tier: id, options })).cuts]);
  for (const [id, { cuts }] of results.peek()) if (!isLocal(id)) made.push([id, cuts]);
  const chosen = signals.tier.peek();
  made.sort(([one], [other]) => Number(other === chosen) - Number(one === chosen));
  const hits = await ask('search', { question, text, most, cuts: made.map(([, cuts]) => cuts) });
  return made.map(([id, cuts], index) => ({ tier: id, cuts, hits: hits[index] ?? [] }));
}
