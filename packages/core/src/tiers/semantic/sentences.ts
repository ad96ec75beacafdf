// Sentences that begin with a small letter, as in transcripts, chats and scans, where capitals cannot be relied on.
// Core's sentence scanner rather keeps two such sentences together than separate an abbreviation from the next word.
// Here an embedder helps to decide where to cut, so every likely end may be offered.
import { Atoms, FLAG, STRENGTH } from '../../pack/atoms.ts';
import type { Measure } from '../../pack/measure.ts';
import { endsWithPlainWord } from '../../sentences/periods.ts';
import { isBlank } from '../../unicode.ts';

/** Matches an end mark, blanks and a small letter. Compiled at its first use, since the set of letters is large. */
const END = String.raw`[.!?…]\s+(?=\p{Ll})`;
let end: RegExp | undefined;

/** Returns the atoms; atoms of prose are split at the ends of their sentences. */
export function partSentences(text: string, atoms: Atoms, size: number, measure: Measure): Atoms {
  const parted = new Atoms(size, measure);
  parted.contexts.push(...atoms.contexts.slice(1));
  parted.sections.push(...atoms.sections);
  parted.kinds.push(...atoms.kinds);
  for (let at = 0; at < atoms.count; at++) {
    const [start = 0, end = 0, flags = 0] = [atoms.starts[at], atoms.ends[at], atoms.flags[at]];
    parted.kind = atoms.kindOf[at] ?? 0;
    parted.context = atoms.contextOf[at] ?? 0;
    parted.section = atoms.sectionOf[at] ?? -1;
    let strength = atoms.strengths[at] ?? 0;
    let from = start;
    for (const gap of flags === FLAG.repeatable ? gapsIn(text, start, end) : []) {
      // In tokens a part may be longer than the whole.
      if (measure.length(from, gap.end) > size || measure.length(gap.start, end) > size) continue;
      parted.add(from, gap.end, strength, flags);
      [from, strength] = [gap.start, STRENGTH.sentence];
    }
    parted.add(from, end, strength, flags);
  }
  return parted;
}

/** Yields the blanks behind each end of a sentence in a range. */
function* gapsIn(text: string, start: number, last: number): Generator<{ end: number; start: number }> {
  const range = text.slice(start, last);
  end ??= new RegExp(END, 'gu');
  let from = start;
  for (const { 0: found, index } of range.matchAll(end)) {
    const mark = start + index;
    // A mark with a blank before it, as in text whose words and marks were separated, ends no abbreviation.
    const alone = isBlank(text.charCodeAt(mark - 1));
    if (text.charAt(mark) === '.' && !alone && !endsWithPlainWord(text, from, mark)) continue;
    yield { end: mark + 1, start: mark + found.length };
    from = mark + found.length;
  }
}
