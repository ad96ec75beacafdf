// The words of a line with their position and type. PDFium is called for one position a word and one style a text
// object, not for each character.
import type { Pdfium } from './engine.ts';
import { fontName } from './font-name.ts';
import { distance, isAdded, originOf, partsNothing } from './blanks.ts';
import type { GlyphReader } from './glyphs.ts';
import type { Shape } from './rules.ts';
import { measurePitch } from './pitch.ts';
import type { Scratch } from './scratch.ts';
import { isScrambled, showsCodes } from './scrambled.ts';
import { UNTAGGED, type LeafOf } from './tags.ts';
import { quarterTurnsOf, turnPoint } from './turns.ts';
import { isOutside } from './unseen.ts';

/** The state that the functions below share while a page is open. */
export interface TextPage {
  readonly pdfium: Pdfium;
  readonly text: number;
  readonly characters: string;
  readonly scratch: Scratch;
  /** Fonts by their handle, which is valid as long as the page is open. */
  readonly fonts: Map<number, Font>;
  /** Offsets of blanks that separate nothing on the page. */
  readonly voids: number[];
  /** Offsets of line breaks that are blanks. */
  readonly blankBreaks: number[];
  /** Number of characters in fonts that show other letters than they say. */
  unreadable: number;
  readonly blanks: Blanks;
  /** The distance of letters that are set apart, in points, of the last line that has some. */
  tracking?: number;
  /** The part of the page that is shown. */
  readonly box: Shape | undefined;
  /** The leaf of a text object in the structure tree; `undefined` on a page without one. */
  readonly leafOf: LeafOf | undefined;
  /** Takes the places of its characters; `undefined` when they are not wanted. */
  readonly glyphs: GlyphReader | undefined;
}

/** Numbers of blanks of a page. */
export interface Blanks {
  /** Sampled ones within text objects, or that are one: those of the file, and those that PDFium adds. */
  written: number;
  added: number;
  /** Those of them that are a text object. */
  single: number;
  /** Those that PDFium adds between text objects. */
  detached: number;
}

/** A line as PDFium breaks it. */
export interface RawLine {
  readonly start: number;
  readonly end: number;
  /** PDFium's index of the character at `start`. */
  readonly index: number;
  readonly origin: readonly [number, number];
  readonly quarterTurns: number;
}

/** A gap wider than this many times the font size separates two segments. Justified prose has next to none so wide. */
export const WIDE_GAP = 0.95;
/** Columns are further apart than this many times the font size; letters of one word may be parted by less. */
export const TIGHT_GAP = 0.3;
/** Columns with one left edge may be as close as this: browsers part cells without a border by 3 points. */
export const NARROW_GAP = 0.2;
/** A bullet, or the number of an item: the next word belongs to the marker at any gap. */
const MARKER = /^(?:[•‣◦▪▫●○■□–—*·\uF0A7\uF0B7-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)])$/;

/** The number of a line of code. */
const LINE_NUMBER = /^\d{1,5}:?$/;

const LEADER = /\.{4,}$|…{2,}$/;

/** True for a word that marks an item at the beginning of a line. */
export function isMarker(word: string): boolean {
  return MARKER.test(word);
}

/** True for a word that ends in the dots that lead to a figure. */
export function isLeader(word: string): boolean {
  return LEADER.test(word);
}

interface Style {
  readonly size: number;
  /** True for text that is neither filled nor stroked. */
  readonly isInvisible: boolean;
  readonly font: Font;
  /** The direction of its text. */
  readonly quarterTurns: number;
}

interface Font {
  /** Without the mark of a subset; empty when it has none. */
  readonly name: string;
  /** True if it shows other letters than it says. */
  readonly isScrambled: boolean;
  readonly isBold: boolean;
  isFixedPitch: boolean;
  /** True if its name does not show its pitch, and no word has shown it. */
  isUnmeasured: boolean;
}

export interface Extent {
  readonly left: number;
  readonly right: number;
}

export interface Word extends Style, Extent {
  readonly start: number;
  readonly baseline: number;
  readonly length: number;
  readonly isMarker: boolean;
  /** True if it ends in the dots that lead to a figure. */
  readonly isLeader: boolean;
  /** True if it is a figure that begins its line. */
  readonly isNumber: boolean;
  /** True if it lies wholly outside the page. */
  readonly isOutside: boolean;
  /** The leaf of its first character. */
  readonly leaf: number;
  /** True if it begins a text object and PDFium has added the blank before it. */
  readonly isDetached: boolean;
}

