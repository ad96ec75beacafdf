// Acronyms and where a text defines them: `Retrieval-Augmented Generation (RAG)` or `RAG (Retrieval-…)`. Short and long
// form are matched by the algorithm of Schwartz and Hearst, "A simple algorithm for identifying abbreviation
// definitions in biomedical text" (2003), except that the last word of the long form has to match too.
import type { Span } from '../../document.ts';
import { kindOf, KINDS, knownKinds, LOWER, UPPER } from '../../sentences/marks.ts';

/** Characters that must not stand beside an acronym. Letters of scripts without capitals, such as Chinese, may. */
const WORD = '[\\p{Lu}\\p{Ll}\\d_]';
/**
 * Matches an acronym: a capital, then letters and digits, the last one a capital or digit; ten units at most, and an
 * `s` for the plural.
 */
const NAME = `(?<!${WORD})(\\p{Lu}[\\p{Lu}\\p{Ll}\\d]{0,8}[\\p{Lu}\\d])s?`;
/** Units before a bracket that contain an acronym, the blank behind it, and the character before it. */
const LONGEST_NAME = 13;
/** Most units of a long form. */
const LONGEST_FORM = 100;
/** Matches the content of brackets, up to the closing one or the first mark. */
const BRACKETED = /^([^()（）,;]+)(?:[)）]|(?=[,;]))/;
/** Matches marks and blank lines, which stand in no long form. */
const FOREIGN = /[.,;:!?|<>()[\]{}（）。]|\n\s*\n/;
/** Matches Roman numerals, which are no acronyms. */
const ROMAN = /^[IVX]+$/;

let letter: RegExp | undefined;

/** An offset at which the text uses an acronym that it defines. */
interface AcronymUse {
  readonly at: number;
  readonly name: string;
}

/**
 * Returns a function that lists the defined acronyms in a range, each once, in the order of their use. Callers pass
 * ascending starts. The first call reads the text once.
 */
export function acronymUses(
  text: string,
  definitions: ReadonlyMap<string, Span>,
): (start: number, end: number) => ReadonlySet<string> {
  let uses: readonly AcronymUse[] | undefined;
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

/**
 * Finds the uses by going from capital to capital, and from each to the end of its word, which is seldom an acronym.
 */
function usesIn(text: string, definitions: ReadonlyMap<string, Span>): AcronymUse[] {
  const known = knownKinds();
  const uses: AcronymUse[] = [];
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

/** The offset of the next capital. A function of its own, because the engine compiles such a loop best. */
function nextCapital(text: string, at: number, known: Uint8Array): number {
  let next = at;
  for (; next < text.length; next++) {
    const code = text.charCodeAt(next);
    // Zero means that the kind has not been found yet.
    const kind = (known[code] ?? 0) || kindOf(code);
    if ((kind & KINDS) === UPPER) break;
  }
  return next;
}

const UNDERSCORE = 0x5f;

/** True for letters and digits of ASCII, of which {@link NAME} consists. */
function isNameUnit(code: number): boolean {
  const kind = kindOf(code) & KINDS;
  return kind === UPPER || kind === LOWER || (code >= 0x30 && code <= 0x39);
}

/** The word, without the `s` of a plural if need be, when it is an acronym that the text defines. */
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

/** The first definition of each acronym in a text. Linear, because it looks only around brackets. */
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
      const formStart = longFormStart(isShort ? text.slice(from, at) : inner, name);
      if (formStart === -1 || (!isShort && formStart > 0)) continue;
      found.set(name, { start: isShort ? from + formStart : at - word.length, end: at + 1 + all.length });
    }
  }
  return found;
}

/** The start of an acronym's long form at the end of a text; -1 when the text does not end with one. */
function longFormStart(text: string, acronym: string): number {
  letter ??= new RegExp('[\\p{L}\\d]', 'u');
  const letters = acronym.toLowerCase();
  const lower = text.trimEnd().toLowerCase();
  let at = lower.length;
  // The small letters of a few capitals are longer, which would shift every offset.
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
