// The table of options against the library's own checks: the same names, tiers, bounds and words.
import { describe, expect, it } from 'vitest';
import { checkChunkOptions } from '../chunk.ts';
import { ChunkError } from '../errors.ts';
import { optionBehind } from '../foreign-names.ts';
import {
  defaultOf,
  describeOption,
  nameBehind,
  type OptionEntry,
  OPTIONS,
  optionsOf,
  type OptionTable,
  rangeOf,
  takesText,
  unmetNeeds,
  wireNameOf,
} from './index.ts';
import { FORMATS } from '../formats/index.ts';
import { LIMIT_NAMES } from '../limits.ts';
import { type TierId, TIERS } from '../tiers/registry.ts';

const IDS = Object.keys(TIERS) as TierId[];
const TABLE: OptionTable = OPTIONS;
/** Options that tiers that ask a model cannot do without. */
const MODELS = { embed: () => undefined, complete: () => undefined };

/** The options that the library refuses. */
function refused(options: Readonly<Record<string, unknown>>): string[] {
  const tier = TIERS[options['tier'] as TierId];
  const models = Object.entries(MODELS).filter(([name]) =>
    (tier.options as readonly string[]).includes(name),
  );
  try {
    checkChunkOptions({ ...Object.fromEntries(models), ...options });
    return [];
  } catch (error) {
    if (!(error instanceof ChunkError)) throw error;
    return error.issues.map(({ option }) => option);
  }
}

describe('the table', () => {
  it.each(IDS)('has the options of the tier %s, and no other', (id) => {
    const own = optionsOf('library').filter(({ entry }) => entry.tiers?.includes(id) === true);
    const callbacks = own.filter(({ key }) => key.startsWith('on')).map(({ key }) => key);
    const names = own.map(({ key }) => key).filter((key) => !callbacks.includes(key));
    expect(names.sort()).toEqual([...TIERS[id].options].sort());
  });

  it('has the options that every tier takes', () => {
    const shared = optionsOf('library').filter(({ entry }) => entry.tiers === undefined);
    expect(shared.map(({ key }) => key)).toEqual(expect.arrayContaining([...LIMIT_NAMES]));
  });

  const integers = optionsOf('library').filter(({ entry }) => entry.type === 'integer');
  it.each(integers)('has the bounds of $key', ({ key, entry }) => {
    const tier = entry.tiers?.[0] ?? 'free';
    const table = { ...OPTIONS, size: { ...OPTIONS.size, max: 50 } };
    const options = key === 'size' ? { tier } : { tier, size: 50 };
    const { min, max } = rangeOf(key, table);
    expect(refused({ ...options, [key]: min - 1 })).toContain(key);
    expect(refused({ ...options, [key]: min })).toEqual([]);
    if (max === Infinity || key === 'size') return;
    expect(refused({ ...options, [key]: max })).toEqual([]);
    expect(refused({ ...options, [key]: max + 1 })).toContain(key);
  });

  const numbers = optionsOf('library').filter(({ entry }) => entry.type === 'number');
  it.each(numbers)('has the bounds of $key', ({ key, entry }) => {
    const { min, max } = rangeOf(key);
    const refusedAt = (value: number): string[] =>
      refused({ tier: entry.tiers?.[0], embeddings: true, [key]: value });
    for (const value of [min, (min + max) / 2, max]) expect(refusedAt(value)).toEqual([]);
    for (const value of [min - 0.01, max + 0.01, NaN]) expect(refusedAt(value)).toEqual([key]);
  });

  const choices = optionsOf('library').filter(({ entry }) => entry.type === 'choice');
  it.each(choices)('has the words of $key', ({ key, entry }) => {
    const tier = entry.tiers?.[0] ?? 'free';
    for (const word of entry.choices ?? []) expect(refused({ tier, [key]: word })).toEqual([]);
    if (key !== 'tier') expect(refused({ tier, [key]: 'no word' })).toEqual([key]);
  });

  it('has every tier and every format', () => {
    expect(OPTIONS.tier.choices).toEqual(IDS);
    expect(OPTIONS.format.choices).toEqual(Object.keys(FORMATS));
  });

  it('has a greatest length for every text', () => {
    for (const entry of Object.values<OptionEntry>(OPTIONS))
      expect(entry.maxLength === undefined).toBe(entry.type !== 'text');
  });

  it('takes no name of the library for that of another option', () => {
    for (const { key } of optionsOf('library')) expect([undefined, key]).toContain(optionBehind(key));
  });

  it('refers to options that it has', () => {
    for (const { max, below, needs = [] } of Object.values<OptionEntry>(OPTIONS))
      for (const key of [max, below, needs[0]])
        if (typeof key === 'string') expect(Object.keys(OPTIONS)).toContain(key);
  });
});

