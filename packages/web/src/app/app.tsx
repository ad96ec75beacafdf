// The web app: without a document its start view, with one its text and the controls beside it.
import { type Signal, useSignal } from '@preact/signals';
import type { FormatId } from '@grainline/core/formats';
import type { RenderableProps } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { AtWork } from './panels/busy.tsx';
import { Controls } from './panels/controls.tsx';
import { Details } from './panels/details.tsx';
import { Keys } from './panels/keys.tsx';
import { JobProgress, Paying, Pending } from './panels/sending.tsx';
import { Lazy } from './panels/lazy.tsx';
import { Sizes } from './panels/sizes.tsx';
import { Start } from './panels/start.tsx';
import { Tools } from './panels/tools.tsx';
import type { State } from '../state/state.ts';
import type { ThemeChoice } from './theme.ts';
import { Viewer } from '../viewer/viewer.tsx';
import { counted } from '../wording.ts';

type Tab = 'text' | 'records' | 'ask';
const TABS: readonly { readonly id: Tab; readonly name: string }[] = [
  { id: 'text', name: 'Text' },
  { id: 'records', name: 'JSON and code' },
  { id: 'ask', name: 'Ask your chunks' },
];

const loadRecords = () => import('./panels/records.tsx').then(({ Records }) => Records);
const loadSearch = () => import('./panels/search.tsx').then(({ SearchChunks }) => SearchChunks);

/** State and theme of the web app. */
export interface AppProps {
  readonly state: State;
  readonly theme: ThemeChoice;
  /** Address of the service, with a slash at its end. */
  readonly base: string;
}

/** The whole page. */
export function App({ state, theme, base }: AppProps) {
  const tab = useSignal<Tab>('text');
  const isOver = useSignal(false);
  const areKeysOpen = useSignal(false);
  useDocumentInput(state, isOver);
  useFocusThatStays(state);
  return (
    <div class={`page${isOver.value ? ' over' : ''}`}>
      <header class="top">
        <h1>
          Grainline <small>splits documents along the grain</small>
        </h1>
        <DocumentLine state={state} />
        <Tools theme={theme} onKeys={() => (areKeysOpen.value = true)} />
      </header>
      <AtWork state={state} />
      <ErrorMessage state={state} />
      <JobProgress state={state} />
      <Pending state={state} />
      <main>
        {state.source.value === undefined ? (
          <Start state={state} />
        ) : (
          <div class="work">
            <Controls state={state} />
            <Tabs state={state} tab={tab} base={base} />
          </div>
        )}
      </main>
      <About state={state} />
      <Paying state={state} />
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
      <span>
        {counted(reading.text.length, 'character')}, {reading.pages.length === 0 && 'about '}
        {counted(reading.estimatedPages, 'page')}
      </span>{' '}
      <button type="button" class="quiet" onClick={() => state.putAway()}>
        Another document
      </button>
    </p>
  );
}

/** The latest error. */
function ErrorMessage({ state: { errorText } }: { readonly state: State }) {
  if (errorText.value === undefined) return null;
  return (
    <p class="fault" role="alert">
      {errorText.value}{' '}
      <button type="button" class="quiet" onClick={() => (errorText.value = undefined)}>
        Close
      </button>
    </p>
  );
}

/** The three tabs over the document. */
function Tabs({ state, base, tab }: Pick<AppProps, 'state' | 'base'> & { readonly tab: Signal<Tab> }) {
  const format = useSignal<FormatId>('raw');
  const hasOpened = useRef(false);
  hasOpened.current ||= tab.value === 'ask';
  const showText = (): void => {
    tab.value = 'text';
    // The focused element is hidden with its tab.
    document.getElementById('tab-text')?.focus();
  };
  return (
    <div class="result">
      <div class="tabs" role="tablist" aria-label="What to look at" onKeyDown={(event) => turn(event, tab)}>
        {TABS.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={tab.value === id}
            aria-controls={`panel-${id}`}
            tabIndex={tab.value === id ? 0 : -1}
            onClick={() => (tab.value = id)}
          >
            {name}
          </button>
        ))}
      </div>
      <Panel of="text" tab={tab}>
        <TextPanel state={state} />
      </Panel>
      <Panel of="records" tab={tab}>
        {tab.value === 'records' && <Lazy load={loadRecords} props={{ state, base, format }} />}
      </Panel>
      <Panel of="ask" tab={tab}>
        {hasOpened.current && <Lazy load={loadSearch} props={{ state, onShow: showText }} />}
      </Panel>
    </div>
  );
}

