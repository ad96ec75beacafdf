import { type TierId, TIERS } from '@grainline/core';

/** The tiers that need no model, for what is the same whichever tier made the chunks. */
export const SYNCHRONOUS_TIERS = (Object.keys(TIERS) as TierId[]).filter((id) => 'cut' in TIERS[id]);
