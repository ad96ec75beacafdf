import { type ChunkOptions, type TierId, TIERS } from '@grainline/core';
import { staticEmbedder } from '@grainline/models/embeddings';

/** Tiers whose chunks follow from the document alone. What a language model says is not ours to write down. */
export const REPEATABLE_TIERS = (Object.keys(TIERS) as TierId[]).filter(
  (id) => !TIERS[id].options.includes('complete'),
);

/** A tier by its id, with the built-in embedder if it needs one, as the command line and the service have it. */
export async function optionsOf(tier: string): Promise<ChunkOptions> {
  const options = { tier } as ChunkOptions;
  const embeds = TIERS[tier as keyof typeof TIERS].options.includes('embed');
  return embeds ? { ...options, embed: await staticEmbedder() } : options;
}
