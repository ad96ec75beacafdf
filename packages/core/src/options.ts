// Checks of options, made once, where a call begins, and all together, so that a caller learns every fault at once.
import { type OptionFault, refuse, unknownOptionFaults } from './errors.ts';
import { defaultSize, LIMIT_NAMES, limitFaults, type Limits } from './limits.ts';
import type { TierDescription } from './tiers/tier.ts';

/**
 * Checks the options of one call against what its tier takes, and fills in the defaults.
 *
 * @param callNames options that the call itself takes beyond the tier's (`tier`, `kind`, `signal`, …)
 * @throws ChunkError `invalid_options` with every fault
 */
export function resolveOptions(
  tier: TierDescription,
  given: object,
  callNames: readonly string[],
  otherFaults: readonly OptionFault[] = [],
): Limits {
  const options = given as Readonly<Record<string, unknown>>;
  const known = [...LIMIT_NAMES, ...tier.options, ...callNames];
  refuse([
    ...otherFaults,
    ...limitFaults(options),
    ...tier.check(options),
    ...unknownOptionFaults(options, known, `this call with the tier ${tier.id}`),
  ]);
  const { size = defaultSize(options['measure']), overlap = 0 } = options;
  // The checks above make this assertion true; a tier finds its own options beside the limits.
  return { ...options, size, overlap } as Limits;
}
