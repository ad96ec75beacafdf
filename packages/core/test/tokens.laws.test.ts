import { describeTokenLaws } from './token-laws.ts';
import { SYNCHRONOUS_TIERS } from './tiers.ts';

describeTokenLaws(SYNCHRONOUS_TIERS);
