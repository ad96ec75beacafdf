// Decides if a single period ends a sentence, by the word before it: abbreviations, initials, labels, words cut short.
// Word lists decide where the shape of a word does not; words.ts reads the word behind the period, numbers.ts figures.
import { isBlank } from '../unicode.ts';
import {
  abbreviationKind,
  LABELLED,
  MAYBE,
  mayBeAbbreviation,
  NEVER,
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
  isWordUnit,
  kindOf,
  knownKinds,
  LOWER,
  PERIOD,
  SPACED,
  startAt,
  stopsAs,
  SYMBOL,
  UNMARKED,
  UPPER,
} from './marks.ts';
import {
  CYRILLIC_O,
  endsWithSection,
  isItemNumber,
  isMeasure,
  isYear,
  numberEndsSentence,
  PREPOSITIONS,
} from './numbers.ts';
import { isTieWord } from './quotations.ts';
import {
  endsWithVerb,
  isBeforeShort,
  isDotted,
  LONGEST_WORD,
  nextWord,
  type PeriodPosition,
  pointsAtNumber,
  previousWord,
  startsSentence,
  wordAt,
  wordStart,
} from './words.ts';

/** Longer words are no abbreviation that the lists know, save dotted ones, which are no longer either. */
const LONGEST_ABBREVIATION = 7;

/**
 * True when no rule here concerns the word before the period: it has no digit, no period and no single letter, and is
 * on no list. The quick result for nine periods in ten, mostly without slicing the word.
 */
