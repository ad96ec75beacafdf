// The embedder that the settings name, where it is not the one that every child process has. It runs in the server, which
// alone has the key and the network; child processes ask for vectors by message (workplace/questions.ts).
import type { Embed } from '@grainline/core';
import type { Settings } from './settings.ts';

type EmbedderSettings = Pick<
  Settings,
  'embeddings' | 'embeddingsBaseUrl' | 'embeddingsApiKey' | 'embeddingsModel'
>;

/**
 * The embedder; undefined for the built-in one, and for none. Vectors are kept, so that a request which comes again asks about nothing twice.
 * A model of transformers.js is loaded here, and downloaded when it is not there yet.
 *
 * @throws EmbedderError `package_missing`, `model_unavailable`, `invalid_options`
 */
export async function embedderOf(settings: EmbedderSettings): Promise<Embed | undefined> {
  const { embeddings, embeddingsBaseUrl: baseUrl, embeddingsApiKey: apiKey } = settings;
  if (embeddings === 'builtin' || embeddings === 'off') return undefined;
  const { cachedEmbedder, EmbeddingCache, openAiEmbedder, transformersEmbedder } =
    await import('@grainline/models/embeddings');
  const cache = new EmbeddingCache();
  if (embeddings !== 'openai') {
    const model = embeddings.slice('transformers:'.length);
    return cachedEmbedder(await transformersEmbedder({ model }), model, cache);
  }
  const model = settings.embeddingsModel ?? '';
  const embed = openAiEmbedder({
    model,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  return cachedEmbedder(embed, model, cache);
}
