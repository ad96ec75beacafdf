// The tier `standard`: sentences, packed so that chunks begin at paragraphs and lines where they can. Reads no blocks:
// a heading stays with what follows it, an item of a list begins a line, and code and rows of tables go by lines.
import type { Cut } from '../cut.ts';
import type { Document } from '../document.ts';
import { Atoms, STRENGTH } from '../pack/atoms.ts';
import { cutsOf } from '../pack/cuts.ts';
import { LineReader } from '../pack/line-reader.ts';
import { measureOf } from '../pack/measure.ts';
import { type PackOptions, packLimits, wholeShare } from '../pack/options.ts';
import { pack } from '../pack/pack.ts';
import { Prose } from '../pack/prose.ts';
import { TIERS } from './registry.ts';
import type { Tier } from './tier.ts';

/** The tier `standard`. */
export const STANDARD: Tier<PackOptions> = {
  ...TIERS.standard,
  cut({ text }: Document, options: PackOptions): Cut[] {
    const limits = packLimits(options);
    const measure = measureOf(text, options.measure);
    const atoms = new Atoms(limits.size, measure, text.length);
    const whole = wholeShare(options) * limits.size;
    const prose = new Prose(atoms, text, { size: limits.size, longest: options.size, whole }, measure);
    new LineReader(prose, text).add(0, text.length, STRENGTH.paragraph);
    return cutsOf(atoms, pack(atoms, limits), options, limits, measure);
  },
};
