// From the packer's choice to cuts: overlap, context, and what a chunk is told about where it stands.
import type { Cut } from '../cut.ts';
import type { BlockKind } from '../document.ts';
import { leadOf, type Limits } from '../limits.ts';
import { boundaryBefore } from './boundaries.ts';
import type { PackOptions } from './options.ts';
import { gainsOf, type PackLimits } from './pack.ts';
import { type Atoms, FLAG, STRENGTH } from './atoms.ts';
import type { Measure } from './measure.ts';

/**
 * One cut for each chunk, which reaches from one of the first atoms to the one before the next. Linear.
 *
 * @param packed the limits that the packer had
 * @param dropBefore how far likeness falls before an atom, where the tier knows
 */
export function cutsOf(
  atoms: Atoms,
  chosen: Int32Array,
  limits: PackOptions,
  packed: PackLimits,
  measure: Measure,
  dropBefore?: (atom: number) => number | undefined,
): Cut[] {
  const gains = limits.boundaries === true ? gainsOf(atoms, packed) : undefined;
  const counts = measure.unit === 'token';
  const firsts = counts ? withinLimit(atoms, chosen, limits.size, measure) : chosen;
  const describe = new Description(atoms);
  const cuts: Growing[] = [];
  let previous: Growing | undefined;
  for (let index = 0; index < firsts.length; index++) {
    const first = firsts[index] ?? 0;
    const last = (firsts[index + 1] ?? atoms.count) - 1;
    const end = atoms.ends[last] ?? 0;
    let start = atoms.starts[first] ?? 0;
    let overlap = 0;
    if (previous !== undefined) {
      start = startOf(atoms, first, last, previous, limits, measure);
      overlap = Math.max(0, previous.end - start);
    }
    const cut: Growing = { start, end, overlap };
    const context = atoms.contexts[atoms.contextOf[first] ?? 0]?.parts;
    if (context !== undefined) cut.context = context;
    describe.chunk(cut, first, last);
    if (gains !== undefined && index > 0) {
      const boundary = boundaryBefore(atoms, packed, gains, firsts[index - 1] ?? 0, first, last + 1);
      const drop = dropBefore?.(first);
      cut.boundary = drop === undefined ? boundary : { ...boundary, drop };
    }
    const length = measure.behind(leadOf(context), start, end);
    if (counts) cut.tokenCount = length;
    if (length > limits.size) cut.oversize = true;
    cuts.push(cut);
    previous = cut;
  }
  return cuts;
}

/** A cut whose keys are still being set, those alone that have a value. */
type Growing = { -readonly [Key in keyof Cut]: Cut[Key] };

/**
 * The first atoms of chunks that are no longer than `size` by their true count, which may be more than the lengths of
 * runs say: a chunk that is too long is cut at its best gap, again and again; one of a single atom loses its context.
 */
function withinLimit(atoms: Atoms, chosen: Int32Array, size: number, measure: Measure): Int32Array {
  const { starts, ends, contextOf, contexts } = atoms;
  const firsts: number[] = [];
  for (const [index, start] of chosen.entries()) {
    // First atoms of the chunks still to be looked at, the next on top: each ends where the one below begins.
    const pending = [chosen[index + 1] ?? atoms.count, start];
    for (let first = pending.pop(); pending.length > 0; first = pending.pop()) {
      if (first === undefined) break;
      const last = (pending.at(-1) ?? 0) - 1;
      const lead = leadOf(contexts[contextOf[first] ?? 0]?.parts);
      const fits = measure.behind(lead, starts[first] ?? 0, ends[last] ?? 0) <= size;
      if (fits || first === last) {
        if (!fits) contextOf[first] = 0;
        firsts.push(first);
      } else {
        pending.push(bestGap(atoms, first, last), first);
      }
    }
  }
  return Int32Array.from(firsts);
}

/**
 * The atom before which a run is best cut in two: at the strongest gap behind no heading, of equal ones
 * nearest to the middle, which keeps the work in proportion also where all lengths were far too low.
 */
