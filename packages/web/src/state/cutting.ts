// Keeps the tiers that are looked at cut: whenever the document, the tiers or the options are others, the worker is
// asked, and of many changes that follow each other only about the last.
import { batch, computed, effect, signal } from '@preact/signals';
import { countOf, type CutOptions, type Cuts } from '../cuts.ts';
import { type Hit, LOCAL_TIERS, type LocalTier } from '../protocol.ts';
import { isLocal } from '../tiers.ts';
import { type AskWorker, createLatest, Superseded } from '../worker-client.ts';
import type { Known, Result, Source } from './known.ts';

/** The chunks of one tier that fit a question. */
export interface Found {
  readonly tier: string;
  readonly cuts: Cuts;
  /** Best first. */
  readonly hits: readonly Hit[];
}

/** Begins to cut; `close` ends it. */
export function createCutting(known: Known, ask: AskWorker) {
  const { source, options, tier, other, results, current, fault } = known;
  const latest = createLatest();
  /** Cuts that were asked for and are neither there nor given up. */
  const cuts = signal(0);
  /** The chunk to look at once its tier is cut. */
  let wantedChunk: number | undefined;
  /** The fault that the last failed cut showed, until a cut succeeds. */
  let faultBefore: string | undefined;

  const close = effect(() => {
    const of = source.value;
    const by = options.value;
    const wanted = [tier.value, other.value].filter((id) => id !== undefined).filter(isLocal);
    if (of === undefined) return;
    cuts.value = cuts.peek() + 1;
    latest(() => cutMissing(new Set(wanted), of, by))
      .catch(fail)
      .finally(() => (cuts.value = cuts.peek() - 1));
  });

  function fail(error: unknown): void {
    if (error instanceof Superseded) return;
    known.report(error);
    faultBefore = fault.peek();
  }

  async function cutMissing(wanted: ReadonlySet<LocalTier>, of: Source, by: CutOptions): Promise<void> {
    // Another document may be looked at since this was put off, or none.
    if (source.peek() !== of) return;
    const made: [string, Result][] = [];
    for (const id of wanted)
      if (knownCuts(id, by) === undefined) made.push([id, { ...(await cut(id, by)), options: by }]);
    if (made.length === 0 || source.peek() !== of) return;
    batch(() => {
      known.addResults(made);
      if (fault.peek() === faultBefore) fault.value = undefined;
      faultBefore = undefined;
      arrive();
    });
  }

  const cut = (id: LocalTier, by: CutOptions) => ask('cut', { tier: id, options: by });

  /** What a tier made by these very options; undefined when it has not, or made something else since. */
  function knownCuts(id: string, by: CutOptions): Cuts | undefined {
    const result = results.peek().get(id);
    return result?.options === by ? result.cuts : undefined;
  }

  function arrive(): void {
    current.value = { chunk: wantedChunk, reveal: wantedChunk !== undefined };
    wantedChunk = undefined;
  }

  return {
    close,

    /** True while what is shown is not yet cut as it was chosen. */
    isCutting: computed(() => cuts.value > 0),

    /** Brings a chunk of a tier into view once that tier is cut. */
    showChunk(by: string, chunk: number): void {
      tier.value = by;
      if (other.peek() === by) other.value = undefined;
      wantedChunk = chunk;
      if (!isLocal(by) || knownCuts(by, options.peek()) !== undefined) arrive();
    },

    /** Goes on by so many chunks, no further than the last or the first. */
    step(by: number): void {
      const cuts = results.peek().get(tier.peek())?.cuts;
      if (cuts === undefined || countOf(cuts) === 0) return;
      const last = countOf(cuts) - 1;
      const from = current.peek().chunk ?? (by > 0 ? -1 : last + 1);
      current.value = { chunk: Math.min(last, Math.max(0, from + by)), reveal: true };
    },

    /** The chunks nearest to a question, by each tier that is cut here and each that the service has cut. */
    async search(question: string, most: number): Promise<Found[]> {
      const text = source.peek()?.reading.text ?? '';
      const by = options.peek();
      const made: [string, Cuts][] = [];
      for (const id of LOCAL_TIERS) made.push([id, knownCuts(id, by) ?? (await cut(id, by)).cuts]);
      for (const [id, { cuts }] of results.peek()) if (!isLocal(id)) made.push([id, cuts]);
      const hits = await ask('search', { question, text, most, cuts: made.map(([, cuts]) => cuts) });
      return made.map(([id, cuts], index) => ({ tier: id, cuts, hits: hits[index] ?? [] }));
    },
  };
}
