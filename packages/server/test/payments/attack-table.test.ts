// The table of attacks in docs/payments.md: each row names a test, by its file and its name.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../../../../', import.meta.url);
const page = readFileSync(new URL('docs/payments.md', ROOT), 'utf8');
const ROWS = Array.from(
  page.matchAll(/^\| (.*?) \| .* \| `(packages\/\S+)`: (.*) \|$/gm),
  ([, ...cells]) => cells,
);

it.each(ROWS)('against %s there is a test in %s: %s', (_, file = '', name = '') => {
  expect(readFileSync(new URL(file, ROOT), 'utf8')).toContain(`'${name}'`);
});

it('has rows', () => {
  expect(ROWS.length).toBeGreaterThan(10);
});
