// What the page knows and what was chosen, as signals: nothing is done here but to change several of them together.
import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { DEFAULT_SIZE, untilAborted } from '@grainline/core';
import type { PageProgress } from '@grainline/extract';
import type { CutOptions, Cuts } from '../cuts.ts';
import { sentenceOf } from '../faults.ts';
import type { Job } from '../jobs.ts';
import type { Order, Origin } from '../order.ts';
import type { Overview } from '../overview.ts';
import type { Reading } from '../protocol.ts';
import type { JobStatus } from '../service.ts';
import { DEFAULT_TIER, isLocal } from '../tiers.ts';
import { Superseded } from '../worker-client.ts';

/** The document that is looked at. */
export interface Source {
  readonly reading: Reading;
  readonly origin: Origin;
}

/** How one tier cut it. */
export interface Result {
  readonly cuts: Cuts;
  readonly options: CutOptions;
  /** How long the cut took here; absent when the service made it. */
  readonly ms?: number;
}

/** The chunk that is looked at, from 0, and whether it is to be brought into the window. */
export interface Current {
  readonly chunk: number | undefined;
  readonly reveal: boolean;
}

/** Something that takes time. */
export interface Work {
  readonly what: 'reading' | 'sending';
  /** The document that is read, or the tier that it is sent to. */
  readonly name: string;
}

/** Something that the page is at. */
export interface Busy extends Work {
  /** How far it is, where that is known. */
  readonly pages: ReadonlySignal<PageProgress | undefined>;
  /** Ends it. */
  readonly stop: () => void;
}

/** What work is given, to be ended by and to say how far it is. */
export interface WorkTerms {
  readonly signal: AbortSignal;
  readonly onPage: (pages: PageProgress) => void;
}

/** See {@link createKnown}. */
export type Known = ReturnType<typeof createKnown>;

const NOWHERE: Current = { chunk: undefined, reveal: false };

/** A page without a document. */
export function createKnown() {
  const source = signal<Source | undefined>(undefined);
  const tier = signal<string>(DEFAULT_TIER);
  const results = signal<ReadonlyMap<string, Result>>(new Map());
  const current = signal<Current>(NOWHERE);
  const busy = signal<readonly Busy[]>([]);
  const fault = signal<string | undefined>(undefined);

  /** Shows what went wrong, unless that is only that nobody waits for it any more. */
  function report(error: unknown): void {
    if (error instanceof Superseded || (error instanceof Error && error.name === 'AbortError')) return;
    fault.value = sentenceOf(error);
  }

  let bringing = new AbortController();

  return {
    /** Ends what brings a document, because somebody brings another one; ends in turn with the next. */
    beginDocument(): AbortController {
      bringing.abort();
      bringing = new AbortController();
      return bringing;
    },
    source,
    tier,
    results,
    current,
    busy,
    fault,
    report,
    overview: signal<Overview | undefined>(undefined),
    options: signal<CutOptions>({ size: DEFAULT_SIZE.characters, overlap: 0, unit: 'characters' }),
    /** The tier that the chosen one is compared with. */
    other: signal<string | undefined>(undefined),
    /** What has to be paid for before it is sent. */
    order: signal<Order | undefined>(undefined),
    job: signal<(Job & Partial<JobStatus>) | undefined>(undefined),

    /** Looks at a document, of which no tier has cuts yet; or at none. */
    setSource(next: Source | undefined): void {
      batch(() => {
        source.value = next;
        results.value = new Map();
        current.value = NOWHERE;
        fault.value = undefined;
        if (!isLocal(tier.peek())) tier.value = DEFAULT_TIER;
      });
    },

    addResults(made: Iterable<readonly [tier: string, result: Result]>): void {
      results.value = new Map([...results.peek(), ...made]);
    },

    /** Says what the page is at while it is, and how to end it; what goes wrong is reported. */
    async whileBusy(
      what: Work,
      work: (terms: WorkTerms) => Promise<void>,
      controller = new AbortController(),
    ): Promise<void> {
      const pages = signal<PageProgress | undefined>(undefined);
      const entry = { ...what, pages, stop: () => controller.abort() };
      busy.value = [...busy.peek(), entry];
      fault.value = undefined;
      try {
        const { signal } = controller;
        // Some of it cannot be ended: then nobody waits for it any longer.
        await untilAborted(() => work({ signal, onPage: (at) => (pages.value = at) }), signal);
      } catch (error) {
        report(error);
      } finally {
        busy.value = busy.peek().filter((other) => other !== entry);
      }
    },
  };
}
