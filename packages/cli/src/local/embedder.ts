// Embedders by the names of `--embedder`. Their code would double the time of `--help`, so it loads at the first use.
import type { EmbedderName } from '../args/request.ts';
import path from 'node:path';
import type { Embed } from '@grainline/core';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import type { RunLog } from '../output/terminal.ts';

/**
 * The embedder of a name. `EMBEDDINGS_BASE_URL` is the address of an OpenAI-compatible service, and
 * `EMBEDDINGS_API_KEY` its key; a key among the arguments would appear in the list of processes. A model of
 * transformers.js comes from the folder `EMBEDDINGS_FOLDER`, or from the hub, with weights of the precision
 * `EMBEDDINGS_DTYPE`, and the log shows its download. The server has the same settings.
 *
 * Rejects with a UsageError for an address that cannot be used, and with a ModelError when the package for
 * transformers.js is missing or the model cannot be loaded.
 */
export async function namedEmbedder(
  name: EmbedderName,
  { environment, cwd: folder }: Pick<Io, 'environment' | 'cwd'>,
  log: Pick<RunLog, 'status'>,
): Promise<Embed> {
  const { ModelError, openAiEmbedder, transformersEmbedder } = await import('@grainline/models/embeddings');
  const model = name.slice(name.indexOf(':') + 1);
  const set = (key: string): string | undefined => {
    const text = environment[key]?.trim();
    return text === '' ? undefined : text;
  };
  if (name.startsWith('transformers:')) {
    const [localPath, dtype] = [set('EMBEDDINGS_FOLDER'), set('EMBEDDINGS_DTYPE')];
    return transformersEmbedder({
      model,
      onDownload: (file, loaded, total) => log.status(`${Math.floor((100 * loaded) / total)}% of ${file}`),
      localPath: localPath === undefined ? undefined : path.resolve(folder, localPath),
      dtype,
    });
  }
  try {
    return openAiEmbedder({
      model,
      baseUrl: set('EMBEDDINGS_BASE_URL'),
      apiKey: set('EMBEDDINGS_API_KEY'),
    });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw new UsageError([inSettings(error.message)]);
  }
}

/** An issue with the options of the embedder, in the names of the environment. */
function inSettings(message: string): string {
  return message
    .replace('Wrong options: ', '')
    .replace('baseUrl', 'EMBEDDINGS_BASE_URL')
    .replace('apiKey or headers', 'EMBEDDINGS_API_KEY');
}
