// The limits that every tier takes, their defaults and checks: how long a chunk may be, and in which unit.
import { type OptionFault, show } from './errors.ts';
import type { TokenCounter } from './measure.ts';

/** Options after defaults, as every tier receives them. */
export interface Limits {
  /** The longest a chunk may be, overlap and context included; an integer from 1. */
  readonly size: number;
  /** The most that a chunk repeats of the one before; an integer from 0, below `size`. */
  readonly overlap: number;
  /** Counts tokens, the unit of all limits then; without it that is the UTF-16 unit. */
  readonly measure?: TokenCounter;
}

/** Names of the options in {@link Limits}. */
export const LIMIT_NAMES = ['size', 'overlap', 'measure'] as const;

/** Default maximum of a chunk: in UTF-16 units, and in tokens, of which most embedding models read no more. */
const DEFAULT_UNITS = 1000;
const DEFAULT_TOKENS = 512;

/** The maximum of a chunk for whoever names none. */
export function defaultSize(measure: unknown): number {
  return measure === undefined ? DEFAULT_UNITS : DEFAULT_TOKENS;
}

/** What is wrong with the limits. */
export function limitFaults(options: Readonly<Record<string, unknown>>): OptionFault[] {
  const { measure, size = defaultSize(measure), overlap = 0 } = options;
  const faults: OptionFault[] = [];
  const sizeHolds = isIntegerFrom(1, size);
  if (!sizeHolds) faults.push({ option: 'size', expected: 'an integer from 1', received: show(size) });
  if (!isIntegerFrom(0, overlap) || (sizeHolds && overlap >= size)) {
    const expected = sizeHolds
      ? `an integer from 0 to ${size - 1}, below size`
      : 'an integer from 0, below size';
    faults.push({ option: 'overlap', expected, received: show(overlap) });
  }
  if (measure !== undefined && !isCounter(measure))
    faults.push({
      option: 'measure',
      expected: 'a token counter with the functions count and measure',
      received: show(measure),
    });
  return faults;
}

function isIntegerFrom(least: number, value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

function isCounter(value: unknown): boolean {
  const { count, measure } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof count === 'function' && typeof measure === 'function';
}
