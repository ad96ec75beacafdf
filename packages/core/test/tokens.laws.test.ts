import { describeTokenLaws } from './token-laws.ts';
import { SYNCHRONOUS_TIERS } from '@grainline/testing/tiers';

describeTokenLaws(SYNCHRONOUS_TIERS);