describe('an option', () => {
  it('has its name on the wire, and a stranger keeps its own', () => {
    expect(['size', 'documentId', 'unit', 'constructor'].map((key) => wireNameOf(key))).toEqual([
      'chunk_size',
      'document_id',
      'unit',
      'constructor',
    ]);
  });

  it('is described by the names of each surface', () => {
    expect(describeOption('wire', 'target')).toBe(
      'of every tier but `free`: length that chunks are drawn to, 1 to `chunk_size`, in `unit`; default 0.55 × `chunk_size`',
    );
    expect(describeOption('cli', 'target')).toBe('length that chunks are drawn to; default 0.55 × size');
    expect(describeOption('mcp', 'overlap')).toBe(
      'most that is repeated of the chunk before, 0 to below size, in unit; default 0',
    );
    expect(describeOption('cli', 'embeddings')).toBe('of semantic, ai, ai-pro: a vector for every chunk');
    expect(describeOption('wire', 'blend')).toBe(
      "of `semantic`, `ai`, `ai-pro`: weight of the neighbours' vectors in each vector, 0 to 1; with `embeddings` only; default 0.4, with ai-pro 0",
    );
    expect(defaultOf('library', 'context')).toBe('`corpus`');
  });

  it('follows the bounds that a surface sets', () => {
    const table = { ...TABLE, size: { ...OPTIONS.size, min: 10, max: 100 } };
    expect(['size', 'overlap', 'target', 'min'].map((key) => rangeOf(key, table))).toEqual([
      { min: 10, max: 100 },
      { min: 0, max: 99 },
      { min: 1, max: 100 },
      { min: 0, max: 100 },
    ]);
    expect(() => rangeOf('colour', table)).toThrow('There is no option colour.');
  });

  it.each([
    ['chunkSize', 'size', 'chunk_size', 'size'],
    ['chunk_size', 'size', 'chunk_size', 'size'],
    ['max-tokens', 'size', 'chunk_size', 'size'],
    ['chunkOverlap', 'overlap', 'chunk_overlap', 'overlap'],
    ['tokenizer', 'measure', undefined, undefined],
    ['documentId', undefined, 'document_id', 'document-id'],
    ['output_format', undefined, 'output_format', 'format'],
    ['colour', undefined, undefined, undefined],
  ])('is found by the name %s of another library or surface', (word, ...names) => {
    expect((['library', 'wire', 'cli'] as const).map((surface) => nameBehind(surface, word))).toEqual(names);
  });

  it('is named by the error for its name elsewhere', () => {
    const issueOf = (name: string): string => {
      try {
        checkChunkOptions({ [name]: 5 });
      } catch (error) {
        if (error instanceof ChunkError) return error.message;
      }
      return '';
    };
    const taken = optionsOf('library').filter(({ entry }) => entry.tiers?.includes('structure') ?? true);
    const elsewhere = taken.flatMap(({ key, entry: { names } }) =>
      Object.values(names).map((name) => [name, key] as const),
    );
    const others = elsewhere.filter(([name, key]) => name !== key);
    expect(others.map(([name]) => name)).toContain('chunk_size');
    const more = [
      ['unit', 'measure'],
      ['maxTokens', 'size'],
      ['Overlap', 'overlap'],
    ] as const;
    for (const [name, key] of [...others, ...more])
      expect(issueOf(name)).toBe(`Wrong options: ${name} must be given as ${key}, but is 5.`);
    expect(issueOf('separators')).toContain('left out, because only the tier free takes it');
    expect(issueOf('embeddings')).toContain('left out, because only the tiers semantic, ai, ai-pro take it');
    expect(issueOf('colour')).toContain(
      'left out, because this call with the tier structure takes only size',
    );
  });

  it('is found where the value that it needs is missing', () => {
    const unmet = [{ name: 'encoding', needed: 'unit', value: 'tokens' }];
    expect(unmetNeeds('cli', { encoding: 'o200k' })).toEqual(unmet);
    expect(unmetNeeds('wire', { encoding: 'o200k', unit: 'tokens' })).toEqual([]);
    expect(unmetNeeds('wire', { unit: 'characters' })).toEqual([]);
  });
});

describe('takesText', () => {
  it.each(['7', '3-7', '3-3', '9-', '1,4-6', '9-10, 2-30', '99999-100000'])('takes the pages %s', (pages) => {
    expect(takesText(OPTIONS.pages, pages)).toBe(true);
  });

  it.each(['0', '3-1', '1,10-9', '4-6,3-2,9-', '7..9', '1'.repeat(7), `${'1,'.repeat(100)}1`])(
    'refuses the pages %s',
    (pages) => {
      expect(takesText(OPTIONS.pages, pages)).toBe(false);
    },
  );
});
