// Checks docs/library.md against the code: the table of options, and every name.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as blocks from '@grainline/core/blocks';
import * as free from '@grainline/core/free';
import * as grammars from '@grainline/core/grammars';
import { defaultOf, meaningOf, optionsOf } from '@grainline/core/options';
import * as tokens from '@grainline/models/tokens';
import { expect, it } from 'vitest';
import * as grainline from '../src/index.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/library.md'), 'utf8');

/** The table of the options of `chunk`, in Markdown. */
function optionsTable(): string {
  const rows = optionsOf('library').map(
    ({ key, name }) =>
      `| \`${name}\` | ${meaningOf('library', key)} | ${defaultOf('library', key) || 'none'} |`,
  );
  return ['| option | meaning | default |', '|---|---|---|', ...rows].join('\n');
}

it('docs/library.md has the table of options as the code has it', () => {
  const [, part = ''] = PAGE.split('<!-- options -->');
  expect(part.split('<!-- end -->')[0]?.trim()).toBe(optionsTable());
});

it('every function that docs/library.md calls is one of ours', () => {
  const called = [...PAGE.matchAll(/`(\w+)\((?:[^`]*)\)`/g)].map((match) => match[1] ?? '');
  const exported = { ...grainline, ...blocks, ...free, ...grammars, ...tokens };
  expect(called.length).toBeGreaterThan(8);
  expect(called.filter((name) => !(name in exported))).toEqual([]);
});
