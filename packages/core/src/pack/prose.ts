// Prose → atoms: sentences, and parts of sentences that are too long, cut evenly near clause marks, else between words,
// else between grapheme clusters, else between code points. Used by every tier for all running text.
import { endsInColon, lineEnd, lineStart, skipBlank, skipBlankBack } from '../blocks/lines.ts';
import { sentences } from '../sentences/scan.ts';
import {
  clusterAt,
  isBlank,
  isSettledBoundary,
  isUnspaced,
  splitsPair,
  wordBoundaryBefore,
} from '../unicode.ts';
import { type Atoms, FLAG, STRENGTH } from './atoms.ts';
import { breakNear, isClauseMark, isWideClauseMark, WIDEST_WRAP } from './breaks.ts';
import { entriesIn } from './entries.ts';
import { EscapedBreaks } from './escapes.ts';
import type { Measure } from './measure.ts';

/** A sentence longer than this is cut … */
const LONG_SENTENCE = { utf16: 378, token: 90 } as const;
/** … or one longer than this share of the maximum. */
const LONG_SHARE = 0.6;
/** The parts are drawn to this share of the length at which a sentence counts as long, about 60 tokens. */
const PART_SHARE = 2 / 3;
/**
 * Greatest distance of a part's end from the even offset, as a share of the part's length; keeps the part under the
 * maximum.
 */
const LEEWAY = 1 / 3;
/**
 * The search for words of scripts without blanks reaches this far, in UTF-16 units, and at least as far as the leeway.
 */
const FARTHEST_WORD = 32;
const LEAST_LEEWAY = 4;
/** When less than this share of the maximum is left behind a heading, small pieces are not worth it. */
const LEAST_ROOM = 0.25;

/** Most headings above one another to search backwards; no author writes as many. */
const MOST_HEADINGS = 64;

/** The longest atoms that {@link Prose} adds, in the unit of its measure. */
export interface ProseLimits {
  /** The maximum of an atom. */
  readonly size: number;
  /** The maximum of a chunk: a single cluster may take the share reserved for overlap. */
  readonly longest: number;
  /** A range no longer than this, and than a long sentence, is left whole, unread. */
  readonly whole: number;
}

/** Adds the atoms of ranges of one text. */
export class Prose {
  readonly #atoms: Atoms;
  readonly #text: string;
  readonly #size: number;
  readonly #longest: number;
  readonly #measure: Measure;
  readonly #long: number;
  readonly #escapedBreaks: EscapedBreaks;
  readonly #whole: number;
  /** A line end, searched once for all ranges before it. */
  #feed = -1;
  /** The end of a cluster that is split by code points, because no chunk could hold it. */
  #torn = 0;

  constructor(atoms: Atoms, text: string, { size, longest, whole }: ProseLimits, measure: Measure) {
    this.#atoms = atoms;
    this.#text = text;
    this.#size = size;
    this.#longest = longest;
    this.#measure = measure;
    this.#long = LONG_SENTENCE[measure.unit];
    this.#whole = Math.min(this.#long, whole);
    this.#escapedBreaks = new EscapedBreaks(text);
  }

  /** Adds a heading. No chunk ends on a heading that has text behind it. */
  addHeading(start: number, end: number): void {
    this.addLong(this.settled(start), end, STRENGTH.heading, FLAG.keepWithNext | FLAG.heading);
  }

  /** Adds the sentences of [start, end); the gaps between them are as strong as the lines between them. */
  addSentences(start: number, end: number, strength: number): void {
    let from = start;
    let gap = strength;
    for (
      let cut = this.#escapedBreaks.next(from, end);
      cut !== undefined;
      cut = this.#escapedBreaks.next(from, end)
    ) {
      this.#addRun(from, cut.at, gap);
      from = cut.at;
      gap = cut.strength;
    }
    this.#addRun(from, end, gap);
  }

