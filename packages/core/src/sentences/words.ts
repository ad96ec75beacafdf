// The words beside a period: where the one before it begins, what the one behind it is, and whether that one begins a
// sentence by itself. No function looks further than the length of a word.
import type { Span } from '../document.ts';
import { isBlank } from '../unicode.ts';
import { NOBODY, STARTERS } from './lists.ts';
import {
  CASELESS,
  DIGIT,
  isIdeographic,
  isOpener,
  isWordUnit,
  LOWER,
  PERIOD,
  startAt,
  SYMBOL,
  UPPER,
} from './marks.ts';

/** A period, with the sentence that it might end and the first character behind it that could begin another. */
export interface PeriodPlace {
  readonly text: string;
  /** Where the sentence begins that the period might end. */
  readonly from: number;
  /** Offset of the period. */
  readonly period: number;
  /** Offset of the first letter, digit or symbol behind it, past blanks, quotation marks and brackets. */
  readonly next: number;
  readonly end: number;
  /** The kind of character that stands there, as {@link startAt} tells it. */
  readonly start: number;
}

/** True when what follows must begin a sentence: a word of a closed class, an opening mark, a symbol. */
export function startsSentence(place: PeriodPlace): boolean {
  if (place.start === SYMBOL) return true;
  if (place.start === DIGIT || place.start === LOWER) return false;
  if (isBeforeShort(place)) return false;
  const word = nextWord(place);
  // Particles and pronouns have one letter or two; names have more, except these.
  if (word.length < 3 && place.start === UPPER && !/^(?:li|ng|ho|ko|ye|[dfghlswxyz]u)$/.test(word))
    return word.length === 1 || startAt(place.text, place.next + 1) !== UPPER;
  const apostrophe = word.indexOf("'");
  if (STARTERS().has(apostrophe === -1 ? word : word.slice(0, apostrophe)) || NOBODY().has(word)) return true;
  return apostrophe === -1
    ? place.start === CASELESS && KOREAN_STARTER.test(word)
    : /^(?:[cdjlmnst]|qu)'/.test(word);
}

const KOREAN_STARTER = /^(?:그|우리|나는|저는|누가|하지만)/;

/** `v. Chr.`, `a. C.`, `av. J.-C.`: true when the other half of an abbreviation, or an initial, follows. */
export function isBeforeShort({ text, next, end }: PeriodPlace): boolean {
  const second = text.charCodeAt(next + 1);
  if (second !== PERIOD && second !== 0x2d && second !== 0x68) return false;
  return /^(?:[^\s\d.,-](?:\.|-\S)|Chr)/.test(text.slice(next, Math.min(end, next + 3)));
}

/** True when a number, a Roman one or a single letter follows. */
export function pointsAtNumber(place: PeriodPlace): boolean {
  if (place.start === DIGIT || place.text.charAt(place.next) === '§') return true;
  // Checked first: of most words that follow, the second character is a small letter or a letter without case.
  const second = place.next + 1 < place.end ? startAt(place.text, place.next + 1) : SYMBOL;
  if (place.start === UPPER ? second === LOWER : second === CASELESS) return false;
  const word = wordAt(place);
  return word === word.toUpperCase() && /^(?:[IVXLC]{2,}|[^\dAEIOUÉАИОУЯВСК]\d*)$/.test(word);
}

/** True when the text before `at` ends like verbs of Korean, Hindi and Japanese, which close the sentence there. */
export function endsWithVerb(text: string, from: number, at: number): boolean {
  return /(?:[다요까죠]|है|हैं|था|थे|थी|गया|गई|गए|गयी|दिया|लिया|[दलह]ो|[कदल]ी|[たるだ]|です|ます|ません|ない)$/.test(
    text.slice(Math.max(from, at - LONGEST_VERB_END), at),
  );
}

const LONGEST_VERB_END = 4;

/**
 * Where the word that ends before `at` begins: behind the blank, quote, bracket, dash, slash or apostrophe before it.
 */
export function wordStart(text: string, at: number, from: number): number {
  const floor = Math.max(from, at - LONGEST_WORD);
  let begin = at;
  while (begin > floor && isPartOfWord(text.charCodeAt(begin - 1))) begin--;
  return begin;
}

function isPartOfWord(code: number): boolean {
  return code === PERIOD || (isWordUnit(code) && !isIdeographic(code));
}

/** The word before the one that begins at `at`; empty when a mark stands between the two. */
export function previousWord(text: string, at: number, from: number): Span {
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
export function nextWord(place: PeriodPlace): string {
  const word = wordAt(place).toLowerCase();
  return word.includes('’') ? word.replace('’', "'") : word;
}

export function wordAt({ text, next, end }: PeriodPlace): string {
  const ceiling = Math.min(end, next + LONGEST_WORD);
  let stop = next;
  while (stop < ceiling) {
    const code = text.charCodeAt(stop);
    if (!isWordUnit(code) && code !== 0x27 && code !== 0x2019) break;
    stop++;
  }
  return text.slice(next, stop);
}

/** `U.S`, `Ph.D`, `S.A.R.L`: true for letters parted by periods that are no file name and no address. */
export function isDotted(word: string): boolean {
  return word.includes('.') && /^(?:[^\d.]{1,2}\.)+[^\d.]{1,3}$/.test(word);
}

/** Most units of a word that are looked at; no rule is about longer words. */
export const LONGEST_WORD = 24;
