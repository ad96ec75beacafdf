// Acronyms and where a text says what they stand for: `Retrieval-Augmented Generation (RAG)` or `RAG (Retrieval-…)`.
// Short and long form are matched as in Schwartz and Hearst, "A simple algorithm for identifying abbreviation
// definitions in biomedical text" (2003), with the last word of the long form held to the short one too.
import type { Span } from '../../document.ts';
import { kindOf, KINDS, knownKinds, LOWER, UPPER } from '../../sentences/marks.ts';

/** What adjoins no acronym. Letters of scripts without capitals, such as Chinese, may. */
const WORD = '[\\p{Lu}\\p{Ll}\\d_]';
/** A capital, then letters and digits that end in a capital or digit: ten units at most, and an `s` for the plural. */
const NAME = `(?<!${WORD})(\\p{Lu}[\\p{Lu}\\p{Ll}\\d]{0,8}[\\p{Lu}\\d])s?`;
/** Units before a bracket that hold a name with the blank behind it and what must not adjoin it. */
const LONGEST_NAME = 13;
/** Units up to which a long form is looked for. */
const LONGEST_FORM = 100;
/** What stands in brackets, up to the bracket that closes or the first mark. */
const BRACKETED = /^([^()（）,;]+)(?:[)）]|(?=[,;]))/;
/** Marks that stand in no long form, and blank lines. */
const FOREIGN = /[.,;:!?|<>()[\]{}（）。]|\n\s*\n/;
/** Roman numerals are no acronyms. */
const ROMAN = /^[IVX]+$/;

let letter: RegExp | undefined;

/** A place where an acronym stands that the text defines. */
interface Use {
  readonly at: number;
  readonly name: string;
}

/**
 * Tells which of the defined acronyms a range uses, each once, in the order of their use. To be asked with ascending
 * starts. One pass over the text, at the first question.
 */
export function acronymUses(
  text: string,
  definitions: ReadonlyMap<string, Span>,
): (start: number, end: number) => ReadonlySet<string> {
  let uses: readonly Use[] | undefined;
  let first = 0;
  return (start, end) => {
    uses ??= definitions.size > 0 ? usesIn(text, definitions) : [];
    while ((uses[first]?.at ?? Infinity) < start) first++;
    const found = new Set<string>();
    for (let index = first; index < uses.length; index++) {
      const { at, name } = uses[index] ?? { at: end, name: '' };
      if (at + name.length > end) break;
      found.add(name);
    }
    return found;
  };
}

/** Goes from capital to capital, and at each to the end of its word, which is seldom a name that the text defines. */
function usesIn(text: string, definitions: ReadonlyMap<string, Span>): Use[] {
  const known = knownKinds();
  const uses: Use[] = [];
  for (let at = nextCapital(text, 0, known); at < text.length;) {
    let end = at + 1;
    while (end < text.length && isNameUnit(text.charCodeAt(end))) end++;
    const adjoins = at > 0 && (isNameUnit(text.charCodeAt(at - 1)) || text.charCodeAt(at - 1) === UNDERSCORE);
    if (!adjoins && end - at > 1 && end - at < LONGEST_NAME && text.charCodeAt(end) !== UNDERSCORE) {
      const name = definedName(text, at, end, definitions);
      if (name !== undefined) uses.push({ at, name });
    }
    at = nextCapital(text, end, known);
  }
  return uses;
}

/** A loop of its own, as the engine compiles those best. */
function nextCapital(text: string, at: number, known: Uint8Array): number {
  let next = at;
  for (; next < text.length; next++) {
    const code = text.charCodeAt(next);
    // Zero is a kind not asked for yet.
    const kind = (known[code] ?? 0) || kindOf(code);
    if ((kind & KINDS) === UPPER) break;
  }
  return next;
}

const UNDERSCORE = 0x5f;

/** A capital, a small letter or a digit of ASCII: what {@link NAME} is made of. */
function isNameUnit(code: number): boolean {
  const kind = kindOf(code) & KINDS;
  return kind === UPPER || kind === LOWER || (code >= 0x30 && code <= 0x39);
}

/** The word, or the word without the `s` of its plural, when that is a name which the text defines. */
function definedName(
  text: string,
  start: number,
  end: number,
  definitions: ReadonlyMap<string, Span>,
): string | undefined {
  let to = end;
  if ((kindOf(text.charCodeAt(to - 1)) & KINDS) === LOWER) {
    if (text.charCodeAt(--to) !== 0x73 || (kindOf(text.charCodeAt(to - 1)) & KINDS) === LOWER)
      return undefined;
  }
  const name = text.slice(start, to);
  return definitions.has(name) ? name : undefined;
}

/** Where a text defines its acronyms first. Linear: looks only around brackets. */
export function definitionsIn(text: string): ReadonlyMap<string, Span> {
  const whole = new RegExp(`^${NAME}$`, 'u');
  const before = new RegExp(`${NAME} ?$`, 'u');
  const found = new Map<string, Span>();
  for (const bracket of '(（') {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      const [all = '', inner = ''] = BRACKETED.exec(text.slice(at + 1, at + LONGEST_FORM)) ?? [];
      if (inner === '') continue;
      const isShort = whole.test(inner);
      const [word = '', name = ''] =
        (isShort ? whole.exec(inner) : before.exec(text.slice(Math.max(0, at - LONGEST_NAME), at))) ?? [];
      if (name === '' || found.has(name) || ROMAN.test(name)) continue;
      const from = isShort ? Math.max(0, at - LONGEST_FORM) : at + 1;
      const place = longFormStart(isShort ? text.slice(from, at) : inner, name);
      if (place === -1 || (!isShort && place > 0)) continue;
      found.set(name, { start: isShort ? from + place : at - word.length, end: at + 1 + all.length });
    }
  }
  return found;
}

/** Where the long form of an acronym begins that a text ends with; -1 when it ends with none. */
function longFormStart(text: string, acronym: string): number {
  letter ??= new RegExp('[\\p{L}\\d]', 'u');
  const letters = acronym.toLowerCase();
  const lower = text.trimEnd().toLowerCase();
  let at = lower.length;
  // A few capitals have longer small letters, which would shift every offset.
  if (at !== text.trimEnd().length) return -1;
  for (let index = letters.length - 1; index >= 0; index--) {
    do at = at > 0 ? lower.lastIndexOf(letters.charAt(index), at - 1) : -1;
    while (index === 0 && at > 0 && letter.test(lower.charAt(at - 1)));
    if (at === -1) return -1;
  }
  const form = lower.slice(at);
  const words = form.split(/[\s-]+/);
  const isLong =
    form.length > acronym.length && words.length <= Math.min(acronym.length + 5, 2 * acronym.length);
  return isLong && letters.includes(words.at(-1)?.charAt(0) ?? '-') && !FOREIGN.test(form) ? at : -1;
}
