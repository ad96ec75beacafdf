// The remote embedder of the settings. It runs in the server, which alone has the key and the network. Child processes
// call it by message (sandbox/rpc.ts); the built-in embedder runs in them.
import path from 'node:path';
import type { Embed } from '@grainline/core';
import type { Settings } from '../settings/settings.ts';

type EmbedderSettings = Pick<
  Settings,
  | 'dataDir'
  | 'embeddings'
  | 'embeddingsBaseUrl'
  | 'embeddingsApiKey'
  | 'embeddingsModel'
  | 'embeddingsFolder'
  | 'embeddingsDtype'
>;

/** Logs the download of a model. */
export interface LoadingLog {
  info(about: object, message: string): void;
}

/** A line is logged at the start of a downloaded file and after each further share of it. */
const LOGGED_SHARE = 0.25;
/** Smaller files arrive too fast for a line. */
const LEAST_LOGGED_BYTES = 2 ** 20;

/**
 * Creates the embedder; undefined for the built-in one and for none. Vectors are cached, so a repeated request computes
 * none. A model of transformers.js is loaded here, after a logged download when it is missing.
 *
 * @throws ModelError `package_missing`, `model_unavailable`, `invalid_options`
 */
export async function createEmbedder(
  settings: EmbedderSettings,
  log: LoadingLog,
): Promise<Embed | undefined> {
  const { embeddings } = settings;
  if (embeddings === 'builtin' || embeddings === 'off') return undefined;
  const { cachedEmbedder, EmbeddingCache } = await import('@grainline/models/embeddings');
  const isService = embeddings === 'openai';
  const model = isService ? (settings.embeddingsModel ?? '') : embeddings.slice('transformers:'.length);
  const embed = await (isService ? serviceEmbedder(model, settings) : localEmbedder(model, settings, log));
  return cachedEmbedder(embed, model, new EmbeddingCache());
}

async function serviceEmbedder(
  model: string,
  { embeddingsBaseUrl: baseUrl, embeddingsApiKey: apiKey }: EmbedderSettings,
): Promise<Embed> {
  const { openAiEmbedder } = await import('@grainline/models/embeddings');
  return openAiEmbedder({ model, baseUrl, apiKey });
}

async function localEmbedder(
  model: string,
  { dataDir, embeddingsFolder: localPath, embeddingsDtype: dtype }: EmbedderSettings,
  log: LoadingLog,
): Promise<Embed> {
  const { transformersEmbedder } = await import('@grainline/models/embeddings');
  const embed = await transformersEmbedder({
    model,
    dtype,
    // The library's own cache lies beside its code, which a container loses or cannot write.
    ...(localPath === undefined
      ? { cacheDir: path.resolve(dataDir, 'models'), onDownload: logDownloads(log) }
      : { localPath: path.resolve(localPath) }),
  });
  log.info({ model, folder: localPath }, 'model loaded');
  return embed;
}

function logDownloads(log: LoadingLog): (file: string, loaded: number, total: number) => void {
  const nextOf = new Map<string, number>();
  return (file, loaded, total) => {
    if (total < LEAST_LOGGED_BYTES || loaded < (nextOf.get(file) ?? 0)) return;
    nextOf.set(file, loaded + LOGGED_SHARE * total);
    log.info({ file, loaded_bytes: loaded, total_bytes: total }, 'loading a model');
  };
}
