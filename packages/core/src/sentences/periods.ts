// Whether a single period ends a sentence: the rules for abbreviations, initials, ordinals, numbers and list markers.
// They look at the word before the period, the word behind it and, for a few, the word before that; all bounded.
import type { Span } from '../document.ts';
import { isBlank } from '../unicode.ts';
import {
  abbreviationKind,
  isBeforeOrdinal,
  isMonth,
  LABELLED,
  MAYBE,
  mayBeAbbreviation,
  NEVER,
  NOBODY,
  NUMBER,
  OFTEN,
  STARTERS,
  wordKey,
} from './lists.ts';
import {
  CASELESS,
  DIGIT,
  isArabic,
  isDevanagari,
  isDigit,
  isHangul,
  isIdeographic,
  isOpener,
  isWordUnit,
  kindOf,
  knownKinds,
  LOWER,
  PERIOD,
  SPACED,
  startAt,
  SYMBOL,
  UPPER,
} from './marks.ts';
import { isTieWord } from './quotations.ts';

/** Where a period stands: the sentence it might end, and the first character behind it that could begin another. */
export interface PeriodPlace {
  readonly text: string;
  /** Where the sentence begins that the period might end. */
  readonly from: number;
  /** Offset of the period. */
  readonly period: number;
  /** Offset of the first letter, digit or symbol behind it, past blanks, quotation marks and brackets. */
  readonly next: number;
  readonly end: number;
  /** What stands there, as {@link startAt} says it. */
  readonly start: number;
}

/** Longer words are no abbreviation that the lists know, save dotted ones, which are no longer either. */
const LONGEST_ABBREVIATION = 7;
const LONGEST_WORD = 24;

/**
 * True when the word before the period is one that no rule here is about: no digit, no period and no single letter in
 * it, and on no list. The quick answer for nine periods in ten, mostly without cutting the word out of the text.
 */
export function endsWithPlainWord(text: string, from: number, period: number): boolean {
  const known = knownKinds();
  const floor = Math.max(from, period - LONGEST_ABBREVIATION - 1);
  let begin = period;
  let key = 0;
  let hasVowel = 0;
  while (begin > floor) {
    const code = text.charCodeAt(begin - 1);
    if ((((known[code] ?? 0) || kindOf(code)) & SPACED) === 0) break;
    begin--;
    key = wordKey(key, code);
    hasVowel |= vowelsOf(code) >> (code & 31);
  }
  const length = period - begin;
  const last = text.charCodeAt(period - 1);
  if (length < 3 && (length < 2 || !isHangul(last))) return false;
  if (isDevanagari(last) && text.startsWith(JOINED_RA, begin + 1)) return false;
  if (begin === from || (last === 0x72 && text.startsWith(STREET, period - 3))) return false;
  if (length > LONGEST_ABBREVIATION) return true;
  const before = text.charCodeAt(begin - 1);
  if (before === PERIOD || isWordUnit(before)) return false;
  if ((hasVowel & 1) === 0 && length <= LONGEST_SHORTENED && startAt(text, begin + 1) === LOWER) return false;
  return !mayBeAbbreviation(key) || abbreviationKind(text.slice(begin, period)) === 0;
}

/** A consonant joined to the one before it, as at the begin of the titles प्रो. and श्री. */
const JOINED_RA = '्र';

/**
 * True for two syllables or more of Korean and nothing else, which are on no list. What counts them is left out: a word
 * with figures before it is none of these.
 */
export function endsWithHangulWord(text: string, from: number, period: number): boolean {
  const floor = Math.max(from, period - LONGEST_WORD);
  let begin = period;
  while (begin > floor && isHangul(text.charCodeAt(begin - 1))) begin--;
  if (period - begin < 2) return false;
  if (begin === floor) return true;
  const before = text.charCodeAt(begin - 1);
  return before !== PERIOD && !isWordUnit(before);
}

/**
 * True for two small letters behind another word, such as `of it`, that are on no list and not a word cut short: what no rule
 * is about where a capital and a small letter follow.
 */
