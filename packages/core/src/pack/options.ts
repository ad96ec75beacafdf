// The options that all tiers with the packer take, with their checks and defaults.
import { issueUnless, type OptionIssue } from '../errors.ts';
import { defaultSize, isIntegerWithin, type Limits } from '../limits.ts';
import type { PackLimits } from './pack.ts';

/** Options of the tiers that pack sentences and blocks. */
export interface PackOptions extends Limits {
  /** The length that the packer aims at: an integer from 1 to `size`. Default 0.55 × `size`. */
  readonly target?: number;
  /**
   * The packer avoids chunks shorter than this where a neighbour has room: an integer from 0 to the target. Default
   * about 25 tokens.
   */
  readonly min?: number;
  /** True when cuts are to carry the reasons for their boundaries. Default false. */
  readonly boundaries?: boolean;
}

/** Names of the options beyond `size` and `overlap`. */
export const PACK_OPTIONS: readonly string[] = ['target', 'min', 'boundaries'];

/** Default target as a share of the maximum: with full chunks the packer would have no choice of gaps. */
const TARGET_SHARE = 0.55;
/** The default minimum is 25 tokens, or 25 × 5 UTF-16 units, but no more than this share of the target. */
const LEAST_TOKENS = 25;
const LEAST = 125;
const LEAST_SHARE = 0.25;
/** A paragraph no longer than this share of the maximum becomes one atom, unless overlap needs its sentences. */
const WHOLE_SHARE = 0.35;

/** Issues of {@link PackOptions} beyond the limits. */
export function packIssues({
  measure,
  size = defaultSize(measure),
  target,
  min,
  boundaries = false,
}: Readonly<Record<string, unknown>>): OptionIssue[] {
  const sizeIs = typeof size === 'number' && size >= 1 ? size : Infinity;
  const targetHolds = target === undefined || isIntegerWithin(1, sizeIs, target);
  const most = targetHolds && target !== undefined ? target : sizeIs;
  const minHolds = min === undefined || isIntegerWithin(0, most, min);
  return [
    ...issueUnless(targetHolds, 'target', 'an integer from 1 to size', target),
    ...issueUnless(minHolds, 'min', 'an integer from 0 to the target', min),
    ...issueUnless(typeof boundaries === 'boolean', 'boundaries', 'true or false', boundaries),
  ];
}

/**
 * The limits of the packer. It subtracts the overlap from the maximum beforehand, at most half of the maximum, so that
 * a chunk with its overlap never exceeds `size`; other free room in a chunk serves overlap as well.
 */
export function packLimits({ measure, size, overlap, target, min }: PackOptions): PackLimits {
  const most = size - Math.min(overlap, Math.floor(size / 2));
  // A minimum above the default target means longer chunks, so it raises the target; a minimum limited to the default
  // would have no effect.
  const aim = Math.min(most, target ?? Math.max(1, Math.round(TARGET_SHARE * most), min ?? 0));
  return {
    size: most,
    target: aim,
    min: Math.min(
      aim,
      min ?? Math.min(measure === undefined ? LEAST : LEAST_TOKENS, Math.round(LEAST_SHARE * aim)),
    ),
  };
}

/** The share of the maximum up to which a paragraph becomes one atom. */
export function wholeShare({ overlap }: Limits): number {
  return overlap > 0 ? 0 : WHOLE_SHARE;
}
