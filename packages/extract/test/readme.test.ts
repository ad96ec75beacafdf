// The README's program does what its comments say.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as library from '../src/index.ts';

it('prints what the README says', async () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const program = /```js\n([^]*?)```/.exec(readme)?.[1] ?? '';
  const printed: string[] = [];
  const print = (...values: unknown[]): number => printed.push(values.map(show).join(' '));
  const body = program
    .replace(/^import .*$/m, 'const { extract, ExtractError } = library;')
    .replaceAll('console.log', 'print');
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the program of our own README
  const run = new Function('library', 'print', `return (async () => {${body}})();`) as (
    ...values: unknown[]
  ) => Promise<void>;
  await run(library, print);
  expect(printed).toEqual([...program.matchAll(/\/\/ (.*)$/gm)].map(([, comment]) => comment));
});

function show(value: unknown): string {
  return Array.isArray(value) ? `[ ${value.map((item) => `'${String(item)}'`).join(', ')} ]` : String(value);
}