/**
 * The content of a tab. The text and the search stay mounted in the background, with their scroll position and their
 * results. Records are unmounted, because each cut makes new ones.
 */
function Panel({ of, tab, children }: RenderableProps<{ readonly of: Tab; readonly tab: Signal<Tab> }>) {
  return (
    <div
      id={`panel-${of}`}
      role="tabpanel"
      aria-labelledby={`tab-${of}`}
      class="panel"
      hidden={tab.value !== of}
    >
      {children}
    </div>
  );
}

/** The service's own words about stored data. */
function About({ state }: { readonly state: State }) {
  const about = state.overview.value;
  return (
    <footer class="end">
      <p>
        Free, standard and structure cut in this page: nothing is uploaded until you send it to a tier of the
        service.
        {about !== undefined && (
          <>
            {' '}
            Programs use its{' '}
            <a href="./llms-full.txt" target="_blank" rel="noopener">
              API
            </a>{' '}
            (
            <a href="./openapi.json" target="_blank" rel="noopener">
              OpenAPI
            </a>
            ).
          </>
        )}
      </p>
      {about !== undefined && (
        <details>
          <summary>What the service keeps</summary>
          <p>{about.privacy.documents}</p>
          <p>{about.privacy.results}</p>
          <p>{about.privacy.clients}</p>
          <p>{about.privacy.payments}</p>
        </details>
      )}
    </footer>
  );
}

function TextPanel({ state }: { readonly state: State }) {
  const { source, first, second, current } = state;
  const reading = source.value?.reading;
  if (reading === undefined) return null;
  return (
    <>
      {reading.warnings.map((warning) => (
        <p class="note" key={warning}>
          {warning}
        </p>
      ))}
      <Viewer
        key={reading.documentId}
        text={reading.text}
        isCode={reading.isCode}
        code={reading.code}
        first={first.value?.cuts}
        second={second.value?.cuts}
        current={current.value}
        onPoint={(chunk) => {
          if (chunk !== undefined && chunk !== current.value.chunk) current.value = { chunk, reveal: false };
        }}
        onStep={(by) => state.step(by)}
      />
      <Details state={state} />
      {first.value !== undefined && <Sizes result={first.value} />}
    </>
  );
}

/** Arrow keys between tabs, as in the ARIA pattern. */
function turn(event: KeyboardEvent, tab: Signal<Tab>): void {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const index = TABS.findIndex(({ id }) => id === tab.value);
  const next = TABS[(index + by + TABS.length) % TABS.length];
  if (next === undefined) return;
  tab.value = next.id;
  document.getElementById(`tab-${next.id}`)?.focus();
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
    if (!isOther && !isOver) return;
    if (document.activeElement !== document.body) return;
    const next =
      document.querySelector<HTMLElement>('.panel:not([hidden]) .text') ??
      document.querySelector<HTMLElement>('[role=tab][aria-selected=true], .drop input');
    next?.focus({ preventScroll: true });
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
  const [file, ...others] = data?.files ?? [];
  if (others.length > 0) {
    state.report(new Error(`These are ${others.length + 1} files: bring one at a time.`));
    return;
  }
  if (file !== undefined) {
    void state.openFile(file);
    return;
  }
  const text = data?.getData('text/plain') ?? '';
  if (text.trim() !== '') void state.openText(text);
}