export function readWords(page: TextPage, place: RawLine, quarterTurns: number): Word[] {
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
  let leaf = UNTAGGED;
  const found: Iterable<FoundWord> =
    page.leafOf === undefined ? line.matchAll(WORD) : wordsOf(page, page.leafOf, line, indexOf);
  for (const { 0: word, index: offset, object: known } of found) {
    const first = indexOf(offset);
    const left = boxOf(page, first, quarterTurns);
    let isOut = isOutside(page.scratch, page.box);
    page.glyphs?.keepInk(false);
    const right = word.length === 1 ? left : boxOf(page, indexOf(offset + word.length - 1), quarterTurns);
    page.glyphs?.keepInk(true);
    isOut &&= isOutside(page.scratch, page.box);
    const textObject = known ?? pdfium.call.FPDFText_GetTextObject(text, first);
    if (style === undefined || textObject !== object) {
      style = styleOf(page, first, textObject);
      if (page.leafOf !== undefined && textObject !== 0) leaf = page.leafOf(textObject, page.scratch.pointer);
    }
    const isNewObject = textObject !== object;
    object = textObject;
    if (page.glyphs !== undefined) {
      const characterOf = isStraight ? undefined : (at: number) => indexOf(offset + at);
      page.glyphs.place(place.start + offset, word.length, first, characterOf, style);
    }
    if (style.font.isScrambled && isStraight && isMisread(page, textObject, word, first, style.size))
      page.unreadable += word.length;
    if (style.font.isUnmeasured && isStraight) measurePitch(page, style.font, word, first);
    const ends = { left: Math.min(left[0], right[0]), right: Math.max(left[1], right[1]) };
    // Only words apart from each other can be on different levels.
    const before = words.at(-1);
    const isApart = before === undefined || gapBetween(before, ends) > WIDE_GAP * before.size;
    const baseline = isApart ? baselineOf(page, first, quarterTurns) : before.baseline;
    let isDetached = false;
    if (before !== undefined && line[offset - 1] === ' ') {
      const blank = { before: line[offset - 2] ?? '', after: word, gap: gapBetween(before, ends) };
      const at = indexOf(offset - 1);
      if (partsNothing(page, blank, at, first, style.size)) page.voids.push(place.start + offset - 1);
      if (words.length < SAMPLED) sampleBlank(page, at, isNewObject ? object : undefined);
      isDetached = isNewObject && blank.gap > NARROW_GAP * style.size && detaches(page, at);
    }
    const isMarker = words.length === 0 && MARKER.test(word);
    const isNumber = words.length === 0 && LINE_NUMBER.test(word);
    const isLeader = LEADER.test(word) || (word === '.' && line.slice(0, offset).endsWith('. . '));
    words.push({
      size: style.size,
      isInvisible: style.isInvisible,
      isOutside: isOut,
      font: style.font,
      quarterTurns: style.quarterTurns,
      left: ends.left,
      right: ends.right,
      start: place.start + offset,
      baseline,
      length: word.length,
      isMarker,
      isLeader,
      isNumber,
      leaf,
      isDetached,
    });
  }
  return words;
}

/** The blanks before the second and the third word of a line are a sample. */
const SAMPLED = 3;

/** Counts a blank within a text object, or one that is an object before the `next`. */
function sampleBlank(page: TextPage, blank: number, next: number | undefined): void {
  if (next !== undefined && !isObject(page, blank, next)) return;
  page.blanks[isAdded(page, blank) ? 'added' : 'written']++;
  if (next !== undefined) page.blanks.single++;
}

/** True if a blank is a text object of its own, as browsers write each character; `next` is the one behind it. */
function isObject({ pdfium: { call }, text }: TextPage, blank: number, next: number): boolean {
  const object = call.FPDFText_GetTextObject(text, blank);
  return object !== 0 && object !== next && object !== call.FPDFText_GetTextObject(text, blank - 1);
}

