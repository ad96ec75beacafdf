// The text of the document with its chunks: as it reads, as it is written, or both beside each other.
import { useMemo } from 'preact/hooks';
import { codeIn, NO_CODE } from '../../document/code.ts';
import type { ReadDocument } from '../../document/read-document.ts';
import type { State } from '../../state/state.ts';
import type { TextViewName } from '../../state/signals.ts';
import { sourceLayout, type TextLayout } from '../../viewer/layout.ts';
import { renderedLayout } from '../../viewer/rendered-layout.ts';
import { Viewer } from '../../viewer/viewer.tsx';
import { Details } from './details.tsx';
import { Sizes } from './sizes.tsx';
import { isWide } from './window-width.ts';

const VIEWS: readonly { readonly id: TextViewName; readonly name: string }[] = [
  { id: 'rendered', name: 'Rendered' },
  { id: 'source', name: 'Source' },
  { id: 'both', name: 'Both' },
];

/** Plain text and programs read as they are written. */
function hasRendering({ isCode, mediaType }: ReadDocument): boolean {
  return !isCode && mediaType !== 'text/plain';
}

/** The choice of the view. */
export function ViewSwitch({ state: { view, source } }: { readonly state: State }) {
  const reading = source.value?.reading;
  if (reading === undefined || !hasRendering(reading)) return null;
  return (
    <div class="views" role="group" aria-label="View of the text">
      {VIEWS.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          class={id}
          aria-pressed={view.value === id}
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
  const reading = source.value?.reading;
  if (reading === undefined) return null;
  const shown = hasRendering(reading) ? view.value : 'source';
  const shared = {
    first: first.value?.cuts,
    second: second.value?.cuts,
    current: current.value,
    onPoint: state.pointAt,
    onPick: state.pick,
    onStep: state.step,
  };
  return (
    <>
      {reading.warnings.map((warning) => (
        <p class="note" key={warning}>
          {warning}
        </p>
      ))}
      <div class={`reader ${shown}${second.value === undefined ? '' : ' compared'}`}>
        {shown !== 'source' && <RenderedText key={`${reading.documentId} r`} reading={reading} {...shared} />}
        {shown !== 'rendered' && <SourceText key={`${reading.documentId} s`} reading={reading} {...shared} />}
        <div class="side">
          {first.value !== undefined && isWide.value && shown !== 'both' && <Sizes result={first.value} />}
          <Details state={state} />
        </div>
      </div>
    </>
  );
}

type TextProps = Omit<Parameters<typeof Viewer>[0], 'layout' | 'label'> & { readonly reading: ReadDocument };

function RenderedText({ reading, ...props }: TextProps) {
  const layout = useMemo((): TextLayout => renderedLayout(reading.text, reading.blocks), [reading]);
  return <Viewer layout={layout} label="The text as it reads" {...props} />;
}

function SourceText({ reading, ...props }: TextProps) {
  const { text, isCode, blocks } = reading;
  const layout = useMemo(
    (): TextLayout => sourceLayout(text, isCode ? NO_CODE : codeIn(blocks), isCode),
    [reading],
  );
  return <Viewer layout={layout} label="The text as it is written" {...props} />;
}
