// Acronyms and where a text says what they stand for: `Retrieval-Augmented Generation (RAG)`, `RAG (Retrieval-…)`,
// `(Retrieval-…, RAG)`. Short and long form are matched as in Schwartz and Hearst, "A simple algorithm for identifying
// abbreviation definitions in biomedical text" (2003), with the last word of the long form held to the short one too.
import { skipBlank, skipBlankBack } from '../../blocks/lines.ts';
import type { Span } from '../../document.ts';

const LONGEST_ACRONYM = 10;
/** Units up to which a long form is looked for. */
const LONGEST_FORM = 100;
/** Marks that stand in no long form, and blank lines. */
const FOREIGN = /[.;:!?|<>()[\]{}（）。]|\n\s*\n/;
const ROMAN = /^[IVX]+$/;

/** The acronyms that one text defines. */
export class Acronyms {
  private readonly text: string;
  private readonly definitions = new Map<string, Span>();

  constructor(text: string) {
    this.text = text;
    eachAcronym(text, 0, text.length, (from, to) => this.note(from, to));
  }

  /** The first definitions of the acronyms in [start, end), in the order of their use. Linear in the range. */
  usedIn(start: number, end: number): ReadonlySet<Span> {
    const found = new Set<Span>();
    if (this.definitions.size === 0) return found;
    eachAcronym(this.text, start, end, (from, to) => {
      const word = this.text.slice(from, to);
      const definition = this.definitions.get(word) ?? this.definitions.get(singular(word));
      if (definition !== undefined) found.add(definition);
    });
    return found;
  }

  /** Keeps the definition that the acronym at [from, to) is part of, if it is the first. */
  private note(from: number, to: number): void {
    const next = this.text.charAt(to + (this.text.charAt(to) === ' ' ? 1 : 0));
    if (!'()（）'.includes(next) || next === '') return;
    const name = singular(this.text.slice(from, to));
    if (this.definitions.has(name) || ROMAN.test(name)) return;
    const definition = '(（'.includes(next)
      ? this.formBehind(name, from, to)
      : this.formBefore(name, from, to);
    if (definition !== undefined) this.definitions.set(name, definition);
  }

  /** `Long Form (LF)` and `(Long Form, LF)`. */
  private formBefore(name: string, from: number, to: number): Span | undefined {
    const mark = skipBlankBack(this.text, Math.max(0, from - 2), from) - 1;
    const isBracket = '(（'.includes(this.text.charAt(mark));
    if (mark < 0 || (!isBracket && !',，、'.includes(this.text.charAt(mark)))) return undefined;
    const start = longFormStart(this.text, name, Math.max(0, mark - LONGEST_FORM), mark);
    return start === -1 ? undefined : { start, end: isBracket ? to + 1 : to };
  }

  /** `LF (Long Form)`. */
  private formBehind(name: string, from: number, to: number): Span | undefined {
    const start = skipBlank(this.text, to, to + 2) + 1;
    let end = start;
    while (end - start < LONGEST_FORM && !')）,，;；'.includes(this.text.charAt(end))) end++;
    if (longFormStart(this.text, name, start, end) !== start) return undefined;
    return { start: from, end: ')）'.includes(this.text.charAt(end)) ? end + 1 : end };
  }
}

/** Where in [from, to) the long form of an acronym begins that ends at `to`; -1 when there is none. */
function longFormStart(text: string, acronym: string, from: number, to: number): number {
  const end = skipBlankBack(text, from, to);
  const letters = acronym.toLowerCase();
  let at = end;
  for (let index = letters.length - 1; index >= 0; index--) {
    do at--;
    while (
      at >= from &&
      (text.charAt(at).toLowerCase() !== letters[index] ||
        (index === 0 && isWordUnit(text.charCodeAt(at - 1))))
    );
    if (at < from) return -1;
  }
  const form = text.slice(at, end);
  const words = form.split(/[\s-]+/);
  const most = Math.min(acronym.length + 5, 2 * acronym.length);
  const last = words.at(-1)?.charAt(0).toLowerCase() ?? '';
  return words.length > most || form.length <= acronym.length || !letters.includes(last) || FOREIGN.test(form)
    ? -1
    : at;
}

/** Calls `visit` with each word of [start, end) that has two capitals and begins with one. */
function eachAcronym(
  text: string,
  start: number,
  end: number,
  visit: (from: number, to: number) => void,
): void {
  for (let at = start; at < end; at++) {
    const from = at;
    let capitals = 0;
    for (let code = text.charCodeAt(at); at < end && isWordUnit(code); code = text.charCodeAt(++at))
      if (isCapital(code)) capitals++;
    if (capitals > 1 && at - from <= LONGEST_ACRONYM && isCapital(text.charCodeAt(from))) visit(from, at);
  }
}

/** `LLMs` → `LLM`. */
function singular(acronym: string): string {
  return acronym.length > 2 && acronym.endsWith('s') ? acronym.slice(0, -1) : acronym;
}

/** Latin, Greek and Cyrillic capitals. */
function isCapital(code: number): boolean {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a;
  return (
    (code >= 0xc0 && code <= 0xde) || (code >= 0x391 && code <= 0x3a9) || (code >= 0x401 && code <= 0x42f)
  );
}

/** Digits, `_`, and letters of the scripts that part words by blanks, as far as it matters here. */
function isWordUnit(code: number): boolean {
  if (code >= 0x80) return code >= 0xc0 && code < 0x2000;
  return (code >= 0x61 && code <= 0x7a) || isCapital(code) || (code >= 0x30 && code <= 0x39) || code === 0x5f;
}
