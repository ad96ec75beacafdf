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
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as grainline from '../src/index.ts';

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
    const { chunkDocument, chunkSource, readSource, recordsFor } = pipeline;
    const calls = { chunkDocument, chunkSource, readSource, recordsFor };
    const names = [core, formats, extraction, models, calls].flatMap((module) => Object.keys(module));
    expect(Object.keys(grainline).sort()).toEqual([...new Set([...names, 'chunkFile'])].sort());
    expect(grainline).toMatchObject({ ...core, ...formats, ...extraction, ...models, ...calls });
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
