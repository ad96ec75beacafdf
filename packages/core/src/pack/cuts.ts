// From the packer's choice to cuts: adds overlap, context, and the position of each chunk in the document.
import { type Cut, contextPrefix } from '../cut.ts';
import type { BlockKind } from '../document.ts';
import type { Limits } from '../limits.ts';
import { boundaryBefore } from './boundaries.ts';
import type { PackOptions } from './options.ts';
import { ParentSections } from './parents.ts';
import { gainsOf, type PackLimits } from './pack.ts';
import { type Atoms, FLAG, STRENGTH } from './atoms.ts';
import type { Measure } from './measure.ts';

/**
 * Makes one cut for each chunk. A chunk reaches from the atom in `chosen` to the atom before the next one in it.
 * Linear.
 *
 * @param chosen the first atom of each chunk, ascending
 * @param packed the limits that the packer had
 * @param likeness the drop in likeness before an atom and its certainty, in tiers with an embedder
 */
export function cutsOf(
  atoms: Atoms,
  chosen: Int32Array,
  limits: CutOptions,
  packed: PackLimits,
  measure: Measure,
  likeness?: BoundaryLikeness,
): Cut[] {
  const gains = limits.boundaries === true ? gainsOf(atoms, packed) : undefined;
  const counts = measure.unit === 'token';
  const firsts = counts ? withinLimit(atoms, chosen, limits.size, measure) : chosen;
  const locator = new ChunkLocator(atoms);
  const parents = limits.parents === true ? new ParentSections(atoms) : undefined;
  const cuts: MutableCut[] = [];
  let previous: MutableCut | undefined;
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
    const cut: MutableCut = { start, end, overlap };
    const context = atoms.contexts[atoms.contextOf[first] ?? 0]?.parts;
    if (context !== undefined) cut.context = context;
    locator.locate(cut, first, last);
    if (parents !== undefined) cut.sections = parents.around(locator.sectionOf(first, last));
    if (gains !== undefined && index > 0) {
      const before = firsts[index - 1] ?? 0;
      const boundary = boundaryBefore(atoms, packed, gains, before, first, last + 1);
      const drop = likeness?.dropBefore(first);
      const certainty = likeness?.certaintyBefore?.(first);
      cut.boundary =
        drop === undefined || certainty === undefined ? boundary : { ...boundary, drop, certainty };
    }
    const length = measure.withPrefix(contextPrefix(context), start, end);
    if (counts) cut.tokenCount = length;
    if (length > limits.size) cut.oversize = true;
    cuts.push(cut);
    previous = cut;
  }
  return cuts;
}

/** Boundaries as an embedder judges them. */
interface BoundaryLikeness {
  readonly dropBefore: (atom: number) => number | undefined;
  readonly certaintyBefore?: (atom: number) => number;
}

/** The options that decide what cuts carry. */
interface CutOptions extends PackOptions {
  readonly parents?: boolean;
}

/** A cut under construction; only keys with a value are set. */
type MutableCut = { -readonly [Key in keyof Cut]: Cut[Key] };

/**
 * Refines the packer's choice until no chunk exceeds `size` by its true token count, which may be more than the
 * estimated lengths of its runs. A chunk that is too long is cut at its best gap, repeatedly; a chunk of a single atom
 * loses its context instead.
 */
function withinLimit(atoms: Atoms, chosen: Int32Array, size: number, measure: Measure): Int32Array {
  const { starts, ends, contextOf, contexts } = atoms;
  const firsts: number[] = [];
  for (const [index, start] of chosen.entries()) {
    // A stack of the first atoms of chunks still to be checked: each chunk ends where the one below it in the stack
    // begins.
    const pending = [chosen[index + 1] ?? atoms.count, start];
    for (let first = pending.pop(); pending.length > 0; first = pending.pop()) {
      if (first === undefined) break;
      const last = (pending.at(-1) ?? 0) - 1;
      const prefix = contextPrefix(contexts[contextOf[first] ?? 0]?.parts);
      const fits = measure.withPrefix(prefix, starts[first] ?? 0, ends[last] ?? 0) <= size;
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
 * The atom before which a run of atoms is best cut in two: at the strongest gap that follows no heading. Of equal gaps
 * the one nearest to the middle is taken, which keeps the work linear even where all lengths were estimated far too
 * low.
 */
function bestGap({ starts, strengths, flags }: Atoms, first: number, last: number): number {
  const middle = ((starts[first] ?? 0) + (starts[last] ?? 0)) / 2;
  let best = last;
  let top = -Infinity;
  for (let at = first + 1; at <= last; at++) {
    const keepsWithNext = ((flags[at - 1] ?? 0) & FLAG.keepWithNext) !== 0;
    const away = Math.abs((starts[at] ?? 0) - middle);
    const score = (keepsWithNext ? -1 : (strengths[at] ?? 0)) - away / (1 + away);
    if (score > top) [top, best] = [score, at];
  }
  return best;
}

/**
 * The start of a chunk with its overlap: the earliest sentence within the limits, without leaving the prose before the
 * chunk. A chunk that begins with a heading or has context gets no overlap.
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
    if (((flags[at] ?? 0) & FLAG.repeatable) === 0 || from <= previous.start) break;
    const head = heads[at] ?? 0;
    if ((tails[first - 1] ?? 0) - head > overlap || (tails[last] ?? 0) - head > size) break;
    if ((strengths[at] ?? 0) < STRENGTH.sentence) continue;
    if (measure.unit === 'utf16' || holds(from)) start = from;
  }
  return start;
}

/**
 * Finds the position of chunks: the headings above them, and the kinds of their blocks. One instance serves a document
 * and caches the lists, so that chunks share them.
 */
export class ChunkLocator {
  readonly #atoms: Atoms;
  readonly #paths = new Map<number, readonly string[]>();
  readonly #kindLists = new Map<number, readonly BlockKind[]>();

  constructor(atoms: Atoms) {
    this.#atoms = atoms;
  }

  /** Sets the position of a cut from the atom `first` to the atom `last`. */
  locate(cut: MutableCut, first: number, last: number): void {
    const section = this.sectionOf(first, last);
    if (section !== -1) cut.headingPath = this.#pathTo(section);
    if (this.#atoms.kinds.length > 0) cut.blockKinds = this.#kindsOf(first, last);
  }

  /**
   * The innermost section that holds all the text of a chunk. The chunk's own headings count only when it holds nothing
   * else.
   */
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

  /**
   * The innermost section around two sections. Sections come after those around them, so of two different ones the
   * later is replaced by its parent.
   */
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
    // The title of a heading that is a picture may be empty.
    const titles = path.reverse().filter((title) => title !== '');
    this.#paths.set(section, titles);
    return titles;
  }

  /** The kinds in the order of their first use in the document. */
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
