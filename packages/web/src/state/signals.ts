// The values of the page as signals. The only actions here change several of them together.
import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { JobStatus, Overview } from '@grainline/client';
import { type Span, untilAborted } from '@grainline/core';
import type { ReadDocument, ReadProgress } from '../document/read-document.ts';
import type { CutTable } from '../document/cut-table.ts';
import { sentenceOf } from '../error-sentences.ts';
import type { StoredJob } from '../service/job.ts';
import { type ControlValues, defaultOptions } from '../document/options.ts';
import type { ReadingValues } from '../document/reading-options.ts';
import type { AnswerOrigin, TierRequest, DocumentOrigin } from '../service/chunk-request.ts';
import type { ReceiptCheck } from '../receipts/check-receipt.ts';
import type { PaidAnswer } from '../service/paid-answers.ts';
import { DEFAULT_TIER, isLocal } from '../document/tiers.ts';
import { Superseded } from '../worker/worker-client.ts';

/** The current document. */
export interface OpenDocument {
  readonly reading: ReadDocument;
  readonly origin: DocumentOrigin;
  /** The options with which a file was read. */
  readonly by?: ReadingValues;
  /** Reads the file again with other options, and with its password if it has one; absent for other documents. */
  readonly readAgain?: (by: ReadingValues) => Promise<void>;
  /** Reads its scanned pages too; present while some were not read. */
  readonly readScans?: () => Promise<void>;
}

/** The chunks of one tier. */
export interface TierResult {
  readonly cuts: CutTable;
  readonly options: ControlValues;
  /** Duration of a local cut; absent for a cut of the service. */
  readonly ms?: number;
  /** The payment of the cut, and the way of its answer to the page. */
  readonly paid?: { readonly answer: PaidAnswer; readonly origin: AnswerOrigin };
}

/** The current chunk. */
export interface Current {
  readonly chunk: number | undefined;
  /** True when the view scrolls to it. */
  readonly reveal: boolean;
  /** True after a click or a step: the pointer alone does not change it. */
  readonly isPinned?: boolean;
  /** The part of the chunk that answers a question. */
  readonly answer?: Span | undefined;
}

/**
 * The views of a document: its pages, its text as it reads, as it is written, or two of them beside each other. A kind
 * without pages shows its text in place of them.
 */
export type ViewName = 'sheets' | 'rendered' | 'source' | 'both';

/** A file that a password protects. */
export interface LockedFile {
  readonly file: File;
  /** True when a password was given that does not open it. */
  readonly isWrong: boolean;
}

/** A file without text that OCR can read. */
export interface ScannedFile {
  readonly file: File;
  /** Password of the file, if it needs one. */
  readonly password: string | undefined;
  /** A PDF of scanned pages, or the picture of one. */
  readonly kind: 'scan' | 'picture';
  /** Number of its pages. */
  readonly pages: number;
}

/** A task of the page. */
export interface Work {
  readonly what: 'reading' | 'sending';
  /** The document to read, or the tier of the service. */
  readonly name: string;
}

/** A running task. */
export interface Busy extends Work {
  /** Progress, if it is known. */
  readonly pages: ReadonlySignal<ReadProgress | undefined>;
  /** Cancels it. */
  readonly stop: () => void;
}

/** Signal and callback of a task. */
export interface WorkTerms {
  readonly signal: AbortSignal;
  readonly onPage: (pages: ReadProgress) => void;
}

/** See {@link createSignals}. */
export type Signals = ReturnType<typeof createSignals>;

const NOWHERE: Current = { chunk: undefined, reveal: false };

