// The width of the window, for parts that stand elsewhere in a wide one.
import { type Signal, signal } from '@preact/signals';

// The widths are those of the stylesheet.

/** True when the details have a column of their own. */
export const isWide = follow('(min-width: 75rem)');

/** True when the controls are a sheet, which a bar at the bottom opens. */
export const isNarrow = follow('(max-width: 52rem)');

function follow(width: string): Signal<boolean> {
  const query = matchMedia(width);
  const matches = signal(query.matches);
  query.addEventListener('change', () => (matches.value = query.matches));
  return matches;
}
