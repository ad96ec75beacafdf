// Finds where sentences end, in one pass over the units of a range. The scan stops only at the units that marks.ts
// lists. At an end mark it reads the marks and closers around it and decides whether the next word begins a sentence.
// Boundaries found inside a bracket are taken back when the bracket closes and turns out to stand inside a sentence.
// Linear on any input: every look backward or forward is bounded by a named number or moves the scan on.
import { isBlank } from '../unicode.ts';
import { type Ending, endsSentence, isQuotedInside } from './endings.ts';
import { beginsItem } from './items.ts';
import {
  attaches,
  CASELESS,
  CLOSING,
  END_MARK,
  isCloser,
  isHangul,
  isLetterKind,
  isScriptMark,
  isThai,
  isWordUnit,
  kindOf,
  NEWLINE,
  OPENING,
  PERIOD,
  QUOTE,
  skipBlanks,
  startAt,
  STOPS,
  stopsAs,
  THAI,
  unitTraits,
  UNMARKED,
  UPPER,
} from './marks.ts';
import { closerWidth, goesOn, hasWords, LONGEST_FOOTNOTE, opensName, skipOpeners } from './neighbours.ts';
import { endsPlainly } from './plain-ends.ts';
import { isTied, isTieWord } from './quotations.ts';
import { type Boundaries, STRENGTHS } from './strengths.ts';
import { thaiBlankEndsSentence } from './thai.ts';

/** Units up to which a bracket is taken for a part of its sentence; a longer one was probably never closed. */
const LONGEST_BRACKET = 200;
/** Brackets open at once in anything a person wrote; more of them are not kept. */
const DEEPEST_NESTING = 32;

/**
 * For each open bracket, the innermost last: its offset, the start of the sentence at its opening, and `count` at that
 * time. Shared by all calls: a new one for each paragraph was a third of all allocations.
 */
const open = new Int32Array(3 * DEEPEST_NESTING);

/** The state of the scan at a unit. */
interface Scan {
  readonly text: string;
  readonly end: number;
  readonly traits: Uint8Array;
  readonly offsets: number[];
  readonly strengths: number[];
  /** Number of valid entries: lowering this takes boundaries in a bracket back. Cheaper than shortening arrays. */
  count: number;
  /** The start of the current sentence. */
  from: number;
  /** Number of valid entries of {@link open}. */
  depth: number;
  /** Offset of the quotation mark seen last. */
  quote: number;
}

/**
 * Returns the sentence boundaries of [start, end), each behind the blanks that part two sentences. Their strength is
 * `sentence`, `line` (the sentence ends its line) or `paragraph` (a blank line follows). A blank line always ends a
 * sentence; a line break alone does so only behind an end mark or before the next item of a list. No language is given:
 * scripts and word lists decide. Linear in the length of the range. `start` and `end` must lie inside the text; they
 * are not checked.
 *
 * @example
 * sentences('Dr. Ruiz left. It rained.').offsets; // [15, 25]
 */
export function sentences(text: string, start = 0, end = text.length): Boundaries {
  const scan: Scan = {
    text,
    end,
    traits: unitTraits(),
    offsets: [],
    strengths: [],
    count: 0,
    from: skipBlanks(text, start, end),
    depth: 0,
    quote: -1,
  };
  scanAll(scan);
  return boundariesOf(scan, start);
}

/** Handles the commonest stops inline, since a call for each costs more than the work. */
function scanAll(scan: Scan): void {
  const { text, end, traits } = scan;
  for (let at = nextStop(scan, scan.from); at < end; at = nextStop(scan, at)) {
    const unit = text.charCodeAt(at);
    if (unit === 0x0a) at = readLineFeed(scan, at);
    else if (isHangul(unit)) at = readSyllable(scan, at);
    else at = step(scan, at, (traits[unit] ?? 0) & STOPS);
  }
}

/** The first stop from `at` on, or the end. A function of its own, because the engine compiles such a loop best. */
function nextStop({ text, end, traits }: Scan, at: number): number {
  let next = at;
  while (next < end && ((traits[text.charCodeAt(next)] ?? 0) & STOPS) === 0) next++;
  return next;
}

/** Line feeds and spaces before a plain unit: a wrapped line, indented or not, or a paragraph, the commonest cases. */
function readLineFeed(scan: Scan, at: number): number {
  const { text, end } = scan;
  let next = at + 1;
  let lines = 1;
  let code = 0;
  for (; next < end; next++) {
    code = text.charCodeAt(next);
    if (code === 0x0a) lines++;
    else if (code !== 0x20) break;
  }
  if (next === end) return end;
  if (!isPlainStart(code)) return readNewline(scan, at);
  if (lines > 1) pushBoundary(scan, next, STRENGTHS.paragraph);
  else if (code <= LAST_CAPITAL && beginsItem(text, scan.from, next, end))
    addBoundary(scan, next, STRENGTHS.line);
  return next;
}

/** True for a unit of ASCII that is no blank, and for a letter that attaches to nothing before it. */
function isPlainStart(code: number): boolean {
  return code < 0x80 ? code > 0x20 : isLetterKind(kindOf(code));
}

