// The page view as a component: the pages, their keys, and the toolbar over them. It loads with the first PDF.
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { CutTable } from '../../document/cut-table.ts';
import type { Following } from '../following.ts';
import { isPlainKey, type OnStep, stepByKey } from '../keys.ts';
import type { Pointing } from '../text-view.ts';
import type { DrawPage } from './drawing-queue.ts';
import { FULL_SIZE, zoomStep } from './page-layout.ts';
import { type PagesState, PagesView, type ViewedFile } from './page-view.ts';
import { HATCH } from './sheet.ts';
import { printedPages, printPages } from './printing.ts';
import { COMMON, PAGES } from '../../texts.ts';

/** Properties of the page view. */
export interface PageViewerProps extends Pointing {
  readonly file: ViewedFile;
  readonly draw: DrawPage;
  /** Draws a page as an image file. */
  readonly drawForPrint: (page: number, scale: number) => Promise<Blob>;
  readonly first: CutTable | undefined;
  readonly second: CutTable | undefined;
  /** The current chunk's index, and true when the view scrolls to it. */
  readonly current: {
    readonly chunk: number | undefined;
    readonly reveal: boolean;
    readonly answer?: { readonly start: number; readonly end: number } | undefined;
  };
  readonly onStep: OnStep;
  readonly following: Following;
  readonly onError: (error: unknown) => void;
  /** Called when the view has loaded. */
  readonly onReady: () => void;
}

/** The pages, coloured by chunk. */
export function PageViewer({ file, first, second, current, onStep, following, ...ports }: PageViewerProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<PagesView>(undefined);
  const latest = useRef(ports);
  latest.current = ports;
  const state = useSignal<PagesState>({ page: 1, scale: FULL_SIZE, isFit: true });
  const count = file.sizes.length / 2;

  useEffect(() => {
    if (host.current === null) return undefined;
    const made = new PagesView(host.current, file, {
      draw: (page, scale) => latest.current.draw(page, scale),
      onPoint: (chunk) => latest.current.onPoint(chunk),
      onPick: (chunk) => latest.current.onPick(chunk),
      onState(next) {
        const { page, scale, isFit } = state.peek();
        if (page !== next.page || scale !== next.scale || isFit !== next.isFit) state.value = next;
      },
    });
    view.current = made;
    return () => made.close();
  }, [file]);
  useEffect(() => view.current?.show(first, second), [file, first, second]);
  useEffect(() => {
    if (current.reveal) following.pause();
    view.current?.select(current.chunk, current.reveal, current.answer);
  }, [file, current, first]);
  useEffect(() => {
    if (host.current === null || view.current === undefined) return undefined;
    // The toolbar scrolls too.
    return following.join(host.current, view.current, host.current.parentElement ?? undefined);
  }, [file, following]);
  useEffect(() => latest.current.onReady(), []);

  const zoomBy = (by: 1 | -1): void => view.current?.zoom(zoomStep(state.peek().scale, by));
  const zoomKeys: Readonly<Record<string, () => void>> = {
    '+': () => zoomBy(1),
    '=': () => zoomBy(1),
    '-': () => zoomBy(-1),
    '0': () => view.current?.zoom('fit'),
  };
  const onKey = (event: KeyboardEvent): void => {
    const zoom = zoomKeys[event.key];
    if (zoom === undefined || !isPlainKey(event)) {
      stepByKey(event, onStep);
      return;
    }
    event.preventDefault();
    zoom();
  };
  const { printed, print } = usePrinting(view, latest, state, count);
  usePrintKey(host, print);
  return (
    <div class="page-view">
      <div ref={host} class="pages" tabIndex={0} role="group" aria-label={PAGES.name} onKeyDown={onKey} />
      <svg class="hatch" aria-hidden="true">
        <pattern id={HATCH} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <path d="M0 0V4" />
        </pattern>
      </svg>
      <Toolbar
        state={state.value}
        count={count}
        printed={printed.value}
        onPage={(page) => view.current?.showPage(page)}
        onZoom={zoomBy}
        onFit={() => view.current?.zoom('fit')}
        onPrint={() => void print()}
      />
    </div>
  );
}

