// The package as a library: one import, and chunkFile.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as core from '@grainline/core';
import * as formats from '@grainline/core/formats';
import { OPTIONS } from '@grainline/core/options';
import * as extraction from '@grainline/extract';
import * as models from '@grainline/models';
import * as pipeline from '@grainline/pipeline';
import { scripted } from '@grainline/testing/language-models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as grainline from '../src/index.ts';
import * as library from '../src/local/library.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'grainline-library-'));
  writeFileSync(join(folder, 'a.md'), '# Title\n\nOne two three.');
  writeFileSync(
    join(folder, 'bad.txt'),
    Uint8Array.from({ length: 100 }, () => 1),
  );
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the package', () => {
  it('exports everything of core, its formats, extract and models, and no name twice', () => {
    const { chunkDocument, chunkSource, citeRecords, readSource, recordsFor } = pipeline;
    const calls = { chunkDocument, chunkSource, citeRecords, readSource, recordsFor };
    const names = [core, formats, extraction, models, calls].flatMap((module) => Object.keys(module));
    expect(Object.keys(grainline).sort()).toEqual([...new Set([...names, 'chunkFile'])].sort());
    const own = Object.keys(library) as (keyof typeof core)[];
    const others = Object.fromEntries(Object.entries(core).filter(([name]) => !own.includes(name as never)));
    expect(grainline).toMatchObject({
      ...others,
      ...formats,
      ...extraction,
      ...models,
      ...calls,
      ...library,
    });
  });
});

const TEXT = Array.from(
  { length: 40 },
  (_, at) => `High water ${at} follows the moon, and low water too.`,
).join(' ');

describe('the calls of core in this package', () => {
  it.each(['o200k_base', 'gpt-4o', 'cl100k'] as const)(
    'measure by the tokenizer of the name %s',
    async (measure) => {
      const options = { size: 64, measure: await models.tokenCounter(measure) };
      const expected = core.chunkSync(TEXT, options);
      expect(expected.length).toBeGreaterThan(3);
      expect(grainline.chunkSync(TEXT, { size: 64, measure })).toEqual(expected);
      expect(await grainline.chunk(TEXT, { size: 64, measure })).toEqual(expected);
      expect(await Array.fromAsync(grainline.chunkStream(TEXT, { size: 64, measure }))).toEqual(expected);
      expect((await grainline.chunkSource({ text: TEXT }, { size: 64, measure })).chunks).toEqual(expected);
      expect(grainline.chunkSync(TEXT, options)).toEqual(expected);
    },
  );

  it('have an embedder for semantic', async () => {
    const embed = await models.staticEmbedder();
    const expected = await core.chunk(TEXT, { tier: 'semantic', size: 300, embeddings: true, embed });
    expect(await grainline.chunk(TEXT, { tier: 'semantic', size: 300, embeddings: true })).toEqual(expected);
    const streamed = grainline.chunkStream(TEXT, { tier: 'semantic', size: 300, embeddings: true });
    expect(await Array.fromAsync(streamed)).toEqual(expected);
  });

  it('cut again and plan with a named tokenizer', async () => {
    let decisions: core.Decisions | undefined;
    const onDecisions = (made: core.Decisions): void => void (decisions = made);
    const options = { tier: 'ai', complete: scripted, measure: 'o200k', size: 64, onDecisions } as const;
    const chunks = await grainline.chunk(TEXT, options);
    expect(grainline.recut(TEXT, decisions!, { measure: 'gpt-4o', size: 64 })).toEqual(chunks);
    expect(await grainline.planCompletions(TEXT, { tier: 'ai', measure: 'o200k_base', size: 64 })).toEqual(
      await core.planCompletions(TEXT, { tier: 'ai', measure: await models.tokenCounter('o200k'), size: 64 }),
    );
    expect(() => grainline.checkChunkOptions({ measure: 'gpt-4o', size: 0 })).toThrow(/size must be/);
  });

  it('refuse names that are none, and options that are no object', async () => {
    const unknown = { code: 'unknown_encoding' };
    const measure = 'gpt-2';
    await expect(grainline.chunk(TEXT, { measure })).rejects.toMatchObject(unknown);
    expect(() => grainline.chunkSync(TEXT, { measure })).toThrow(expect.objectContaining(unknown));
    for (const options of [null, 7, [1]] as never[]) {
      await expect(grainline.chunk(TEXT, options)).rejects.toMatchObject({ code: 'invalid_options' });
      expect(() => grainline.chunkSync(TEXT, options)).toThrow(/options must be an object/);
    }
    expect(() => core.chunkSync(TEXT, { measure: 'gpt-4o' as never })).toThrow(
      /its name in the package grainline/,
    );
  });

  it('refuse by their types what fails at run time', async () => {
    // @ts-expect-error The tier needs a language model.
    await expect(grainline.chunk(TEXT, { tier: 'ai' })).rejects.toThrow(/complete must be/);
    // @ts-expect-error The tier waits for an embedder.
    expect(() => grainline.chunkSync(TEXT, { tier: 'semantic' })).toThrow(/waits for a model/);
    // @ts-expect-error Another library's name.
    expect(() => grainline.chunkSync(TEXT, { chunkSize: 5 })).toThrow(/given as size/);
    // @ts-expect-error Another library's name.
    await expect(grainline.chunk(TEXT, { tier: 'free', maxTokens: 5 })).rejects.toThrow(/given as size/);
    // @ts-expect-error No tokenizer.
    await expect(grainline.chunk(TEXT, { measure: 'tokens' })).rejects.toThrow(/no encoding/);
  });
});