/** True if PDFium has added a blank between two text objects. */
function detaches(page: TextPage, blank: number): boolean {
  const isNone = isAdded(page, blank);
  if (isNone) page.blanks.detached++;
  return isNone;
}

/** Characters between blanks, without the marks that PDFium leaves at their ends. */
// eslint-disable-next-line no-control-regex
const WORD = /[^\s\0-\x1f\uFFFE\uFFFF]+/g;

/** A word with its offset in the line, and the text object of its first character where that has been read. */
interface FoundWord {
  readonly 0: string;
  readonly index: number;
  readonly object?: number;
}

/** The words of a line of a tagged page with their offsets: a word ends where its leaf does. */
function* wordsOf(
  { pdfium, text, scratch }: TextPage,
  leafOf: LeafOf,
  line: string,
  indexOf: (offset: number) => number,
): Generator<FoundWord> {
  const objectAt = (offset: number): number => pdfium.call.FPDFText_GetTextObject(text, indexOf(offset));
  for (const { 0: word, index: offset } of line.matchAll(WORD)) {
    let from = 0;
    let object = objectAt(offset);
    let first = object;
    if (object !== 0 && word.length > 1 && objectAt(offset + word.length - 1) !== object) {
      let leaf = leafOf(object, scratch.pointer);
      for (let at = 1; at < word.length; at++) {
        const next = objectAt(offset + at);
        // Added characters have no object.
        if (next === object || next === 0) continue;
        object = next;
        const own = leafOf(next, scratch.pointer);
        if (own === leaf || isLowSurrogate(word, at)) continue;
        yield { 0: word.slice(from, at), index: offset + from, object: first };
        [leaf, from, first] = [own, at, next];
      }
    }
    yield { 0: from === 0 ? word : word.slice(from), index: offset + from, object: first };
  }
}

function isLowSurrogate(word: string, at: number): boolean {
  return (word.charCodeAt(at) & 0xfc00) === 0xdc00;
}

function baselineOf({ pdfium, text, scratch }: TextPage, index: number, quarterTurns: number): number {
  const found = pdfium.call.FPDFText_GetCharOrigin(text, index, scratch.pointer, scratch.pointer + 8);
  if (!found) return 0;
  const { doubles } = scratch;
  return finite(turnPoint([doubles[0] ?? 0, doubles[1] ?? 0], quarterTurns)[1]);
}

/** The left and right edge of a character. */
function boxOf({ pdfium, text, scratch }: TextPage, index: number, quarterTurns: number): [number, number] {
  const { pointer } = scratch;
  if (!pdfium.call.FPDFText_GetCharBox(text, index, pointer, pointer + 8, pointer + 16, pointer + 24))
    return [0, 0];
  // By index, because destructuring would iterate: this runs twice a word.
  const box = scratch.doubles;
  const left = box[0] ?? 0;
  const right = box[1] ?? 0;
  if (quarterTurns === 0)
    return left <= right ? [finite(left), finite(right)] : [finite(right), finite(left)];
  const [a] = turnPoint([left, box[2] ?? 0], quarterTurns);
  const [b] = turnPoint([right, box[3] ?? 0], quarterTurns);
  return [finite(Math.min(a, b)), finite(Math.max(a, b))];
}

/** The middle of a character by its offset. */
export function centreOf(page: TextPage, offset: number, quarterTurns: number): number {
  const index = page.pdfium.call.FPDFText_GetCharIndexFromTextIndex(page.text, offset);
  const [left, right] = boxOf(page, index, quarterTurns);
  return (left + right) / 2;
}

/** A number of a file, 0 when it has none. */
export function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

/** Sizes of hostile files go to infinity and to nothing; no letter is larger than this. */
const MAX_SIZE = 2000;
/** A font of which nothing is known. */
export const PLAIN: Font = {
  name: '',
  isScrambled: false,
  isBold: false,
  isFixedPitch: false,
  isUnmeasured: false,
};
/** Text that is filled and stroked (fpdf_edit.h): how programs thicken a font that has no bold. */
const FILL_STROKE = 2;
const INVISIBLE = 3;

