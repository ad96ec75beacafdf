// The real MiniLM on the command line, from a folder and from a local hub; skipped without the package.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { folderOfModels, importLibrary, isInstalled, MINILM, startHub } from '@grainline/testing/minilm';
import { run } from '../src/run.ts';
import { type FakeIo, fakeIo, fakeStream } from './fake-io.ts';

const TOPICS = [
  'The vessel left the harbour at dawn. Its crew had loaded sails and rope. The captain watched the tide. A storm was coming from the west.',
  'Flour and water make a dough. The baker lets it rise over night. A hot oven gives the loaf its crust. Salt keeps the yeast in check.',
  'The court heard the appeal in March. Two judges found the verdict unsound. The lawyer asked for a new trial. Witnesses were called again.',
];

describe.skipIf(!isInstalled)('grainline --embedder transformers:…', { timeout: 120_000 }, () => {
  let models: Awaited<ReturnType<typeof folderOfModels>>;
  let folder: string;
  beforeAll(async () => {
    // The package in its usual place.
    vi.doMock('@huggingface/transformers', () => importLibrary());
    models = await folderOfModels();
    folder = mkdtempSync(path.join(tmpdir(), 'grainline-cli-'));
    writeFileSync(path.join(folder, 'a.txt'), TOPICS.join(' '));
  }, 120_000);
  afterAll(() => {
    vi.doUnmock('@huggingface/transformers');
    models.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const ioOn = (environment: Readonly<Record<string, string>>): FakeIo =>
    fakeIo(folder, { environment, stderr: fakeStream({ isTTY: true, columns: 120 }) });
  const argv = (model: string): string[] =>
    `a.txt --tier semantic --embedder transformers:${model} --embeddings --json`.split(' ');
  const chunksOf = (io: FakeIo): string[] =>
    (JSON.parse(io.stdout.text()) as { chunks: { text: string }[] }).chunks.map(({ text }) => text);

  it('finds topics by a model in a folder, without a network, and shows how far it is', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no network'));
    try {
      // The path is relative to the working folder.
      const io = ioOn({ EMBEDDINGS_FOLDER: path.relative(folder, models.folder) });
      const code = await run(argv(MINILM), io);
      expect([code, io.stderr.text()]).toEqual([0, expect.stringMatching(/a\.txt, piece \d+ of 12/)]);
      expect(io.stderr.text()).toContain(`embedding with ${MINILM}, 384 dimensions\n`);
      expect(chunksOf(io)).toEqual(TOPICS);
      expect(JSON.parse(io.stdout.text())).toMatchObject({
        embedding: { model: MINILM, dimensions: 384, normalized: true, distance: 'cosine' },
      });
      expect(fetched).not.toHaveBeenCalled();
    } finally {
      fetched.mockRestore();
    }
  });

  it('shows the bytes of a download', async () => {
    const { env } = await importLibrary();
    const hub = await startHub(models.folder);
    const { remoteHost, cacheDir } = env;
    Object.assign(env, { remoteHost: hub.url, cacheDir: path.join(folder, 'cache') });
    try {
      const io = ioOn({});
      expect(await run(argv(MINILM), io)).toBe(0);
      const shown = [...io.stderr.text().matchAll(/(\d+)% of onnx\/model_quantized\.onnx/g)];
      expect(shown.length).toBeGreaterThan(10);
      expect(shown.at(-1)?.[1]).toBe('100');
      expect(chunksOf(io)).toEqual(TOPICS);
    } finally {
      Object.assign(env, { remoteHost, cacheDir });
      await hub.stop();
    }
  });

  it('says which file is missing, and no other file is touched', async () => {
    const io = ioOn({ EMBEDDINGS_FOLDER: models.folder, EMBEDDINGS_DTYPE: 'fp16' });
    expect(await run(argv(MINILM), io)).toBe(1);
    expect(io.stderr.text()).toMatch(/weights fp16 from .*model_fp16\.onnx.*\(model_unavailable\)/s);
    expect(io.stdout.text()).toBe('');
  });
});