describe('the encodings of the option table', () => {
  it('are those of @grainline/models', () => {
    expect(OPTIONS.encoding.choices).toEqual(models.ENCODINGS);
  });
});

describe('chunkFile', () => {
  it('reads a file as code in the language it is told, whatever its name', async () => {
    const { document } = await grainline.chunkFile(join(folder, 'a.md'), { language: 'Python' });
    expect(document.blocks).toEqual([
      { kind: 'code', start: 0, end: document.text.length, language: 'python' },
    ]);
  });

  it('gives the document and the chunks that extract and chunk give', async () => {
    const { document, chunks } = await grainline.chunkFile(join(folder, 'a.md'), { size: 15 });
    expect(document).toMatchObject({ filename: 'a.md', mediaType: 'text/markdown' });
    expect(chunks).toEqual(grainline.chunkSync(document, { size: 15 }));
    expect((await grainline.chunkFile(pathToFileURL(join(folder, 'a.md')), { size: 15 })).chunks).toEqual(
      chunks,
    );
  });

  it('cuts by structure, as the command does, unless a tier is named', async () => {
    const file = join(folder, 'a.md');
    const { chunks } = await grainline.chunkFile(file);
    expect(chunks[0]?.metadata.headingPath).toEqual(['Title']);
    expect(chunks).toEqual((await grainline.chunkFile(file, { tier: 'structure' })).chunks);
  });

  it.each(['https://example.com/a.pdf', 'HTTP://example.com/a', new URL('https://example.com/a.pdf')])(
    'refuses the link %s, and names the command that fetches it',
    async (link) => {
      const refused = grainline.chunkFile(link);
      await expect(refused).rejects.toThrow(/is a link.*grainline https?:/is);
      await expect(refused).rejects.toBeInstanceOf(TypeError);
    },
  );

  it('refuses bytes, and names the call that takes them', async () => {
    const refused = grainline.chunkFile(new Uint8Array([1, 2]) as unknown as string);
    await expect(refused).rejects.toThrow(/bytes of a document call chunkSource/);
  });

  it('rejects with the coded error of whatever is at fault', async () => {
    await expect(grainline.chunkFile(join(folder, 'gone.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(grainline.chunkFile(join(folder, 'bad.txt'))).rejects.toMatchObject({
      code: 'unsupported_type',
    });
    await expect(grainline.chunkFile(join(folder, 'a.md'), { size: 0 })).rejects.toMatchObject({
      code: 'invalid_options',
    });
  });

  it("rejects with the signal's reason", async () => {
    const reason = new Error('enough');
    const aborted = grainline.chunkFile(join(folder, 'a.md'), { signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
  });
});