export function endsWithShortWord(text: string, from: number, period: number): boolean {
  const begin = period - 2;
  if (begin < from + 2 || !isBlank(text.charCodeAt(begin - 1))) return false;
  const before = text.charCodeAt(begin - 2);
  const first = text.charCodeAt(begin);
  const second = text.charCodeAt(begin + 1);
  if (
    kindOf(before) !== SMALL ||
    kindOf(first) !== SMALL ||
    kindOf(second) !== SMALL ||
    before === CYRILLIC_O
  )
    return false;
  const hasVowel = ((vowelsOf(first) >> (first & 31)) | (vowelsOf(second) >> (second & 31))) & 1;
  return hasVowel === 1 && !mayBeAbbreviation(wordKey(wordKey(0, second), first));
}

const SMALL = LOWER | SPACED;
/** до */
const CYRILLIC_O = 0x43e;

/** `6.3.4절.`, `제 1 조.`: a section of a Korean text by its number, whose title follows; no verb ends so. */
export function endsWithSection(text: string, from: number, period: number): boolean {
  if (!isSection(text.charCodeAt(period - 1))) return false;
  let at = period - 2;
  while (at > from && at > period - LONGEST_WORD && isBlank(text.charCodeAt(at))) at--;
  return at >= from && isDigit(text.charCodeAt(at));
}

/** 장 (chapter), 절 (section), 조 (article). */
const isSection = (code: number): boolean => code === 0xc7a5 || code === 0xc808 || code === 0xc870;

/** True when a sentence ends at the period. The caller has seen that no small letter follows. */
export function periodEndsSentence(place: PeriodPlace): boolean {
  const { text, from, period } = place;
  const isNumber = isDigit(text.charCodeAt(period - 1));
  if (isNumber && isYear(place)) return true;
  const begin = wordStart(text, period, from);
  const length = period - begin;
  if (length === 0) return true;
  if (endsWithSection(text, from, period)) return false;
  if (length > LONGEST_ABBREVIATION) return !text.startsWith(STREET, period - 3) || startsSentence(place);
  // `12. Item`: the commonest of numbers.
  if (isNumber && begin === from && length < YEAR) return false;
  const word = text.slice(begin, period);
  if (isNumber) return numberEndsSentence(place, begin, word);
  const isFirst = begin === from || text.charCodeAt(begin - 1) === 0x0a;
  if (length === 1 && isFirst && isMarkerLetter(word) && !endsBrokenVerb(place, begin)) return false;
  if (isLabel(place, begin, word)) return true;
  const verdict = lookUp(place, begin, word);
  if (verdict !== undefined) return verdict;
  if (length < 7 && isMeasure(place, word)) {
    if (place.start === DIGIT) return length > 1 && !looksShortened(word);
    return !isBeforeShort(place) && !PREPOSITIONS.test(wordAt(place));
  }
  if (isShortCaseless(place, word)) return false;
  if (length === 1) return !mayBeInitial(place, begin) || startsSentence(place);
  if (isDotted(word) || isDoubled(word) || (length > 4 && word.endsWith(STREET)))
    return startsSentence(place);
  if (looksShortened(word)) return isForeignTo(place, begin) || startsSentence(place);
  if (
    length < 5 &&
    place.start !== SYMBOL &&
    isShortened(place, begin, word) &&
    pointsAtNumber(place) &&
    !isOneLetterWord(place)
  )
    return false;
  return !(begin === from && length < 5 && place.start !== UPPER && /^[ivx]{2,4}$/i.test(word));
}

/**
 * False for a letter that is a unit or an option (`km/h`, ` -c`), and for what is a word in its language: a syllable of
 * Korean, a small vowel with an accent (`ô`, `è`).
 */
function mayBeInitial({ text, from }: PeriodPlace, begin: number): boolean {
  const code = text.charCodeAt(begin);
  if (isHangul(code)) return false;
  if (code >= 0xe0 && code < 0x1f00 && startAt(text, begin) === LOWER && (code < 0x250 || code >= 0x1e00))
    return false;
  const before = begin > from ? text.charCodeAt(begin - 1) : 0;
  return before !== SLASH && !(before === HYPHEN && begin - 1 > from && isBlank(text.charCodeAt(begin - 2)));
}

const SLASH = 0x2f;
const HYPHEN = 0x2d;

