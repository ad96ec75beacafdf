// The text of the document with its chunks: as it reads, as it is written, or both beside each other.
import { useMemo } from 'preact/hooks';
import { codeIn, NO_CODE } from '../../document/code.ts';
import type { ReadDocument } from '../../document/read-document.ts';
import { withControlName } from '../../document/reading-options.ts';
import type { State } from '../../state/state.ts';
import type { ViewName } from '../../state/signals.ts';
import { Following } from '../../viewer/following.ts';
import { sourceLayout, type TextLayout } from '../../viewer/layout.ts';
import { renderedLayout } from '../../viewer/rendered-layout.ts';
import { Viewer } from '../../viewer/viewer.tsx';
import { Details } from './details.tsx';
import { focusView } from './focus.ts';
import { Lazy } from './lazy.tsx';
import { Sizes } from './sizes.tsx';
import { isWide } from './window-width.ts';
import { SCAN, VIEWS } from '../../texts.ts';

interface View {
  readonly id: ViewName;
  readonly name: string;
}

const TEXT_VIEWS: readonly View[] = [
  { id: 'rendered', name: VIEWS.rendered },
  { id: 'source', name: VIEWS.source },
  { id: 'both', name: VIEWS.both },
];

const PAGE_VIEWS: readonly View[] = [
  { id: 'sheets', name: VIEWS.sheets },
  { id: 'rendered', name: VIEWS.renderedBesidePages },
  { id: 'source', name: VIEWS.source },
  { id: 'both', name: VIEWS.both },
];

const loadPages = () => import('../../viewer/pages/page-viewer.tsx').then(({ PageViewer }) => PageViewer);

/** Plain text and programs read as they are written. */
function hasRendering({ isCode, mediaType }: ReadDocument): boolean {
  return !isCode && mediaType !== 'text/plain';
}

/** The view of a document for the visitor's choice, which other kinds may not have. */
function shownView(reading: ReadDocument, view: ViewName): ViewName {
  if (reading.sheets !== undefined) return view;
  if (!hasRendering(reading)) return 'source';
  return view === 'sheets' ? 'rendered' : view;
}

/** The choice of the view. */
export function ViewSwitch({ state: { view, source } }: { readonly state: State }) {
  const reading = source.value?.reading;
  if (reading === undefined || !hasRendering(reading)) return null;
  const shown = shownView(reading, view.value);
  return (
    <div class="views" role="group" aria-label={VIEWS.name}>
      {(reading.sheets === undefined ? TEXT_VIEWS : PAGE_VIEWS).map(({ id, name }) => (
        <button
          key={id}
          type="button"
          class={id}
          aria-pressed={shown === id}
          onClick={() => (view.value = id)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** The views, and the details of the current chunk. */
export function Reader({ state }: { readonly state: State }) {
  const { source, first, second, current, view } = state;
  const { reading, readScans } = source.value ?? {};
  const following = useMemo(() => new Following(), [reading?.documentId]);
  if (reading === undefined) return null;
  const shown = shownView(reading, view.value);
  const hasPages = reading.sheets !== undefined;
  const shared = {
    first: first.value?.cuts,
    second: second.value?.cuts,
    current: current.value,
    onPoint: state.pointAt,
    onPick: state.pick,
    onStep: state.step,
    following,
  };
  const { documentId } = reading;
  return (
    <>
      {reading.warnings.map((warning) => (
        <p class="note" key={warning}>
          {withControlName(warning)}
        </p>
      ))}
      {readScans !== undefined && (
        <p class="note">
          {SCAN.more}{' '}
          <button type="button" class="quiet" onClick={() => void readScans()}>
            {SCAN.readMore}
          </button>
        </p>
      )}
      <div class={`reader ${shown}${second.value === undefined ? '' : ' compared'}`}>
        {hasPages && (shown === 'sheets' || shown === 'both') && (
          <Pages key={`${documentId} p`} reading={reading} state={state} {...shared} />
        )}
        {(shown === 'rendered' || shown === 'both') && (
          <RenderedText key={`${documentId} r`} reading={reading} {...shared} />
        )}
        {(shown === 'source' || (shown === 'both' && !hasPages)) && (
          <SourceText key={`${documentId} s`} reading={reading} {...shared} />
        )}
        <div class="side">
          {first.value !== undefined && isWide.value && shown !== 'both' && <Sizes result={first.value} />}
          <Details state={state} />
        </div>
      </div>
    </>
  );
}

type TextProps = Omit<Parameters<typeof Viewer>[0], 'layout' | 'label'> & { readonly reading: ReadDocument };

function Pages({ reading, state, ...props }: TextProps & { readonly state: State }) {
  const file = useMemo(() => {
    const { text, pages, regions, sheets = new Float32Array() } = reading;
    return { text, pages, regions, sizes: sheets };
  }, [reading]);
  const ports = {
    draw: state.drawPage,
    drawForPrint: state.pictureOf,
    onError: state.report,
    onReady: focusView,
  };
  return <Lazy load={loadPages} props={{ file, ...ports, ...props }} />;
}

function RenderedText({ reading, ...props }: TextProps) {
  const layout = useMemo((): TextLayout => renderedLayout(reading.text, reading.blocks), [reading]);
  return <Viewer layout={layout} label={VIEWS.asRead} {...props} />;
}

function SourceText({ reading, ...props }: TextProps) {
  const { text, isCode, blocks } = reading;
  const layout = useMemo(
    (): TextLayout => sourceLayout(text, isCode ? NO_CODE : codeIn(blocks), isCode),
    [reading],
  );
  return <Viewer layout={layout} label={VIEWS.asWritten} {...props} />;
}