/** Of ASCII; bullets, digits and the letters of appendices come before it, most letters behind. */
const LAST_CAPITAL = 0x5a;

/** The last syllable of a Korean verb: the period behind it is read at once, as it mostly stands there. */
function readSyllable(scan: Scan, at: number): number {
  const { text, end } = scan;
  const following = text.charCodeAt(at + 1);
  if (following === PERIOD && at + 1 < end) return readEndMark(scan, at + 1);
  return isBlank(following) ? readUnmarkedEnd(scan, at) : at + 1;
}

function boundariesOf(scan: Scan, start: number): Boundaries {
  if (scan.end > start) pushBoundary(scan, scan.end, STRENGTHS.paragraph);
  const { offsets, strengths, count } = scan;
  // Boundaries were taken back. Setting the length of an array costs as much as reading a line.
  if (offsets.length > count) offsets.length = strengths.length = count;
  return { offsets, strengths };
}

/** Reads from a unit that matters and returns the offset from which to go on. */
function step(scan: Scan, at: number, stop: number): number {
  switch (stop) {
    case END_MARK:
      return readEndMark(scan, at);
    case NEWLINE:
      return readNewline(scan, at);
    case THAI:
      return readThai(scan, at);
    case OPENING:
      openBracket(scan, at);
      break;
    case CLOSING:
      closeBracket(scan, at);
      break;
    case QUOTE:
      scan.quote = at;
      break;
    case UNMARKED:
      return readUnmarkedEnd(scan, at);
  }
  return at + 1;
}

/** `⏐\n\n`: a blank line ends the sentence before it; a line break alone does so only before a bullet. */
function readNewline(scan: Scan, at: number): number {
  const { text, end } = scan;
  const next = skipBlanks(text, at, end);
  const strength = gapStrength(text, at, next);
  if (next < end && (strength === STRENGTHS.paragraph || beginsItem(text, scan.from, next, end)))
    addBoundary(scan, next, strength);
  return next;
}

/** By the number of line breaks in a run of blanks. */
function gapStrength(text: string, at: number, next: number): number {
  let lines = 0;
  for (; at < next; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x20) continue;
    if (code === 0x0a || code === 0x2028 || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) lines++;
    else if (code === 0x0c || code === 0x2029) lines += 2;
    if (lines === 2) return STRENGTHS.paragraph;
  }
  return lines === 1 ? STRENGTHS.line : STRENGTHS.sentence;
}

function addBoundary(scan: Scan, at: number, strength: number): void {
  if (at > scan.from && !attaches(scan.text, at)) pushBoundary(scan, at, strength);
}

function pushBoundary(scan: Scan, at: number, strength: number): void {
  scan.offsets[scan.count] = at;
  scan.strengths[scan.count++] = strength;
  scan.from = at;
  if (strength === STRENGTHS.paragraph) scan.depth = 0;
}

function openBracket(scan: Scan, at: number): void {
  if (scan.depth === open.length) scan.depth = 0;
  const { depth } = scan;
  open[depth] = at;
  open[depth + 1] = scan.from;
  open[depth + 2] = scan.count;
  scan.depth = depth + 3;
}

/** Settles the boundaries inside a bracket. True when the bracket is inside a sentence, which it then cannot end. */
function closeBracket(scan: Scan, at: number): boolean {
  if (scan.depth === 0) return false;
  const depth = (scan.depth -= 3);
  const opened = open[depth] ?? 0;
  const from = open[depth + 1] ?? 0;
  const boundaries = open[depth + 2] ?? 0;
  if (at - opened > LONGEST_BRACKET) return false;
  const opening = scan.text.charCodeAt(opened);
  const isQuote = opening === 0x300c || opening === 0x300e;
  if (isQuote) scan.quote = opened;
  const isWhole = isQuote
    ? !isTied(scan.text, at + 1, scan.end) && !isQuotedInside(scan, from)
    : opening !== 0x300a &&
      opening !== 0x3008 &&
      !hasWords(scan.text, from, opened) &&
      stopsAs(scan.text.charCodeAt(at - 1), END_MARK);
  if (isWhole) return false;
  scan.count = boundaries;
  scan.from = from;
  return true;
}

function readEndMark(scan: Scan, at: number): number {
  const { text, end } = scan;
  let next = at + 1;
  let isBroken = false;
  for (; next < end; next++) {
    const code = text.charCodeAt(next);
    if (code === 0x0a) {
      // A blank line ends a sentence with any mark, and is read next.
      if (isBroken) return at + 1;
      isBroken = true;
    } else if (code !== 0x20 && code !== 0xa0) break;
  }
  const ends = next < end ? endsPlainly(scan, at, next) : undefined;
  if (ends === undefined) return readMarkedEnd(scan, at);
  if (!ends) return at + 1;
  pushBoundary(scan, next, isBroken ? STRENGTHS.line : STRENGTHS.sentence);
  return next;
}

