// The text view as a component, with its keys.
import { useEffect, useRef } from 'preact/hooks';
import type { CutTable } from '../document/cut-table.ts';
import type { Following } from './following.ts';
import { type OnStep, stepByKey } from './keys.ts';
import type { TextLayout } from './layout.ts';
import { type Pointing, TextView } from './text-view.ts';
import { VIEWS } from '../texts.ts';

/** Properties of the text view. */
export interface ViewerProps extends Pointing {
  readonly layout: TextLayout;
  /** Description of the view for screen readers. */
  readonly label: string;
  readonly first: CutTable | undefined;
  readonly second: CutTable | undefined;
  /** The current chunk's index, and true when the view scrolls to it. */
  readonly current: { readonly chunk: number | undefined; readonly reveal: boolean };
  readonly onStep: OnStep;
  readonly following: Following;
}

/** The text, coloured by chunk. */
export function Viewer({
  layout,
  label,
  first,
  second,
  current,
  onStep,
  following,
  ...pointing
}: ViewerProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<TextView>(undefined);
  const latest = useRef<Pointing>(pointing);
  latest.current = pointing;

  useEffect(() => {
    if (host.current === null) return undefined;
    const made = new TextView(host.current, {
      onPoint: (chunk) => latest.current.onPoint(chunk),
      onPick: (chunk) => latest.current.onPick(chunk),
    });
    view.current = made;
    return () => made.close();
  }, []);
  useEffect(() => view.current?.show({ layout, first, second }), [layout, first, second]);
  useEffect(() => {
    if (current.reveal) following.pause();
    view.current?.select(current.chunk, current.reveal);
  }, [current, first, layout]);
  useEffect(() => {
    if (host.current === null || view.current === undefined) return undefined;
    return following.join(host.current, view.current);
  }, [following]);

  return (
    <div
      ref={host}
      class={layout.className}
      tabIndex={0}
      role="group"
      aria-label={VIEWS.coloured(label)}
      onKeyDown={(event) => stepByKey(event, onStep)}
      translate={false}
      spellcheck={false}
    />
  );
}
