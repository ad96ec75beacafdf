// Finds the code of a tier, in Node. All tiers are imported here from the start, because one file loads faster than
// many.
import { AI } from './ai.ts';
import { AI_PRO } from './ai-pro.ts';
import { FREE } from './free.ts';
import type { TierId } from './registry.ts';
import { PROFESSIONAL } from './professional.ts';
import { SEMANTIC } from './semantic.ts';
import { STANDARD } from './standard.ts';
import type { Strategy } from './strategies.ts';
import { STRUCTURE } from './structure.ts';
import type { Tier, AsyncTier } from './tier.ts';

const STRATEGIES: Readonly<Record<TierId, Tier<never> | AsyncTier<never>>> = {
  free: FREE,
  standard: STANDARD,
  structure: STRUCTURE,
  professional: PROFESSIONAL,
  semantic: SEMANTIC,
  ai: AI,
  'ai-pro': AI_PRO,
};

/** The code of a tier. */
export function strategyOf(id: TierId): Strategy | undefined {
  return STRATEGIES[id] as Strategy;
}

/** The code of a tier, as a promise, because other runtimes have to fetch it. */
export function loadStrategy(id: TierId): Promise<Strategy> {
  return Promise.resolve(STRATEGIES[id] as Strategy);
}
