// Option checks, made once, where a call begins, and all together: a caller learns every fault in one go.
import { type OptionFault, refuse, show } from './errors.ts';
import type { Limits, Tier } from './tiers/tier.ts';

/** Default maximum of a chunk, in UTF-16 units. */
export const DEFAULT_SIZE = 1000;

const LIMIT_NAMES = ['size', 'overlap'] as const;

/**
 * Checks the options of one call against what its tier takes and fills in the defaults.
 *
 * @param callNames names that the call itself takes besides the tier's (`tier`, `kind`, `signal`, …)
 * @throws ChunkError `invalid_options` with every fault
 */
export function resolveOptions<Options extends Limits>(
  tier: Tier<Options>,
  given: object,
  callNames: readonly string[],
  otherFaults: readonly OptionFault[] = [],
): Options {
  const options = given as Readonly<Record<string, unknown>>;
  const known = [...LIMIT_NAMES, ...tier.options, ...callNames];
  refuse([...otherFaults, ...limitFaults(options), ...tier.check(options), ...unknownNames(options, known)]);
  // The checks above are what makes this assertion true.
  return { ...options, size: options['size'] ?? DEFAULT_SIZE, overlap: options['overlap'] ?? 0 } as Options;
}

function limitFaults({ size = DEFAULT_SIZE, overlap = 0 }: Readonly<Record<string, unknown>>): OptionFault[] {
  const faults: OptionFault[] = [];
  const sizeHolds = isIntegerFrom(1, size);
  if (!sizeHolds) faults.push({ option: 'size', expected: 'an integer from 1', received: show(size) });
  if (!isIntegerFrom(0, overlap) || (sizeHolds && overlap >= size)) {
    const expected = sizeHolds
      ? `an integer from 0 to ${size - 1}, below size`
      : 'an integer from 0, below size';
    faults.push({ option: 'overlap', expected, received: show(overlap) });
  }
  return faults;
}

function isIntegerFrom(least: number, value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

function unknownNames(options: Readonly<Record<string, unknown>>, known: readonly string[]): OptionFault[] {
  return Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      option: name,
      expected: `one of the known options (${known.join(', ')})`,
      received: 'unknown',
    }));
}
