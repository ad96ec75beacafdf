import { describeTokenLaws } from './token-laws.ts';
import { SYNCHRONOUS_TIERS, TIER_IDS } from './tiers.ts';

// The tiers that wait for a model.
describeTokenLaws(TIER_IDS.filter((id) => !SYNCHRONOUS_TIERS.includes(id)));
