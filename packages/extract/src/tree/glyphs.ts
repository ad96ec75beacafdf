// The characters of a page with their places, and the texts that are made of them. A leaf of the tree names the
// characters that it was made of; this file finds for each unit of its text the character that shows it. Reading
// changes little: it drops blanks, hyphens and marks, takes ligatures apart, adds marks and escapes, so one pass over
// both, with a short search where they differ, is exact and linear.

/** The characters of a page with their places, in hundredths of a point from the top left corner of the page. */
export interface PageGlyphs {
  /** From 1. */
  readonly page: number;
  readonly characters: string;
  /**
   * For each unit its edges along the direction of its word, the smaller first; `NO_PLACE` twice without any. Empty, as
   * are the words, when places are not wanted.
   */
  readonly edges: Int32Array;
  /**
   * The words, or rows of words with one direction and equal edges across it: offsets of their first units, ascending,
   * and for each its direction in quarter turns clockwise.
   */
  readonly words: readonly number[];
  readonly turns: readonly number[];
  /** For each word its two edges across its direction, the smaller first. */
  readonly extents: readonly number[];
  /** The links of the page to addresses, in order. */
  readonly links?: readonly LinkRange[];
}

/** Characters of a page that are a link. */
export interface LinkRange {
  readonly start: number;
  readonly end: number;
  readonly href: string;
}

/** A part of the characters of a page: a piece of a line, whose glyphs stand beside each other. */
export interface GlyphRange {
  readonly glyphs: PageGlyphs;
  readonly start: number;
  readonly end: number;
}

/** The characters that a node, or a cell, was made of, when their places are wanted. */
export interface WithGlyphs {
  readonly glyphs?: readonly GlyphRange[] | undefined;
}

/** The characters of some parts, one after another; `undefined` when their places are not wanted. */
export function joinGlyphs(
  parts: readonly (WithGlyphs | { readonly cells: readonly WithGlyphs[] } | undefined)[],
): WithGlyphs | undefined {
  // Most texts are of one part, whose list they share: a list that grows takes room for 17 ranges.
  let shared: readonly GlyphRange[] | undefined;
  let joined: GlyphRange[] | undefined;
  for (const part of parts)
    for (const one of part !== undefined && 'cells' in part ? part.cells : [part]) {
      if (one?.glyphs === undefined) continue;
      if (joined !== undefined) for (const range of one.glyphs) joined.push(range);
      else if (shared !== undefined) joined = [...shared, ...one.glyphs];
      else shared = one.glyphs;
    }
  const glyphs = joined ?? shared;
  return glyphs && { glyphs };
}

/**
 * Receives a stretch of a text with the characters that show it: `length` units from the offset `at` on, and as many
 * characters of a range from an offset of its page on. Blanks among them have no place.
 */
export type PlaceStretch = (at: number, range: GlyphRange, index: number, length: number) => void;

/** Characters that no text keeps: controls, joined hyphens, soft hyphens at line ends. */
function isDropped(unit: number): boolean {
  return unit < 0x20 || (unit >= 0x7f && unit <= 0xa0) || unit === 0xad || unit >= 0xfffe || unit === 0xfeff;
}

function isBlank(unit: number): boolean {
  return (
    unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0xa0 || (unit >= 0x2000 && unit <= 0x200a)
  );
}

/** True for characters that no reader takes apart: only controls but line ends, and ligatures are. */
function isPlain(unit: number): boolean {
  return (unit >= 0x20 && unit < 0xfb00) || unit === 0x0d || unit === 0x0a;
}

/** Signs that a text writes as `-`. */
const BULLETS = '•‣◦▪▫●○■□▶➢➤✓♦◆◊\uF0A7\uF0B7\uF0D8·*∗→–—−‐';

function isBullet(unit: number): boolean {
  return BULLETS.includes(String.fromCharCode(unit));
}

/** True for the dots that a text writes as one sign where they lead to a figure. */
function isDot(unit: number): boolean {
  return unit === 0x2e || unit === 0x2026;
}

const LEADER = '…';
const HYPHEN = '-';
/** Units after which a difference is over when they are equal, and how far one side may be ahead of the other. */
const AGREE = 4;
const WINDOW = 256;
/** A rest that is shorter than {@link AGREE} may be found only so far ahead. */
const NEAR = 8;

/** Letters of characters that a reader takes apart, such as ligatures; `undefined` for any other character. */
export type LettersOf = (character: string) => string | undefined;

/**
 * Finds the characters that show the units of a text, in ranges of characters in the order of the text.
 * Units of the text that no character shows, and characters that the text leaves out, are passed over. Linear.
 */
