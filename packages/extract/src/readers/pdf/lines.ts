// A page's text as PDFium reads it → its lines, with where their pieces stand and how they are set. PDFium finds the
// line breaks and the blanks; asked for here is one position a word and one style a text object, not one a character.
import { withBuffer, type Pdfium } from './engine.ts';

/** A run of words in a line with no wide gap and no ruling line between them: a line of prose has one, a table row some. */
export interface PdfSegment {
  /** Offset in the page's characters of its first word. */
  readonly start: number;
  /** Where its ink begins and ends, in points from the left. */
  readonly left: number;
  readonly right: number;
  /** Font size in points as it is seen: of most of its characters; 0 where PDFium knows none. */
  readonly size: number;
  /** Whether most of its characters are bold, or set in a font whose characters are all of one width. */
  readonly isBold: boolean;
  readonly isFixedPitch: boolean;
}

/** A line of a page. Positions are those of the page turned so that most of its text runs from left to right. */
export interface PdfLine {
  /** Offset in the page's characters. */
  readonly start: number;
  /** How far above the bottom of the page its first character stands, in points (1/72 inch). */
  readonly baseline: number;
  /** Whether its text runs in another direction than most of the page. */
  readonly isTurned: boolean;
  /** In the order of the text; none where the line is blank. */
  readonly segments: readonly PdfSegment[];
}

/** A vertical ruling line, which parts what stands on its two sides. */
export interface Fence {
  readonly x: number;
  readonly bottom: number;
  readonly top: number;
}

/** The lines of a page and the turn that sets most of them upright, in quarters clockwise. */
export interface PageLines {
  readonly lines: readonly PdfLine[];
  readonly quarterTurns: number;
}

/**
 * Words of a page that are asked for their place. A full page of a newspaper has 5000; the lines after these have no
 * segments and are plain text.
 */
const MAX_WORDS = 20_000;
/** A gap wider than this many times the font size parts two segments. Justified prose has next to none so wide. */
const WIDE_GAP = 0.95;
/** A bullet, or the number of an item: what follows it belongs to it, however wide the gap. */
const MARKER = /^(?:[•‣◦▪▫●○■□–—*·\uF0A7\uF0B7-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)])$/;

const LEADER = /\.{4,}$|…{2,}$/;

/** 0 and the offset after each line break or dividing hyphen that something follows. */
export function lineStarts(characters: string): number[] {
  const starts = characters === '' ? [] : [0];
  for (const { index, 0: end } of characters.matchAll(
    /\uFFFE?(?:\r\n|[\n\v\f\r\u0085\u2028\u2029])|\uFFFE/g,
  )) {
    if (index + end.length < characters.length) starts.push(index + end.length);
  }
  return starts;
}

/** Reads the lines of a page of text. `fencesOf` gives the vertical ruling lines once the page's turn is known. */
export function readLines(
  pdfium: Pdfium,
  text: number,
  characters: string,
  fencesOf: (quarterTurns: number) => readonly Fence[],
): PageLines {
  return withBuffer(pdfium, SCRATCH_BYTES, (pointer) => {
    const scratch = new Scratch(pdfium, pointer);
    const page: TextPage = { pdfium, text, characters, scratch, fonts: new Map() };
    const starts = lineStarts(characters);
    const places = starts.map((start, index) => placeOf(page, start, starts[index + 1] ?? characters.length));
    const quarterTurns = commonTurn(page, places);
    const fences = fencesOf(quarterTurns);
    let words = 0;
    const lines = places.flatMap((place): PdfLine[] => {
      const [, baseline] = turned(place.origin, quarterTurns);
      const found = words > MAX_WORDS ? [] : readWords(page, place, quarterTurns);
      words += found.length;
      return levelsOf(found).map((level, index) => ({
        start: index === 0 ? place.start : (level[0]?.start ?? place.end),
        baseline: index === 0 ? baseline : (level[0]?.baseline ?? baseline),
        isTurned: (level[0]?.quarterTurns ?? place.quarterTurns) !== quarterTurns,
        segments: segmentsOf(level, fences),
      }));
    });
    return { lines, quarterTurns };
  });
}

/** What the functions below share while a page is open. */
interface TextPage {
  readonly pdfium: Pdfium;
  readonly text: number;
  readonly characters: string;
  readonly scratch: Scratch;
  /** Fonts by their handle, which is valid as long as the page is open. */
  readonly fonts: Map<number, Font>;
}

/** Four doubles or six floats. */
const SCRATCH_BYTES = 32;

