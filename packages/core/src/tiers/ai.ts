// The tier `ai`: atoms as `structure` lays them out, cut where a language model says that a passage begins. The model
// sees numbered units in overlapping windows and answers with numbers; the packer enforces the maximum and the minimum.
// The model's decisions are handed out, so that the same document can be cut at another size without asking again.
import type { CompletionPlan } from '../complete.ts';
import type { Cut } from '../cut.ts';
import type { Document } from '../document.ts';
import { cutsOf } from '../pack/cuts.ts';
import { measureOf } from '../pack/measure.ts';
import { packLimits } from '../pack/options.ts';
import { pack, type PackLimits } from '../pack/pack.ts';
import { advise } from './ai/advise.ts';
import { adviceOf, checkDecisions, type Decisions } from './ai/decisions.ts';
import { unitsOf } from './ai/units.ts';
import type { TextUnits } from './ai/windows.ts';
import { type AiOptions, type StructureOptions, TIERS } from './registry.ts';
import { layOut } from './structure.ts';
import type { AsyncRun, AsyncTier } from './tier.ts';

/** The tier `ai`. */
export const AI: AsyncTier<AiOptions> = {
  ...TIERS.ai,
  async cutAsync(document: Document, options: AiOptions, run: AsyncRun): Promise<Cut[]> {
    const { decide, planCuts } = await import('./ai/decide.ts');
    const units = unitsOf(document);
    const plan = planCuts(document.text, units);
    const limits = packLimits(options);
    const decisions = await decide(document.text, units, plan, { ...options, target: limits.target }, run);
    run.onDecisions?.(decisions);
    return cutBy(document, units, decisions, options, limits);
  },
  cutAgain(document: Document, options: AiOptions, decisions: unknown): Cut[] {
    const units = unitsOf(document);
    return cutBy(document, units, checkDecisions(decisions, document.text, units), options);
  },
  async planCompletions(document: Document): Promise<CompletionPlan> {
    const { planCuts } = await import('./ai/decide.ts');
    return planCuts(document.text, unitsOf(document));
  },
};

/** The cuts that follow from decisions, within `limits`, which are no wider than those of the options. */
export function cutBy(
  document: Document,
  units: TextUnits,
  decisions: Decisions,
  options: StructureOptions,
  limits: PackLimits = packLimits(options),
): Cut[] {
  const measure = measureOf(document.text, options.measure);
  const laidOut = layOut(document, options, limits, measure);
  const { atoms, advice } = advise(document.text, laidOut, units, adviceOf(decisions), limits.size, measure);
  const packed = { ...limits, advice };
  return cutsOf(atoms, pack(atoms, packed), options, packed, measure);
}
