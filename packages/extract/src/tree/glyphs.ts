// The characters of a page with their places, and the texts that are made of them. A leaf of the tree names the
// characters that it was made of; this file finds for each unit of its text the character that shows it. Reading
// changes little: it drops blanks, hyphens and marks, takes ligatures apart, adds marks and escapes, so one pass over
// both, with a short search where they differ, is exact and linear.

/** The characters of a page with their places, in hundredths of a point from the top left corner of the page. */
export interface PageGlyphs {
  /** From 1. */
  readonly page: number;
  readonly characters: string;
  /** For each unit its edges along the direction of its word, the smaller first; `NO_PLACE` twice without any. */
  readonly edges: Int32Array;
  /** The words: offsets of their first units, ascending, and for each its direction in quarter turns clockwise. */
  readonly words: readonly number[];
  readonly turns: readonly number[];
  /** For each word its two edges across its direction, the smaller first. */
  readonly extents: readonly number[];
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
export function joinGlyphs(parts: readonly (WithGlyphs | undefined)[]): WithGlyphs | undefined {
  let glyphs: GlyphRange[] | undefined;
  for (const part of parts) if (part?.glyphs !== undefined) (glyphs ??= []).push(...part.glyphs);
  return glyphs && { glyphs };
}

/** Receives each unit of a text with the character that shows it. */
export type PlaceUnit = (at: number, range: GlyphRange, index: number) => void;

/** Characters that no text keeps: controls, joined hyphens, soft hyphens at line ends. */
function isDropped(unit: number): boolean {
  return unit < 0x20 || (unit >= 0x7f && unit <= 0xa0) || unit === 0xad || unit >= 0xfffe || unit === 0xfeff;
}

function isBlank(unit: number): boolean {
  return (
    unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0xa0 || (unit >= 0x2000 && unit <= 0x200a)
  );
}

/** True for characters that no reader takes apart: only controls and ligatures are. */
function isPlain(unit: number): boolean {
  return unit >= 0x20 && unit < 0xfb00;
}

/** Signs that a text writes as `-`. */
const BULLETS = '•‣◦▪▫●○■□▶➢➤✓♦◆◊\uF0A7\uF0B7\uF0D8·*∗→–—−‐';
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
 * Finds the characters behind the units of a text, from an offset on, in ranges of characters in the order of the text.
 * Units of the text that no character shows, and characters that the text leaves out, are passed over. Linear.
 */
export function alignGlyphs(
  text: string,
  ranges: readonly GlyphRange[],
  lettersOf: LettersOf,
  place: PlaceUnit,
): void {
  const shown = new ShownText(ranges);
  let at = 0;
  while (at < text.length && !shown.isAtEnd) {
    const [unit, glyph] = [text.charCodeAt(at), shown.unit];
    if (unit === glyph) {
      if (!isBlank(unit)) place(at, shown.range, shown.index);
      at++;
      shown.next();
    } else if (isBlank(unit)) at++;
    else {
      const letters = isPlain(glyph) ? undefined : lettersOf(String.fromCharCode(glyph));
      if (letters !== undefined && text.startsWith(letters, at)) {
        for (const end = at + letters.length; at < end; at++) place(at, shown.range, shown.index);
        shown.next();
      } else if (isBlank(glyph) || isDropped(glyph)) shown.next();
      else if (text[at] === LEADER && (glyph === 0x2e || glyph === 0x2026)) {
        place(at++, shown.range, shown.index);
        while (!shown.isAtEnd && (shown.unit === 0x2e || shown.unit === 0x2026 || isBlank(shown.unit)))
          shown.next();
      } else if (text[at] === HYPHEN && BULLETS.includes(String.fromCharCode(glyph))) {
        place(at++, shown.range, shown.index);
        shown.next();
      } else at = resume(text, at, shown, place);
    }
  }
}

/** Passes over a difference: on the side where less has to be left out; one unit of both where neither agrees soon. */
function resume(text: string, at: number, shown: ShownText, place: PlaceUnit): number {
  const [ahead, glyphs] = [solid(text, at, WINDOW), shown.window(WINDOW)];
  const isReplaced = ahead.length > 1 && glyphs.startsWith(ahead.slice(1, 1 + AGREE), 1);
  if (isReplaced) {
    place(at, shown.range, shown.index);
    shown.next();
    return at + 1;
  }
  const added = distance(ahead, glyphs);
  const leftOut = distance(glyphs, ahead);
  if (added === -1 && leftOut === -1) {
    shown.next();
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
  #range: GlyphRange | undefined;
  /** The offset of the present character on its page. */
  index = 0;

  constructor(ranges: readonly GlyphRange[]) {
    this.#ranges = ranges;
    this.#enter();
  }

  get isAtEnd(): boolean {
    return this.#range === undefined;
  }

  /** The range of the present character. */
  get range(): GlyphRange {
    if (this.#range === undefined) throw new RangeError('There is no further character.');
    return this.#range;
  }

  get unit(): number {
    return this.#range?.glyphs.characters.charCodeAt(this.index) ?? 0;
  }

  next(): void {
    this.index++;
    if (this.index >= (this.#range?.end ?? 0)) this.#enter();
  }

  #enter(): void {
    do this.#range = this.#ranges[++this.#at];
    while (this.#range !== undefined && this.#range.start >= this.#range.end);
    this.index = this.#range?.start ?? 0;
  }

  /** The next characters that a text may keep. */
  window(count: number): string {
    let found = '';
    let from = this.index;
    for (let at = this.#at; found.length < count && this.#ranges[at] !== undefined; at++) {
      const { glyphs, end } = this.#ranges[at] as GlyphRange;
      found += kept(glyphs.characters.slice(from, Math.min(end, from + count)));
      from = this.#ranges[at + 1]?.start ?? 0;
    }
    return found;
  }

  /** Passes over so many characters that a text may keep. */
  skip(count: number): void {
    for (; count > 0 && !this.isAtEnd; this.next()) if (!isBlank(this.unit) && !isDropped(this.unit)) count--;
    while (!this.isAtEnd && (isBlank(this.unit) || isDropped(this.unit))) this.next();
  }
}

function kept(characters: string): string {
  // eslint-disable-next-line no-control-regex
  return characters.replace(/[\0-\x20\x7f-\xa0\u00AD\u2000-\u200A\uFEFF\uFFFE\uFFFF]+/g, '');
}
