// The real MiniLM in a service by its settings alone, with child processes and on a socket. Skipped without the model.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TIERS } from '@grainline/core';
import { folderOfModels, importLibrary, isInstalled, MINILM, startHub } from '@grainline/testing/minilm';
import { createEmbedder } from '../../src/models/embedder.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { createWorkerPool, type WorkerPool } from '../../src/sandbox/index.ts';
import { FROM_SOURCES, SETTINGS } from '../sandbox/tasks.ts';
import { startTestService, type TestService } from './running-service.ts';

const TOPICS = [
  'The vessel left the harbour at dawn. Its crew had loaded sails and rope. The captain watched the tide. A storm was coming from the west.',
  'Flour and water make a dough. The baker lets it rise over night. A hot oven gives the loaf its crust. Salt keeps the yeast in check.',
  'The court heard the appeal in March. Two judges found the verdict unsound. The lawyer asked for a new trial. Witnesses were called again.',
];

describe.skipIf(!isInstalled)('a service with EMBEDDINGS=transformers:…', { timeout: 120_000 }, () => {
  let models: Awaited<ReturnType<typeof folderOfModels>>;
  let data: string;
  let service: TestService | undefined;
  let workerPool: WorkerPool | undefined;
  beforeAll(async () => {
    // The folder of an operator's installation.
    vi.doMock('@huggingface/transformers', () => importLibrary());
    models = await folderOfModels();
    data = mkdtempSync(path.join(tmpdir(), 'grainline-data-'));
  }, 120_000);
  afterEach(async () => {
    await service?.stop();
    await workerPool?.close();
    service = workerPool = undefined;
  });
  afterAll(() => {
    vi.doUnmock('@huggingface/transformers');
    models.remove();
    rmSync(data, { recursive: true, force: true });
  });

  interface LogLine {
    readonly about: object;
    readonly message: string;
  }

  /** Starts the service with processes from sources. Returns the log of the model's load. */
  async function start(environment: Readonly<Record<string, string>>): Promise<LogLine[]> {
    const lines: LogLine[] = [];
    const all = { EMBEDDINGS: `transformers:${MINILM}`, DATA_DIR: data, PAYMENTS: 'off', ...environment };
    const info = (about: object, message: string): void => void lines.push({ about, message });
    const embed = await createEmbedder(readSettings(all), { info });
    if (embed === undefined) throw new Error('These settings name no embedder.');
    workerPool = createWorkerPool({ ...SETTINGS, workers: 1 }, { ...FROM_SOURCES, embed });
    service = await startTestService(all, { workerPool });
    return lines;
  }

  async function cut(): Promise<{ chunks: { text: string }[]; embedding: object }> {
    const answer = await fetch(`${service?.url ?? ''}/chunk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tier: 'semantic', text: TOPICS.join(' '), embeddings: true }),
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Awaited<ReturnType<typeof cut>>;
  }

  it('finds topics by a model in EMBEDDINGS_FOLDER, and says whose vectors it gives', async () => {
    const lines = await start({ EMBEDDINGS_FOLDER: models.folder });
    const { chunks, embedding } = await cut();
    expect(chunks.map(({ text }) => text)).toEqual(TOPICS);
    expect(embedding).toEqual({
      model: MINILM,
      dimensions: 384,
      normalized: true,
      distance: 'cosine',
      blend: TIERS.semantic.blend,
    });
    expect(lines).toEqual([{ about: { model: MINILM, folder: models.folder }, message: 'model loaded' }]);
  });

  it('downloads one from the hub into DATA_DIR, and logs how far it is', async () => {
    const library = await importLibrary();
    const hub = await startHub(models.folder);
    const { remoteHost } = library.env;
    library.env.remoteHost = hub.url;
    try {
      const lines = await start({});
      expect((await cut()).chunks).toHaveLength(TOPICS.length);
      expect(existsSync(path.join(data, 'models', MINILM, 'onnx/model_quantized.onnx'))).toBe(true);
      const loading = lines.filter(({ message }) => message === 'loading a model');
      expect(loading.length).toBeGreaterThan(3);
      expect(loading.length).toBeLessThan(10);
      expect(loading[0]?.about).toMatchObject({ file: 'onnx/model_quantized.onnx' });
    } finally {
      library.env.remoteHost = remoteHost;
      await hub.stop();
    }
  });

  it('does not start without its model, and says where that should be', async () => {
    const missing = { EMBEDDINGS: 'transformers:nothing', EMBEDDINGS_FOLDER: models.folder };
    await expect(createEmbedder(readSettings(missing), { info: () => undefined })).rejects.toMatchObject({
      code: 'model_unavailable',
      message: expect.stringContaining(path.join(models.folder, 'nothing')) as string,
    });
  });
});
