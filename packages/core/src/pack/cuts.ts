// From the packer's choice to cuts: overlap, context, and what a chunk is told about where it stands.
import type { Cut } from '../cut.ts';
import type { BlockKind } from '../document.ts';
import type { Limits } from '../tiers/tier.ts';
import { type Atoms, FLAG, STRENGTH } from './atoms.ts';
import type { Measure } from './measure.ts';

/** One cut for each chunk, which reaches from one of the first atoms to the one before the next. Linear. */
export function cutsOf(atoms: Atoms, firsts: Int32Array, limits: Limits, measure: Measure): Cut[] {
  const describe = new Description(atoms);
  const cuts: Cut[] = [];
  let previous: Cut | undefined;
  for (const [index, first] of firsts.entries()) {
    const last = (firsts[index + 1] ?? atoms.count) - 1;
    const end = atoms.ends[last] ?? 0;
    const start =
      previous === undefined
        ? (atoms.starts[first] ?? 0)
        : startOf(atoms, first, end, previous, limits, measure);
    const context = atoms.contexts[atoms.contextOf[first] ?? -1];
    previous = {
      start,
      end,
      overlap: previous === undefined ? 0 : Math.max(0, previous.end - start),
      ...(context === undefined ? undefined : { context: context.parts }),
      ...describe.chunk(first, last),
      ...(measure.length(start, end) > limits.size ? { oversize: true } : undefined),
    };
    cuts.push(previous);
  }
  return cuts;
}

/**
 * Where a chunk starts with its overlap: at the earliest sentence that the limits reach without leaving the prose
 * before it. A chunk that begins with a heading or has context repeats nothing.
 */
function startOf(
  { starts, strengths, flags, contextOf }: Atoms,
  first: number,
  end: number,
  previous: Cut,
  { size, overlap }: Limits,
  measure: Measure,
): number {
  let start = starts[first] ?? 0;
  if (overlap === 0 || contextOf[first] !== -1 || strengths[first] === STRENGTH.heading) return start;
  for (let at = first - 1; at >= 0; at--) {
    const from = starts[at] ?? 0;
    if (((flags[at] ?? 0) & FLAG.repeats) === 0 || from <= previous.start) break;
    if (measure.length(from, previous.end) > overlap || measure.length(from, end) > size) break;
    if ((strengths[at] ?? 0) >= STRENGTH.sentence) start = from;
  }
  return start;
}

/** Where a chunk stands: which sections and kinds of blocks it holds. One for each document, for what it remembers. */
export class Description {
  private readonly atoms: Atoms;
  private readonly paths = new Map<number, readonly string[]>();
  private readonly kindLists = new Map<number, readonly BlockKind[]>();

  constructor(atoms: Atoms) {
    this.atoms = atoms;
  }

  /** Of the chunk that reaches from one atom to another; keys that have no value are absent. */
  chunk(first: number, last: number): Pick<Cut, 'headingPath' | 'blockKinds'> {
    const section = this.sectionOf(first, last);
    return {
      ...(section === -1 ? undefined : { headingPath: this.pathTo(section) }),
      ...(this.atoms.kinds.length === 0 ? undefined : { blockKinds: this.kindsOf(first, last) }),
    };
  }

  /** The innermost section that holds all the text of a chunk; its headings count only when it has nothing else. */
  sectionOf(first: number, last: number): number {
    const { flags, sectionOf } = this.atoms;
    let common: number | undefined;
    for (let at = first; at <= last; at++) {
      if (((flags[at] ?? 0) & FLAG.heading) !== 0) continue;
      const section = sectionOf[at] ?? -1;
      if (section !== common) common = common === undefined ? section : this.commonOf(common, section);
    }
    return common ?? sectionOf[last] ?? -1;
  }

  /** The innermost section around two. A section stands behind those around it, so the later one steps out first. */
  private commonOf(one: number, other: number): number {
    const { sections } = this.atoms;
    let [a, b] = [one, other];
    while (a !== b) {
      if (a > b) a = sections[a]?.parent ?? -1;
      else b = sections[b]?.parent ?? -1;
    }
    return a;
  }

  private pathTo(section: number): readonly string[] {
    const known = this.paths.get(section);
    if (known !== undefined) return known;
    const path: string[] = [];
    for (let at = section; at !== -1; at = this.atoms.sections[at]?.parent ?? -1)
      path.push(this.atoms.sections[at]?.title ?? '');
    this.paths.set(section, path.reverse());
    return path;
  }

  /** The kinds in the order in which a document has them first. */
  private kindsOf(first: number, last: number): readonly BlockKind[] {
    const { kindOf, kinds } = this.atoms;
    let bits = 0;
    for (let at = first; at <= last; at++) bits |= 1 << (kindOf[at] ?? 0);
    const known = this.kindLists.get(bits) ?? kinds.filter((_, index) => (bits & (1 << index)) !== 0);
    this.kindLists.set(bits, known);
    return known;
  }
}
