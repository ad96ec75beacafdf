// Finds text with one entry a line: bibliographies, glossaries, change logs, addresses. Their lines end with or without
// a mark. Wrapped prose is told by the letters that its lines begin with, and by its width.
import { lineEnd, lineStart, skipBlank, skipBlankBack } from '../blocks/lines.ts';
import { WIDEST_WRAP } from './breaks.ts';

/** Fewest entries that can be told from prose, … */
const LEAST_ENTRIES = 4;
/** … and from prose that begins its lines with capitals by chance; also the number after which prose is recognised. */
const CERTAIN = 8;
/** Least share of entries that begin with a capital or a figure, … */
const FRESH = 0.9;
/** … or else with a small letter. Of wrapped prose some lines do and some do not. */
const SMALL = 0.95;
/** Greatest share of lines that end in a mark behind which verse, code and prose go on. */
const MOST_OPEN = 0.15;
const OPEN = ',;:-–—(&';
/** Least share of entries behind which the next word had room in the line; of wrapped prose hardly any. */
const LEAST_ENDED = 0.2;
/** The share of lines that are taken for no wider than the text. A wrapped line with a long link is wider. */
const USUAL = 0.9;

/**
 * The starts of the entries of [start, end), the first included, or undefined for other text. A line that is indented
 * more than the first goes on with the entry above it. Linear.
 */
export function entriesIn(text: string, start: number, end: number): readonly number[] | undefined {
  const from = lineStart(text, start, 0);
  const indent = start - from;
  if (!mayBeEntries(text, start, end, indent)) return undefined;
  const starts: number[] = [];
  /** The length of each line, and that of the line above each entry but the first with the entry's first word. */
  const lengths: number[] = [];
  const joined: number[] = [];
  let [fresh, small] = [0, 0];
  for (let line = from, feed: number; line < end; line = feed + 1) {
    feed = lineEnd(text, line, end);
    const first = skipBlank(text, line, feed);
    const last = skipBlankBack(text, first, feed);
    if (first === last) continue;
    if (first - line <= indent) {
      const head = text.slice(first, Math.min(last, first + LINE_HEAD));
      if (FRESH_HEAD.test(head)) fresh++;
      else if (SMALL_HEAD.test(head)) small++;
      if (starts.push(first) > 1)
        joined.push((lengths.at(-1) ?? 0) + 1 + (FIRST_WORD.exec(head)?.[0].length ?? 0));
    }
    lengths.push(last - line);
  }
  const { length } = starts;
  if (small > (1 - FRESH) * length && small < SMALL * length) return undefined;
  const isCertain = length >= CERTAIN && fresh >= FRESH * length;
  return isCertain || shareEnded(lengths, joined) >= LEAST_ENDED ? starts : undefined;
}

/**
 * False where there are too few entries, where too many lines go on in the next one, and where some of the first lines
 * begin with a small letter of ASCII and some with a capital or a figure. Nearly all prose ends at its second or third
 * line, code at the end of this pass, which keeps nothing.
 */
function mayBeEntries(text: string, start: number, end: number, indent: number): boolean {
  let [lines, entries, open, isSmall, isFresh] = [0, 0, 0, false, false];
  for (let line = start - indent, feed: number; line < end; line = feed + 1) {
    feed = lineEnd(text, line, end);
    const first = skipBlank(text, line, feed);
    if (first === feed) continue;
    if (lines < CERTAIN) {
      const code = text.charCodeAt(lines === 0 ? first : line);
      if (code >= 0x61 && code <= 0x7a) isSmall = true;
      else if ((code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39)) isFresh = true;
      if (isSmall && isFresh) return false;
    }
    lines++;
    if (first - line <= indent) entries++;
    if (OPEN.includes(text.charAt(skipBlankBack(text, first, feed) - 1))) open++;
  }
  return entries >= LEAST_ENTRIES && open <= MOST_OPEN * lines;
}

/** Matches a line that begins with a capital or a figure. Prose in capitals, as in licences, shows nothing by them. */
const FRESH_HEAD = /^[^\p{L}\p{N}]*[\p{Lu}\p{N}]\P{Ll}*\p{Ll}/u;
const SMALL_HEAD = /^[^\p{L}\p{N}]*\p{Ll}/u;
/** The first word of a line, with the marks before it. */
const FIRST_WORD = /^[^\p{L}\p{N}]*\S*/u;
/** Units of a line in which its first word and a small letter are looked for. */
const LINE_HEAD = 80;

/** The share of the entries before whose first word the line above ended although it had room. */
function shareEnded(lengths: readonly number[], joined: readonly number[]): number {
  const sorted = lengths.toSorted((one, other) => one - other);
  const width = sorted[Math.floor(USUAL * (sorted.length - 1))] ?? 0;
  if (width > WIDEST_WRAP) return 1;
  return joined.filter((length) => length <= width).length / joined.length;
}
