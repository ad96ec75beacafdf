// The work view: the controls, and the document with its three tabs. It loads with the first document.
import { type Signal, useSignal } from '@preact/signals';
import type { FormatId } from '@grainline/core/formats';
import type { RenderableProps } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { State } from '../../state/state.ts';
import { Controls } from './controls.tsx';
import { keepFocus } from './focus.ts';
import { Lazy } from './lazy.tsx';
import { Reader, ViewSwitch } from './reader.tsx';
import { isNarrow } from './window-width.ts';
import { VIEWS } from '../../texts.ts';

type Tab = 'text' | 'records' | 'ask';
const TABS: readonly { readonly id: Tab; readonly name: string }[] = [
  { id: 'text', name: VIEWS.text },
  { id: 'records', name: VIEWS.records },
  { id: 'ask', name: VIEWS.ask },
];

const loadRecords = () => import('./records.tsx').then(({ Records }) => Records);
const loadSearch = () => import('./search.tsx').then(({ SearchChunks }) => SearchChunks);

interface WorkProps {
  readonly state: State;
  /** Address of the service, with a slash at its end. */
  readonly base: string;
}

/** The document and everything about it. */
export function Work({ state, base }: WorkProps) {
  // The element with the focus may have gone with the start view.
  useEffect(keepFocus, []);
  const controls = <Controls key="controls" state={state} />;
  const tabs = <Tabs key="tabs" state={state} base={base} />;
  // The bar of a narrow window stands under the document, and comes after it in the order of the Tab key too.
  return <div class="work">{isNarrow.value ? [tabs, controls] : [controls, tabs]}</div>;
}

/** The three tabs over the document. */
function Tabs({ state, base }: WorkProps) {
  const tab = useSignal<Tab>('text');
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
      <div class="tabs">
        <div role="tablist" aria-label={VIEWS.tabs} onKeyDown={(event) => turn(event, tab)}>
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
        {tab.value === 'text' && <ViewSwitch state={state} />}
      </div>
      <Panel of="text" tab={tab}>
        <Reader state={state} />
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
