import { type Chunk, chunk, type ChunkOptions, type TierId, TIERS } from '@grainline/core';
import { wordEmbedder } from './embedders.ts';

/** Every tier, for what is the same whichever made the chunks. */
export const TIER_IDS = Object.keys(TIERS) as TierId[];

/** The tiers that need no model, where there is no time to wait for one. */
export const SYNCHRONOUS_TIERS = TIER_IDS.filter((id) => 'cut' in TIERS[id]);

/** Chunks by a tier, which gets an embedder of words if it needs one. */
export function chunksBy(tier: TierId, text: string, options: ChunkOptions = {}): Promise<Chunk[]> {
  const embed = TIERS[tier].options.includes('embed') ? { embed: wordEmbedder } : {};
  return chunk(text, { tier, ...options, ...embed });
}
