// Counters of tokens and the built-in embedder, loaded at their first use: the tables behind them would double the time
// that `--help` takes.
import type { Embed, TokenCounter } from '@grainline/core';
import type { EncodingName } from '@grainline/models/tokens';

/** Every encoding; the first is the default of the command line. */
export const ENCODINGS = Object.keys({
  o200k: true,
  cl100k: true,
} satisfies Readonly<Record<EncodingName, true>>) as readonly EncodingName[];

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
