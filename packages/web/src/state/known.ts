// What the page knows and what was chosen, as signals: nothing is done here but to change several of them together.
import { batch, signal } from '@preact/signals';
import { DEFAULT_SIZE } from '@grainline/core';
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

/** What the page is busy with. */
export interface Busy {
  readonly what: 'reading' | 'sending';
  readonly name: string;
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
  const busy = signal<Busy | undefined>(undefined);
  const fault = signal<string | undefined>(undefined);

  /** Shows what went wrong, unless that is only that nobody waits for it any more. */
  function report(error: unknown): void {
    if (error instanceof Superseded || (error instanceof Error && error.name === 'AbortError')) return;
    fault.value = sentenceOf(error);
  }

  return {
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

    /** Looks at a document, of which no tier has cuts yet. */
    setSource(next: Source): void {
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

    /** Says what the page is at while it is; what goes wrong is reported. */
    async whileBusy(what: Busy, work: () => Promise<void>): Promise<void> {
      busy.value = what;
      fault.value = undefined;
      try {
        await work();
      } catch (error) {
        report(error);
      } finally {
        // Something that was begun later may still go on.
        if (busy.peek() === what) busy.value = undefined;
      }
    },
  };
}
