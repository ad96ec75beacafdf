// The page: before there is a document, a place to bring one; then its text and the controls beside it.
import { type Signal, useSignal } from '@preact/signals';
import type { FormatId } from '@grainline/core/formats';
import type { RenderableProps } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { AtWork } from './panels/busy.tsx';
import { Controls } from './panels/controls.tsx';
import { Details } from './panels/details.tsx';
import { Keys } from './panels/keys.tsx';
import { JobProgress, Paying, Pending } from './panels/sending.tsx';
import { Later } from './panels/later.tsx';
import { Sizes } from './panels/sizes.tsx';
import { Start } from './panels/start.tsx';
import { Tools } from './panels/tools.tsx';
import type { State } from './state.ts';
import type { ThemeChoice } from './theme.ts';
import { Viewer } from './viewer/viewer.tsx';
import { counted } from './wording.ts';

type Tab = 'text' | 'records' | 'ask';
const TABS: readonly { readonly id: Tab; readonly name: string }[] = [
  { id: 'text', name: 'Text' },
  { id: 'records', name: 'JSON and code' },
  { id: 'ask', name: 'Ask your chunks' },
];

const loadRecords = () => import('./panels/records.tsx').then(({ Records }) => Records);
const loadAsk = () => import('./panels/ask.tsx').then(({ AskChunks }) => AskChunks);

/** What the page shows, and what it is shown by. */
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
      <Fault state={state} />
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

/** Which document is looked at, and the way to another one. */
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

/** What went wrong. */
function Fault({ state: { fault } }: { readonly state: State }) {
  if (fault.value === undefined) return null;
  return (
    <p class="fault" role="alert">
      {fault.value}{' '}
      <button type="button" class="quiet" onClick={() => (fault.value = undefined)}>
        Close
      </button>
    </p>
  );
}

/** The document in one of three ways. */
function Tabs({ state, base, tab }: Pick<AppProps, 'state' | 'base'> & { readonly tab: Signal<Tab> }) {
  const format = useSignal<FormatId>('raw');
  const hasAsked = useRef(false);
  hasAsked.current ||= tab.value === 'ask';
  const showText = (): void => {
    tab.value = 'text';
    // What was pressed is hidden with its tab.
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
        {tab.value === 'records' && <Later load={loadRecords} props={{ state, base, format }} />}
      </Panel>
      <Panel of="ask" tab={tab}>
        {hasAsked.current && <Later load={loadAsk} props={{ state, onShow: showText }} />}
      </Panel>
    </div>
  );
}

/**
 * What a tab shows. The text and what was asked stay while others are looked at: where somebody has scrolled to, and
 * what was found. Records go, because each cut makes them anew.
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

/** What happens to documents, in the service's own words. */
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

/** Arrow keys between tabs, as the pattern for tabs has it. */
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
 * What had the focus goes away with its view when a document comes or is put away, and when what was waited for is
 * over: who works by keyboard goes on in the text, or where another is chosen.
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

/** A file may be dropped anywhere, and a text pasted anywhere but into a field. */
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
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    addEventListener('paste', paste);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
      removeEventListener('paste', paste);
    };
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