/** `있습니⏎다.`: lines of Korean break inside words, and the last syllable of a verb is no letter of a list. */
function endsBrokenVerb({ text, from }: PeriodPlace, begin: number): boolean {
  if (text.charCodeAt(begin) !== LAST_OF_VERB || begin - 2 < from) return false;
  const code = text.charCodeAt(begin - 2);
  return code === POLITE || (isHangul(code) && PAST_FINALS.includes((code - FIRST_HANGUL) % FINALS));
}

/** 다, and 니 before it. */
const LAST_OF_VERB = 0xb2e4;
const POLITE = 0xb2c8;
/** Syllables are in the order of their final consonants, 28 of them: ㅄ of 없다 is the 18th, ㅆ of 했다 the 20th. */
const FIRST_HANGUL = 0xac00;
const FINALS = 28;
const PAST_FINALS = [18, 20];

/** `dpkg. Это`: a small Latin word before one of another script is a name; those cut short stand before their own. */
function isForeignTo({ text, next }: PeriodPlace, begin: number): boolean {
  const following = text.charCodeAt(next);
  const isOther = following >= FIRST_GREEK && !isIdeographic(following);
  return isOther && text.charCodeAt(begin) < FIRST_GREEK && startAt(text, begin) === LOWER;
}

const FIRST_GREEK = 0x370;

/** `tak. W tym`, `σας. Ο λόγος`: a letter with a small word behind it is an article or a preposition. */
function isOneLetterWord({ text, next, end, start }: PeriodPlace): boolean {
  return (
    start === UPPER &&
    next + 2 < end &&
    isBlank(text.charCodeAt(next + 1)) &&
    startAt(text, next + 2) === LOWER
  );
}

/**
 * `Bgm`, `пр`, `rd`: letters without a vowel, not all of them capitals, are a word cut short in any language. Asked of
 * short words only; a letter with an accent counts as a vowel.
 */
function looksShortened(word: string): boolean {
  if (word.length < 2 || word.length > LONGEST_SHORTENED || isDigit(word.charCodeAt(0))) return false;
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if ((vowelsOf(code) >> (code & 31)) & 1) return false;
  }
  return startAt(word, 1) === LOWER;
}

const LONGEST_SHORTENED = 5;

/** The vowels of the script of a unit, as bits; all of them for a letter of which nothing is known. */
function vowelsOf(code: number): number {
  if (code < 0x80) return LATIN_VOWELS;
  if ((code - FIRST_CYRILLIC) >>> 0 < CYRILLIC_LETTERS) return CYRILLIC_VOWELS;
  return (code - FIRST_GREEK_LETTER) >>> 0 < GREEK_LETTERS ? GREEK_VOWELS : -1;
}

/** А to я and ΐ to ώ, capitals first. */
const FIRST_CYRILLIC = 0x410;
const CYRILLIC_LETTERS = 0x40;
const FIRST_GREEK_LETTER = 0x390;
const GREEK_LETTERS = 0x3f;

/** Bit n stands for the n-th letter, small or capital: a e i o u y, а е и й о у ы ь э ю я, α ε η ι ο υ ω and these with accents. */
const LATIN_VOWELS = 0x2208222;
const CYRILLIC_VOWELS = 0x4321fc08;
const GREEK_VOWELS = 0x82a3fe20;

/** `max. 12`, `Pos. 4`, `Vol. II`: a short word before a number that is no function word and not in capitals. */
function isShortened(place: PeriodPlace, begin: number, word: string): boolean {
  const { text, from, next, end } = place;
  if (startAt(word, 1) !== LOWER || STARTERS().has(word.toLowerCase())) return false;
  if (/[aeiouyàèéáíóúаеиоуыюяй]$/.test(word) || STARTERS().has(nextWord(place))) return false;
  const following = text.slice(next, Math.min(end, next + 6));
  // The year behind an author, and the items of a list: 1. Open it. 2. Close it.
  if (/^\d{4}(?!\d)/.test(following) && startAt(text, previousWord(text, begin, from).start) === UPPER)
    return false;
  return (
    !LIST_NUMBER.test(following) || !(isDigit(text.charCodeAt(from)) || text.charCodeAt(next - 1) === 0x0a)
  );
}

const LIST_NUMBER = /^\d{1,3}[.)]\s/;

