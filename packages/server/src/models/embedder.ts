// The embedder that the settings name, where it is not the one that every child process has. It runs in the server,
// which alone has the key and the network; child processes ask for vectors by message (workplace/questions.ts).
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

/** Takes lines for the log while a model comes. */
export interface LoadingLog {
  info(about: object, message: string): void;
}

/** A line is logged at the first bytes of a downloaded file, and whenever this share more of it has come. */
const TOLD_SHARE = 0.25;
/** Smaller files are there before anybody reads that they are coming. */
const LEAST_TOLD_BYTES = 2 ** 20;

/**
 * The embedder; undefined for the built-in one, and for none. Vectors are kept, so that a request which comes again
 * asks about nothing twice. A model of transformers.js is loaded here, and downloaded when it is not there yet, of
 * which the log is told.
 *
 * @throws EmbedderError `package_missing`, `model_unavailable`, `invalid_options`
 */
export async function embedderOf(settings: EmbedderSettings, log: LoadingLog): Promise<Embed | undefined> {
  const { embeddings } = settings;
  if (embeddings === 'builtin' || embeddings === 'off') return undefined;
  const { cachedEmbedder, EmbeddingCache } = await import('@grainline/models/embeddings');
  const isService = embeddings === 'openai';
  const model = isService ? (settings.embeddingsModel ?? '') : embeddings.slice('transformers:'.length);
  const embed = await (isService ? serviceOf(model, settings) : modelOf(model, settings, log));
  return cachedEmbedder(embed, model, new EmbeddingCache());
}

async function serviceOf(
  model: string,
  { embeddingsBaseUrl: baseUrl, embeddingsApiKey: apiKey }: EmbedderSettings,
): Promise<Embed> {
  const { openAiEmbedder } = await import('@grainline/models/embeddings');
  return openAiEmbedder({
    model,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    apiKey,
  });
}

async function modelOf(
  model: string,
  { dataDir, embeddingsFolder: localPath, embeddingsDtype: dtype }: EmbedderSettings,
  log: LoadingLog,
): Promise<Embed> {
  const { transformersEmbedder } = await import('@grainline/models/embeddings');
  const embed = await transformersEmbedder({
    model,
    ...(dtype === undefined ? {} : { dtype }),
    // The library would keep downloads beside its code, where a container forgets them, or cannot write.
    ...(localPath === undefined
      ? { cacheDir: path.resolve(dataDir, 'models'), onDownload: telling(log) }
      : { localPath: path.resolve(localPath) }),
  });
  log.info({ model, folder: localPath }, 'model loaded');
  return embed;
}

function telling(log: LoadingLog): (file: string, loaded: number, total: number) => void {
  const nextOf = new Map<string, number>();
  return (file, loaded, total) => {
    if (total < LEAST_TOLD_BYTES || loaded < (nextOf.get(file) ?? 0)) return;
    nextOf.set(file, loaded + TOLD_SHARE * total);
    log.info({ file, loaded_bytes: loaded, total_bytes: total }, 'loading a model');
  };
}
