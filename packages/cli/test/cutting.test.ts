// The options of chunking have the same effect on the command line and in the library.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chunk, chunkSync, type ChunkSyncOptions, documentFromText, indexedText } from '@grainline/core';
import { staticEmbedder } from '@grainline/models/embeddings';
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
      '--embeddings goes with --tier semantic, ai, ai-pro, not structure.',
    );
    expect((await grainline('a.md --tier semantic --blend 0.4')).stderr).toMatch(
      '--blend must be 0 without embeddings, but is 0.4.',
    );
    expect((await grainline('a.md --tier semantic --embeddings --blend most')).stderr).toMatch(
      '--blend must be a number from 0 to 1, but is "most".',
    );
  });
});

describe('an embedder', () => {
  let server: Server | undefined;
  let keys: (string | undefined)[] = [];
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
  });

  /** An OpenAI-compatible service of the built-in embedder, and its settings. */
  async function start(): Promise<Record<string, string>> {
    const embed = await staticEmbedder();
    keys = [];
    const started = createServer((request, response) => {
      keys.push(request.headers.authorization);
      void text(request).then(async (body) => {
        const { vectors } = await embed((JSON.parse(body) as { input: string[] }).input, {});
        response.end(JSON.stringify({ data: vectors.map((vector) => ({ embedding: Array.from(vector) })) }));
      });
    });
    server = started;
    await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
    const { port } = started.address() as AddressInfo;
    return { EMBEDDINGS_BASE_URL: `http://127.0.0.1:${port}/v1`, EMBEDDINGS_API_KEY: 'sk-secret' };
  }

  it('behind HTTP can be named, gets its key from the environment, and is named in what comes out', async () => {
    const io = { ...fakeIo(folder), environment: await start() };
    const line = 'a.md --tier semantic --size 120 --embedder openai:small --embeddings --json';
    expect(await run(line.split(' '), io)).toBe(0);
    const answer = JSON.parse(io.stdout.text()) as { embedding: object; chunks: { text: string }[] };
    expect(answer.embedding).toMatchObject({ model: 'small', dimensions: 160 });
    expect(answer.chunks.map((record) => record.text)).toEqual(
      (await grainline('a.md --tier semantic --size 120')).texts,
    );
    expect(new Set(keys)).toEqual(new Set(['Bearer sk-secret']));
    expect(io.stderr.text()).toBe('embedding with small, 160 dimensions\n');
  });

  it('that fails fails its file, by a code', async () => {
    const io = { ...fakeIo(folder), environment: await start() };
    server?.removeAllListeners('request').on('request', (_, response) => response.writeHead(401).end('no'));
    expect(await run('a.md --tier semantic --embedder openai:small'.split(' '), io)).toBe(1);
    expect(io.stdout.text()).toBe('');
    expect(io.stderr.text()).toMatch(/^grainline: a\.md: .*answered 401: no\. \(embedding_failed\)\n$/);
  });

  it('of a package that is not installed says which', async () => {
    const { code, stderr } = await grainline('a.md --tier semantic --embedder transformers:Xenova/x');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/@huggingface\/transformers.*\(package_missing\)/),
    ]);
  });

  it.each([
    ['a.md --embedder builtin', '--embedder goes with --tier semantic, ai, ai-pro, not structure.'],
    ['a.md --tier semantic --embedder gpt', '--embedder must be builtin, openai:MODEL or transformers:MODEL'],
    ['a.md --tier semantic --embedder openai:', '--embedder must be builtin'],
    [
      'a.md --tier semantic --embedder builtin --remote http://a.example',
      '--embedder does not go with --remote',
    ],
  ])('that does not fit is refused: %s', async (line, issue) => {
    const { code, stderr } = await grainline(line);
    expect([code, stderr]).toEqual([2, expect.stringContaining(issue)]);
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
      /^grainline: --target goes with --tier standard, structure, professional, semantic, ai, ai-pro, not free\.\n/,
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
    ['a.md --kind prose', /^grainline: --kind must be one of markdown, text, code, csv, but is "prose"\.\n/],
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
