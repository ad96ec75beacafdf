import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { Atoms, FLAG, STRENGTH } from './atoms.ts';
import { type Measure, UTF16 } from './measure.ts';
import { pack, type PackLimits } from './pack.ts';

interface Piece {
  readonly length: number;
  readonly strength: number;
  readonly flags?: number;
}

/** Pieces one blank apart, none joined with its neighbour. */
function atomsOf(pieces: readonly Piece[], measure: Measure = UTF16): Atoms {
  const atoms = new Atoms(1, measure);
  let at = 0;
  for (const { length, strength, flags = 0 } of pieces) {
    atoms.add(at, at + length, strength, flags);
    at += length + 1;
  }
  return atoms;
}

const packed = (pieces: readonly Piece[], limits: PackLimits, measure?: Measure): number[] => [
  ...pack(atomsOf(pieces, measure), limits),
];

const LIMITS = { size: 100, target: 60, min: 15 };
const sentence = (length: number, flags = 0): Piece => ({ length, strength: STRENGTH.sentence, flags });
const paragraph = (length: number, flags = 0): Piece => ({ length, strength: STRENGTH.paragraph, flags });

/** The score of one way of cutting, written down a second time, from the formula. */
function totalOf(
  pieces: readonly Piece[],
  firsts: readonly number[],
  { size, target, min }: PackLimits,
): number {
  const { starts, ends } = atomsOf(pieces);
  let total = 0;
  for (const [index, first] of firsts.entries()) {
    const last = (firsts[index + 1] ?? pieces.length) - 1;
    const length = (ends[last] ?? 0) - (starts[first] ?? 0);
    if (length > size && last > first) return -Infinity;
    if (pieces.slice(first + 1, last + 1).some(({ flags = 0 }) => (flags & FLAG.startsChunk) !== 0))
      return -Infinity;
    const share = last === first && length > target ? 0.2 : 1;
    total -= 0.5 * share * Math.log(length / target) ** 2 + (length < min ? 1 : 0);
    total += gainOf(pieces, first, { size, target });
    const flags = last === pieces.length - 1 ? 0 : (pieces[last]?.flags ?? 0);
    if ((flags & FLAG.keepWithNext) !== 0) total -= 1000;
    else if ((flags & FLAG.introduces) !== 0) total -= 4;
  }
  return total;
}

/** The gain of a gap, from the texts beside it. */
function gainOf(
  pieces: readonly Piece[],
  gap: number,
  { size, target }: Pick<PackLimits, 'size' | 'target'>,
): number {
  const { starts, ends } = atomsOf(pieces);
  const strength = pieces[gap]?.strength ?? 0;
  const gain = [-1, -0.6, -0.5, 0, 0.25, 0.5, 1][strength] ?? 0;
  if (gap === 0) return gain;
  /** The length from the last gap before to the first gap behind that are as strong as `least`. */
  const between = (least: number): number => {
    const before = pieces.findLastIndex((piece, at) => at < gap && piece.strength >= least);
    const behind = pieces.findIndex((piece, at) => at > gap && piece.strength >= least);
    return (ends[(behind === -1 ? pieces.length : behind) - 1] ?? 0) - (starts[Math.max(0, before)] ?? 0);
  };
  const scaled = strength === 4 || strength === 5 ? gain * Math.min(1, between(strength) / 2 / target) : gain;
  const isInSection =
    strength < STRENGTH.heading && pieces.some((piece) => piece.strength === STRENGTH.heading);
  return isInSection && between(STRENGTH.heading) <= Math.min(size, 2 * target)
    ? Math.min(-0.25, scaled)
    : scaled;
}

/** The best total over all ways of cutting. */
function bestTotal(pieces: readonly Piece[], limits: PackLimits): number {
  let best = -Infinity;
  for (let ways = 0; ways < 2 ** (pieces.length - 1); ways++) {
    const firsts = pieces
      .map((_, index) => index)
      .filter((index) => index === 0 || (ways >> (index - 1)) % 2 === 1);
    best = Math.max(best, totalOf(pieces, firsts, limits));
  }
  return best;
}

