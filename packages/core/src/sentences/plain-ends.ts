// Decides if a mark ends a sentence in the plain cases in which nothing closes behind it and no quotation is open: a
// period, blanks and a word; `?` and `!` before a letter; 。 between letters. Nine ends in ten are decided here,
// quickly, with the same results as the rules of endings.ts. `undefined` means that those rules have to decide.
import type { OpenSentence } from './endings.ts';
import {
  CASELESS,
  isDash,
  isHangul,
  isIdeographic,
  isLetterKind,
  isOpener,
  isScriptMark,
  kindOf,
  LOWER,
  OPENING,
  PERIOD,
  startAt,
  stopsAs,
  SYMBOL,
  unitTraits,
  UPPER,
} from './marks.ts';
import { endsWithSection, isItemNumber } from './numbers.ts';
import { endsWithHangulWord, endsWithPlainWord, endsWithShortWord, periodEndsSentence } from './periods.ts';
import { endsWithName, hasWords, isAsciiWordUnit, isInsideToken, skipOpeners } from './neighbours.ts';
import { isTieWord } from './quotations.ts';

/** The ends of most sentences, decided by the mark and the letters beside it; `undefined` for all others. */
export function endsPlainly(sentence: OpenSentence, at: number, next: number): boolean | undefined {
  const mark = sentence.text.charCodeAt(at);
  if (mark >= FIRST_IDEOGRAPHIC) return endsBetweenLetters(sentence, at, next);
  if (next === at + 1) return isInsideToken(sentence.text, at) ? false : undefined;
  return mark === PERIOD ? endsBeforeWord(sentence, at, next) : endsBeforePlainWord(sentence, at, next);
}

/**
 * `word. Next`: a period and blanks before a letter, digit or plain symbol. Skips the search for closers and openers,
 * which would give the same result; `undefined` where that search is necessary.
 */
function endsBeforeWord(sentence: OpenSentence, at: number, next: number): boolean | undefined {
  const { text, from, end } = sentence;
  if (isHangul(text.charCodeAt(at - 1))) {
    if (endsWithHangulWord(text, from, at)) return endsBehindHangul(sentence, next);
    if (endsWithSection(text, from, at)) return false;
  } else if (isItemNumber(text, from, at)) return false;
  const start = startAt(text, next);
  if (start === UPPER) {
    const isWord = next + 1 < end && startAt(text, next + 1) === LOWER;
    if (isWord && (endsWithPlainWord(text, from, at) || endsWithShortWord(text, from, at))) return true;
  } else {
    if (start === LOWER || isDash(text.charCodeAt(from))) return undefined;
    if (start === SYMBOL && !isPlainSymbol(text.charCodeAt(next)))
      return endsBeforeOpener(sentence, at, next);
    if (start === CASELESS) {
      if (isTieWord(text, next, end)) return false;
      if (endsWithPlainWord(text, from, at) || endsWithShortWord(text, from, at)) return true;
    }
  }
  const before = text.charCodeAt(at - 1);
  if (before >= FIRST_SPECIAL && !isHangul(before)) return undefined;
  if (stopsAs(before, OPENING) || !hasWords(text, from, at)) return undefined;
  return periodEndsSentence({ text, from, period: at, next, end, start });
}

/** `했다. 그`: a Korean word is no abbreviation, so that only a particle behind it goes on. */
function endsBehindHangul({ text, from, end }: OpenSentence, next: number): boolean | undefined {
  if (isDash(text.charCodeAt(from))) return undefined;
  const start = startAt(text, next);
  if (start === CASELESS) return !isTieWord(text, next, end);
  if (start !== SYMBOL) return true;
  const code = text.charCodeAt(next);
  return isPlainSymbol(code) || (isOpener(code) && code !== CLOSING_GUILLEMET) || undefined;
}

/** `word. “Next`, `word. (Next`: an opening mark does not change the effect of a plain word before the period. */
function endsBeforeOpener({ text, from, end }: OpenSentence, at: number, gapEnd: number): true | undefined {
  const opener = text.charCodeAt(gapEnd);
  if (!isOpener(opener) || opener === CLOSING_GUILLEMET) return undefined;
  const next = skipOpeners(text, gapEnd, end);
  const start = startAt(text, next);
  const isWord = start === UPPER ? next + 1 < end && startAt(text, next + 1) === LOWER : start === CASELESS;
  return (isWord && endsWithPlainWord(text, from, at)) || undefined;
}

const CLOSING_GUILLEMET = 0xbb;

/**
 * `Why? Next`: another mark that ends a sentence whatever the word before it is: no quotation, name or dash comes into
 * it.
 */
function endsBeforePlainWord(
  { text, from, end, quote }: OpenSentence,
  at: number,
  next: number,
): true | undefined {
  const mark = text.charCodeAt(at);
  if (mark !== QUESTION && mark !== EXCLAMATION && !(mark < FIRST_SPECIAL && isScriptMark(mark)))
    return undefined;
  const start = startAt(text, next);
  const before = text.charCodeAt(at - 1);
  const ends =
    (start === UPPER || start === CASELESS) &&
    quote <= from &&
    !isDash(text.charCodeAt(from)) &&
    !isIdeographic(before) &&
    !stopsAs(before, OPENING) &&
    hasWords(text, from, at) &&
    !isIdeographic(text.charCodeAt(next)) &&
    !isTieWord(text, next, end) &&
    !endsWithName(text, from, at);
  return ends || undefined;
}

/** `了。他`: the same for Chinese and Japanese, where no blank need be between mark and letter. */
function endsBetweenLetters(
  { text, from, quote }: OpenSentence,
  at: number,
  next: number,
): boolean | undefined {
  const mark = text.charCodeAt(at);
  const isFull = mark === IDEOGRAPHIC_STOP;
  if (!isFull && (quote > from || (mark !== WIDE_QUESTION && mark !== WIDE_EXCLAMATION))) return undefined;
  const start = text.charCodeAt(next);
  if (start < 0x80 ? !isAsciiWordUnit(start) : !(isIdeographic(start) && isLetterKind(kindOf(start))))
    return undefined;
  const before = text.charCodeAt(at - 1);
  if (before === LAST_OF_NAME || stopsAs(before, OPENING) || isDash(text.charCodeAt(from))) return undefined;
  return hasWords(text, from, at) ? start !== QUOTATIVE : undefined;
}

const FIRST_IDEOGRAPHIC = 0x3002;
const IDEOGRAPHIC_STOP = 0x3002;
const WIDE_EXCLAMATION = 0xff01;
const WIDE_QUESTION = 0xff1f;
/** 娘 of モーニング娘。, and と behind a quotation. */
const LAST_OF_NAME = 0x5a18;
const QUOTATIVE = 0x3068;
const EXCLAMATION = 0x21;
const QUESTION = 0x3f;

/** A symbol of ASCII that neither opens nor closes, ends or continues anything: `^`, `#`, `$`. */
function isPlainSymbol(code: number): boolean {
  return code > 0x20 && code < 0x80 && !isDash(code) && unitTraits()[code] === 0;
}

/** Thai, the first of the scripts whose letters have rules of their own before a mark. */
const FIRST_SPECIAL = 0xe00;
