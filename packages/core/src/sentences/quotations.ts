// Decides if the words behind a quotation belong to its sentence: a clause of saying (“Coming?” Nora asked), a
// quotative particle (「行くよ。」と言った), or the rest of a sentence with a sign quoted in its middle. Every search is bounded.
import { isBlank } from '../unicode.ts';
import { beginsTie, NON_SPEAKERS, SAYING, TIES } from './lists.ts';
import { isClauseEnd, isWordUnit, skipBlanks } from './marks.ts';

/** Greatest distance of the verb of saying behind a quotation, in words and in units. */
const FARTHEST_VERB = 5;
const LONGEST_CLAUSE = 60;
/** Units of the longest word in the lists. */
const LONGEST_SAYING = 12;

/** True when the words from `at` on only name the speaker: a verb of saying is among the first few of them. */
export function reportsSpeech(text: string, at: number, end: number): boolean {
  const stop = Math.min(end, at + LONGEST_CLAUSE);
  let begin = skipBlanks(text, at, stop);
  for (let words = 0; words < FARTHEST_VERB && begin < stop; words++) {
    let to = begin;
    for (; to < stop; to++) {
      const code = text.charCodeAt(to);
      if (isBlank(code) || isClauseEnd(code)) break;
    }
    if (to - begin <= LONGEST_SAYING) {
      const word = text.slice(begin, to).toLowerCase();
      if (words === 0 && NON_SPEAKERS().has(word)) return false;
      if (SAYING().has(word)) return true;
    }
    begin = skipBlanks(text, to, stop);
    if (begin === to) return false;
  }
  return false;
}

/**
 * True when ideographic text goes on behind a closing quotation mark at `at` - 1: with a quotative or case particle of
 * Japanese, or with a clause of Chinese that only reports the speech (他问, 小王喊道).
 */
export function isTied(text: string, at: number, end: number): boolean {
  if (at >= end || isBlank(text.charCodeAt(at))) return false;
  if ('とっはがをにのもでへやなだじみ'.includes(text.charAt(at))) return true;
  return (
    mentionsSpeech(text, at, end) &&
    /^[^。！？]{1,12}(?:が|は)(?:言|答|叫|聞|尋|つぶや)|^(?![^。！？，；]{0,12}[没沒無无不])[^。！？，；\s]{0,12}?[问問說说喊叫答道嚷](?!完)[^。！？，；\s]{0,6}[。，！？：]/.test(
      text.slice(at, Math.min(end, at + LONGEST_CLAUSE)),
    )
  );
}

/** True when a character for saying, asking or calling is near: without one, the pattern finds nothing. */
function mentionsSpeech(text: string, at: number, end: number): boolean {
  const stop = Math.min(end, at + FARTHEST_SAYING);
  while (at < stop && !SAYING_CHARACTERS.includes(text.charAt(at))) at++;
  return at < stop;
}

/** 12 units, が or は, and one more. */
const FARTHEST_SAYING = 14;
const SAYING_CHARACTERS = '言答叫聞尋つ问問說说喊道嚷';

/** True when the Hindi or Korean word at `at` belongs to the clause before it. */
export function isTieWord(text: string, at: number, end: number): boolean {
  const second = at + 1 < end ? text.charCodeAt(at + 1) : 0;
  if (!beginsTie(text.charCodeAt(at), isWordUnit(second) ? second : 0)) return false;
  let stop = at + 1;
  while (stop < end && stop < at + LONGEST_TIE && isWordUnit(text.charCodeAt(stop))) stop++;
  return TIES().has(text.slice(at, stop));
}

const LONGEST_TIE = 6;