describe('pack', () => {
  const piece = fc.record({
    length: fc.integer({ min: 1, max: 120 }),
    strength: fc.integer({ min: 0, max: 6 }),
    flags: fc.constantFrom(0, 0, 0, FLAG.keepWithNext, FLAG.introduces, FLAG.repeatable, FLAG.startsChunk),
  });

  it('finds the best of all ways of cutting', () => {
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 9 }), (pieces) => {
        expect(totalOf(pieces, packed(pieces, LIMITS), LIMITS)).toBeCloseTo(bestTotal(pieces, LIMITS), 9);
      }),
      cases(100),
    );
  });

  it('makes no chunk of no atoms', () => {
    expect(packed([], LIMITS)).toEqual([]);
  });

  it('prefers paragraphs to sentences', () => {
    expect(packed([sentence(28), sentence(24), paragraph(28), sentence(28), sentence(28)], LIMITS)).toEqual([
      0, 2,
    ]);
  });

  it('keeps a section whole that fits, and cuts as long a text without headings', () => {
    const heading = { length: 8, strength: STRENGTH.heading, flags: FLAG.keepWithNext };
    const section = [heading, paragraph(40), paragraph(40)];
    const limits = { size: 100, target: 48, min: 15 };
    expect(packed([...section, ...section], limits)).toEqual([0, 3]);
    expect(packed(section.slice(1), limits)).toEqual([0, 1]);
  });

  it('leaves no heading behind, even at a bad size', () => {
    const heading = { length: 8, strength: STRENGTH.heading, flags: FLAG.keepWithNext };
    expect(packed([paragraph(60), heading, paragraph(90)], LIMITS)).toEqual([0, 1]);
    expect(packed([paragraph(85), heading, heading, paragraph(10)], LIMITS)).toEqual([0, 1]);
  });

  it('lets a heading end the document', () => {
    expect(packed([paragraph(30), paragraph(20, FLAG.keepWithNext)], LIMITS)).toEqual([0]);
  });

  it('counts the context of the atom that a chunk begins with', () => {
    const atoms = new Atoms(1, UTF16);
    atoms.add(0, 40, STRENGTH.paragraph, 0);
    atoms.context = atoms.contexts.push({ parts: [], length: 50 }) - 1;
    for (let at = 41; at < 200; at += 31) atoms.add(at, at + 30, STRENGTH.sentence, 0);
    expect([...pack(atoms, { size: 100, target: 100, min: 0 })]).toEqual([0, 2, 3, 4, 5, 6].slice(0, 6));
  });

  it('counts no context towards the target, so that rows do not stand alone below a long header', () => {
    const atoms = new Atoms(1, UTF16);
    atoms.context = atoms.contexts.push({ parts: [], length: 40 }) - 1;
    for (let at = 0; at < 180; at += 30) atoms.add(at, at + 29, STRENGTH.sentence, 0);
    expect([...pack(atoms, { size: 110, target: 55, min: 0 })]).toEqual([0, 2, 4]);
  });

  it('measures by the port it is given', () => {
    const tenfold: Measure = { ...UTF16, unit: 'token', length: (start, end) => 10 * (end - start) };
    const pieces = Array.from({ length: 6 }, () => sentence(4));
    expect(packed(pieces, LIMITS, tenfold)).toEqual([0, 2, 4]);
  });

  it('does work in proportion to the number of atoms', () => {
    const measured = (count: number): number => {
      let calls = 0;
      const counting: Measure = { ...UTF16, unit: 'token', length: (start, end) => (calls++, end - start) };
      packed(
        Array.from({ length: count }, () => sentence(10)),
        LIMITS,
        counting,
      );
      return calls;
    };
    expect(measured(20_000)).toBeLessThanOrEqual(2.01 * measured(10_000));
    expect(measured(10_000)).toBeLessThanOrEqual(2 * 10_000);
  });
});

describe('Atoms', () => {
  it('joins what is small against the maximum, so that a chunk has a bounded number', () => {
    const atoms = new Atoms(12_800, UTF16);
    for (let at = 0; at < 10_000; at += 2) atoms.add(at, at + 1, STRENGTH.line, 0);
    expect(atoms.count).toBeLessThanOrEqual(100);
    expect(atoms.end).toBe(9999);
  });

  it('joins nothing with a heading', () => {
    const atoms = new Atoms(12_800, UTF16);
    atoms.add(0, 3, STRENGTH.heading, FLAG.keepWithNext | FLAG.heading);
    atoms.add(4, 8, STRENGTH.paragraph, FLAG.repeatable);
    expect(atoms.count).toBe(2);
  });
});

describe('atoms', () => {
  it('of prose and code in turn are joined while they are short, and then nobody repeats them', () => {
    const atoms = new Atoms(1280, UTF16);
    for (let at = 0; at < 3000; at += 3)
      atoms.add(at, at + 2, STRENGTH.paragraph, at % 2 === 0 ? FLAG.repeatable : 0);
    // A maximum of 1280 joins up to 10 units: three atoms of 2 with the blanks between them.
    expect(atoms.count).toBe(334);
    expect([...atoms.flags.subarray(0, 333)].every((flags) => flags === 0)).toBe(true);
  });
});
