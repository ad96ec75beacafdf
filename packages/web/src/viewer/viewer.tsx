// The text view as a component, with its keys.
import { useEffect, useRef } from 'preact/hooks';
import type { CutTable } from '../document/cut-table.ts';
import type { TextLayout } from './layout.ts';
import { type Pointing, TextView } from './text-view.ts';

/** Properties of the text view. */
export interface ViewerProps extends Pointing {
  readonly layout: TextLayout;
  /** What the view shows, for screen readers. */
  readonly label: string;
  readonly first: CutTable | undefined;
  readonly second: CutTable | undefined;
  /** The current chunk's index, and true when the view scrolls to it. */
  readonly current: { readonly chunk: number | undefined; readonly reveal: boolean };
  /** Steps by so many chunks; plus or minus infinity selects the last or the first. */
  readonly onStep: (step: number) => void;
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowRight: 1,
  j: 1,
  ArrowUp: -1,
  ArrowLeft: -1,
  k: -1,
  Home: -Infinity,
  End: Infinity,
};

/** The text, coloured by chunk. */
export function Viewer({ layout, label, first, second, current, onStep, ...pointing }: ViewerProps) {
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
  useEffect(() => view.current?.select(current.chunk, current.reveal), [current, first, layout]);

  const step = (event: KeyboardEvent): void => {
    // A wide table scrolls by the same keys.
    if (event.target !== event.currentTarget) return;
    const by = STEPS[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onStep(by);
  };
  return (
    <div
      ref={host}
      class={layout.className}
      tabIndex={0}
      role="group"
      aria-label={`${label}, coloured by chunk. Arrow keys step from chunk to chunk.`}
      onKeyDown={step}
      translate={false}
      spellcheck={false}
    />
  );
}
