// The text view as a component, with its keys.
import { useEffect, useRef } from 'preact/hooks';
import type { CodeSpans } from '../document/code.ts';
import type { CutTable } from '../document/cut-table.ts';
import { TextView } from './text-view.ts';

/** Properties of the text view. */
export interface ViewerProps {
  readonly text: string;
  /** True for a program, whose columns have a meaning. */
  readonly isCode: boolean;
  /** Programs in the text. */
  readonly code: CodeSpans;
  readonly first: CutTable | undefined;
  readonly second: CutTable | undefined;
  /** The current chunk's index, and true when the view scrolls to it. */
  readonly current: { readonly chunk: number | undefined; readonly reveal: boolean };
  readonly onPoint: (chunk: number | undefined) => void;
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
export function Viewer({ text, isCode, code, first, second, current, onPoint, onStep }: ViewerProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<TextView>(undefined);
  const point = useRef(onPoint);
  point.current = onPoint;

  useEffect(() => {
    if (host.current === null) return undefined;
    const made = new TextView(host.current, (chunk) => point.current(chunk));
    view.current = made;
    return () => made.close();
  }, []);
  useEffect(() => view.current?.show({ text, code, first, second }), [text, code, first, second]);
  useEffect(() => view.current?.select(current.chunk, current.reveal), [current, first]);

  const step = (event: KeyboardEvent): void => {
    const by = STEPS[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onStep(by);
  };
  return (
    <div
      ref={host}
      class={isCode ? 'text fixed' : 'text'}
      tabIndex={0}
      role="group"
      aria-label="The text, coloured by chunk. Arrow keys step from chunk to chunk."
      onKeyDown={step}
      translate={false}
      spellcheck={false}
    />
  );
}
