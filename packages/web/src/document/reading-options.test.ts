import { expect, it } from 'vitest';
import { withControlName } from './reading-options.ts';

it('names the option of a warning as the control in the page does, and leaves other warnings as they are', () => {
  expect(withControlName("Left out in 3 places; the option furniture: 'keep' keeps them.")).toBe(
    'Left out in 3 places; “Headers, menus: in the text” under Reading keeps them.',
  );
  expect(withControlName("Only a part; the option content: 'all' reads the whole page.")).toBe(
    'Only a part; “Part of the page: all” under Reading reads the whole page.',
  );
  const other = "the option colour: 'red' and 1 page without text.";
  expect(withControlName(other)).toBe(other);
});
