// Acronyms and where a text says what they stand for: `Retrieval-Augmented Generation (RAG)` or `RAG (Retrieval-…)`.
// Short and long form are matched as in Schwartz and Hearst, "A simple algorithm for identifying abbreviation
// definitions in biomedical text" (2003), with the last word of the long form held to the short one too.
import type { Span } from '../../document.ts';

/** A word with two capitals, or a capital and a digit, of at most ten units; scripts without capitals may adjoin it. */
const ACRONYM =
  '(?<![\\p{Lu}\\p{Ll}\\d_])(\\p{Lu}[\\p{Lu}\\p{Ll}\\d]{0,8}[\\p{Lu}\\d])s?(?![\\p{Lu}\\p{Ll}\\d_])';
/** Units up to which a long form is looked for. */
const LONGEST_FORM = 100;
/** Marks that stand in no long form, and blank lines. */
const FOREIGN = /[.;:!?|<>()[\]{}（）。]|\n\s*\n/;
const ROMAN = /^[IVX]+$/;

let use: RegExp | undefined;
let definition: RegExp | undefined;

/** The acronyms in a text, each once, in the order of their use. */
export function acronymsIn(text: string): ReadonlySet<string> {
  use ??= new RegExp(ACRONYM, 'gu');
  return new Set(Array.from(text.matchAll(use), ([, name = '']) => name));
}

/** Adds the definitions in [start, end) of a text to those known, of which the first of each acronym stays. Linear. */
export function addDefinitions(known: Map<string, Span>, text: string, start: number, end: number): void {
  definition ??= new RegExp(
    `[(（]${ACRONYM}[)）]|${ACRONYM} ?[(（](?=([^()（）,;]{3,${LONGEST_FORM}})(.))`,
    'gu',
  );
  for (const { 0: all, 1: behind, 2: before, 3: form = '', 4: mark = '', index } of text
    .slice(start, end)
    .matchAll(definition)) {
    const name = behind ?? before ?? '';
    const at = start + index;
    const to = at + all.length;
    if (known.has(name) || ROMAN.test(name)) continue;
    if (behind === undefined) {
      if (longFormStart(form, name) === 0)
        known.set(name, { start: at, end: to + form.length + (')）'.includes(mark) ? 1 : 0) });
      continue;
    }
    const from = Math.max(start, at - LONGEST_FORM);
    const place = longFormStart(text.slice(from, at), name);
    if (place !== -1) known.set(name, { start: from + place, end: to });
  }
}

/** Where the long form of an acronym begins that a text ends with; -1 when it ends with none. */
function longFormStart(text: string, acronym: string): number {
  const letters = acronym.toLowerCase();
  const lower = text.trimEnd().toLowerCase();
  // A few capitals have longer small letters, which would shift every offset.
  let at = lower.length === text.trimEnd().length ? lower.length : 0;
  for (let index = letters.length - 1; index >= 0; index--) {
    do at = at > 0 ? lower.lastIndexOf(letters.charAt(index), at - 1) : -1;
    while (index === 0 && at > 0 && /[\p{L}\d]/u.test(lower.charAt(at - 1)));
    if (at === -1) return -1;
  }
  const form = lower.slice(at);
  const words = form.split(/[\s-]+/);
  const isLong =
    form.length > acronym.length && words.length <= Math.min(acronym.length + 5, 2 * acronym.length);
  return isLong && letters.includes(words.at(-1)?.charAt(0) ?? '-') && !FOREIGN.test(form) ? at : -1;
}
