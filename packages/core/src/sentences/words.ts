// The words beside a period: the start of the word before it, and the class of the word behind it, which may begin a
// sentence by itself. No function reads further than the length of a word.
import type { Span } from '../document.ts';
import { isBlank } from '../unicode.ts';
import { NON_SPEAKERS, STARTERS } from './lists.ts';
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
export interface PeriodPosition {
  readonly text: string;
  /** The start of the sentence that the period might end. */
  readonly from: number;
  /** Offset of the period. */
  readonly period: number;
  /** Offset of the first letter, digit or symbol behind the period, past blanks, quotation marks and brackets. */
  readonly next: number;
  readonly end: number;
  /** The kind of that character, as {@link startAt} returns it. */
  readonly start: number;
}

/** True when the next word or mark must begin a sentence: a word of a closed class, an opening mark, a symbol. */
export function startsSentence(position: PeriodPosition): boolean {
  if (position.start === SYMBOL) return true;
  if (position.start === DIGIT || position.start === LOWER) return false;
  if (isBeforeShort(position)) return false;
  const word = nextWord(position);
  // Particles and pronouns have one letter or two; names have more, except these.
  if (word.length < 3 && position.start === UPPER && !/^(?:li|ng|ho|ko|ye|[dfghlswxyz]u)$/.test(word))
    return word.length === 1 || startAt(position.text, position.next + 1) !== UPPER;
  const apostrophe = word.indexOf("'");
  if (STARTERS().has(apostrophe === -1 ? word : word.slice(0, apostrophe)) || NON_SPEAKERS().has(word))
    return true;
  return apostrophe === -1
    ? position.start === CASELESS && KOREAN_STARTER.test(word)
    : /^(?:[cdjlmnst]|qu)'/.test(word);
}

const KOREAN_STARTER = /^(?:그|우리|나는|저는|누가|하지만)/;

/** `v. Chr.`, `a. C.`, `av. J.-C.`: true when the other half of an abbreviation, or an initial, follows. */
export function isBeforeShort({ text, next, end }: PeriodPosition): boolean {
  const second = text.charCodeAt(next + 1);
  if (second !== PERIOD && second !== 0x2d && second !== 0x68) return false;
  return /^(?:[^\s\d.,-](?:\.|-\S)|Chr)/.test(text.slice(next, Math.min(end, next + 3)));
}

/** True when a number, a Roman one or a single letter follows. */
export function pointsAtNumber(position: PeriodPosition): boolean {
  if (position.start === DIGIT || position.text.charAt(position.next) === '§') return true;
  // Checked first: of most words that follow, the second character is a small letter or a letter without case.
  const second = position.next + 1 < position.end ? startAt(position.text, position.next + 1) : SYMBOL;
  if (position.start === UPPER ? second === LOWER : second === CASELESS) return false;
  const word = wordAt(position);
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
 * The start of the word that ends before `at`: behind the blank, quote, bracket, dash, slash or apostrophe before it.
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

/** The word before the word at `at`; empty when a mark separates the two. */
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
export function nextWord(position: PeriodPosition): string {
  const word = wordAt(position).toLowerCase();
  return word.includes('’') ? word.replace('’', "'") : word;
}

export function wordAt({ text, next, end }: PeriodPosition): string {
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

/** Most units of a word to read; no rule concerns longer words. */
export const LONGEST_WORD = 24;
