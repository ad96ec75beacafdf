// Whether the words behind a quotation belong to it: a clause of saying (“Coming?” Nora asked), a quotative particle
// (「行くよ。」と言った), or a sign quoted in the middle of a sentence. Every look is bounded.
import { CHINESE_SAYING, JAPANESE_TIES, NOBODY, SAYING } from './lists.ts';
import { isBlank } from '../unicode.ts';

/** How far behind a quotation its verb of saying may stand, in words and in units. */
const FARTHEST_VERB = 5;
const LONGEST_CLAUSE = 60;

/** True when the words from `at` on only say who spoke: a verb of saying stands among the first few of them. */
export function reportsSpeech(text: string, at: number, end: number): boolean {
  const clause = text.slice(at, Math.min(end, at + LONGEST_CLAUSE));
  const words = /^[^.!?…,;:۔।؟،"“”«»]*/u.exec(clause)?.[0].trim().split(/\s+/u) ?? [];
  if (NOBODY().has(words[0]?.toLowerCase() ?? '')) return false;
  return words.slice(0, FARTHEST_VERB).some((word) => SAYING().has(word.toLowerCase()));
}

/** True when ideographic text goes on behind a closing quotation mark at `at` - 1. */
export function isTied(text: string, at: number, end: number): boolean {
  if (at >= end) return false;
  if (isBlank(text.charCodeAt(at))) return false;
  if (JAPANESE_TIES.includes(text.charAt(at))) return true;
  return CHINESE_SAYING.test(text.slice(at, Math.min(end, at + LONGEST_CLAUSE)));
}