export function endsWithPlainWord(text: string, from: number, period: number): boolean {
  if (period - from > SHORTEST_SEMITIC && endsWithSemiticLetters(text, period)) return true;
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

/** Arabic and Hebrew shorten words to a letter or two. */
const SHORTEST_SEMITIC = 3;

function endsWithSemiticLetters(text: string, period: number): boolean {
  return (
    isSemitic(text.charCodeAt(period - 1)) &&
    isSemitic(text.charCodeAt(period - 2)) &&
    isSemitic(text.charCodeAt(period - 3))
  );
}

/** A consonant joined to the one before it, as at the begin of the titles प्रो. and श्री. */
const JOINED_RA = '्र';

/**
 * True for at least two syllables of Korean alone that are on no list. Counters are excluded: a word with figures
 * before it is one, unless it ends like a verb.
 */
export function endsWithHangulWord(text: string, from: number, period: number): boolean {
  const isVerb = period - from > 2 && stopsAs(text.charCodeAt(period - 1), UNMARKED);
  if (isVerb && isHangul(text.charCodeAt(period - 2))) return true;
  const floor = Math.max(from, period - LONGEST_WORD);
  let begin = period;
  while (begin > floor && isHangul(text.charCodeAt(begin - 1))) begin--;
  if (period - begin < 2) return false;
  if (begin === floor) return true;
  const before = text.charCodeAt(begin - 1);
  return before !== PERIOD && !isWordUnit(before);
}

/**
 * True for two small letters behind another word, such as `of it`, or two of Hebrew or Arabic, that are on no list and
 * not a word cut short, and for है: no rule concerns these words before a capital and a small letter, or before a
 * letter without case.
 */
export function endsWithShortWord(text: string, from: number, period: number): boolean {
  const begin = period - 2;
  if (begin < from + 2 || !isBlank(text.charCodeAt(begin - 1))) return false;
  const before = text.charCodeAt(begin - 2);
  const first = text.charCodeAt(begin);
  const second = text.charCodeAt(begin + 1);
  if (first === HA) return second === AI;
  const kind = isSemitic(first) ? UNCASED : SMALL;
  if (kindOf(before) !== kind || kindOf(first) !== kind || kindOf(second) !== kind || before === CYRILLIC_O)
    return false;
  const hasVowel = ((vowelsOf(first) >> (first & 31)) | (vowelsOf(second) >> (second & 31))) & 1;
  return hasVowel === 1 && !mayBeAbbreviation(wordKey(wordKey(0, second), first));
}

/** ह and ै, with which most sentences of Hindi end. */
const HA = 0x939;
const AI = 0x948;

const SMALL = LOWER | SPACED;
const UNCASED = CASELESS | SPACED;

/** Of the letters of Hebrew and Arabic. */
const isSemitic = (code: number): boolean => code >= 0x5d0 && code <= 0x6d3;

/** True when a sentence ends at the period. The caller has seen that no small letter follows. */
export function periodEndsSentence(position: PeriodPosition): boolean {
  const { text, from, period } = position;
  const isNumber = isDigit(text.charCodeAt(period - 1));
  if (isNumber && isYear(position)) return true;
  if (isNumber && isItemNumber(text, from, period)) return false;
  const begin = wordStart(text, period, from);
  const length = period - begin;
  if (length === 0) return true;
  if (endsWithSection(text, from, period)) return false;
  if (length > LONGEST_ABBREVIATION) return !text.startsWith(STREET, period - 3) || startsSentence(position);
  const word = text.slice(begin, period);
  if (isNumber) return numberEndsSentence(position, begin, word);
  const isFirst = begin === from || text.charCodeAt(begin - 1) === 0x0a;
  if (length === 1 && isFirst && isMarkerLetter(word) && !endsBrokenVerb(position, begin)) return false;
  if (isLabel(position, begin, word)) return true;
  const verdict = lookUp(position, begin, word);
  if (verdict !== undefined) return verdict;
  if (length < 7 && isMeasure(position, word)) {
    if (position.start === DIGIT) return length > 1 && !isVowelless(word);
    return !isBeforeShort(position) && !PREPOSITIONS.test(wordAt(position));
  }
  if (isShortCaseless(position, word)) return false;
  if (length === 1) return !mayBeInitial(position, begin) || startsSentence(position);
  if (isDotted(word) || isDoubled(word) || (length > 4 && word.endsWith(STREET)))
    return startsSentence(position);
  if (isVowelless(word)) return isForeignTo(position, begin) || startsSentence(position);
  if (
    length < 5 &&
    position.start !== SYMBOL &&
    isShortened(position, begin, word) &&
    pointsAtNumber(position) &&
    !isOneLetterWord(position)
  )
    return false;
  return !(begin === from && length < 5 && position.start !== UPPER && /^[ivx]{2,4}$/i.test(word));
}

/**
 * False for a letter that is a unit or an option (`km/h`, ` -c`), and for a word in its language: a syllable of Korean,
 * a small vowel with an accent (`ô`, `è`).
 */
function mayBeInitial({ text, from }: PeriodPosition, begin: number): boolean {
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
function endsBrokenVerb({ text, from }: PeriodPosition, begin: number): boolean {
  if (text.charCodeAt(begin) !== LAST_OF_VERB || begin - 2 < from) return false;
  const code = text.charCodeAt(begin - 2);
  return code === POLITE || (isHangul(code) && PAST_FINALS.includes((code - FIRST_HANGUL) % FINALS));
}

/** 다, and 니 before it. */
const LAST_OF_VERB = 0xb2e4;
const POLITE = 0xb2c8;
/** Syllables are in the order of their 28 final consonants: ㅄ of 없다 is the 18th, ㅆ of 했다 the 20th. */
const FIRST_HANGUL = 0xac00;
const FINALS = 28;
const PAST_FINALS = [18, 20];

/**
 * `dpkg. Это`: a small Latin word before a word of another script is a name; abbreviations stand before their own
 * script.
 */
function isForeignTo({ text, next }: PeriodPosition, begin: number): boolean {
  const following = text.charCodeAt(next);
  const isOther = following >= FIRST_GREEK && !isIdeographic(following);
  return isOther && text.charCodeAt(begin) < FIRST_GREEK && startAt(text, begin) === LOWER;
}

const FIRST_GREEK = 0x370;

/** `tak. W tym`, `σας. Ο λόγος`: a letter with a small word behind it is an article or a preposition. */
function isOneLetterWord({ text, next, end, start }: PeriodPosition): boolean {
  return (
    start === UPPER &&
    next + 2 < end &&
    isBlank(text.charCodeAt(next + 1)) &&
    startAt(text, next + 2) === LOWER
  );
}

/**
 * `Bgm`, `пр`, `rd`: letters without a vowel, not all of them capitals, are a word cut short in any language. For short
 * words only; a letter with an accent counts as a vowel.
 */
function isVowelless(word: string): boolean {
  if (word.length < 2 || word.length > LONGEST_SHORTENED || isDigit(word.charCodeAt(0))) return false;
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if ((vowelsOf(code) >> (code & 31)) & 1) return false;
  }
  return startAt(word, 1) === LOWER;
}

const LONGEST_SHORTENED = 5;

/** The vowels of the script of a unit, as bits; all bits for a letter of an unknown script. */
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

/**
 * Bit n stands for the n-th letter, small or capital: a e i o u y, а е и й о у ы ь э ю я, α ε η ι ο υ ω and these with
 * accents.
 */
const LATIN_VOWELS = 0x2208222;
const CYRILLIC_VOWELS = 0x4321fc08;
const GREEK_VOWELS = -0x7d5c01e0;

/** `max. 12`, `Pos. 4`, `Vol. II`: a short word before a number that is no function word and not in capitals. */
function isShortened(position: PeriodPosition, begin: number, word: string): boolean {
  const { text, from, next, end } = position;
  if (startAt(word, 1) !== LOWER || STARTERS().has(word.toLowerCase())) return false;
  if (/[aeiouyàèéáíóúаеиоуыюяй]$/.test(word) || STARTERS().has(nextWord(position))) return false;
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
function isShortCaseless({ text, from, period, start }: PeriodPosition, word: string): boolean {
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

/**
 * The result of the lists for the word with the letters before it, or for the word alone; `undefined` for an unknown
 * word.
 */
function lookUp(position: PeriodPosition, begin: number, word: string): boolean | undefined {
  const joined = withSpacedLetters(position, begin, word);
  const verdict = verdictOf(position, joined);
  return verdict === undefined && joined !== word ? verdictOf(position, word) : verdict;
}

function verdictOf(position: PeriodPosition, word: string): boolean | undefined {
  const kind = abbreviationKind(word);
  if (kind === 0) return undefined;
  if (kind & NEVER) return false;
  if (kind & OFTEN) return true;
  if (kind & NUMBER && (pointsAtNumber(position) || /^[AEI]$/.test(wordAt(position)))) return false;
  return kind & MAYBE ? startsSentence(position) : undefined;
}

/** The word together with the single letters before it: `z. B` is `z.B`, `и т. д` is `т.д`. */
function withSpacedLetters({ text, from }: PeriodPosition, begin: number, word: string): string {
  if (begin - 2 < from || word.length > 3) return word;
  let at = begin;
  while (at > from && isBlank(text.charCodeAt(at - 1))) at--;
  if (at === begin || begin - at > 1 || text.charCodeAt(at - 1) !== PERIOD) return word;
  const before = wordStart(text, at - 1, from);
  const size = at - 1 - before;
  return size >= 1 && size <= 3 ? `${text.slice(before, at)}${word}` : word;
}

/** `plan B`, `vitamin C`: a letter that names one of several, where it would otherwise be an initial. */
function isLabel({ text, from }: PeriodPosition, begin: number, word: string): boolean {
  if (word.length > 1 || startAt(word, 0) === LOWER) return false;
  const { start, end } = previousWord(text, begin, from);
  if (end - start < SHORTEST_LABELLED) return false;
  const noun = text.slice(start, end).toLowerCase();
  return LABELLED().has(noun.charCodeAt(0) < 0x600 ? noun : noun.replace(/^(?:ال|ب)/, ''));
}

const SHORTEST_LABELLED = 3;

/** A letter that may be a list marker; of Korean syllables, which can be answers, only those used for counting. */
function isMarkerLetter(word: string): boolean {
  return !isHangul(word.charCodeAt(0)) || '가나다라마바사아자차카타파하'.includes(word);
}

/** `EE` of `EE. UU.`: Spanish doubles the letters of a plural. */
function isDoubled(word: string): boolean {
  return word.length === 2 && word.charCodeAt(0) === word.charCodeAt(1) && startAt(word, 0) === UPPER;
}