interface Place {
  readonly start: number;
  readonly end: number;
  /** PDFium's index of the character at `start`. */
  readonly index: number;
  readonly origin: readonly [number, number];
  readonly quarterTurns: number;
}

function placeOf({ pdfium, text, scratch }: TextPage, start: number, end: number): Place {
  const { call } = pdfium;
  const index = call.FPDFText_GetCharIndexFromTextIndex(text, start);
  const found = call.FPDFText_GetCharOrigin(text, index, scratch.pointer, scratch.pointer + 8);
  const [x = 0, y = 0] = found ? scratch.doubles : [];
  return {
    start,
    end,
    index,
    origin: [x, y],
    quarterTurns: quarters(call.FPDFText_GetCharAngle(text, index)),
  };
}

/** An angle in radians as quarter turns, 0 to 3. */
function quarters(angle: number): number {
  return Number.isFinite(angle) ? ((Math.round(angle / (Math.PI / 2)) % 4) + 4) % 4 : 0;
}

/** On a page that is turned PDFium may find no line breaks: of a long line more is looked at, every so many characters. */
const TURN_SAMPLE = 100;

/** The direction of most of the characters. */
function commonTurn({ pdfium, text }: TextPage, places: readonly Place[]): number {
  const counts = [0, 0, 0, 0];
  for (const place of places) {
    for (let from = place.start; from < place.end; from += TURN_SAMPLE) {
      const index = place.index + from - place.start;
      const turn =
        from === place.start ? place.quarterTurns : quarters(pdfium.call.FPDFText_GetCharAngle(text, index));
      counts[turn] = (counts[turn] ?? 0) + Math.min(TURN_SAMPLE, place.end - from);
    }
  }
  return counts.indexOf(Math.max(...counts));
}

/** A point of a page after the page was turned about its origin. Only distances are used, so they may be negative. */
export function turned([x, y]: readonly [number, number], quarterTurns: number): [number, number] {
  switch (quarterTurns) {
    case 1:
      return [-y, x];
    case 2:
      return [-x, -y];
    case 3:
      return [y, -x];
    default:
      return [x, y];
  }
}

interface Style {
  readonly size: number;
  readonly font: Font;
  /** The direction of its text. */
  readonly quarterTurns: number;
}

interface Font {
  readonly isBold: boolean;
  readonly isFixedPitch: boolean;
}

interface Ends {
  readonly left: number;
  readonly right: number;
}

interface Word extends Style, Ends {
  readonly start: number;
  readonly baseline: number;
  readonly length: number;
  readonly isMarker: boolean;
  /** Whether it ends in the dots that lead to a figure. */
  readonly isLeader: boolean;
}

function readWords(page: TextPage, place: Place, quarterTurns: number): Word[] {
  const { pdfium, text, characters } = page;
  const line = characters.slice(place.start, place.end);
  const last = line.trimEnd().length - 1;
  const isStraight =
    last >= 0 &&
    pdfium.call.FPDFText_GetCharIndexFromTextIndex(text, place.start + last) - place.index === last;
  const indexOf = (offset: number): number =>
    isStraight
      ? place.index + offset
      : pdfium.call.FPDFText_GetCharIndexFromTextIndex(text, place.start + offset);
  const words: Word[] = [];
  let style: Style | undefined;
  let object = -1;
  for (const { 0: word, index: offset } of line.matchAll(WORD)) {
    const first = indexOf(offset);
    const left = boxOf(page, first, quarterTurns);
    const right = word.length === 1 ? left : boxOf(page, indexOf(offset + word.length - 1), quarterTurns);
    const textObject = pdfium.call.FPDFText_GetTextObject(text, first);
    if (style === undefined || textObject !== object) style = styleOf(page, first, textObject);
    object = textObject;
    const ends = { left: Math.min(left[0], right[0]), right: Math.max(left[1], right[1]) };
    // Only what stands apart can be on another level.
    const before = words.at(-1);
    const isApart = before === undefined || gapBetween(before, ends) > WIDE_GAP * before.size;
    const baseline = isApart ? baselineOf(page, first, quarterTurns) : before.baseline;
    const isMarker = words.length === 0 && MARKER.test(word);
    const isLeader = LEADER.test(word) || (word === '.' && line.slice(0, offset).endsWith('. . '));
    words.push({
      size: style.size,
      font: style.font,
      quarterTurns: style.quarterTurns,
      left: ends.left,
      right: ends.right,
      start: place.start + offset,
      baseline,
      length: word.length,
      isMarker,
      isLeader,
    });
  }
  return words;
}

