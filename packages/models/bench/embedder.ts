// The embedder of a bench: the built-in one, or a model in a folder, which embeds no text twice.
import path from 'node:path';
import type { Embed } from '@grainline/core';
import { cachedEmbedder, EmbeddingCache } from '../src/embeddings/cache.ts';
import { staticEmbedder } from '../src/embeddings/static.ts';
import { transformersEmbedder } from '../src/embeddings/transformers.ts';

const LIBRARY = '../peers/node_modules/@huggingface/transformers/dist/transformers.node.mjs';

/** @param folder of a model, as scripts/minilm.mjs writes it */
export async function loadEmbedder(
  folder: string | undefined,
): Promise<{ readonly embed: Embed; readonly name: string }> {
  if (folder === undefined) return { embed: await staticEmbedder(), name: 'the built-in embedder' };
  const model = path.basename(folder);
  const library = (await import(new URL(LIBRARY, import.meta.url).href)) as object;
  const embed = await transformersEmbedder({ library, localPath: path.dirname(path.resolve(folder)), model });
  return { embed: cachedEmbedder(embed, model, new EmbeddingCache()), name: model };
}
