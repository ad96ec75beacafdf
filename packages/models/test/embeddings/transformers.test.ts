// The real all-MiniLM-L6-v2 through the real library, from a folder and from a hub on this machine. No other network.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chunk, type Embed } from '@grainline/core';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { transformersEmbedder } from '../../src/embeddings/transformers.ts';
import { MODEL, PIECES } from '../../src/embeddings/data/static.ts';
import { staticEmbedder } from '../../src/embeddings/static.ts';
import { describeContract } from './contract.ts';
import {
  folderOfModels,
  importLibrary,
  isInstalled,
  type Library,
  MINILM,
  startHub,
} from '@grainline/testing/minilm';

let models: ReturnType<typeof folderOfModels> | undefined;
let loaded: Promise<Embed> | undefined;

/** The library, and the folder of models with MiniLM in it. */
async function prepare(): Promise<{ library: Library; localPath: string }> {
  models ??= folderOfModels();
  return { library: await importLibrary(), localPath: (await models).folder };
}

afterAll(async () => {
  (await models)?.remove();
});

const load = async (): Promise<Embed> => {
  const { library, localPath } = await prepare();
  loaded ??= transformersEmbedder({ library, localPath, model: MINILM, batch: 4 });
  return loaded;
};

describe.skipIf(!isInstalled)('MiniLM by transformers.js', { timeout: 120_000 }, () => {
  describeContract(load);

  it('finds topics', async () => {
    const topics = [
      'The vessel left the harbour at dawn. Its crew had loaded salt and rope. The captain watched the tide. A storm was coming from the west.',
      'Flour and water make a dough. The baker lets it rise over night. A hot oven gives the loaf its crust. Salt keeps the yeast in check.',
      'The court downloads the appeal in March. Two judges found the verdict unsound. The lawyer asked for a new trial. Witnesses were called again.',
    ];
    const chunks = await chunk(topics.join(' '), { tier: 'semantic', embed: await load(), kind: 'text' });
    expect(chunks.map(({ text }) => text)).toEqual(topics);
  });

  it('is what the built-in embedder was distilled from: their likenesses agree', async () => {
    const sentences = [
      'Interest rates rose sharply last year.',
      'The central bank increased the cost of borrowing.',
      'The dog ran across the field.',
      'A puppy was playing on the grass.',
      'The recipe needs two eggs and some butter.',
      'Whisk the eggs before you add the flour.',
    ];
    const both = await Promise.all([load(), staticEmbedder()]);
    const [model, table] = await Promise.all(both.map((embed) => likenesses(embed, sentences)));
    expect(correlation(model ?? [], table ?? [])).toBeGreaterThan(0.7);
    expect(MODEL).toContain('static');
  });

  it('cuts texts into the same word pieces as the library', async () => {
    const { library, localPath } = await prepare();
    const tokenizer = await library.AutoTokenizer.from_pretrained(MINILM, {
      local_files_only: true,
      cache_dir: localPath,
    });
    const { WordPieces } = await import('../../src/embeddings/word-pieces.ts');
    const { vocabularyOf } = await import('./vocabulary.ts');
    const pieces = await vocabularyOf();
    expect(pieces).toHaveLength(PIECES);
    const ours = new WordPieces(pieces);
    for (const text of TEXTS)
      expect([text, ours.of(text)]).toEqual([text, tokenizer.encode(text, { add_special_tokens: false })]);
  });

  it('reads a folder without asking anybody for anything', async () => {
    const { library, localPath } = await prepare();
    const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no network'));
    const downloads: string[] = [];
    try {
      const onDownload = (file: string): void => void downloads.push(file);
      const embed = await transformersEmbedder({ library, localPath, model: MINILM, onDownload });
      expect((await embed(['one'], {})).dimensions).toBe(384);
      expect(fetched).not.toHaveBeenCalled();
      expect(downloads).toEqual([]);
    } finally {
      fetched.mockRestore();
    }
  });

  it('says what is missing, and where it was looked for', async () => {
    const { library, localPath } = await prepare();
    const options = { library, localPath };
    await expect(transformersEmbedder({ ...options, model: 'nothing' })).rejects.toMatchObject({
      code: 'model_unavailable',
      message: expect.stringContaining(path.join(localPath, 'nothing')) as string,
    });
    await expect(transformersEmbedder({ ...options, model: MINILM, dtype: 'fp32' })).rejects.toMatchObject({
      code: 'model_unavailable',
      message: expect.stringMatching(/weights fp32 .*model\.onnx/) as string,
    });
    await expect(transformersEmbedder({ library, localPath, batch: 0 })).rejects.toMatchObject({
      code: 'invalid_options',
    });
  });

  it('downloads from a hub once, tells of it in bytes, and is there without the hub from then on', async () => {
    const { library, localPath } = await prepare();
    const cacheDir = mkdtempSync(path.join(tmpdir(), 'grainline-cache-'));
    const hub = await startHub(localPath);
    const { remoteHost } = library.env;
    library.env.remoteHost = hub.url;
    try {
      const downloads = new Map<string, { loaded: number; total: number }[]>();
      const onDownload = (file: string, bytes: number, total: number): void =>
        void downloads.set(file, [...(downloads.get(file) ?? []), { loaded: bytes, total }]);
      const here = { library, model: MINILM, cacheDir };
      const embed = await transformersEmbedder({ ...here, onDownload });
      expect([...downloads.keys()].sort()).toEqual([
        'config.json',
        'onnx/model_quantized.onnx',
        'tokenizer.json',
        'tokenizer_config.json',
      ]);
      for (const steps of downloads.values()) {
        const bytes = steps.map((step) => step.loaded);
        expect(bytes).toEqual(bytes.toSorted((a, b) => a - b));
        expect(steps.at(-1)?.loaded).toBe(steps.at(-1)?.total);
      }
      // 23 MB come in many parts.
      expect(downloads.get('onnx/model_quantized.onnx')?.length).toBeGreaterThan(10);
      expect(readdirSync(cacheDir)).toEqual([MINILM]);
      await hub.stop();
      const before = hub.texts.length;
      const again = await transformersEmbedder({ ...here, offline: true });
      expect(await again(['A text.'], {})).toEqual(await embed(['A text.'], {}));
      expect(hub.texts).toHaveLength(before);
      await expect(transformersEmbedder({ ...here, model: 'another' })).rejects.toMatchObject({
        code: 'model_unavailable',
        message: expect.stringContaining('from the hub') as string,
      });
    } finally {
      library.env.remoteHost = remoteHost;
      await hub.stop();
      rmSync(cacheDir, { recursive: true, force: true });
    }
  });
});