/** The print of the pages, with its progress. */
function usePrinting(
  view: { readonly current: PagesView | undefined },
  ports: { readonly current: Pick<PageViewerProps, 'drawForPrint' | 'onError'> },
  state: ReadonlySignal<PagesState>,
  count: number,
) {
  const printed = useSignal<Printed | undefined>(undefined);
  useEffect(() => () => printed.peek()?.stop(), []);
  const print = async (): Promise<void> => {
    const made = view.current;
    if (made === undefined || printed.peek() !== undefined) return;
    const { first: from, last } = printedPages(state.peek().page, count);
    const stop = new AbortController();
    const total = last - from + 1;
    const show = (done: number): void => {
      printed.value = { done, total, stop: () => stop.abort() };
    };
    show(0);
    try {
      await printPages({
        first: from,
        last,
        draw: (page, scale) => ports.current.drawForPrint(page, scale),
        sheetOf: (page) => made.sheetForPrint(page),
        onPage: show,
        signal: stop.signal,
      });
    } catch (error) {
      if (!stop.signal.aborted) ports.current.onError(new Error(PAGES.noPrint, { cause: error }));
    } finally {
      printed.value = undefined;
    }
  };
  return { printed, print };
}

/** The progress of printing. */
interface Printed {
  readonly done: number;
  readonly total: number;
  readonly stop: () => void;
}

interface ToolbarProps {
  readonly state: PagesState;
  readonly count: number;
  readonly printed: Printed | undefined;
  readonly onPage: (page: number) => void;
  readonly onZoom: (by: 1 | -1) => void;
  readonly onFit: () => void;
  readonly onPrint: () => void;
}

function Toolbar({ state, count, printed, onPage, onZoom, onFit, onPrint }: ToolbarProps) {
  const { page, scale, isFit } = state;
  if (printed !== undefined)
    return (
      <div class="page-tools" role="status">
        {PAGES.printing(printed.done, printed.total)}{' '}
        <button type="button" class="quiet" onClick={printed.stop}>
          {COMMON.cancel}
        </button>
      </div>
    );
  const { first, last } = printedPages(page, count);
  return (
    <div class="page-tools" role="group" aria-label={PAGES.toolbar}>
      <label class="page-number">
        <span class="hidden">{PAGES.field}</span>
        <input
          type="number"
          min={1}
          max={count}
          value={page}
          onChange={({ currentTarget: { valueAsNumber } }) => {
            if (Number.isInteger(valueAsNumber)) onPage(valueAsNumber);
          }}
        />{' '}
        {PAGES.ofPages(count)}
      </label>
      <span class="zoom-steps">
        <button
          type="button"
          aria-label={PAGES.smaller}
          title={`${PAGES.smaller} (−)`}
          onClick={() => onZoom(-1)}
        >
          −
        </button>
        <output>{PAGES.percent(scale / FULL_SIZE)}</output>
        <button
          type="button"
          aria-label={PAGES.larger}
          title={`${PAGES.larger} (+)`}
          onClick={() => onZoom(1)}
        >
          +
        </button>
      </span>
      <button type="button" class="fit" aria-pressed={isFit} title={`${PAGES.fit} (0)`} onClick={onFit}>
        {PAGES.fit}
      </button>
      <button type="button" class="print" onClick={onPrint}>
        {PAGES.print(first, last, count)}
      </button>
    </div>
  );
}

/** The browser's own key for printing prints the pages while the view is shown. */
function usePrintKey(host: { readonly current: HTMLElement | null }, print: () => Promise<void>): void {
  const latest = useRef(print);
  latest.current = print;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isPrint = event.key.toLowerCase() === 'p' && (event.ctrlKey || event.metaKey) && !event.altKey;
      if (!isPrint || event.shiftKey || (host.current?.clientWidth ?? 0) === 0) return;
      event.preventDefault();
      void latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
