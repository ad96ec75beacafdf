// The registry: one line a tier. Lists shown to users (help texts, errors, the service's info) come from here.
import { AI } from './ai.ts';
import { FREE } from './free.ts';
import { PROFESSIONAL } from './professional.ts';
import { SEMANTIC } from './semantic.ts';
import { STANDARD } from './standard.ts';
import { STRUCTURE } from './structure.ts';
import type { Tier, WaitingTier } from './tier.ts';

/** Tiers by id, cheapest first. */
export const TIERS = {
  free: FREE,
  standard: STANDARD,
  structure: STRUCTURE,
  professional: PROFESSIONAL,
  semantic: SEMANTIC,
  ai: AI,
} as const satisfies Readonly<Record<string, Tier<never> | WaitingTier<never>>>;

/** Ids of the tiers that this version has. */
export type TierId = keyof typeof TIERS;
