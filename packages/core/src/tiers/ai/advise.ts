// Turns decisions about units into the input of the packer: the atoms for chunks of a certain size, split at the
// model's cuts, and the advice about the gap before each. A table or code that fits into one chunk stays whole in spite
// of the model.
import { skipBlankBack } from '../../blocks/lines.ts';
import { Atoms, FLAG, STRENGTH } from '../../pack/atoms.ts';
import type { Measure } from '../../pack/measure.ts';
import { ADVICE } from './decisions.ts';
import type { TextUnits } from './windows.ts';

/** Atoms with the advice about the gap before each. */
export interface AdvisedAtoms {
  readonly atoms: Atoms;
  readonly advice: Int8Array;
}

/**
 * The atoms with the advice; atoms of prose are split at the model's cuts. In a passage that is longer than `size` the
 * packer has to cut anyway, so it gets no advice to keep the gaps there.
 */
export function advise(
  text: string,
  laidOut: Atoms,
  units: TextUnits,
  unitAdvice: Int8Array,
  size: number,
  measure: Measure,
): AdvisedAtoms {
  const atoms = parted(text, laidOut, units, unitAdvice, size, measure);
  const advice = adviceFor(atoms, units, unitAdvice);
  freeLongPassages(atoms, advice, size);
  return { atoms, advice };
}

/**
 * Splits atoms of prose at the model's cuts. It drops a cut whose part would have too many tokens; with a counter whose
 * counts do not add up, a part may have more tokens than the whole.
 */
function parted(
  text: string,
  laidOut: Atoms,
  units: TextUnits,
  unitAdvice: Int8Array,
  size: number,
  measure: Measure,
): Atoms {
  // Size 0 keeps small atoms from being joined, which would undo the cuts. There are no more atoms than before and
  // cuts.
  const atoms = new Atoms(0, measure);
  atoms.contexts.push(...laidOut.contexts.slice(1));
  atoms.sections.push(...laidOut.sections);
  atoms.kinds.push(...laidOut.kinds);
  let unit = 0;
  for (let at = 0; at < laidOut.count; at++) {
    const [start = 0, end = 0, flags = 0] = [laidOut.starts[at], laidOut.ends[at], laidOut.flags[at]];
    atoms.kind = laidOut.kindOf[at] ?? 0;
    atoms.context = laidOut.contextOf[at] ?? 0;
    atoms.section = laidOut.sectionOf[at] ?? -1;
    let strength = laidOut.strengths[at] ?? 0;
    let from = start;
    while (unit < units.starts.length && (units.starts[unit] ?? 0) <= start) unit++;
    for (; unit < units.starts.length && (units.starts[unit] ?? 0) < end; unit++) {
      if (
        unitAdvice[unit] !== ADVICE.cut ||
        (flags & ~(FLAG.introduces | FLAG.weaklyIntroduces)) !== FLAG.repeatable
      )
        continue;
      const cut = units.starts[unit] ?? 0;
      const last = skipBlankBack(text, from, cut);
      if (measure.length(from, last) > size || measure.length(cut, end) > size) continue;
      atoms.add(from, last, strength, FLAG.repeatable);
      [from, strength] = [cut, STRENGTH.sentence];
    }
    atoms.add(from, end, strength, flags);
  }
  return atoms;
}

/**
 * The advice about the gap before each atom: to cut, if the model cuts there, else the advice for the units around it.
 */
function adviceFor(atoms: Atoms, units: TextUnits, unitAdvice: Int8Array): Int8Array {
  const advice = new Int8Array(atoms.count);
  let unit = 0;
  for (let at = 1; at < atoms.count; at++) {
    const [before = 0, start = 0] = [atoms.ends[at - 1], atoms.starts[at]];
    while (unit < units.starts.length && (units.starts[unit] ?? 0) < before) unit++;
    // Either a unit begins in the gap, or the gap is inside a unit, where no passage can begin.
    const begins = unit < units.starts.length && (units.starts[unit] ?? 0) <= start;
    if (begins) advice[at] = unitAdvice[unit] ?? ADVICE.none;
    else if (unit > 0 && unitAdvice[unit - 1] !== ADVICE.none) advice[at] = ADVICE.keep;
  }
  return advice;
}

/** Drops the advice to keep a passage together when it is longer than a chunk may be. */
function freeLongPassages(
  { count, lengths, contexts, contextOf }: Atoms,
  advice: Int8Array,
  size: number,
): void {
  const { heads, tails } = lengths;
  for (let first = 0, next: number; first < count; first = next) {
    next = first + 1;
    while (next < count && advice[next] !== ADVICE.cut) next++;
    const context = contexts[contextOf[first] ?? 0]?.length ?? 0;
    const length = (tails[next - 1] ?? 0) - (heads[first] ?? 0) + context;
    if (length > size) advice.fill(ADVICE.none, first + 1, next);
  }
}
