// Turns a draft into the enrichment of a chunk: with as much of the context as fits below the maximum, and with the
// reasons for missing fields.
import { type Cut, type Enriched, type Enrichment, type EnrichmentReason, contextPrefix } from '../../cut.ts';
import type { Measure } from '../../pack/measure.ts';
import { type EnrichmentDraft, FIELDS, shortened } from './answer.ts';

/** A context shorter than this, in UTF-16 units, has no information about the chunk's position and is dropped. */
const SHORTEST_CONTEXT = 20;
/** A context with too many tokens is shortened to this share of its length, repeatedly. */
const NEXT_SHARE = 0.8;

/** True for a draft without any field. */
export function isEmpty({ fields }: EnrichmentDraft): boolean {
  return FIELDS.every((field) => fields[field] === undefined);
}

/** Returns a cut with its enrichment. The chunk stays within `size`, context included. */
export function withEnrichment(cut: Cut, draft: EnrichmentDraft, size: number, measure: Measure): Cut {
  if (isEmpty(draft)) return { ...cut, enrichmentStatus: 'failed', enrichmentReasons: reasonsOf(draft) };
  const { title, summary, keywords = [], questions = [], entities = [] } = draft.fields;
  const context = fitting(cut, draft.fields.context, size, measure);
  if (context === undefined && draft.fields.context !== undefined) draft.lacks.set('context', 'too_long');
  const enrichment: Enrichment = {
    ...(title === undefined ? undefined : { title }),
    ...(summary === undefined ? undefined : { summary }),
    keywords,
    questions,
    entities,
    ...(context === undefined ? undefined : { context }),
  };
  const reasons = reasonsOf(draft);
  const enriched: Enriched =
    reasons.length === 0
      ? { enrichment, enrichmentStatus: 'complete' }
      : { enrichment, enrichmentStatus: 'partial', enrichmentReasons: reasons };
  if (cut.tokenCount === undefined || context === undefined) return { ...cut, ...enriched };
  return { ...cut, ...enriched, tokenCount: lengthWith(cut, context, measure) };
}

/**
 * The longest beginning of a context, up to the end of a sentence or word, with which the chunk does not exceed `size`.
 */
function fitting(cut: Cut, context: string | undefined, size: number, measure: Measure): string | undefined {
  let fits = context ?? '';
  if (measure.unit === 'utf16') fits = shortened(fits, size - lengthWith(cut, '', measure));
  while (fits.length >= SHORTEST_CONTEXT && lengthWith(cut, fits, measure) > size)
    fits = shortened(fits, Math.floor(NEXT_SHARE * fits.length));
  return fits.length >= SHORTEST_CONTEXT ? fits : undefined;
}

function lengthWith({ start, end, context }: Cut, modelContext: string, measure: Measure): number {
  return measure.withPrefix(contextPrefix(context, modelContext), start, end);
}

/** The reasons for missing fields: one for each, or a single reason when it is the same for all. */
function reasonsOf({ lacks }: EnrichmentDraft): EnrichmentReason[] {
  const [only, ...others] = new Set(lacks.values());
  if (lacks.size === FIELDS.length && only !== undefined && others.length === 0) return [{ reason: only }];
  return FIELDS.flatMap((field) => {
    const reason = lacks.get(field);
    return reason === undefined ? [] : [{ field, reason }];
  });
}
