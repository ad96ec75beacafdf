// Decides if an end mark ends a sentence, by its surroundings: closing quotation marks and brackets, dialogue behind a
// dash, clauses of saying, pauses, missing blanks, small letters. Where only the word before a period decides,
// periods.ts does.
import { isBlank } from '../unicode.ts';
import {
  CASELESS,
  DIGIT,
  isDash,
  isDigit,
  isHangul,
  isIdeographic,
  isScriptMark,
  isSpacedLetter,
  isThai,
  LOWER,
  OPENING,
  PERIOD,
  startAt,
  stopsAs,
  SYMBOL,
  UPPER,
} from './marks.ts';
import { endsWithPlainWord, periodEndsSentence } from './periods.ts';
import {
  endsWithName,
  goesOn,
  hasWords,
  isCamelCase,
  isEllipsis,
  isKoreanEnd,
  isLetterMarker,
  pauseEnds,
  skipOpeners,
} from './neighbours.ts';
import { isTied, isTieWord, reportsSpeech } from './quotations.ts';
import { thaiBlankEndsSentence } from './thai.ts';
import { endsWithVerb, type PeriodPosition, startsSentence } from './words.ts';

/** A sentence that is still open, at a mark that might end it. */
export interface OpenSentence {
  readonly text: string;
  /** The end of the range. */
  readonly end: number;
  /** The start of the sentence. */
  readonly from: number;
  /** Offset of the last quotation mark seen; -1 before the first. */
  readonly quote: number;
}

/** A run of end marks, with the closing marks behind it and the gap before the next word. */
export interface Ending {
  /** The last run of end marks: [mark, marksEnd). */
  readonly mark: number;
  readonly marksEnd: number;
  /** The offset behind the closing quotation marks, brackets and footnote marks. */
  readonly stop: number;
  /** The first unit behind the gap that is not blank. */
  readonly next: number;
  readonly isQuoted: boolean;
  /** True when the end mark stands in a bracket that is itself inside the sentence. */
  readonly isBracketed: boolean;
}

export function endsSentence(sentence: OpenSentence, ending: Ending): boolean {
  const { text, from, end } = sentence;
  const { mark, stop, next } = ending;
  const following = text.charCodeAt(next);
  if (!hasWords(text, from, mark) || ending.isBracketed || goesOn(text, next, end)) return false;
  const before = text.charCodeAt(mark - 1);
  if (stopsAs(before, OPENING) || isTieWord(text, next, end)) return false;
  if (isSpokenByClause(sentence, ending) || isWithinQuotation(sentence, ending)) return false;
  if (isScriptMark(text.charCodeAt(ending.marksEnd - 1)) || isIdeographic(before))
    return scriptMarkEnds(sentence, ending);
  if (next > stop) return markEnds(sentence, ending);
  const isPeriod = text.charCodeAt(mark) === PERIOD;
  if (isHangul(before))
    return isHangul(following) ? !isPeriod || isKoreanEnd(before) : isPeriod && isKoreanEnd(before);
  if (isIdeographic(following)) return (!isPeriod || ending.isQuoted) && markEnds(sentence, ending);
  return isJoinedEnd(sentence, ending);
}

/**
 * `it ended.Then it`: true when the blank behind the mark is missing. Names in programs look the same, so the words
 * decide.
 */
function isJoinedEnd({ text, from, end }: OpenSentence, { mark, stop }: Ending): boolean {
  const next = skipOpeners(text, stop, end);
  const start = startAt(text, next);
  const last = text.charCodeAt(mark - 1);
  const isWord =
    start === UPPER ? startAt(text, mark - 1) === LOWER : start === CASELESS && last > 0x590 && !isThai(last);
  if (!isWord || !isSpacedLetter(last) || endsWithName(text, from, mark)) return false;
  if (!/^[^\s\d.]{1,12}[\s,?!]/.test(text.slice(next, Math.min(end, next + 13)))) return false;
  if (text.charCodeAt(mark) !== PERIOD) return true;
  const isForeign = /[^\0-\x7f]/.test(text.slice(Math.max(from, mark - 8), stop + 2));
  return (
    endsWithPlainWord(text, from, mark) &&
    (isForeign || startsSentence({ text, from, period: mark, next, end, start }))
  );
}

/** True when a clause that only names the speaker follows a quotation, or speech behind a dash. */
function isSpokenByClause({ text, from, end }: OpenSentence, { mark, next, isQuoted }: Ending): boolean {
  if (!isQuoted && !isDash(text.charCodeAt(from))) return false;
  if (text.charCodeAt(mark) === PERIOD && startAt(text, next) === UPPER) return false;
  return (
    reportsSpeech(text, next, end) ||
    (isQuoted && isIdeographic(text.charCodeAt(next)) && isTied(text, next, end))
  );
}