export function alignGlyphs(
  text: string,
  ranges: readonly GlyphRange[],
  lettersOf: LettersOf,
  place: PlaceStretch,
): void {
  const [first] = ranges;
  // Most cells and headings are a part of one line as it is.
  if (ranges.length === 1 && first !== undefined && isShownBy(text, first)) {
    place(0, first, first.start, text.length);
    return;
  }
  const shown = new ShownText(ranges);
  let at = 0;
  while (at < text.length && shown.range !== undefined) {
    const length = shown.commonWith(text, at);
    if (length > 0) {
      place(at, shown.range, shown.index, length);
      at += length;
      shown.advance(length);
      continue;
    }
    const [unit, glyph] = [text.charCodeAt(at), shown.unit];
    const letters = isPlain(glyph) ? undefined : lettersOf(String.fromCharCode(glyph));
    if (letters !== undefined && text.startsWith(letters, at)) {
      for (const end = at + letters.length; at < end; at++) place(at, shown.range, shown.index, 1);
      shown.advance(1);
    } else if (isBlank(unit)) at++;
    else if (isBlank(glyph) || isDropped(glyph)) shown.advance(1);
    else if ((text[at] === LEADER && isDot(glyph)) || (text[at] === HYPHEN && isBullet(glyph))) {
      place(at++, shown.range, shown.index, 1);
      shown.advance(1);
      while (isDot(glyph) && !shown.isAtEnd && (isDot(shown.unit) || isBlank(shown.unit))) shown.advance(1);
    } else at = resume(text, at, shown, place);
  }
}

function isShownBy(text: string, { glyphs, start, end }: GlyphRange): boolean {
  return text.length <= end - start && glyphs.characters.startsWith(text, start);
}

/** Passes over a difference: on the side where less has to be left out; one unit of both where neither agrees soon. */
function resume(text: string, at: number, shown: ShownText, place: PlaceStretch): number {
  const [ahead, glyphs] = [solid(text, at, WINDOW), shown.window(WINDOW)];
  const isReplaced = ahead.length > 1 && glyphs.startsWith(ahead.slice(1, 1 + AGREE), 1);
  if (isReplaced && shown.range !== undefined) {
    place(at, shown.range, shown.index, 1);
    shown.advance(1);
    return at + 1;
  }
  const added = distance(ahead, glyphs);
  const leftOut = distance(glyphs, ahead);
  if (added === -1 && leftOut === -1) {
    shown.advance(1);
    return at + 1;
  }
  if (leftOut === -1 || (added !== -1 && added <= leftOut)) return skipSolid(text, at, added);
  shown.skip(leftOut);
  return at;
}

/** The number of units of one text before the beginning of another; -1 when it is not near. */
function distance(text: string, other: string): number {
  const key = other.slice(0, AGREE);
  const found = key === '' ? -1 : text.indexOf(key, 1);
  return key.length < AGREE && found > NEAR ? -1 : found;
}

/** The next units of a text that are not blank. */
function solid(text: string, at: number, count: number): string {
  return text.slice(at, at + count).replace(/[\s\u00AD]+/g, '');
}

/** The offset behind so many units that are not blank. */
function skipSolid(text: string, at: number, count: number): number {
  for (; count > 0 && at < text.length; at++) if (!/[\s\u00AD]/.test(text[at] ?? '')) count--;
  return at;
}

/** The characters of ranges, one after another. */
class ShownText {
  readonly #ranges: readonly GlyphRange[];
  #at = -1;
  /** The range of the present character; `undefined` at the end. */
  range: GlyphRange | undefined;
  /** The offset of the present character on its page. */
  index = 0;

  constructor(ranges: readonly GlyphRange[]) {
    this.#ranges = ranges;
    this.#enter();
  }

  get isAtEnd(): boolean {
    return this.range === undefined;
  }

  get unit(): number {
    return this.range?.glyphs.characters.charCodeAt(this.index) ?? 0;
  }

  /** Number of units from an offset of a text on that are the next characters of the range. */
  commonWith(text: string, at: number): number {
    if (this.range === undefined) return 0;
    const { characters } = this.range.glyphs;
    const from = this.index;
    const most = Math.min(this.range.end - from, text.length - at);
    // Most lines stand in the text as they are: compared at once, they take a third of the time.
    const line = characters.slice(from, from + most).trimEnd();
    let length = text.startsWith(line, at) ? line.length : 0;
    while (length < most && characters.charCodeAt(from + length) === text.charCodeAt(at + length)) length++;
    return length;
  }

  /** Passes over characters of the range. */
  advance(count: number): void {
    this.index += count;
    if (this.index >= (this.range?.end ?? 0)) this.#enter();
  }

  #enter(): void {
    do this.range = this.#ranges[++this.#at];
    while (this.range !== undefined && this.range.start >= this.range.end);
    this.index = this.range?.start ?? 0;
  }

  /** The next characters that a text may keep. */
  window(count: number): string {
    let found = '';
    let from = this.index;
    for (let at = this.#at; found.length < count; at++) {
      const range = this.#ranges[at];
      if (range === undefined) break;
      found += kept(range.glyphs.characters.slice(from, Math.min(range.end, from + count)));
      from = this.#ranges[at + 1]?.start ?? 0;
    }
    return found;
  }

  /** Passes over so many characters that a text may keep. */
  skip(count: number): void {
    while (this.range !== undefined && (count > 0 || isLeftOut(this.unit))) {
      if (!isLeftOut(this.unit)) count--;
      this.advance(1);
    }
  }
}

function isLeftOut(unit: number): boolean {
  return isBlank(unit) || isDropped(unit);
}

function kept(characters: string): string {
  return characters.replace(LEFT_OUT, '');
}

/** Blanks and characters that no text keeps. */
const LEFT_OUT = /[\0-\x20\x7f-\xa0\u00AD\u2000-\u200A\uFEFF\uFFFE\uFFFF]+/g;
