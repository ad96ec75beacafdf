// The sections around chunks, for the option `parents`: spans and names of sections, from the headings that the tier
// has found. A search can find a small chunk and read the section that holds it.
import type { ParentSection } from '../cut.ts';
import type { Atoms } from './atoms.ts';

/** The sections of one document with their whole spans. One object serves all chunks of a section. */
export class ParentSections {
  readonly #atoms: Atoms;
  readonly #sections: readonly ParentSection[];
  readonly #document: ParentSection;

  /** Linear in the number of sections, up to a logarithm. */
  constructor(atoms: Atoms) {
    this.#atoms = atoms;
    const { starts, ends, count } = atoms;
    this.#document = { start: starts[0] ?? 0, end: ends[count - 1] ?? 0, headingPath: [], occurrence: 0 };
    this.#sections = withNames(atoms, endsOf(atoms));
  }

  /** The section with an index, or the whole document for -1; and the section around it, which the document has not. */
  around(section: number): readonly [ParentSection, ParentSection?] {
    const own = this.#sections[section];
    if (own === undefined) return [this.#document];
    return [own, this.#sections[this.#atoms.sections[section]?.parent ?? -1] ?? this.#document];
  }
}

/** The end of the text of each section: that of the last atom before the next heading of its depth or less. */
function endsOf({ sections, starts, ends, count }: Atoms): number[] {
  const next = sections.map(() => Infinity);
  const open: number[] = [];
  for (const [index, { start, parent }] of sections.entries()) {
    // The sections still open are those around this one: its parent is the last of them that goes on.
    while (open.length > 0 && open.at(-1) !== parent) next[open.pop() ?? 0] = start;
    open.push(index);
  }
  return next.map((limit) => {
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((starts[middle] ?? 0) < limit) low = middle;
      else high = middle - 1;
    }
    return ends[low] ?? 0;
  });
}

function withNames({ sections }: Atoms, ends: readonly number[]): ParentSection[] {
  const seen = new Map<string, number>();
  const named: ParentSection[] = [];
  for (const [index, { start, title, parent }] of sections.entries()) {
    const above = named[parent]?.headingPath ?? [];
    // The title of a heading that is a picture may be empty.
    const headingPath = title === '' ? above : [...above, title];
    // No title contains a line end.
    const key = headingPath.join('\n');
    const occurrence = seen.get(key) ?? 0;
    seen.set(key, occurrence + 1);
    named.push({ start, end: ends[index] ?? start, headingPath, occurrence });
  }
  return named;
}
