import { describeTokenLaws } from './token-laws.ts';
import { SYNCHRONOUS_TIERS, TIER_IDS } from '@grainline/testing/tiers';

// The tiers that wait for a model.
describeTokenLaws(TIER_IDS.filter((id) => !SYNCHRONOUS_TIERS.some((one) => one === id)));
