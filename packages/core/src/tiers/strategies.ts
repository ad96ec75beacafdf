// Finds the code of a tier, in bundles. It is fetched when the tier is first used, so that a page starts with the
// default tier and the free one alone. Node gets `strategies.node.ts` instead, by the conditions of package.json; both
// files export the same.
import { FREE } from './free.ts';
import type { TierId } from './registry.ts';
import { STRUCTURE } from './structure.ts';
import type { Tier, AsyncTier } from './tier.ts';

/** The code of a tier. Callers check the options against the description of that very tier beforehand. */
export type Strategy = Tier | AsyncTier;

const loaders: Readonly<Record<TierId, () => Promise<Tier<never> | AsyncTier<never>>>> = {
  free: () => Promise.resolve(FREE),
  standard: async () => (await import('./standard.ts')).STANDARD,
  structure: () => Promise.resolve(STRUCTURE),
  professional: async () => (await import('./professional.ts')).PROFESSIONAL,
  semantic: async () => (await import('./semantic.ts')).SEMANTIC,
  ai: async () => (await import('./ai.ts')).AI,
  'ai-pro': async () => (await import('./ai-pro.ts')).AI_PRO,
};

const loaded = new Map<TierId, Strategy>([
  ['free', FREE],
  ['structure', STRUCTURE],
]);

/** The code of a tier; undefined while it has not been fetched. */
export function strategyOf(id: TierId): Strategy | undefined {
  return loaded.get(id);
}

/** The code of a tier, fetched when it is not here yet. */
export async function loadStrategy(id: TierId): Promise<Strategy> {
  const strategy = loaded.get(id) ?? ((await loaders[id]()) as Strategy);
  loaded.set(id, strategy);
  return strategy;
}