/** A page without a document. */
export function createSignals() {
  const source = signal<OpenDocument | undefined>(undefined);
  const tier = signal<string>(DEFAULT_TIER);
  const results = signal<ReadonlyMap<string, TierResult>>(new Map());
  const current = signal<Current>(NOWHERE);
  const busy = signal<readonly Busy[]>([]);
  const errorText = signal<string | undefined>(undefined);
  const view = signal<ViewName>('sheets');
  const locked = signal<LockedFile | undefined>(undefined);
  const scanned = signal<ScannedFile | undefined>(undefined);

  /** Shows an error, except a cancellation. */
  function report(error: unknown): void {
    if (error instanceof Superseded || (error instanceof Error && error.name === 'AbortError')) return;
    errorText.value = sentenceOf(error);
  }

  let bringing = new AbortController();

  return {
    /** Cancels the previous opening of a document, and returns the controller of the next one. */
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
    errorText,
    /** The file that waits for its password. */
    locked,
    /** The file that waits for OCR. */
    scanned,
    report,
    /** The checked receipt that was brought last. */
    receiptCheck: signal<ReceiptCheck | undefined>(undefined),
    overview: signal<Overview | undefined>(undefined),
    options: signal(defaultOptions('characters')),
    /** The options of reading, also while a file is read again with them. */
    reading: signal<ReadingValues>({}),
    /** The second tier of the comparison. */
    other: signal<string | undefined>(undefined),
    view,
    /** The request in the payment panel. */
    unpaidRequest: signal<TierRequest | undefined>(undefined),
    /** The paid answers of this browser, latest first. */
    paidAnswers: signal<readonly PaidAnswer[]>([]),
    job: signal<(StoredJob & Partial<JobStatus>) | undefined>(undefined),

    /** Sets a document without cuts, or none. */
    setSource(next: OpenDocument | undefined): void {
      batch(() => {
        // A tier of the service has no chunks of another document. The tier of the address stays for the first one.
        if (source.peek() !== undefined && !isLocal(tier.peek())) tier.value = DEFAULT_TIER;
        // A PDF opens in its pages; read again, it stays in the view of the visitor.
        const isOther = next?.reading.documentId !== source.peek()?.reading.documentId;
        if (next?.reading.sheets !== undefined && isOther) view.value = 'sheets';
        source.value = next;
        results.value = new Map();
        current.value = NOWHERE;
        errorText.value = undefined;
        locked.value = undefined;
        scanned.value = undefined;
      });
    },

    /** The chunk under the pointer becomes the current one, unless another one is pinned. */
    pointAt: (chunk: number): void => {
      const { chunk: before, isPinned } = current.peek();
      if (isPinned !== true && chunk !== before) current.value = { chunk, reveal: false };
    },

    /** A click pins a chunk, and a second one frees it. */
    pick: (chunk: number): void => {
      const { chunk: before, isPinned } = current.peek();
      const isSame = chunk === before && isPinned === true;
      // The other view follows.
      current.value = { chunk, reveal: view.peek() === 'both', isPinned: !isSame };
    },

    unpin(): void {
      current.value = NOWHERE;
    },

    addResults(made: Iterable<readonly [tier: string, result: TierResult]>): void {
      results.value = new Map([...results.peek(), ...made]);
    },

    whileBusy: createTaskList(busy, { errorText, report }),
  };
}

/** The function that lists a task while it runs, with its cancellation, and reports its error. */
function createTaskList(
  busy: Signal<readonly Busy[]>,
  { errorText, report }: { errorText: Signal<string | undefined>; report: (error: unknown) => void },
) {
  return async (
    what: Work,
    work: (terms: WorkTerms) => Promise<void>,
    controller = new AbortController(),
  ): Promise<void> => {
    const pages = signal<ReadProgress | undefined>(undefined);
    const entry = { ...what, pages, stop: () => controller.abort() };
    busy.value = [...busy.peek(), entry];
    errorText.value = undefined;
    try {
      const { signal } = controller;
      // Some work ignores its signal; the wait for it ends all the same.
      await untilAborted(() => work({ signal, onPage: (at) => (pages.value = at) }), signal);
    } catch (error) {
      report(error);
    } finally {
      busy.value = busy.peek().filter((other) => other !== entry);
    }
  };
}
