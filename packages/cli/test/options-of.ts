import { type ChunkOptions, TIERS } from '@grainline/core';
import { staticEmbedder } from '@grainline/models/embeddings';

/** A tier by its id, with the built-in embedder if it needs one, as the command line and the service have it. */
export async function optionsOf(tier: string): Promise<ChunkOptions> {
  const options = { tier } as ChunkOptions;
  const embeds = TIERS[tier as keyof typeof TIERS].options.includes('embed');
  return embeds ? { ...options, embed: await staticEmbedder() } : options;
}
