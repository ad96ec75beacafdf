// Counters of tokens and the built-in embedder, loaded at their first use: the tables behind them would double the time
// that `--help` takes.
import path from 'node:path';
import type { Embed, TokenCounter } from '@grainline/core';
import type { EncodingName } from '@grainline/models/tokens';
import type { Io } from './terminal.ts';

/** Every encoding; the first is the default of the command line. */
export const ENCODINGS = Object.keys({
  o200k: true,
  cl100k: true,
} satisfies Readonly<Record<EncodingName, true>>) as readonly EncodingName[];

/** An embedder and its model, as `--embedder` names them. */
export type EmbedderName = `openai:${string}` | `transformers:${string}`;

/**
 * The exact counter of an encoding, of `@grainline/models/tokens`, for the option `measure`.
 *
 * @example
 * const { chunks } = await chunkFile('report.pdf', { measure: await tokenCounter('o200k'), size: 400 });
 */
export async function tokenCounter(name: EncodingName): Promise<TokenCounter> {
  const tokens = await import('@grainline/models/tokens');
  return tokens.tokenCounter(name);
}

/**
 * The built-in embedder, of `@grainline/models/embeddings`, for the option `embed` of the tier `semantic`. No network.
 *
 * @example
 * const { chunks } = await chunkFile('interview.txt', { tier: 'semantic', embed: await staticEmbedder() });
 */
export async function staticEmbedder(): Promise<Embed> {
  const embeddings = await import('@grainline/models/embeddings');
  return embeddings.staticEmbedder();
}

/**
 * The embedder of a name. A service as OpenAI has it is where `EMBEDDINGS_BASE_URL` says, and gets
 * `EMBEDDINGS_API_KEY`; a key among the arguments would stand in the list of processes. A model of transformers.js
 * comes from the folder `EMBEDDINGS_FOLDER`, or from the hub, with weights of the precision `EMBEDDINGS_DTYPE`: the
 * names that the service has.
 *
 * Rejects with an EmbedderError: the package for transformers.js is not installed, the model cannot be loaded.
 */
export async function namedEmbedder(
  name: EmbedderName,
  { environment, cwd: folder }: Pick<Io, 'environment' | 'cwd'>,
  onDownload: (file: string, loaded: number, total: number) => void,
): Promise<Embed> {
  const { openAiEmbedder, transformersEmbedder } = await import('@grainline/models/embeddings');
  const model = name.slice(name.indexOf(':') + 1);
  const set = (key: string): string | undefined => {
    const text = environment[key]?.trim();
    return text === '' ? undefined : text;
  };
  if (name.startsWith('transformers:')) {
    const [localPath, dtype] = [set('EMBEDDINGS_FOLDER'), set('EMBEDDINGS_DTYPE')];
    return transformersEmbedder({
      model,
      onDownload,
      ...(localPath === undefined ? {} : { localPath: path.resolve(folder, localPath) }),
      ...(dtype === undefined ? {} : { dtype }),
    });
  }
  const baseUrl = set('EMBEDDINGS_BASE_URL');
  return openAiEmbedder({
    model,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    apiKey: set('EMBEDDINGS_API_KEY'),
  });
}
