// The limits that every tier takes, with their defaults and checks: the length of a chunk and its unit.
import { issueUnless, type OptionIssue } from './errors.ts';
import type { TokenCounter } from './measure.ts';

/** The limits after defaults, as every tier receives them. */
export interface Limits {
  /** The longest a chunk may be, overlap and context included; an integer from 1. */
  readonly size: number;
  /** The most that a chunk repeats of the one before; an integer from 0, below `size`. */
  readonly overlap: number;
  /** A token counter, whose tokens are then the unit of all limits; without one the unit is the UTF-16 unit. */
  readonly measure?: TokenCounter;
}

/** Names of the options in {@link Limits}. */
export const LIMIT_NAMES = ['size', 'overlap', 'measure'] as const;

/**
 * Default maximum of a chunk, by unit: 1000 UTF-16 units, or 512 tokens, because most embedding models read no more.
 */
export const DEFAULT_SIZE = { characters: 1000, tokens: 512 } as const;

/** The default `size` for a given option `measure`. */
export function defaultSize(measure: unknown): number {
  return measure === undefined ? DEFAULT_SIZE.characters : DEFAULT_SIZE.tokens;
}

/** Issues of the limits. */
export function limitIssues(options: Readonly<Record<string, unknown>>): OptionIssue[] {
  const { measure, size = defaultSize(measure), overlap = 0 } = options;
  const sizeHolds = isIntegerWithin(1, Infinity, size);
  const most = sizeHolds ? size - 1 : Infinity;
  return [
    ...issueUnless(sizeHolds, 'size', 'an integer from 1', size),
    ...issueUnless(
      isIntegerWithin(0, most, overlap),
      'overlap',
      `an integer from 0${sizeHolds ? ` to ${most}` : ''}, below size`,
      overlap,
    ),
    ...issueUnless(
      measure === undefined || isCounter(measure),
      'measure',
      "a token counter: await tokenCounter('o200k') of @grainline/models/tokens, or its name in the package grainline",
      measure,
    ),
  ];
}

/** True for an integer from `least` to `most`. */
export function isIntegerWithin(least: number, most: number, value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

/** True for a token counter. */
export function isCounter(value: unknown): boolean {
  const { count, measure } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof count === 'function' && typeof measure === 'function';
}