/** Marks with other units around them. */
function readMarkedEnd(scan: Scan, at: number): number {
  const { text, end } = scan;
  const ending = readEnding(scan, at);
  const { stop, next } = ending;
  if (next >= end) return next;
  const strength = gapStrength(text, stop, next);
  if (strength !== STRENGTHS.paragraph && !endsSentence(scan, ending)) return stop;
  addBoundary(scan, next, strength);
  return next;
}

/** `?!”)`: marks and closers in any order, up to the first that is neither. */
function readEnding(scan: Scan, at: number): Ending {
  const { text, end } = scan;
  // The commonest: one blank behind one mark, and no closer.
  if (at + 2 < end && text.charCodeAt(at + 1) === 0x20) {
    const next = text.charCodeAt(at + 2);
    if (!isBlank(next) && next !== 0xbb && text.charCodeAt(at) < 0x80)
      return { mark: at, marksEnd: at + 1, stop: at + 1, next: at + 2, isQuoted: false, isBracketed: false };
  }
  let mark = at;
  let marksEnd = at;
  let stop = at;
  let isQuoted = false;
  let isBracketed = false;
  while (stop < end) {
    const code = text.charCodeAt(stop);
    if (stopsAs(code, END_MARK)) {
      if (
        stop > at &&
        code === PERIOD &&
        isScriptMark(text.charCodeAt(stop - 1)) &&
        opensName(text, stop, end)
      )
        break;
      if (stop !== marksEnd) {
        mark = stop;
        isQuoted = isBracketed = false;
      }
      marksEnd = ++stop;
      continue;
    }
    const width = closerWidth(text, stop, end);
    if (width === 0) break;
    if (stopsAs(code, CLOSING)) isBracketed = closeBracket(scan, stop) || isBracketed;
    else if (width < 3) isQuoted = true;
    stop += width;
  }
  return { mark, marksEnd, stop, next: skipBlanks(text, stop, end), isQuoted, isBracketed };
}

/** `Thanks 😊 See you`, `출고되었습니다 배송은`: characters that end a sentence without an end mark, with a blank behind them. */
function readUnmarkedEnd(scan: Scan, at: number): number {
  const { text, end, from } = scan;
  const isSyllable = isHangul(text.charCodeAt(at));
  if (isSyllable && !(isBlank(text.charCodeAt(at + 1)) && '니세'.includes(text.charAt(at - 1))))
    return at + 1;
  let stop = at + 1;
  if (!isSyllable) {
    if (!EXPRESSIVE.test(text.slice(at, at + 2))) return stop;
    while (stop < end && isPictureUnit(text.charCodeAt(stop))) stop++;
  }
  const next = skipBlanks(text, stop, end);
  if (next === stop || next === end || goesOn(text, next, end)) return stop;
  // Behind a word: a picture behind `##` or `:` opens a phrase.
  const before = text.charCodeAt(isBlank(text.charCodeAt(at - 1)) ? at - 2 : at - 1);
  if (at <= from || !(isWordUnit(before) || isCloser(before) || stopsAs(before, UNMARKED))) return stop;
  const strength = gapStrength(text, stop, next);
  const start = startAt(text, skipOpeners(text, next, end));
  const ends =
    strength >= STRENGTHS.line || start === UPPER || (start === CASELESS && !isTieWord(text, next, end));
  if (!ends) return stop;
  addBoundary(scan, next, strength);
  return next;
}

/** Half of a picture, or a joiner before the next one. */
const isPictureUnit = (code: number): boolean =>
  (code & 0xf800) === 0xd800 || code === 0x200d || code === 0xfe0f;

/** A face, a gesture, a heart or a feast, which comment on a sentence; other pictures stand for words. */
const EXPRESSIVE = /^[😀-🙏👂-👐💓-💟🤌-🤯🥰-🥺🎆-🎊]/u;

const ITEM_NUMBER = /^\d{1,3}[.)]\s/;

/** A run of Thai letters; the blank behind it may end a sentence. */
function readThai(scan: Scan, at: number): number {
  const { text, end, from } = scan;
  if (at > from && isBlank(text.charCodeAt(at - 1))) {
    let gap = at - 1;
    while (gap > from && isBlank(text.charCodeAt(gap - 1))) gap--;
    const code = text.charCodeAt(gap - 1);
    if (
      !isThai(code) &&
      !stopsAs(code, END_MARK) &&
      !stopsAs(code, QUOTE) &&
      thaiBlankEndsSentence(text, from, gap, at, end)
    )
      addBoundary(scan, at, gapStrength(text, gap, at));
  }
  while (at < end && scan.traits[text.charCodeAt(at)] === THAI) at++;
  const next = skipBlanks(text, at, end);
  if (next === at || next === end) return at;
  const strength = gapStrength(text, at, next);
  const isParted =
    strength >= STRENGTHS.line && ITEM_NUMBER.test(text.slice(next, Math.min(end, next + LONGEST_FOOTNOTE)));
  if (strength !== STRENGTHS.paragraph && !isParted && !thaiBlankEndsSentence(text, scan.from, at, next, end))
    return at;
  addBoundary(scan, next, strength);
  return next;
}
