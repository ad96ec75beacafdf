// From a draft to what stands at a chunk: as much of the context as fits below the maximum, and the truth about what is
// missing.
import type { Cut, Enriched, Enrichment, EnrichmentReason } from '../../cut.ts';
import { leadOf } from '../../limits.ts';
import type { Measure } from '../../pack/measure.ts';
import { type Draft, FIELDS, shortened } from './answer.ts';

/** A shorter context, in UTF-16 units, places nothing. */
const SHORTEST_CONTEXT = 20;
/** A context that is too long in tokens is tried at this share of its length, and so on. */
const NEXT_SHARE = 0.8;

/** Whether nothing is known. */
export function isEmpty({ fields }: Draft): boolean {
  return FIELDS.every((field) => fields[field] === undefined);
}

/** A cut with its enrichment. Its length, context included, stays within `size`. */
export function withEnrichment(cut: Cut, draft: Draft, size: number, measure: Measure): Cut {
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
 * The longest beginning of a context, to the end of a sentence or word, with which the chunk is no longer than it may
 * be.
 */
function fitting(cut: Cut, context: string | undefined, size: number, measure: Measure): string | undefined {
  let fits = context ?? '';
  if (measure.unit === 'utf16') fits = shortened(fits, size - lengthWith(cut, '', measure));
  while (fits.length >= SHORTEST_CONTEXT && lengthWith(cut, fits, measure) > size)
    fits = shortened(fits, Math.floor(NEXT_SHARE * fits.length));
  return fits.length >= SHORTEST_CONTEXT ? fits : undefined;
}

function lengthWith({ start, end, context }: Cut, said: string, measure: Measure): number {
  return measure.behind(leadOf(context, said), start, end);
}

/** What is missing and why, field by field; one reason for all when it is the same. */
function reasonsOf({ lacks }: Draft): EnrichmentReason[] {
  const [only, ...others] = new Set(lacks.values());
  if (lacks.size === FIELDS.length && only !== undefined && others.length === 0) return [{ reason: only }];
  return FIELDS.flatMap((field) => {
    const reason = lacks.get(field);
    return reason === undefined ? [] : [{ field, reason }];
  });
}
