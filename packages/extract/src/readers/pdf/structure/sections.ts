// The numbers of sections: "2", "2.1.3", "A.2", "Chapter 3". A heading by its number alone has to come where that
// number is due.

/** "2", "2.1.3", "IV.", "A.2", "Chapter 3": the parts of a section's number, before its title. */
export const NUMBER =
  /^(?:(?:chapter|section|part|appendix|annex|article|kapitel|abschnitt)\s+)?(\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z](?:\.\d{1,3}){1,5}|[IVX]{1,5}(?=\.))[.:]?\s+(?=[\p{L}¿¡“„«])/iu;

/** The label alone above the title of a chapter, often in smaller type. */
export const CHAPTER =
  /^(?:chapter|part|appendix|annex|kapitel|teil|anhang|chapitre|partie|annexe|cap[ií]tulo|capitolo|parte)\s+(\d{1,3}|[A-Z]|[IVX]{1,5})[.:]?$/i;

/** The section number that a text begins with, or consists of; '' without one. */
export function sectionNumber(text: string): string {
  return (NUMBER.exec(text)?.[1] ?? CHAPTER.exec(text)?.[1] ?? '').toUpperCase();
}

/** Number of parts of the number before a title; 0 without one. */
export function numberDepth(text: string): number {
  return NUMBER.exec(text)?.[1]?.split('.').length ?? 0;
}

/** A heading, with true if only its number marks it. */
interface Numbered {
  readonly text: string;
  readonly isByNumber: boolean;
}

/** The headings of a document in their order, without those by a number that is not due. Linear. */
export function inSequence<Heading extends Numbered>(candidates: readonly Heading[]): Heading[] {
  const known = new Set<string>();
  const counted = countedNumbers(candidates.map(({ text }) => sectionNumber(text)));
  return candidates.filter(({ text, isByNumber }) => {
    const number = sectionNumber(text);
    if (isByNumber && !isDue(number, known) && !counted.has(number)) return false;
    known.add(number);
    return true;
  });
}

/** So many numbers that count prove each other, where a document begins in the middle of a chapter. */
const LEAST_COUNTED = 3;

/** The numbers of three parts and more that count one by one. */
function countedNumbers(numbers: readonly string[]): ReadonlySet<string> {
  const counted = new Set<string>();
  const runs = new Map<string, number[]>();
  for (const number of numbers) {
    const parts = number.split('.');
    const last = Number(parts.pop());
    if (parts.length < 2) continue;
    const parent = parts.join('.');
    const run = runs.get(parent) ?? [];
    const next = run.at(-1) === last - 1 ? [...run, last] : [last];
    runs.set(parent, next);
    if (next.length >= LEAST_COUNTED) for (const one of next) counted.add(`${parent}.${one}`);
  }
  return counted;
}

/** "Part A - …", "Section II. …": a word for a part of a form, its letter or number, and its title. */
const PART =
  /^(?:part|section|teil|abschnitt|partie|parte|secci[oó]n|sezione|deel)\s+([A-Z]|\d{1,2}|[IVX]{2,5})(?:\s*[-–—:.]\s*|\s+(?=\p{Lu}))[\p{L}(]/iu;
const ROMAN = ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII', 'XIII', 'XIV', 'XV'];

/** The titles of parts that count from the first to the third and more. Linear. */
export function partTitles<Title extends { readonly text: string }>(titles: readonly Title[]): Set<Title> {
  const found = new Set<Title>();
  const runs = new Map<number, Title[]>();
  for (const title of titles) {
    const label = PART.exec(title.text)?.[1]?.toUpperCase() ?? '';
    if (label === '') continue;
    const places = [
      label.length === 1 ? label.charCodeAt(0) - 65 : -1,
      ROMAN.indexOf(label),
      Number(label) - 1,
    ];
    places.forEach((place, kind) => {
      const run = place === 0 ? [] : (runs.get(kind) ?? []);
      if (run.length !== place) return;
      run.push(title);
      runs.set(kind, run);
      if (run.length >= LEAST_COUNTED) for (const one of run) found.add(one);
    });
  }
  return found;
}

/** Sections that may have been missed between one and the next. */
const MISSED = 2;

/**
 * True if a section is due: one of those right before it has come, or its parent section, of which it is among the
 * first.
 */
function isDue(number: string, known: ReadonlySet<string>): boolean {
  const parts = number.split('.');
  // "3.00" is a price, "12.05" a date or a time.
  if (parts.some((part) => /^0\d/.test(part))) return false;
  const last = Number(parts.pop());
  const parent = parts.join('.');
  if (last <= 1 + MISSED && known.has(parent)) return true;
  for (let before = last - 1; before >= Math.max(0, last - 1 - MISSED); before--)
    if (known.has(`${parent}.${before}`)) return true;
  return false;
}
