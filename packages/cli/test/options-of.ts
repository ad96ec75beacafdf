import { type ChunkOptions, needsLanguageModel, type TierId, TIERS } from '@grainline/core';
import { staticEmbedder } from '@grainline/models/embeddings';

/**
 * Tiers whose chunks depend on the document alone. Answers of a language model do not belong in golden files.
 */
export const REPEATABLE_TIERS = (Object.keys(TIERS) as TierId[]).filter((id) => !needsLanguageModel(id));

/** A tier by its id, with the built-in embedder if it needs one, as in the command line and the service. */
export async function optionsOf(tier: string): Promise<ChunkOptions> {
  const options = { tier } as ChunkOptions;
  const embeds = TIERS[tier as keyof typeof TIERS].options.includes('embed');
  return embeds ? { ...options, embed: await staticEmbedder() } : options;
}