/** `د.`, `ए.`, `डॉ.`: a single letter, in Hindi one with its vowel, that is no verb, stands for a name or a title. */
function isShortCaseless({ text, from, period, start }: PeriodPlace, word: string): boolean {
  if (!isDevanagari(word.charCodeAt(0))) return word.length === 1 && isArabic(word.charCodeAt(0));
  if (word.length > 2 && !ONE_SYLLABLE.test(word)) return false;
  // में. 2001 में: no abbreviation.
  const isPostposition = start === DIGIT && isTieWord(text, period - word.length, period);
  return !isPostposition && !endsWithVerb(text, from, period);
}

/** Of Devanagari: consonants joined to one another, then signs of one vowel. */
const ONE_SYLLABLE = /^(?:[क-ह]़?्)*[ऄ-ह]़?[ऀ-ः़-ौ]*$/;

/** Schillerstr. and its like, with the number of the house behind them. */
const STREET = 'str';

/** What the lists say, of the word with the letters before it or of the word alone; undefined when they do not know it. */
function lookUp(place: PeriodPlace, begin: number, word: string): boolean | undefined {
  const joined = withSpacedLetters(place, begin, word);
  const verdict = verdictOf(place, joined);
  return verdict === undefined && joined !== word ? verdictOf(place, word) : verdict;
}

function verdictOf(place: PeriodPlace, word: string): boolean | undefined {
  const kind = abbreviationKind(word);
  if (kind === 0) return undefined;
  if (kind & NEVER) return false;
  if (kind & OFTEN) return true;
  if (kind & NUMBER && (pointsAtNumber(place) || /^[AEI]$/.test(wordAt(place)))) return false;
  return kind & MAYBE ? startsSentence(place) : undefined;
}

/** Of Arabic, where a sentence begins with its verb as often as not. */
const PREPOSITIONS = /^(?:في|على|عن|من|إلى|و.*)$/;

/** A word behind a number, if it is no dotted one like `a.m` and none of the short words of Hindi that are no measure. */
function isMeasure(place: PeriodPlace, word: string): boolean {
  if (isDevanagari(word.charCodeAt(0)))
    return /^(?:रु|(?:कि\.?)?(?:मी|ग्रा))$/.test(word) && isBehindNumber(place, word);
  return !(place.start === UPPER && isDotted(word)) && isBehindNumber(place, word);
}

