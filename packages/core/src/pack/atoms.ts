// Atoms: the pieces that a chunk is made of, in order, each with the strength of the gap before it. Tiers differ in
// their atoms; the packer chooses the gaps to cut at. Typed arrays hold the atoms, since a book has 100,000 of them.
import type { ContextPart } from '../cut.ts';
import type { BlockKind, Span } from '../document.ts';
import { STRENGTHS } from '../sentences/strengths.ts';
import type { Measure } from './measure.ts';

/**
 * Strength of the gap before an atom, 0 to 6, as in `Boundary`. Two strengths are added to those of running text:
 * `character` (inside a word, or where a cut would tear a unit apart, such as before a closing bracket) and `heading`
 * (before a heading).
 */
export const STRENGTH = { character: 0, ...STRENGTHS, heading: 6 } as const;

/** Facts about an atom besides its range. Flags are bits that add up. */
export const FLAG = {
  /** A heading, table header or opening fence: a chunk must not end here if anything can follow. */
  keepWithNext: 1,
  /** A lead-in, which ends in a colon: a chunk should not end here. */
  introduces: 2,
  /** Prose, which the next chunk may repeat as its overlap. */
  repeatable: 4,
  /** A chunk must begin here. */
  startsChunk: 8,
  /** A heading, which belongs to the section that it opens. */
  heading: 16,
  /**
   * A question, a caption, or a line above an indented block: a necessary cut should come right behind this atom rather
   * than in the middle of the next block.
   */
  weaklyIntroduces: 32,
} as const;

/** Text injected before every chunk that begins with a certain atom, with its length in the budget. */
export interface AtomContext {
  readonly parts: readonly ContextPart[];
  /**
   * Length of the parts with the line ends that join them to the text. In tokens it is approximate, because token
   * counts do not add up.
   */
  readonly length: number;
}

/** A section of the document: the text between a heading and the next one of its depth. The span is the heading's. */
export interface Section extends Span {
  readonly depth: number;
  readonly title: string;
  /** Index of the section around it, or -1. */
  readonly parent: number;
}

/** Lengths of runs of atoms: the run from `first` to `last` has the length `tails[last] - heads[first]`. */
export interface RunLengths {
  readonly heads: Int32Array;
  readonly tails: Int32Array;
}

/**
 * The atoms of one document. Add them in order; an atom is neither empty nor blank, and holds no blank at its edges.
 */
export class Atoms {
  count = 0;
  starts: Int32Array;
  ends: Int32Array;
  strengths: Uint8Array;
  flags: Uint8Array;
  /** Index into `kinds`. */
  kindOf: Uint8Array;
  /** Index into `contexts`. */
  contextOf: Int32Array;
  /** Index into `sections`, or -1. */
  sectionOf: Int32Array;
  /**
   * Contexts that atoms refer to. The first entry stands for no context, because V8 takes long to find nothing at -1.
   */
  readonly contexts: (AtomContext | undefined)[] = [undefined];
  readonly sections: Section[] = [];
  readonly kinds: BlockKind[] = [];
  /** Kind, context and section of the atoms that will be added next. */
  kind = 0;
  context = 0;
  section = -1;
  /**
   * Neighbouring atoms are joined while they are together no longer than this, which bounds the number of atoms in a
   * chunk, whatever the text.
   */
  readonly #grain: number;
  readonly #measure: Measure;
  #known: RunLengths | undefined;

  /**
   * @param size the maximum of a chunk, in the unit of the measure
   * @param textLength length of the text, when most of it becomes atoms; it saves growing the arrays again and again
   */
  constructor(size: number, measure: Measure, textLength = 0) {
    const capacity = Math.max(FIRST_CAPACITY, Math.ceil(textLength / USUAL_LENGTH));
    this.starts = new Int32Array(capacity);
    this.ends = new Int32Array(capacity);
    this.strengths = new Uint8Array(capacity);
    this.flags = new Uint8Array(capacity);
    this.kindOf = new Uint8Array(capacity);
    this.contextOf = new Int32Array(capacity);
    this.sectionOf = new Int32Array(capacity);
    this.#grain = Math.floor(size / GRAINS);
    this.#measure = measure;
  }

