// Decides if a period behind a figure ends a sentence: not behind ordinals, dates, list markers and section numbers,
// but behind years, amounts and versions. Also classifies the word behind a figure: a measure, or the name of a
// section.
import { isBlank } from '../unicode.ts';
import { isBeforeOrdinal, isMonthOrAge, STARTERS } from './lists.ts';
import { DIGIT, isDevanagari, isDigit, PERIOD, UPPER } from './marks.ts';
import { isAsciiDigit, isAsciiLetter } from './neighbours.ts';
import {
  isDotted,
  LONGEST_WORD,
  nextWord,
  type PeriodPosition,
  previousWord,
  startsSentence,
} from './words.ts';

/**
 * True when the period behind a number ends the sentence: ordinals before months and nouns, dates, list markers and
 * section numbers do not.
 */
export function numberEndsSentence(position: PeriodPosition, begin: number, word: string): boolean {
  const { text, from, next, end } = position;
  if (begin === from && word.length <= 6 && !/\d{4}/.test(word)) return false;
  if (word.length > 5) return true;
  const before = previousWord(text, begin, from);
  // As in `Chapter 3. The end`, which is a heading.
  if (before.start === from && !/^[12]\d{3}$/.test(word)) return false;
  const dateStart = Math.max(from, begin - LONGEST_DATE);
  if (
    position.start === DIGIT &&
    (IN_DATE.test(text.slice(dateStart, begin)) ||
      isDate(word, text.slice(next, Math.min(end, next + LONGEST_DATE))))
  )
    return false;
  if (word.length > 3) return true;
  const isBehindPeriod = text.charCodeAt(begin - (isBlank(text.charCodeAt(begin - 1)) ? 2 : 1)) === PERIOD;
  if (isBehindPeriod && END_OF_DATE.test(text.slice(dateStart, begin))) return startsSentence(position);
  if (position.start !== UPPER) return true;
  const following = nextWord(position);
  if (isMonthOrAge(following)) return false;
  if (STARTERS().has(following)) return true;
  return !/^\d+$/.test(word) || !isBeforeOrdinal(text.slice(before.start, before.end).toLowerCase());
}

/**
 * True when the sentence so far is nothing but the number of an item or section, whose title follows: `3.`, `B.2.4.`
 */
export function isItemNumber(text: string, from: number, period: number): boolean {
  if (period - from > LONGEST_WORD) return false;
  let digits = 0;
  for (let at = from; at < period && digits < YEAR; at++) {
    const code = text.charCodeAt(at);
    if (isAsciiDigit(code)) digits++;
    else if (code === PERIOD || (at === from && isAsciiLetter(code))) digits = 0;
    else return false;
  }
  return digits > 0 && digits < YEAR;
}

/** ` 2024.` with more before it and no number behind it: most references end so, whatever the other rules say. */
export function isYear({ text, from, period, start }: PeriodPosition): boolean {
  if (
    period - YEAR - LEAST_BEFORE_YEAR < from ||
    start === DIGIT ||
    !isBlank(text.charCodeAt(period - YEAR - 1))
  )
    return false;
  for (let at = period - YEAR; at < period; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/**
 * Digits of a year; the number of a section has fewer side by side. Also the units after which the word before a number
 * can no longer be the first of its sentence.
 */
const YEAR = 4;
const LEAST_BEFORE_YEAR = LONGEST_WORD + 4;

const LONGEST_DATE = 10;

/** `05. 11. 1998` and `2024. 3. 15.`: true when a number with a period is followed by another. */
function isDate(word: string, following: string): boolean {
  return word.length <= 2
    ? /^\d{1,2}\.\s?\d|^\d{4}(?!\d)/.test(following)
    : /^\d{1,2}\.\s?\d{1,2}\./.test(following);
}

/** Matches `2024. ` before the month, and `2024. 3. ` before the day. */
const IN_DATE = /(?<!\d)\d{4}\.\s?$/;
const END_OF_DATE = /\d{4}\.\s?\d{1,2}\.\s?$/;

/**
 * True for a word behind a number that can be a measure: no dotted word like `a.m`, no short word of Hindi with another
 * meaning.
 */
export function isMeasure(position: PeriodPosition, word: string): boolean {
  if (isDevanagari(word.charCodeAt(0)))
    return /^(?:रु|(?:कि\.?)?(?:मी|ग्रा))$/.test(word) && isBehindNumber(position, word);
  return !(position.start === UPPER && isDotted(word)) && isBehindNumber(position, word);
}

/** Matches prepositions of Arabic, where a sentence often begins with its verb. */
export const PREPOSITIONS = /^(?:في|على|عن|من|إلى|و.*)$/;

/**
 * `5 oz`, `1998 г`, `300 г. до н. э`: true when the word before the period follows a number, perhaps with a measure or
 * a preposition in between.
 */
function isBehindNumber({ text, from, period }: PeriodPosition, word: string): boolean {
  const before = period - word.length - 2;
  const isNear = before < from || isDigit(word.charCodeAt(0)) || isDigit(text.charCodeAt(before + 1));
  // Checked first, because most words follow other words.
  const code = text.charCodeAt(before);
  if (!isNear && !isDigit(code) && !isNumeralEnd(code)) return false;
  const preceding = text.slice(Math.max(from, period - LONGEST_WORD), period);
  return (
    NUMERAL.test(preceding) &&
    /(?:[\d०-९٠-٩۰-۹]\s?|(?<![^\s(])[IVXХ]+\s)(?:гг?\.\s?)?(?:до\s)?(?:[^\s\d.]{1,2}\.\s?)?[^\s\d,;:()]+$/.test(
      preceding,
    )
  );
}

/**
 * True for units that can end the token before a measure: `I`, `V`, `X`, its Cyrillic twin, a period, and `о` of `до`.
 */
const isNumeralEnd = (code: number): boolean =>
  code === 0x49 || code === 0x56 || code === 0x58 || code === 0x425 || code === PERIOD || code === CYRILLIC_O;

const NUMERAL = /[\dIVXХ०-९٠-٩۰-۹]/;

/** The last letter of до. */
export const CYRILLIC_O = 0x43e;

/**
 * `6.3.4절.`, `제 1 조.`: true for the number of a section in a Korean text, whose title follows; no verb ends like this.
 */
export function endsWithSection(text: string, from: number, period: number): boolean {
  if (!isSection(text.charCodeAt(period - 1))) return false;
  let at = period - 2;
  while (at > from && at > period - LONGEST_WORD && isBlank(text.charCodeAt(at))) at--;
  return at >= from && isDigit(text.charCodeAt(at));
}

/** 장 (chapter), 절 (section), 조 (article). */
const isSection = (code: number): boolean => code === 0xc7a5 || code === 0xc808 || code === 0xc870;