/** What stands between blanks, without the marks that PDFium leaves at its ends. */
// eslint-disable-next-line no-control-regex
const WORD = /[^\s\0-\x1f\uFFFE\uFFFF]+/g;

function baselineOf({ pdfium, text, scratch }: TextPage, index: number, quarterTurns: number): number {
  const found = pdfium.call.FPDFText_GetCharOrigin(text, index, scratch.pointer, scratch.pointer + 8);
  if (!found) return 0;
  const { doubles } = scratch;
  return finite(turned([doubles[0] ?? 0, doubles[1] ?? 0], quarterTurns)[1]);
}

/** The left and right edge of a character. */
function boxOf({ pdfium, text, scratch }: TextPage, index: number, quarterTurns: number): [number, number] {
  const { pointer } = scratch;
  if (!pdfium.call.FPDFText_GetCharBox(text, index, pointer, pointer + 8, pointer + 16, pointer + 24))
    return [0, 0];
  // By index, for destructuring would iterate: this runs twice a word.
  const box = scratch.doubles;
  const left = box[0] ?? 0;
  const right = box[1] ?? 0;
  if (quarterTurns === 0)
    return left <= right ? [finite(left), finite(right)] : [finite(right), finite(left)];
  const [a] = turned([left, box[2] ?? 0], quarterTurns);
  const [b] = turned([right, box[3] ?? 0], quarterTurns);
  return [finite(Math.min(a, b)), finite(Math.max(a, b))];
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

/** Sizes of hostile files go to infinity and to nothing; no letter is larger than this. */
const MAX_SIZE = 2000;
const PLAIN: Font = { isBold: false, isFixedPitch: false };
/** Text that is filled and stroked (fpdf_edit.h): how programs thicken a font that has no bold. */
const FILL_STROKE = 2;

function styleOf({ pdfium, text, scratch, fonts }: TextPage, index: number, object: number): Style {
  const { call } = pdfium;
  const found = call.FPDFText_GetMatrix(text, index, scratch.pointer);
  const [, , c = 0, d = 1] = found ? scratch.floats : [];
  const size = Math.abs(call.FPDFText_GetFontSize(text, index)) * Math.hypot(c, d);
  const handle = object === 0 ? 0 : call.FPDFTextObj_GetFont(object);
  let font = fonts.get(handle);
  if (font === undefined) fonts.set(handle, (font = handle === 0 ? PLAIN : readFont(pdfium, handle)));
  const isThick = object !== 0 && call.FPDFTextObj_GetTextRenderMode(object) === FILL_STROKE;
  return {
    size: size < MAX_SIZE ? size : 0,
    font: isThick && !font.isBold ? { ...font, isBold: true } : font,
    quarterTurns: quarters(call.FPDFText_GetCharAngle(text, index)),
  };
}

/** Font flags (ISO 32000-1, table 123). */
const FIXED_PITCH = 1;
const FORCE_BOLD = 1 << 18;
const BOLD_WEIGHT = 700;
/** Names that fonts give their bold and fixed-pitch cuts; TeX has short ones of its own. */
const BOLD_NAME = /bold|black|heavy|demi|-medi\b|\b(?:cm|sf)(?:bx|b)\d|\bcmssbx/i;
const FIXED_NAME = /mono(?!type)|courier|consol|typewriter|\b(?:cm|sf)tt\d|menlo|sourcecode/i;
const MAX_NAME_BYTES = 256;

function readFont(pdfium: Pdfium, font: number): Font {
  const { call } = pdfium;
  const flags = call.FPDFFont_GetFlags(font);
  const name = withBuffer(pdfium, MAX_NAME_BYTES, (buffer) => {
    const length = call.FPDFFont_GetBaseFontName(font, buffer, MAX_NAME_BYTES);
    if (length > MAX_NAME_BYTES) return '';
    return new TextDecoder('latin1').decode(pdfium.view(buffer, Math.max(0, length - 1)).slice());
  }).replace(/^[A-Z]{6}\+/, '');
  const isNamed = name !== '' && flags !== -1;
  return {
    isBold:
      BOLD_NAME.test(name) ||
      (isNamed && (flags & FORCE_BOLD) !== 0) ||
      call.FPDFFont_GetWeight(font) >= BOLD_WEIGHT,
    isFixedPitch: FIXED_NAME.test(name) || (isNamed && (flags & FIXED_PITCH) !== 0),
  };
}

/** Raised and lowered signs stand off by less than this many times their size; what stands off more is another line. */
const OFF_LINE = 0.45;

/**
 * Parts a line where its words go to another height or in another direction: PDFium takes what is written to the right of a line for its
 * continuation, be it in the next column. Always gives one part at least.
 */
function levelsOf(words: readonly Word[]): Word[][] {
  let open: Word[] = [];
  const levels = [open];
  for (const word of words) {
    const before = open.at(-1);
    if (before !== undefined && before.quarterTurns !== word.quarterTurns) levels.push((open = []));
    else if (
      before !== undefined &&
      Math.abs(word.baseline - before.baseline) > OFF_LINE * Math.max(word.size, before.size) &&
      gapBetween(before, word) > WIDE_GAP * Math.max(word.size, before.size)
    )
      levels.push((open = []));
    open.push(word);
  }
  return levels;
}

/** Right to left the later word stands before the earlier one. */
function gapBetween(before: Ends, word: Ends): number {
  return Math.max(word.left - before.right, before.left - word.right);
}

function segmentsOf(words: readonly Word[], fences: readonly Fence[]): PdfSegment[] {
  const segments: PdfSegment[] = [];
  let open: Word[] = [];
  let before: Word | undefined;
  for (const word of words) {
    if (before !== undefined && isParted(before, word, fences)) {
      segments.push(segmentOf(open));
      open = [];
    }
    open.push(word);
    before = word;
  }
  if (open.length > 0) segments.push(segmentOf(open));
  return segments;
}

function isParted(before: Word, word: Word, fences: readonly Fence[]): boolean {
  const gap = gapBetween(before, word);
  if (gap > WIDE_GAP * Math.max(before.size, word.size) && !before.isMarker) return true;
  if (before.isLeader && !word.isLeader) return true;
  if (gap <= 0 || fences.length === 0) return false;
  const [from, to] = word.left > before.left ? [before.right, word.left] : [word.right, before.left];
  // A letter may touch the line that it stands beside.
  return isFenced(fences, from - 1, to + 1, word.baseline);
}

/** Whether a fence stands between two places of a line; the fences are in the order of x. */
function isFenced(fences: readonly Fence[], from: number, to: number, baseline: number): boolean {
  let low = 0;
  for (let high = fences.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((fences[middle]?.x ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  for (let at = low; (fences[at]?.x ?? Infinity) <= to; at++) {
    const { bottom = 0, top = 0 } = fences[at] ?? {};
    if (bottom <= baseline + 1 && top > baseline + 1) return true;
  }
  return false;
}

function segmentOf(words: readonly Word[]): PdfSegment {
  let total = 0;
  let bold = 0;
  let fixed = 0;
  let left = Infinity;
  let right = -Infinity;
  const sizes = new Map<number, number>();
  for (const word of words) {
    total += word.length;
    if (word.font.isBold) bold += word.length;
    if (word.font.isFixedPitch) fixed += word.length;
    left = Math.min(left, word.left);
    right = Math.max(right, word.right);
    sizes.set(word.size, (sizes.get(word.size) ?? 0) + word.length);
  }
  return {
    start: words[0]?.start ?? 0,
    left,
    right,
    size: mostFrequent(sizes),
    isBold: bold > MOST * total,
    isFixedPitch: fixed > MOST * total,
  };
}

/** A figure or a sign in another font does not change how a line looks. */
const MOST = 0.85;

/** The key with the largest count, the first of equals; 0 for none. */
export function mostFrequent(counts: ReadonlyMap<number, number>): number {
  let best = 0;
  let most = 0;
  for (const [key, count] of counts) {
    if (count <= most) continue;
    best = key;
    most = count;
  }
  return best;
}

/** Room for what PDFium answers with, seen as numbers. Growing memory takes the views away, so they are made anew. */
class Scratch {
  readonly #pdfium: Pdfium;
  readonly pointer: number;
  #doubles = new Float64Array(0);
  #floats = new Float32Array(0);

  constructor(pdfium: Pdfium, pointer: number) {
    this.#pdfium = pdfium;
    this.pointer = pointer;
  }

  /** Four doubles. */
  get doubles(): Float64Array {
    if (this.#doubles.length === 0) this.#renew();
    return this.#doubles;
  }

  /** Eight floats, in the same place. */
  get floats(): Float32Array {
    if (this.#floats.length === 0) this.#renew();
    return this.#floats;
  }

  #renew(): void {
    const { buffer, byteOffset } = this.#pdfium.view(this.pointer, SCRATCH_BYTES);
    this.#doubles = new Float64Array(buffer, byteOffset, SCRATCH_BYTES / Float64Array.BYTES_PER_ELEMENT);
    this.#floats = new Float32Array(buffer, byteOffset, SCRATCH_BYTES / Float32Array.BYTES_PER_ELEMENT);
  }
}