/** `5 oz`, `1998 г`, `300 г. до н. э`: a number, or a measure or preposition that follows one, stands before the word. */
function isBehindNumber({ text, from, period }: PeriodPlace, word: string): boolean {
  const before = period - word.length - 2;
  const isNear = before < from || isDigit(word.charCodeAt(0)) || isDigit(text.charCodeAt(before + 1));
  // Asked first, since most words stand behind words.
  const code = text.charCodeAt(before);
  if (!isNear && !isDigit(code) && !isNumeralEnd(code)) return false;
  const lead = text.slice(Math.max(from, period - LONGEST_WORD), period);
  return (
    NUMERAL.test(lead) &&
    /(?:[\d०-९٠-٩۰-۹]\s?|(?<![^\s(])[IVXХ]+\s)(?:гг?\.\s?)?(?:до\s)?(?:[^\s\d.]{1,2}\.\s?)?[^\s\d,;:()]+$/.test(
      lead,
    )
  );
}

/** `I`, `V`, `X`, its Cyrillic twin, a period, and `о` of `до`. */
const isNumeralEnd = (code: number): boolean =>
  code === 0x49 || code === 0x56 || code === 0x58 || code === 0x425 || code === PERIOD || code === CYRILLIC_O;

const NUMERAL = /[\dIVXХ०-९٠-٩۰-۹]/;

/** The word with the single letters before it that belong to it: `z. B` is `z.B`, `и т. д` is `т.д`. */
function withSpacedLetters({ text, from }: PeriodPlace, begin: number, word: string): string {
  if (begin - 2 < from || word.length > 3) return word;
  let at = begin;
  while (at > from && isBlank(text.charCodeAt(at - 1))) at--;
  if (at === begin || begin - at > 1 || text.charCodeAt(at - 1) !== PERIOD) return word;
  const before = wordStart(text, at - 1, from);
  const size = at - 1 - before;
  return size >= 1 && size <= 3 ? `${text.slice(before, at)}${word}` : word;
}

/** A number: ordinals before months and nouns, dates, list markers and section numbers go on; others end. */
function numberEndsSentence(place: PeriodPlace, begin: number, word: string): boolean {
  const { text, from, next, end } = place;
  if (begin === from && (word.length <= 6 || SECTION_NUMBER.test(word)) && !hasYear(word)) return false;
  if (word.length > 5) return true;
  const before = previousWord(text, begin, from);
  // A heading: Chapter 3. The end
  if (before.start === from && !/^[12]\d{3}$/.test(word)) return false;
  const lead = Math.max(from, begin - LONGEST_DATE);
  if (
    place.start === DIGIT &&
    (IN_DATE.test(text.slice(lead, begin)) ||
      isDate(word, text.slice(next, Math.min(end, next + LONGEST_DATE))))
  )
    return false;
  if (word.length > 3) return true;
  const isBehindPeriod = text.charCodeAt(begin - (isBlank(text.charCodeAt(begin - 1)) ? 2 : 1)) === PERIOD;
  if (isBehindPeriod && END_OF_DATE.test(text.slice(lead, begin))) return startsSentence(place);
  if (place.start !== UPPER) return true;
  const following = nextWord(place);
  if (isMonth(following)) return false;
  if (STARTERS().has(following)) return true;
  return !/^\d+$/.test(word) || !isBeforeOrdinal(text.slice(before.start, before.end).toLowerCase());
}

const SECTION_NUMBER = /^[\dA-Z][\d.]+$/;

/** True for four digits side by side, which the number of a section has not. */
function hasYear(word: string): boolean {
  let digits = 0;
  for (let at = 0; at < word.length && digits < YEAR; at++)
    digits = isDigit(word.charCodeAt(at)) ? digits + 1 : 0;
  return digits === YEAR;
}

/** ` 2024.` with more before it and no number behind it: what most references end with, whatever the rules say. */
function isYear({ text, from, period, start }: PeriodPlace): boolean {
  if (period - YEAR - LONGEST_LEAD < from || start === DIGIT || !isBlank(text.charCodeAt(period - YEAR - 1)))
    return false;
  for (let at = period - YEAR; at < period; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/** Digits of a year, and units from which on the word before a number is not the first of its sentence. */
const YEAR = 4;
const LONGEST_LEAD = LONGEST_WORD + 4;

const LONGEST_DATE = 10;

/** `05. 11. 1998` and `2024. 3. 15.`: a number with a period, then another. */
function isDate(word: string, following: string): boolean {
  return word.length <= 2
    ? /^\d{1,2}\.\s?\d|^\d{4}(?!\d)/.test(following)
    : /^\d{1,2}\.\s?\d{1,2}\./.test(following);
}

/** `2024. ` before the month, and `2024. 3. ` before the day. */
const IN_DATE = /(?<!\d)\d{4}\.\s?$/;
const END_OF_DATE = /\d{4}\.\s?\d{1,2}\.\s?$/;

/** `plan B`, `vitamin C`: a letter that names one of several, where it would otherwise be an initial. */
function isLabel({ text, from }: PeriodPlace, begin: number, word: string): boolean {
  if (word.length > 1 || startAt(word, 0) === LOWER) return false;
  const { start, end } = previousWord(text, begin, from);
  if (end - start < SHORTEST_LABELLED) return false;
  const noun = text.slice(start, end).toLowerCase();
  return LABELLED().has(noun.charCodeAt(0) < 0x600 ? noun : noun.replace(/^(?:ال|ب)/, ''));
}

const SHORTEST_LABELLED = 3;

/** True when what follows begins a sentence by itself: a word of a closed class, an opening mark, a symbol. */
export function startsSentence(place: PeriodPlace): boolean {
  if (place.start === SYMBOL) return true;
  if (place.start === DIGIT || place.start === LOWER) return false;
  if (isBeforeShort(place)) return false;
  const word = nextWord(place);
  // Particles and pronouns have one letter or two, names have more: all but these.
  if (word.length < 3 && place.start === UPPER && !/^(?:li|ng|ho|ko|ye|[dfghlswxyz]u)$/.test(word))
    return word.length === 1 || startAt(place.text, place.next + 1) !== UPPER;
  const apostrophe = word.indexOf("'");
  if (STARTERS().has(apostrophe === -1 ? word : word.slice(0, apostrophe)) || NOBODY().has(word)) return true;
  return apostrophe === -1
    ? place.start === CASELESS && KOREAN_STARTER.test(word)
    : /^(?:[cdjlmnst]|qu)'/.test(word);
}

const KOREAN_STARTER = /^(?:그|우리|나는|저는|누가|하지만)/;

/** `v. Chr.`, `a. C.`, `av. J.-C.`: the other half of an abbreviation, or an initial, follows. */
function isBeforeShort({ text, next, end }: PeriodPlace): boolean {
  const second = text.charCodeAt(next + 1);
  if (second !== PERIOD && second !== 0x2d && second !== 0x68) return false;
  return /^(?:[^\s\d.,-](?:\.|-\S)|Chr)/.test(text.slice(next, Math.min(end, next + 3)));
}

/** True when a number, a Roman one or a single letter follows. */
function pointsAtNumber(place: PeriodPlace): boolean {
  if (place.start === DIGIT || place.text.charAt(place.next) === '§') return true;
  // Asked first, since most words that follow are of small letters behind the first, or of letters without case.
  const second = place.next + 1 < place.end ? startAt(place.text, place.next + 1) : SYMBOL;
  if (place.start === UPPER ? second === LOWER : second === CASELESS) return false;
  const word = wordAt(place);
  return word === word.toUpperCase() && /^(?:[IVXLC]{2,}|[^\dAEIOUÉАИОУЯВСК]\d*)$/.test(word);
}

/** True when the text before `at` ends as verbs do in Korean, Hindi and Japanese, where they close the sentence. */
export function endsWithVerb(text: string, from: number, at: number): boolean {
  return /(?:[다요까죠]|है|हैं|था|थे|थी|गया|गई|गए|गयी|दिया|लिया|[दलह]ो|[कदल]ी|[たるだ]|です|ます|ません|ない)$/.test(
    text.slice(Math.max(from, at - LONGEST_VERB_END), at),
  );
}

const LONGEST_VERB_END = 4;

/** Where the word begins that ends before `at`: behind the blank, quote, bracket, dash, slash or apostrophe before it. */
function wordStart(text: string, at: number, from: number): number {
  const floor = Math.max(from, at - LONGEST_WORD);
  let begin = at;
  while (begin > floor && isPartOfWord(text.charCodeAt(begin - 1))) begin--;
  return begin;
}

function isPartOfWord(code: number): boolean {
  return code === PERIOD || (isWordUnit(code) && !isIdeographic(code));
}

/** The word before the one that begins at `at`; empty when there is none on the same side of a mark. */
function previousWord(text: string, at: number, from: number): Span {
  let end = at;
  while (
    end > from &&
    end > at - 3 &&
    (isBlank(text.charCodeAt(end - 1)) || isOpener(text.charCodeAt(end - 1)))
  )
    end--;
  return { start: wordStart(text, end, from), end };
}

/** The word at `next`, in lower case, its apostrophe and hyphenated parts included. */
function nextWord(place: PeriodPlace): string {
  const word = wordAt(place).toLowerCase();
  return word.includes('’') ? word.replace('’', "'") : word;
}

function wordAt({ text, next, end }: PeriodPlace): string {
  const ceiling = Math.min(end, next + LONGEST_WORD);
  let stop = next;
  while (stop < ceiling) {
    const code = text.charCodeAt(stop);
    if (!isWordUnit(code) && code !== 0x27 && code !== 0x2019) break;
    stop++;
  }
  return text.slice(next, stop);
}

/** A letter that may stand as a list marker; of Korean syllables, which can be answers, those that count. */
function isMarkerLetter(word: string): boolean {
  return !isHangul(word.charCodeAt(0)) || '가나다라마바사아자차카타파하'.includes(word);
}

/** `U.S`, `Ph.D`, `S.A.R.L`: letters parted by periods, no file name and no address. */
function isDotted(word: string): boolean {
  return word.includes('.') && /^(?:[^\d.]{1,2}\.)+[^\d.]{1,3}$/.test(word);
}

/** `EE` of `EE. UU.`: Spanish doubles the letters of a plural. */
function isDoubled(word: string): boolean {
  return word.length === 2 && word.charCodeAt(0) === word.charCodeAt(1) && startAt(word, 0) === UPPER;
}
