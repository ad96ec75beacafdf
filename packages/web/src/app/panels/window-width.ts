// The width of the window, for parts that stand elsewhere in a wide one.
import { signal } from '@preact/signals';

/** The same width as in the stylesheet. */
const wide = matchMedia('(min-width: 75rem)');

/** True when the details have a column of their own. */
export const isWide = signal(wide.matches);

wide.addEventListener('change', ({ matches }) => (isWide.value = matches));