/** `film “Run! Lola” runs`: true when the mark belongs to a name in quotation marks. */
function isWithinQuotation(sentence: OpenSentence, { mark, next, isQuoted }: Ending): boolean {
  const { text, from, quote } = sentence;
  if (quote <= from || mark - quote > LONGEST_NAME || !isQuotedInside(sentence, from)) return false;
  const isFull = '।۔.。'.includes(text.charAt(mark));
  if (!isQuoted) return !isFull && '“‘«„「'.includes(text.charAt(quote));
  return !isFull && startAt(text, next) === CASELESS;
}

/** Most units of a name or sign in quotation marks. */
const LONGEST_NAME = 60;

/** Decides for Latin, Cyrillic and other scripts whose end marks are `.`, `!`, `?` and `…`. */
function markEnds(sentence: OpenSentence, ending: Ending): boolean {
  const { text, from, end } = sentence;
  const { mark, marksEnd } = ending;
  const next = skipOpeners(text, ending.next, end);
  const start = isLetterMarker(text, ending.next, end) ? SYMBOL : startAt(text, next);
  if (start === LOWER && !beginsSmall(sentence, ending, next)) return false;
  const isPeriod = marksEnd - mark === 1 && text.charCodeAt(mark) === PERIOD;
  // When a single blank follows, plain-ends.ts has checked this already.
  const isChecked = next === mark + 2;
  if (isPeriod && !isChecked && start === UPPER && next + 1 < end && startAt(text, next + 1) === LOWER) {
    if (endsWithPlainWord(text, from, mark)) return true;
  }
  const position = { text, from, period: mark, next, end, start: start === LOWER ? UPPER : start };
  if (isEllipsis(text, mark, marksEnd)) return ellipsisEnds(position);
  if (isPeriod) {
    if (isThai(text.charCodeAt(mark - 1))) return thaiBlankEndsSentence(text, from, mark, ending.next, end);
    if (ending.isQuoted && start === CASELESS && isQuotedInside(sentence, from)) return false;
    return periodEndsSentence(position);
  }
  return !endsWithName(text, from, mark) || (start === UPPER && startsSentence(position));
}

/**
 * Decides about an ellipsis. Before a small letter the sentence goes on; in scripts without small letters it ends
 * behind a finite verb.
 */
function ellipsisEnds(position: PeriodPosition): boolean {
  const { text, from, period, start, next } = position;
  if (start === DIGIT) return false;
  if (isThai(text.charCodeAt(period - 1)))
    return thaiBlankEndsSentence(text, from, period, next, position.end);
  if (start === CASELESS)
    return (
      endsWithVerb(text, from, period) || (text.slice(from, period).includes(' ') && startsSentence(position))
    );
  return !isBlank(text.charCodeAt(period - 1)) || startsSentence(position);
}

/** Decides about 。！？。 and their like: they end every sentence, unless a quotation or bracket goes on. */
function scriptMarkEnds(sentence: OpenSentence, ending: Ending): boolean {
  const { text, end, from } = sentence;
  const { mark, marksEnd, stop, next } = ending;
  if (endsWithName(text, from, mark)) return false;
  const before = text.charCodeAt(mark - 1);
  if (text.charCodeAt(mark) === PERIOD && next === stop && !isIdeographic(text.charCodeAt(next)))
    return ending.isQuoted;
  if (text.charCodeAt(mark) === 0xff0e && isDigit(before))
    return mark - from > 4 && !isDigit(text.charCodeAt(mark + 1));
  if (isEllipsis(text, mark, marksEnd)) {
    return ending.isQuoted ? !isTied(text, stop, end) : pauseEnds(text, from, mark, next);
  }
  return text.charAt(next) !== 'と';
}

/** True when the last quotation began inside the sentence, and not behind a colon, comma or dash. */
export function isQuotedInside({ text, quote }: OpenSentence, from: number): boolean {
  if (quote <= from || !hasWords(text, from, quote)) return false;
  let at = quote - 1;
  while (at > from && isBlank(text.charCodeAt(at))) at--;
  return !':,،、，：-–—'.includes(text.charAt(at));
}

/**
 * True when a sentence may begin with this small letter: that of iPhone, of `www.example.org`, of `von Arnim`, of `'s
 * Avonds`, or of a text without capitals, as the sentence before shows.
 */
function beginsSmall(
  { text, from, end }: OpenSentence,
  { mark, next: begin }: Ending,
  next: number,
): boolean {
  if (isCamelCase(text, next, end) || isHangul(text.charCodeAt(mark - 1))) return true;
  const word = text.slice(begin, Math.min(end, begin + LONGEST_LEAD_IN));
  if (/^[a-z\d_-]{2,}[.:/]{1,3}[a-z\d_-]{2}/.test(word)) return !isBlank(text.charCodeAt(mark - 1));
  if (text.charCodeAt(mark) === PERIOD && !endsWithPlainWord(text, from, mark)) return false;
  const particle = /^(?:['’][a-z] |d['’]|(?:v[ao]n|фон|ван) )/.exec(word)?.[0].length;
  const isUncapitalised = startAt(text, from) === LOWER && text.charCodeAt(from + 1) !== 0x29;
  return isUncapitalised || (particle !== undefined && startAt(text, begin + particle) === UPPER);
}

const LONGEST_LEAD_IN = 20;