  add(start: number, end: number, strength: number, flags: number): void {
    this.#known = undefined;
    if (this.#joinsLast(end, flags)) {
      this.ends[this.count - 1] = end;
      this.flags[this.count - 1] = flags & (this.flags[this.count - 1] ?? 0);
      this.sectionOf[this.count - 1] = this.section;
      return;
    }
    if (this.count === this.starts.length) this.#grow();
    const index = this.count++;
    this.starts[index] = start;
    this.ends[index] = end;
    this.strengths[index] = strength;
    this.flags[index] = flags;
    this.kindOf[index] = this.kind;
    this.contextOf[index] = this.context;
    this.sectionOf[index] = this.section;
  }

  /** Sets the block kind of the atoms added from now on. */
  enter(kind: BlockKind): void {
    if (this.kinds[this.kind] === kind) return;
    const known = this.kinds.indexOf(kind);
    this.kind = known === -1 ? this.kinds.push(kind) - 1 : known;
  }

  /** The end of the last atom; 0 before the first. */
  get end(): number {
    return this.count === 0 ? 0 : (this.ends[this.count - 1] ?? 0);
  }

  /**
   * Lengths of runs of the atoms added so far. In UTF-16 units they are exact. In tokens the length of an atom is the
   * number of tokens that it adds to the atom before, found with two counts of neighbours: exact where an atom changes
   * only its neighbours' tokens.
   */
  get lengths(): RunLengths {
    if (this.#measure.unit === 'utf16') return { heads: this.starts, tails: this.ends };
    this.#known ??= this.#counted();
    return this.#known;
  }

  #counted(): RunLengths {
    const { starts, ends, count } = this;
    const measure = this.#measure;
    const heads = new Int32Array(count);
    const tails = new Int32Array(count);
    for (let at = 0, before = 0, tail = 0; at < count; at++) {
      const [start = 0, end = 0] = [starts[at], ends[at]];
      tail += measure.length(at === 0 ? start : (starts[at - 1] ?? 0), end) - before;
      before = measure.length(start, end);
      tails[at] = tail;
      heads[at] = tail - before;
    }
    return { heads, tails };
  }

  #joinsLast(end: number, flags: number): boolean {
    if (this.#grain === 0 || this.count === 0) return false;
    const last = this.count - 1;
    return (
      ((this.flags[last] ?? 0) | FLAG.repeatable) === (flags | FLAG.repeatable) &&
      (flags & FLAG.startsChunk) === 0 &&
      this.contextOf[last] === this.context &&
      this.#measure.length(this.starts[last] ?? 0, end) <= this.#grain
    );
  }

  #grow(): void {
    this.starts = enlarged(this.starts, new Int32Array(2 * this.count));
    this.ends = enlarged(this.ends, new Int32Array(2 * this.count));
    this.contextOf = enlarged(this.contextOf, new Int32Array(2 * this.count));
    this.sectionOf = enlarged(this.sectionOf, new Int32Array(2 * this.count));
    this.strengths = enlarged(this.strengths, new Uint8Array(2 * this.count));
    this.flags = enlarged(this.flags, new Uint8Array(2 * this.count));
    this.kindOf = enlarged(this.kindOf, new Uint8Array(2 * this.count));
  }
}

const FIRST_CAPACITY = 256;
/** Estimated UTF-16 units of an atom, about a sentence; gives the first capacity of the arrays. */
const USUAL_LENGTH = 64;

/**
 * Atoms of up to a chunk's maximum over this are joined, so any two neighbours are longer, and a chunk has at most
 * twice as many atoms as this.
 */
const GRAINS = 128;

function enlarged<Numbers extends Int32Array | Uint8Array>(from: Numbers, into: Numbers): Numbers {
  into.set(from);
  return into;
}