it('says how to get the library when it is not installed', async () => {
  await expect(transformersEmbedder()).rejects.toMatchObject({
    code: 'package_missing',
    message: expect.stringContaining('npm install @huggingface/transformers') as string,
  });
});

const TEXTS = [
  'Hello, world!',
  "It's a well-known fact: 3.14 isn't 22/7...",
  'Unaffable Antidisestablishmentarianism ÜBERMÄßIG naïve café',
  'e\u0301tude re\u0301sume\u0301 A\u030angstro\u0308m',
  '漢字とかな and 中文字',
  'tabs\tand\nlines\r\nand\u00a0blanks\u2003wide',
  'emoji 👩‍🚀 and 😀😁 flags 🇩🇪',
  'zero\u200bwidth soft\u00adhyphen \u0007bell',
  'مرحبا بالعالم שלום עולם Привет мир Ελλάς',
  '$5 + 3 = 8 ^ ~ ` | < >  «quoted» “so” ‘it’ — – …',
  'x'.repeat(101),
  `a${'\u0301'.repeat(20)}b`,
  'foo_bar.baz@example.com https://example.com/a?b=c#d',
  'İstanbul ǅ ﬁne ½ ² Ⅷ',
  '',
  '   ',
];

async function likenesses(embed: Embed, texts: readonly string[]): Promise<number[]> {
  const { vectors } = await embed(texts, {});
  const units = vectors.map((vector) => {
    const length = Math.hypot(...Array.from(vector));
    return Array.from(vector, (value) => value / length);
  });
  return units.flatMap((one, at) =>
    units.slice(at + 1).map((other) => one.reduce((sum, value, part) => sum + value * (other[part] ?? 0), 0)),
  );
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (of: readonly number[]): number => of.reduce((sum, value) => sum + value, 0) / of.length;
  const [x, y] = [a, b].map((of) => of.map((value) => value - mean(of)));
  const dot = (p: readonly number[] = [], q: readonly number[] = []): number =>
    p.reduce((sum, value, at) => sum + value * (q[at] ?? 0), 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}
