import {
  type Chunk,
  chunk,
  type ChunkOptions,
  needsLanguageModel,
  type SyncTierId,
  type TierId,
  TIERS,
} from '@grainline/core';
import { wordEmbedder } from './embedders.ts';
import { thirdsModel } from './language-models.ts';

/** Every tier, for what is the same whichever made the chunks. */
export const TIER_IDS = Object.keys(TIERS) as TierId[];

/** The tiers that need no model, where there is no time to wait for one. */
export const SYNCHRONOUS_TIERS = TIER_IDS.filter((id): id is SyncTierId => !('waits' in TIERS[id]));

/** Chunks by a tier, which gets the model that it needs: an embedder of words, one that cuts every third unit. */
export function chunksBy(tier: TierId, text: string, options: ChunkOptions = {}): Promise<Chunk[]> {
  const takes: readonly string[] = TIERS[tier].options;
  const embed = takes.includes('embed') ? { embed: wordEmbedder } : {};
  const complete = needsLanguageModel(tier) ? { complete: thirdsModel } : {};
  return chunk(text, { tier, ...options, ...embed, ...complete });
}
