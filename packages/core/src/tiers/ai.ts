// The tier `ai`: atoms as `structure` lays them out, cut where a language model says that a passage begins. The model sees
// numbered units in overlapping windows and answers numbers; the packer keeps the maximum and the minimum. What the
// model decided is handed out, and cuts the same document at another size without it.
import { COMPLETE_OPTIONS, completeFaults, type CompleteOptions } from '../complete.ts';
import type { Cut } from '../cut.ts';
import type { Document } from '../document.ts';
import { cutsOf } from '../pack/cuts.ts';
import { measureOf } from '../pack/measure.ts';
import { packLimits } from '../pack/options.ts';
import { pack } from '../pack/pack.ts';
import { advise } from './ai/advise.ts';
import { decide } from './ai/ask.ts';
import { adviceOf, checkDecisions, type Decisions } from './ai/decisions.ts';
import { type Units, unitsOf } from './ai/units.ts';
import { layOut, STRUCTURE, type StructureOptions } from './structure.ts';
import type { Tier, WaitingRun, WaitingTier } from './tier.ts';

/** Options of the tier `ai`. */
export interface AiOptions extends StructureOptions, CompleteOptions {}

/** The tier `ai`. */
export const AI: WaitingTier<AiOptions> = {
  id: 'ai',
  summary: 'As structure, cut where a language model says that a passage begins.',
  options: [...STRUCTURE.options, ...COMPLETE_OPTIONS],
  check: (options) => [...STRUCTURE.check(options), ...completeFaults(options)],
  async cutLater(document: Document, options: AiOptions, run: WaitingRun): Promise<Cut[]> {
    const units = unitsOf(document);
    const decisions = await decide(document.text, units, options, run);
    run.onDecisions?.(decisions);
    return cutBy(document, units, decisions, options);
  },
};

/** Cuts as a model has decided before. */
export function recutting(decisions: unknown): Tier<StructureOptions> {
  return {
    ...STRUCTURE,
    id: AI.id,
    cut(document: Document, options: StructureOptions): Cut[] {
      const units = unitsOf(document);
      return cutBy(document, units, checkDecisions(decisions, document.text, units), options);
    },
  };
}

function cutBy(document: Document, units: Units, decisions: Decisions, options: StructureOptions): Cut[] {
  const measure = measureOf(document.text, options.measure);
  const limits = packLimits(options);
  const laidOut = layOut(document, options, limits, measure);
  const { atoms, advice } = advise(document.text, laidOut, units, adviceOf(decisions), limits.size, measure);
  const packed = { ...limits, advice };
  return cutsOf(atoms, pack(atoms, packed), options, packed, measure);
}
