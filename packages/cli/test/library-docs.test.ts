// docs/library.md against the code: every option that a tier takes is explained, and no name that is gone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TIERS } from '@grainline/core';
import * as blocks from '@grainline/core/blocks';
import * as free from '@grainline/core/free';
import * as grammars from '@grainline/core/grammars';
import * as tokens from '@grainline/models/tokens';
import { expect, it } from 'vitest';
import * as grainline from '../src/index.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/library.md'), 'utf8');

it.each([...new Set(Object.values(TIERS).flatMap(({ options }) => options))])(
  'the option %s stands in docs/library.md',
  (option) => {
    expect(PAGE).toContain(`| \`${option}\` |`);
  },
);

it('every function that docs/library.md calls is one of ours', () => {
  const called = [...PAGE.matchAll(/`(\w+)\((?:[^`]*)\)`/g)].map((match) => match[1] ?? '');
  const exported = { ...grainline, ...blocks, ...free, ...grammars, ...tokens };
  expect(called.length).toBeGreaterThan(8);
  expect(called.filter((name) => !(name in exported))).toEqual([]);
});