function styleOf({ pdfium, text, scratch, fonts }: TextPage, index: number, object: number): Style {
  const { call } = pdfium;
  const found = call.FPDFText_GetMatrix(text, index, scratch.pointer);
  const [, , c = 0, d = 1] = found ? scratch.floats : [];
  const size = Math.abs(call.FPDFText_GetFontSize(text, index)) * Math.hypot(c, d);
  const handle = object === 0 ? 0 : call.FPDFTextObj_GetFont(object);
  let font = fonts.get(handle);
  if (font === undefined)
    fonts.set(handle, (font = handle === 0 ? PLAIN : readFont(pdfium, handle, scratch)));
  const mode = object === 0 ? 0 : call.FPDFTextObj_GetTextRenderMode(object);
  const isThick = mode === FILL_STROKE;
  return {
    size: size < MAX_SIZE ? size : 0,
    isInvisible: mode === INVISIBLE,
    font: isThick && !font.isBold ? { ...font, isBold: true } : font,
    quarterTurns: quarterTurnsOf(call.FPDFText_GetCharAngle(text, index)),
  };
}

/** Font flags (ISO 32000-1, table 123). */
const FIXED_PITCH = 1;
const FORCE_BOLD = 1 << 18;
const BOLD_WEIGHT = 700;
/** The heaviest font; larger values in files are errors. */
const MAX_WEIGHT = 1000;
/** Names that fonts give their bold and fixed-pitch cuts; TeX has short ones of its own. */
const BOLD_NAME =
  /bold|black|heavy|demi|-medi\b|\b(?:cm|sf)(?:bx(?:ti|sl)?|bi?)\d|\bsf(?:rb|bl|xc|sx|so)\d|\bcmssbx/i;
const FIXED_NAME =
  /mono(?!type)|nimbusmon|courier|consol|typewriter|\b(?:cm|sf|ec|la)(?:(?:sl|i|v)?tt|tcsc)\d|\b(?:sf|ec|la)(?:st|it|tc)\d|\b(?:t1x|(?:new)?tx)b?tt|menlo|sourcecode/i;
/** Endings of the short names of bold fonts: "Frutiger-Bd", "LinLibertineTB", "AdvOTb83ee1dd.B". */
const BOLD_END = /[-_,.](?:B|BI|BO|Bol|Bd(?:Cn|It|Ex)?|Blk|Hv(?:It)?)(?:\+\w+)?$|[a-z]T[BZ]I?$/;
/**
 * Names of fonts that are not bold in spite of their stems: some programs write stems so thick that all of a text seems
 * bold.
 */
const PLAIN_NAME =
  /roman|regu|book|light|ital|obli|^(?:times|helvetica|courier|arial|(?:cm(?:r|ti|sl|mi|sy|ex|ss|csc)|sf(?:rm|ti|sl|[cstu]c|[cu]i|s[is]|[st]t|it))\d)/i;

function readFont(pdfium: Pdfium, font: number, scratch: Scratch): Font {
  const { call } = pdfium;
  const flags = call.FPDFFont_GetFlags(font);
  const name = fontName(pdfium, font);
  const isNamed = name !== '' && flags !== -1;
  const weight = call.FPDFFont_GetWeight(font);
  const isFixedPitch = FIXED_NAME.test(name) || (isNamed && (flags & FIXED_PITCH) !== 0);
  return {
    name,
    isScrambled: isScrambled(pdfium, font, scratch),
    isBold:
      BOLD_NAME.test(name) ||
      BOLD_END.test(name) ||
      (isNamed && (flags & FORCE_BOLD) !== 0) ||
      (weight >= BOLD_WEIGHT && weight <= MAX_WEIGHT && !PLAIN_NAME.test(name)),
    isFixedPitch,
    isUnmeasured: !isFixedPitch,
  };
}

/** True if a word of a scrambled font shows the characters with its codes. */
function isMisread(page: TextPage, object: number, word: string, first: number, size: number): boolean {
  const origins = Array.from(word, (_, at) => originOf(page, first + at));
  const advances = origins.slice(1).map((place, at) => distance(origins[at] ?? place, place));
  const { pdfium, scratch } = page;
  return showsCodes(pdfium, pdfium.call.FPDFTextObj_GetFont(object), word, advances, size, scratch);
}

/** Right to left the later word stands before the earlier one. */
export function gapBetween(before: Extent, word: Extent): number {
  return Math.max(word.left - before.right, before.left - word.right);
}
