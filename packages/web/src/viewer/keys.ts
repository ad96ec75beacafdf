// The keys of the views: steps from chunk to chunk.

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

/** Steps by so many chunks; plus or minus infinity selects the last or the first. */
export type OnStep = (step: number) => void;

/** True for a key without a modifier that acts on the browser. Shift makes a plus on many keyboards. */
export function isPlainKey({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return !ctrlKey && !metaKey && !altKey;
}

/** Steps by a key of the view itself: a wide table inside scrolls by the same keys. */
export function stepByKey(event: KeyboardEvent, onStep: OnStep): void {
  const by = STEPS[event.key];
  if (event.target !== event.currentTarget || by === undefined || !isPlainKey(event)) return;
  event.preventDefault();
  onStep(by);
}
