// The options that say how to cut: what the command line makes of them is what the library makes of them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chunk, chunkSync, type ChunkSyncOptions, documentFromText, indexedText } from '@grainline/core';
import { tokenCounter } from '@grainline/models/tokens';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../src/run.ts';
import { optionsOf, REPEATABLE_TIERS } from './options-of.ts';
import { fakeIo } from './fake-io.ts';

const MARKDOWN = `# Harbour guide

Harbour pilots board ships beyond the bar. They know every shoal by name.

## Tides

High water follows the moon. It comes twice a day:

- springs after new and full moon
- neaps between them

| port | high water |
| --- | --- |
| North quay | 04:12 |
| South quay | 04:31 |
`;
const CODE = Array.from(
  { length: 8 },
  (_, index) => `def drift_${index}(wind):\n    # of the ${index}th buoy\n    return wind * 0.0${index}\n`,
).join('\n');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grainline-cutting-'));
  writeFileSync(join(folder, 'a.md'), MARKDOWN);
  writeFileSync(join(folder, 'a.py'), CODE);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function grainline(line: string): Promise<{ code: number; texts: string[]; stderr: string }> {
  const io = fakeIo(folder);
  const code = await run(line.split(' '), io);
  const lines = io.stdout.text().split('\n').filter(Boolean);
  const texts = lines.map((record) => (JSON.parse(record) as { text: string }).text);
  return { code, texts, stderr: io.stderr.text() };
}

const expected = (options: object, text = MARKDOWN, kind: 'markdown' | 'code' | 'text' = 'markdown') =>
  chunkSync(documentFromText(text, { kind }), options as ChunkSyncOptions).map(indexedText);

describe('the tier', () => {
  it('is structure when none is named', async () => {
    expect((await grainline('a.md --size 120')).texts).toEqual(expected({ tier: 'structure', size: 120 }));
  });

  it.each(REPEATABLE_TIERS)('can be %s', async (tier) => {
    const { texts, stderr } = await grainline(`a.md --tier ${tier} --size 120 --overlap 20`);
    const document = documentFromText(MARKDOWN, { kind: 'markdown' });
    const chunks = await chunk(document, { size: 120, overlap: 20, ...(await optionsOf(tier)) });
    expect({ texts, stderr }).toEqual({ texts: chunks.map(indexedText), stderr: '' });
  });

  it('takes a target and a minimum', async () => {
    const options = { tier: 'structure', size: 400, target: 60, min: 10 };
    expect((await grainline('a.md --size 400 --target 60 --min 10')).texts).toEqual(expected(options));
    expect(expected(options)).not.toEqual(expected({ tier: 'structure', size: 400 }));
  });
});

describe('the context', () => {
  it.each(['corpus', 'in-document'])('can be %s', async (context) => {
    const { texts } = await grainline(`a.md --tier professional --size 150 --context ${context}`);
    expect(texts).toEqual(expected({ tier: 'professional', size: 150, context }));
  });

  it('goes with the tiers that take it', async () => {
    const { code, stderr } = await grainline('a.md --context corpus');
    expect(code).toBe(2);
    expect(stderr).toMatch('--context goes with --tier professional, not structure.');
    expect((await grainline('a.md --tier professional --context world')).stderr).toMatch(
      /--context must be .*corpus.*in-document.*, but is "world"/,
    );
  });
});

describe('the vectors', () => {
  it('stand in every record when they are asked for, and what they are beside them', async () => {
    const io = fakeIo(folder);
    expect(
      await run('a.md --tier semantic --embeddings --json --format qdrant --size 120'.split(' '), io),
    ).toBe(0);
    const answer = JSON.parse(io.stdout.text()) as { points?: { vector: number[] }[]; embedding: object };
    expect(answer.embedding).toMatchObject({ dimensions: 160, normalized: true, distance: 'cosine' });
    const vectors = [...io.stdout.text().matchAll(/"vector":\[([^\]]*)\]/g)].map((match) =>
      match[1]?.split(','),
    );
    expect(vectors.length).toBeGreaterThan(1);
    for (const vector of vectors) expect(vector).toHaveLength(160);
  });

  it('go with the tiers that embed', async () => {
    expect((await grainline('a.md --embeddings')).stderr).toMatch(
      '--embeddings goes with --tier semantic, not structure.',
    );
  });
});

describe('the kind', () => {
  it('says how a text file is read', async () => {
    const read = async (kind: string) => (await grainline(`a.py --size 120${kind}`)).texts;
    const asCode = expected({ tier: 'structure', size: 120 }, CODE, 'code');
    expect(await read(' --kind code')).toEqual(asCode);
    expect(await read('')).toEqual(asCode);
    expect(await read(' --kind text')).toEqual(expected({ tier: 'structure', size: 120 }, CODE, 'text'));
    expect(asCode.every((text) => text.startsWith('def '))).toBe(true);
  });
});

describe('what does not fit', () => {
  it.each([
    [
      'a.md --tier free --target 50',
      /^grainline: --target goes with --tier standard, structure, professional, semantic, ai, not free\.\n/,
    ],
    ['a.md --target 2000', /^grainline: --target must be an integer from 1 to size, but is 2000\.\n/],
    ['a.md --unit words', /^grainline: --unit must be one of characters, tokens, but is "words"\.\n/],
    ['a.md --encoding cl100k', /^grainline: --encoding goes with --unit tokens\.\n/],
    [
      'a.md --unit tokens --encoding o200',
      /^grainline: --encoding must be one of o200k, cl100k, but is "o200"\. Did you mean o200k\?\n/,
    ],
    [
      'a.md --unit tokens --overlap 512',
      /--overlap must be an integer from 0 to 511, below size, but is 512\./,
    ],
    ['a.md --kind prose', /^grainline: --kind must be one of markdown, text, code, but is "prose"\.\n/],
  ])('“grainline %s” ends with 2', async (line, sentence) => {
    const { code, texts, stderr } = await grainline(line);
    expect([code, texts]).toEqual([2, []]);
    expect(stderr).toMatch(sentence);
  });
});

describe('sizes in tokens', () => {
  it.each([
    ['', 'o200k'],
    [' --encoding cl100k', 'cl100k'],
  ] as const)('--unit tokens%s counts those of %s', async (option, encoding) => {
    const measure = await tokenCounter(encoding);
    const { texts } = await grainline(`a.md --unit tokens --size 30 --overlap 5${option}`);
    expect(texts).toEqual(expected({ tier: 'structure', size: 30, overlap: 5, measure }));
    for (const text of texts) expect(measure.count(text)).toBeLessThanOrEqual(30);
  });

  it('stand beside the characters in --view', async () => {
    const measure = await tokenCounter('o200k');
    const io = fakeIo(folder);
    await run('a.md --unit tokens --size 512 --view'.split(' '), io);
    expect(io.stdout.text()).toContain(` · ${measure.count(MARKDOWN.trim())} tokens`);
  });

  it('are 512 unless given', async () => {
    writeFileSync(join(folder, 'long.md'), MARKDOWN.repeat(20));
    const measure = await tokenCounter('o200k');
    const { texts } = await grainline('long.md --unit tokens');
    expect(texts).toEqual(expected({ tier: 'structure', size: 512, measure }, MARKDOWN.repeat(20)));
  });
});
