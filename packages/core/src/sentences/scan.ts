// Finds where sentences end, in one pass over the units of a range. The scan stops only at the units that marks.ts
// lists. At an end mark it reads the marks and closers around it and decides whether the next word begins a sentence.
// Boundaries found inside a bracket are taken back when the bracket closes and turns out to stand inside a sentence.
// Linear on any input: every look backward or forward is bounded by a named number or moves the scan on.
import { StopReader } from '#stops';
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
import { closerWidth, goesOn, hasWords, LONGEST_FOOTNOTE, opensName, skipOpeners } from './places.ts';
import { endsPlainly } from './plain-ends.ts';
import { isTied, isTieWord } from './quotations.ts';
import { type Boundaries, STRENGTHS } from './strengths.ts';
import { thaiBlankEndsSentence } from './thai.ts';

/** Units up to which a bracket is taken for a part of its sentence; a longer one was probably never closed. */
const LONGEST_BRACKET = 200;
/** Brackets open at once in anything a person wrote; more of them are not kept. */
const DEEPEST_NESTING = 32;

/** What the scan knows at a unit. */
interface Scan {
  readonly text: string;
  readonly end: number;
  readonly traits: Uint8Array;
  offsets: Int32Array;
  strengths: Uint8Array;
  /** How many of them hold: boundaries in a bracket are taken back by lowering this. Cheaper than shortening arrays. */
  count: number;
  /** Where the sentence begins that is being read. */
  from: number;
  /** Of each open bracket, the innermost last: its offset, where the sentence began it opened in, and `count` then. */
  readonly open: Int32Array;
  /** How many of these numbers hold. Setting the length of an array costs as much as reading a line. */
  depth: number;
  /** Offset of the quotation mark seen last. */
  quote: number;
}

/** The ends of the sentences of [start, end), as if the range were a text of its own. */
export function scanSentences(text: string, start: number, end: number): Boundaries {
  const rooms = (room ??= createRoom());
  const scan: Scan = {
    text,
    end,
    traits: unitTraits(),
    offsets: rooms.offsets,
    strengths: rooms.strengths,
    open: rooms.open,
    count: 0,
    from: skipBlanks(text, start, end),
    depth: 0,
    quote: -1,
  };
  scanAll(scan);
  return boundariesOf(scan, start);
}

/** What scans write to, one after another: making it anew costs as much as reading a paragraph. */
let room: ReturnType<typeof createRoom> | undefined;

const createRoom = () => ({
  offsets: new Int32Array(MOST_KEPT),
  strengths: new Uint8Array(MOST_KEPT),
  open: new Int32Array(3 * DEEPEST_NESTING),
});

/** Boundaries for which there is always room; what a longer text needs goes with its scan. */
const MOST_KEPT = 4096;

// Small functions, so that the engine never leaves the compiled loop for want of having seen what follows it.

/** What is commonest at the stops is answered right here, since a call for each costs more than the answer. */
function scanAll(scan: Scan): void {
  const { text, end, traits } = scan;
  const stops = new StopReader(text, end);
  for (let at = stops.next(scan.from); at < end; at = stops.next(at)) {
    const { unit } = stops;
    if (unit === 0x0a) at = readLineFeed(scan, at);
    else if (isHangul(unit)) at = readSyllable(scan, at);
    else at = step(scan, at, (traits[unit] ?? 0) & STOPS);
  }
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
  if (count > MOST_IN_ARRAYS)
    return { offsets: offsets.slice(0, count), strengths: strengths.slice(0, count) };
  const boundaries = { offsets: new Array<number>(count), strengths: new Array<number>(count) };
  for (let index = 0; index < count; index++) {
    boundaries.offsets[index] = offsets[index] ?? 0;
    boundaries.strengths[index] = strengths[index] ?? 0;
  }
  return boundaries;
}

/** Beyond so many, typed arrays are made sooner than others. */
const MOST_IN_ARRAYS = 100;

/** Reads what begins at a unit that matters and returns where to go on. */
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

/** `⏐\n\n`: a blank line ends what stands before it; a line break alone does so only before a bullet. */
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
  if (scan.count === scan.offsets.length) enlarge(scan);
  scan.offsets[scan.count] = at;
  scan.strengths[scan.count++] = strength;
  scan.from = at;
  if (strength === STRENGTHS.paragraph) scan.depth = 0;
}

function enlarge(scan: Scan): void {
  const { offsets, strengths, count } = scan;
  scan.offsets = new Int32Array(2 * count);
  scan.offsets.set(offsets);
  scan.strengths = new Uint8Array(2 * count);
  scan.strengths.set(strengths);
}

function openBracket(scan: Scan, at: number): void {
  const { open } = scan;
  if (scan.depth === open.length) scan.depth = 0;
  const { depth } = scan;
  open[depth] = at;
  open[depth + 1] = scan.from;
  open[depth + 2] = scan.count;
  scan.depth = depth + 3;
}

/** Settles the boundaries inside a bracket. True when it stands inside a sentence, which it then cannot end. */
function closeBracket(scan: Scan, at: number): boolean {
  if (scan.depth === 0) return false;
  const { open } = scan;
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
      // A blank line ends a sentence whatever the mark is, and is read next.
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

/** Marks with anything around them. */
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
  // The commonest: one blank behind one mark, and nothing that closes.
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

/** `Thanks 😊 See you`, `출고되었습니다 배송은`: what closes a sentence though no mark does, a blank behind it. */
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
  // Behind a word: a picture behind `##` or `:` opens something.
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

/** Half of a picture, or what joins it to the next. */
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
