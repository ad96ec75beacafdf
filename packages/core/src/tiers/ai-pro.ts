// The tier `ai-pro`: chunks as `ai` makes them, a little smaller, each with a language model's description: title,
// summary, keywords, questions, names, and a context that is indexed before the text. The chunk's text is always the
// document's own.
import type { Cut } from '../cut.ts';
import type { Document } from '../document.ts';
import { measureOf } from '../pack/measure.ts';
import { packLimits } from '../pack/options.ts';
import type { PackLimits } from '../pack/pack.ts';
import { cutBy } from './ai.ts';
import { unitsOf } from './ai/units.ts';
import type { EnrichmentEstimate } from './ai-pro/enrich.ts';
import { type AiOptions, TIERS } from './registry.ts';
import { packBlocks } from './structure.ts';
import type { AsyncRun, AsyncTier } from './tier.ts';

/** Share of a chunk's maximum that the model's context may take; about 100 tokens are the other bound. */
const BUDGET_SHARE = 0.25;
const MOST_TOKENS = 100;
/** Estimated UTF-16 units in a token. */
const UNITS_PER_TOKEN = 4;
/**
 * Share of the context's budget that is kept free in every chunk by a smaller maximum. Most chunks are shorter than the
 * maximum and leave the rest free as well.
 */
const KEPT_SHARE = 0.5;

/** The tier `ai-pro`. */
export const AI_PRO: AsyncTier<AiOptions> = {
  ...TIERS['ai-pro'],
  async cutAsync(document: Document, options: AiOptions, run: AsyncRun): Promise<Cut[]> {
    const [{ decide }, { enrich }] = await modules();
    const units = unitsOf(document);
    const { limits, lengths } = limitsOf(options);
    const foreseen = await foreseeAll(document, options);
    const { plan } = foreseen;
    const decisions = await decide(document.text, units, plan, { ...options, target: limits.target }, run);
    run.onDecisions?.(decisions);
    const cuts = cutBy(document, units, decisions, options, limits);
    return enrich({ document, cuts, ...lengths }, foreseen, options, run);
  },
  planCompletions: async (document, options) => (await foreseeAll(document, options)).plan,
};

/** Loads the code that only a call of this tier needs. */
const modules = () => Promise.all([import('./ai/decide.ts'), import('./ai-pro/enrich.ts')]);

/** Estimates the requests of both stages. The number of chunks is that of `structure`. */
async function foreseeAll(document: Document, options: AiOptions): Promise<EnrichmentEstimate> {
  const [{ planCuts }, { estimateEnrichment: foresee }] = await modules();
  const { limits, lengths } = limitsOf(options);
  const { cuts } = packBlocks(document, options, limits, measureOf(document.text, options.measure));
  const first = planCuts(document.text, unitsOf(document));
  const { sections, plan } = foresee({ document, cuts, ...lengths });
  const both = {
    calls: first.calls + plan.calls,
    inputTokens: first.inputTokens + plan.inputTokens,
    outputTokens: first.outputTokens + plan.outputTokens,
  };
  return { sections, plan: both };
}

/** The packer's limits, and the lengths in UTF-16 units that the requests depend on. */
function limitsOf(options: AiOptions): {
  readonly limits: PackLimits;
  readonly lengths: { readonly target: number; readonly contextUnits: number };
} {
  const { size, measure } = options;
  const units = measure === undefined ? 1 : UNITS_PER_TOKEN;
  const budget = Math.min(BUDGET_SHARE * size, (MOST_TOKENS * UNITS_PER_TOKEN) / units);
  const limits = packLimits({ ...options, size: size - Math.floor(KEPT_SHARE * budget) });
  return { limits, lengths: { target: limits.target * units, contextUnits: budget * units } };
}
