// Checks of options, made once, where a call begins, and all together, so that a caller learns every issue at once.
import { type OptionIssue, assertNoIssues, unknownOptionIssues } from './errors.ts';
import { defaultSize, LIMIT_NAMES, limitIssues, type Limits } from './limits.ts';
import type { TierDescription } from './tiers/tier.ts';

/**
 * Checks the options of one call against what its tier takes, and fills in the defaults.
 *
 * @param callNames options that the call itself takes beyond the tier's (`tier`, `kind`, `signal`, …)
 * @param takersOf as in {@link unknownOptionIssues}
 * @throws ChunkError `invalid_options` with every issue
 */
export function resolveOptions(
  tier: TierDescription,
  given: object,
  callNames: readonly string[],
  otherIssues: readonly OptionIssue[] = [],
  takersOf?: (name: string) => string | undefined,
): Limits {
  const options = given as Readonly<Record<string, unknown>>;
  const known = [...LIMIT_NAMES, ...tier.options, ...callNames];
  assertNoIssues([
    ...otherIssues,
    ...limitIssues(options),
    ...tier.check(options),
    ...unknownOptionIssues(options, known, `this call with the tier ${tier.id}`, takersOf),
  ]);
  const { size = defaultSize(options['measure']), overlap = 0 } = options;
  // The checks above make this assertion true; a tier finds its own options beside the limits.
  return { ...options, size, overlap } as Limits;
}
