// The web app: without a document its start view, with one its text and the controls beside it.
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import icon from './icon.svg';
import { AtWork } from './panels/busy.tsx';
import { useEscape } from './panels/escape.ts';
import { keepFocus } from './panels/focus.ts';
import { Keys } from './panels/keys.tsx';
import { Lazy } from './panels/lazy.tsx';
import { Locked } from './panels/locked.tsx';
import { Scanned } from './panels/scanned.tsx';
import { Start } from './panels/start.tsx';
import { Tools } from './panels/tools.tsx';
import type { State } from '../state/state.ts';
import type { ThemeChoice } from './theme.ts';
import { COMMON, DEMO, HEAD } from '../texts.ts';
import { DOCS } from './docs.ts';

const loadWork = () => import('./panels/work.tsx').then(({ Work }) => Work);

const loadReceiptOutcome = () =>
  import('./panels/receipt-check.tsx').then(({ ReceiptOutcome }) => ReceiptOutcome);

/** State and theme of the web app. */
export interface AppProps {
  readonly state: State;
  readonly theme: ThemeChoice;
  /** Address of the service, with a slash at its end. */
  readonly base: string;
  /** Absent in the static demo. */
  readonly service: ServicePanels | undefined;
}

/** The parts of the page that only a service has. */
export interface ServicePanels {
  /** The end of the page. */
  readonly About: ComponentType<StateProps>;
  /** Running jobs and begun payments. */
  readonly Tasks: ComponentType<StateProps>;
  /** The payment panel. */
  readonly Paying: ComponentType<StateProps>;
}

interface StateProps {
  readonly state: State;
}

/** The whole page. */
export function App({ state, theme, base, service }: AppProps) {
  const isOver = useSignal(false);
  const areKeysOpen = useSignal(false);
  useDocumentInput(state, isOver);
  // While the first document is read, its view loads; a failure shows with the view.
  const isReading = state.busy.value.length > 0;
  useEffect(() => {
    if (isReading) loadWork().catch(() => undefined);
  }, [isReading]);
  useFocusThatStays(state);
  return (
    <div class={`page${isOver.value ? ' over' : ''}`}>
      <header class="top">
        <h1>
          <img src={icon} alt="" />
          {HEAD.name} <small>{HEAD.about}</small>
        </h1>
        <DocumentLine state={state} />
        <Tools theme={theme} onKeys={() => (areKeysOpen.value = true)} />
      </header>
      <AtWork state={state} />
      <Locked state={state} />
      <Scanned state={state} />
      {state.locked.value === undefined && state.scanned.value === undefined && (
        <ErrorMessage state={state} />
      )}
      {state.receiptCheck.value !== undefined && <Lazy load={loadReceiptOutcome} props={{ state }} />}
      {service !== undefined && <service.Tasks state={state} />}
      <main>
        {state.source.value === undefined ? (
          <Start state={state} />
        ) : (
          <Lazy load={loadWork} props={{ state, base }} />
        )}
      </main>
      {service === undefined ? <AboutDemo /> : <service.About state={state} />}
      {service !== undefined && <service.Paying state={state} />}
      <Keys isOpen={areKeysOpen} />
    </div>
  );
}

/** The current document, and the button for another one. */
function DocumentLine({ state }: { readonly state: State }) {
  const reading = state.source.value?.reading;
  if (reading === undefined) return null;
  return (
    <p class="document">
      <strong>{reading.filename}</strong>{' '}
      <span>{HEAD.size(reading.text.length, reading.estimatedPages, reading.pages.length > 0)}</span>{' '}
      <button type="button" class="quiet" onClick={() => state.putAway()}>
        {HEAD.other}
      </button>
    </p>
  );
}

/** The latest error. */
function ErrorMessage({ state: { errorText } }: { readonly state: State }) {
  const isShown = errorText.value !== undefined;
  const close = (): void => {
    errorText.value = undefined;
  };
  useEscape(isShown, close);
  useEffect(() => (isShown ? keepFocus : undefined), [isShown]);
  if (!isShown) return null;
  return (
    <p class="fault" role="alert">
      {errorText.value}{' '}
      <button type="button" class="quiet" onClick={close}>
        {COMMON.close}
      </button>
    </p>
  );
}

/** The end of the demo's page. */
function AboutDemo() {
  return (
    <footer class="end">
      <p>
        {DEMO.end} <a href={DOCS.home}>{DEMO.docs}</a>
      </p>
    </footer>
  );
}

/**
 * Moves the focus when its element disappears: a document is opened or closed, or a task ends. Keyboard users continue
 * in the text, or in the start view.
 */
function useFocusThatStays({ source: { value: source }, busy: { value: busy } }: State): void {
  const before = useRef({ source, busy });
  useEffect(() => {
    const isOver = busy.length < before.current.busy.length;
    const isOther = source !== before.current.source;
    before.current = { source, busy };
    if (isOther || isOver) keepFocus();
  }, [source, busy]);
}

/** Accepts a dropped file anywhere, and a pasted text anywhere outside of a field. */
function useDocumentInput(state: State, isOver: Signal<boolean>): void {
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true && !hasText(event)) return;
      event.preventDefault();
      isOver.value = true;
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      isOver.value = false;
      bring(state, event.dataTransfer);
    };
    const paste = (event: ClipboardEvent): void => {
      if (event.target instanceof HTMLElement && event.target.closest('input, textarea') !== null) return;
      bring(state, event.clipboardData);
    };
    const listening = new AbortController();
    const { signal } = listening;
    addEventListener('dragover', over, { signal });
    addEventListener('dragleave', leave, { signal });
    addEventListener('drop', drop, { signal });
    addEventListener('paste', paste, { signal });
    return () => listening.abort();
  }, []);
}

function hasText({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('text/plain') ?? false;
}

function bring(state: State, data: DataTransfer | null): void {
  const files = [...(data?.files ?? [])];
  if (files.length > 0) {
    void state.openFiles(files);
    return;
  }
  const text = data?.getData('text/plain') ?? '';
  if (text.trim() !== '') void state.openPasted(text);
}