  #addRun(start: number, end: number, strength: number): void {
    const begin = skipBlank(this.#text, start, end);
    if (begin === end || this.addWhole(begin, end, strength)) return;
    if (this.#feed < begin) this.#feed = lineEnd(this.#text, begin, this.#text.length);
    const entries = this.#feed < end ? entriesIn(this.#text, begin, end) : undefined;
    if (entries === undefined) {
      this.#addSentences(begin, end, strength);
      return;
    }
    let gap = strength;
    for (const [index, from] of entries.entries()) {
      const to = skipBlankBack(this.#text, from, entries[index + 1] ?? end);
      if (!this.addWhole(from, to, gap)) this.#addSentences(from, to, gap);
      gap = isWideLine(this.#text, to) ? STRENGTH.paragraph : STRENGTH.line;
    }
  }

  #addSentences(begin: number, end: number, strength: number): void {
    const { offsets, strengths } = sentences(this.#text, begin, end);
    let from = this.settled(begin);
    let gap = strength;
    let room = this.roomAt(begin);
    for (let index = 0; index < offsets.length; index++) {
      const to = offsets[index] ?? end;
      const last = skipBlankBack(this.#text, from, to);
      if (from < last) {
        this.addLong(from, last, gap, FLAG.repeatable, room);
        room = this.#size;
        gap = strengths[index] ?? STRENGTH.sentence;
        if (gap === STRENGTH.line && isWideLine(this.#text, last)) gap = STRENGTH.paragraph;
      }
      from = to;
    }
  }

  /** True for a range that is no longer than a chunk may be behind its headings. */
  fits(start: number, end: number): boolean {
    return this.#measure.length(start, end) <= this.roomAt(start);
  }

  /** True for a range that is short enough to stay whole, whatever sentences and lines it has. */
  staysWhole(start: number, end: number): boolean {
    return this.#whole > 0 && this.#measure.length(start, end) <= this.#whole;
  }

  /**
   * Adds [start, end), which is not all blank, if it is short enough to stay whole; otherwise adds nothing and returns
   * false.
   */
  addWhole(start: number, end: number, strength: number): boolean {
    if (!this.staysWhole(start, end)) return false;
    const begin = skipBlank(this.#text, start, end);
    this.addLong(
      this.settled(begin),
      skipBlankBack(this.#text, begin, end),
      strength,
      FLAG.repeatable,
      this.roomAt(begin),
    );
    return true;
  }

  /**
   * Adds lines through which no sentence runs: in one piece if that fits, else in parts of whole lines. Only a line
   * that is too long for a part is split.
   */
  addLines(start: number, end: number, strength: number): void {
    const text = this.#text;
    const last = skipBlankBack(text, start, end);
    let at = this.#lineAt(start, last);
    let gap = strength;
    let room = this.roomAt(at);
    let limit = this.fits(at, last) ? last - at : this.#limitFrom(at, room, last);
    while (last - at > limit) {
      const even = at + evenPart(last - at, limit);
      const feed = text.lastIndexOf('\n', even);
      const lineEnd = feed > at ? feed : text.indexOf('\n', even);
      const to = lineEnd === -1 || lineEnd > last ? last : lineEnd;
      this.addPiece(at, skipBlankBack(text, at, to), gap, FLAG.repeatable, room);
      at = this.#lineAt(to, last);
      gap = STRENGTH.clause;
      room = this.#size;
      limit = this.#limitFrom(at, room, last);
    }
    this.addPiece(at, last, gap, FLAG.repeatable, room);
  }

  /** The start of the first line from `at` on that is not blank, with its indentation. */
  #lineAt(at: number, end: number): number {
    return this.settled(lineStart(this.#text, skipBlank(this.#text, at, end), Math.max(at, this.#atoms.end)));
  }

  /**
   * Adds [start, end), which is empty or not blank at its end, in one atom if that fits, else as {@link addLong} does.
   */
  addPiece(
    start: number,
    end: number,
    strength: number,
    flags: number,
    first = this.#size,
    rest = this.#size,
  ): void {
    if (start >= end) return;
    if (this.#measure.length(start, end) <= first) this.#add(start, end, strength, flags);
    else this.addLong(this.settled(skipBlank(this.#text, start, end)), end, strength, flags, first, rest);
  }

  /**
   * The rest of the maximum at `start` behind the headings that must not stand alone; the whole maximum if little is
   * left.
   */
  roomAt(start: number): number {
    const atoms = this.#atoms;
    let first = atoms.count;
    const least = Math.max(0, first - MOST_HEADINGS);
    while (first > least && ((atoms.flags[first - 1] ?? 0) & FLAG.keepWithNext) !== 0) first--;
    if (first === atoms.count) return this.#size;
    const room = this.#size - this.#measure.length(atoms.starts[first] ?? 0, start);
    return room < LEAST_ROOM * this.#size ? this.#size : room;
  }

  /**
   * Adds [start, end), which is not blank at its edges, in one atom if it is no longer than a long sentence.
   *
   * @param first the maximum for the first atom
   * @param rest the maximum for all others
   */
  addLong(
    start: number,
    end: number,
    strength: number,
    flags: number,
    first = this.#size,
    rest = this.#size,
  ): void {
    let at = start;
    let gap = strength;
    let room = first;
    for (;;) {
      const limit = this.#limitFrom(at, room, end);
      if (end - at <= limit) break;
      const to = this.#within(at, this.#partEnd(at, end, limit), room, end);
      const last = skipBlankBack(this.#text, at, to);
      if (last > at) this.#add(at, last, gap, flags);
      gap = this.#gapAt(to);
      at = this.#pastBlanks(to, end);
      room = rest;
    }
    if (at < end) this.#add(at, end, gap, endsInColon(this.#text, at, end) ? flags | FLAG.introduces : flags);
  }

  /** The strength of a gap inside a sentence. */
  #gapAt(at: number): number {
    const before = this.#text.charCodeAt(at - 1);
    if (isWideClauseMark(before)) return STRENGTH.clause;
    if (!isBlank(before)) return STRENGTH.character;
    return isClauseMark(this.#text.charCodeAt(at - 2)) ? STRENGTH.clause : STRENGTH.word;
  }

  /** The start of the grapheme cluster at `at`, when the cluster begins with the blank before `at`. */
  settled(at: number): number {
    if (at <= this.#atoms.end || isSettledBoundary(this.#text, at)) return at;
    return Math.max(this.#atoms.end, clusterAt(this.#text, at, at - 1, this.#text.length).start);
  }

  /** Adds one atom; without its context when the atom is a cluster that leaves no room for the context. */
  #add(start: number, end: number, strength: number, flags: number): void {
    const atoms = this.#atoms;
    const { context } = atoms;
    if (context !== 0) {
      const room = this.#longest - (atoms.contexts[context]?.length ?? 0);
      if (this.#measure.length(start, end) > room) atoms.context = 0;
    }
    atoms.add(start, end, strength, flags);
    atoms.context = context;
  }

  /** Length in UTF-16 units from `at` at which a sentence must be cut. */
  #limitFrom(at: number, room: number, end: number): number {
    const share = Math.max(1, Math.floor(LONG_SHARE * room));
    return Math.max(1, this.#measure.reach(at, Math.min(this.#long, share), end) - at);
  }

  /** The end of the first part of [at, end), which is longer than `limit`. */
  #partEnd(at: number, end: number, limit: number): number {
    const length = evenPart(end - at, limit);
    const even = at + length;
    const leeway = (length * LEEWAY) | 0;
    const near = breakNear(this.#text, even, leeway);
    if (near !== -1) return near;
    // Such words are long, and only their ends are known: if need be, the search goes further back than the leeway.
    const from = even - Math.min(FARTHEST_WORD, Math.floor(length * PART_SHARE));
    const isWord = isUnspaced(this.#text.charCodeAt(even)) && leeway >= LEAST_LEEWAY;
    const boundary = isWord ? wordBoundaryBefore(this.#text, even, from, end) : -1;
    return boundary !== -1 ? boundary : this.#clusterEnd(at, even, end);
  }

  /**
   * `to`, or an earlier offset when the part that ends at `to` is too long after all: its tokens may be denser than
   * those of the whole sentence. Never before the first cluster, or the first code point of a cluster that no chunk
   * holds.
   */
  #within(at: number, to: number, room: number, end: number): number {
    if (this.#fits(at, to, room)) return to;
    const least = this.#clusterEnd(at, at + 1, end);
    let part = to;
    for (let bound = to; part > least && !this.#fits(at, part, room); bound = (at + part) >> 1)
      part = Math.max(
        least,
        this.#clusterEnd(at, Math.max(at + 1, this.#measure.reach(at, room, bound)), end),
      );
    return part;
  }

  #fits(at: number, to: number, room: number): boolean {
    return this.#measure.length(at, skipBlankBack(this.#text, at, to)) <= room;
  }

  /**
   * The last offset from `even` back that is inside no cluster; within a cluster that no chunk holds, inside no code
   * point.
   */
  #clusterEnd(at: number, even: number, end: number): number {
    const whole = splitsPair(this.#text, even) ? even - 1 : even;
    if (at >= this.#torn) {
      if (whole > at && isSettledBoundary(this.#text, whole)) return whole;
      const cluster = clusterAt(this.#text, even, at, end);
      if (cluster.start > at) return cluster.start;
      if (this.#measure.length(at, cluster.end) <= this.#longest) return cluster.end;
      this.#torn = cluster.end;
    }
    return Math.min(this.#torn, whole > at ? whole : whole + 2);
  }

  /** The first offset in [at, end) that is not blank; a blank that carries a combining mark counts as text. */
  #pastBlanks(at: number, end: number): number {
    const first = skipBlank(this.#text, at, end);
    if (first === at || first === end || isSettledBoundary(this.#text, first)) return first;
    return clusterAt(this.#text, first, first - 1, end).start;
  }
}

/** The length of the first of the equal parts, each about two thirds of `limit`, that `length` is best cut into. */
function evenPart(length: number, limit: number): number {
  const parts = Math.ceil(length / Math.max(1, Math.floor(limit * PART_SHARE)));
  // `| 0`, because the engine keeps a quotient as a floating-point number and checks at each step that it is an
  // integer.
  return Math.max(1, (length / parts) | 0);
}

/** True when the line that ends at `end` is longer than any wrapped line: it is a paragraph by itself. */
export function isWideLine(text: string, end: number): boolean {
  const start = end - WIDEST_WRAP;
  return start > 0 && !text.slice(start, end).includes('\n');
}