function bestGap({ starts, strengths, flags }: Atoms, first: number, last: number): number {
  const middle = ((starts[first] ?? 0) + (starts[last] ?? 0)) / 2;
  let best = last;
  let top = -Infinity;
  for (let at = first + 1; at <= last; at++) {
    const leads = ((flags[at - 1] ?? 0) & FLAG.leads) !== 0;
    const away = Math.abs((starts[at] ?? 0) - middle);
    const score = (leads ? -1 : (strengths[at] ?? 0)) - away / (1 + away);
    if (score > top) [top, best] = [score, at];
  }
  return best;
}

/**
 * Where a chunk starts with its overlap: at the earliest sentence that the limits reach without leaving the prose
 * before it. A chunk that begins with a heading or has context repeats nothing.
 */
function startOf(
  { starts, ends, strengths, flags, contextOf, lengths: { heads, tails } }: Atoms,
  first: number,
  last: number,
  previous: Cut,
  { size, overlap }: Limits,
  measure: Measure,
): number {
  let start = starts[first] ?? 0;
  if (overlap === 0 || contextOf[first] !== 0 || strengths[first] === STRENGTH.heading) return start;
  const end = ends[last] ?? 0;
  const holds = (from: number): boolean =>
    measure.length(from, previous.end) <= overlap && measure.length(from, end) <= size;
  for (let at = first - 1; at >= 0; at--) {
    const from = starts[at] ?? 0;
    if (((flags[at] ?? 0) & FLAG.repeats) === 0 || from <= previous.start) break;
    const head = heads[at] ?? 0;
    if ((tails[first - 1] ?? 0) - head > overlap || (tails[last] ?? 0) - head > size) break;
    if ((strengths[at] ?? 0) < STRENGTH.sentence) continue;
    if (measure.unit === 'utf16' || holds(from)) start = from;
  }
  return start;
}

/** Where a chunk stands: which sections and kinds of blocks it holds. One for each document, for what it remembers. */
export class Description {
  readonly #atoms: Atoms;
  readonly #paths = new Map<number, readonly string[]>();
  readonly #kindLists = new Map<number, readonly BlockKind[]>();

  constructor(atoms: Atoms) {
    this.#atoms = atoms;
  }

  /** Tells a cut that reaches from one atom to another where it stands. */
  chunk(cut: Growing, first: number, last: number): void {
    const section = this.sectionOf(first, last);
    if (section !== -1) cut.headingPath = this.#pathTo(section);
    if (this.#atoms.kinds.length > 0) cut.blockKinds = this.#kindsOf(first, last);
  }

  /** The innermost section that holds all the text of a chunk; its headings count only when it has nothing else. */
  sectionOf(first: number, last: number): number {
    const { flags, sections, sectionOf } = this.#atoms;
    if (sections.length === 0) return -1;
    let common: number | undefined;
    for (let at = first; at <= last; at++) {
      if (((flags[at] ?? 0) & FLAG.heading) !== 0) continue;
      const section = sectionOf[at] ?? -1;
      if (section !== common) common = common === undefined ? section : this.#commonOf(common, section);
    }
    return common ?? sectionOf[last] ?? -1;
  }

  /** The innermost section around two. A section stands behind those around it, so the later one steps out first. */
  #commonOf(one: number, other: number): number {
    const { sections } = this.#atoms;
    let [a, b] = [one, other];
    while (a !== b) {
      if (a > b) a = sections[a]?.parent ?? -1;
      else b = sections[b]?.parent ?? -1;
    }
    return a;
  }

  #pathTo(section: number): readonly string[] {
    const known = this.#paths.get(section);
    if (known !== undefined) return known;
    const path: string[] = [];
    for (let at = section; at !== -1; at = this.#atoms.sections[at]?.parent ?? -1)
      path.push(this.#atoms.sections[at]?.title ?? '');
    // A heading may be a picture.
    const said = path.reverse().filter((title) => title !== '');
    this.#paths.set(section, said);
    return said;
  }

  /** The kinds in the order in which a document has them first. */
  #kindsOf(first: number, last: number): readonly BlockKind[] {
    const { kindOf, kinds } = this.#atoms;
    let bits = 0;
    for (let at = first; at <= last; at++) bits |= 1 << (kindOf[at] ?? 0);
    const known = this.#kindLists.get(bits);
    if (known !== undefined) return known;
    const list = kinds.filter((_, index) => (bits & (1 << index)) !== 0);
    this.#kindLists.set(bits, list);
    return list;
  }
}
