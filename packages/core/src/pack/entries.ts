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
  /** The length of each line, and that of the line above each entry. */
  const lengths: number[] = [];
  const above: number[] = [];
  let open = 0;
  for (let line = from, feed: number; line < end; line = feed + 1) {
    feed = lineEnd(text, line, end);
    const first = skipBlank(text, line, feed);
    const last = skipBlankBack(text, first, feed);
    if (first === last) continue;
    if (first - line <= indent) above[starts.push(first) - 1] = lengths.at(-1) ?? 0;
    lengths.push(last - line);
    if (OPEN.includes(text.charAt(last - 1))) open++;
  }
  if (starts.length < LEAST_ENTRIES || open > MOST_OPEN * lengths.length) return undefined;
  const heads = starts.map((at) =>
    text.slice(at, Math.min(lineEnd(text, at, end), at + LINE_HEAD)).trimEnd(),
  );
  const fresh = shareOf(heads, (head) => FRESH_HEAD.test(head));
  const small = shareOf(heads, (head) => SMALL_HEAD.test(head));
  if (small > 1 - FRESH && small < SMALL) return undefined;
  const isCertain = starts.length >= CERTAIN && fresh >= FRESH;
  return isCertain || shareEnded(heads, above, lengths) >= LEAST_ENDED ? starts : undefined;
}

/**
 * False where too few lines are indented no more than the first, as in code, and where some of the first lines begin
 * with a small letter of ASCII and some with a capital or a figure, as nearly all prose does by its third line. This
 * pass keeps nothing, since nearly all text ends here.
 */
function mayBeEntries(text: string, start: number, end: number, indent: number): boolean {
  let [lines, entries, isSmall, isFresh] = [0, 0, false, false];
  for (let line = start - indent; line < end; line = lineEnd(text, line, end) + 1) {
    if (lines++ < CERTAIN) {
      const code = text.charCodeAt(lines === 1 ? start : line);
      if (code >= 0x61 && code <= 0x7a) isSmall = true;
      else if ((code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39)) isFresh = true;
      if (isSmall && isFresh) return false;
    }
    const margin = line + indent;
    if (skipBlank(text, line, margin + 1) <= margin) entries++;
  }
  return entries >= LEAST_ENTRIES;
}

/** Matches a line that begins with a capital or a figure. Prose in capitals, as in licences, shows nothing by them. */
const FRESH_HEAD = /^[^\p{L}\p{N}]*[\p{Lu}\p{N}]\P{Ll}*\p{Ll}/u;
const SMALL_HEAD = /^[^\p{L}\p{N}]*\p{Ll}/u;
/** The first word of a line, with the marks before it. */
const FIRST_WORD = /^[^\p{L}\p{N}]*\S*/u;
/** Units of a line in which its first word and a small letter are looked for. */
const LINE_HEAD = 80;

function shareOf<Entry>(list: readonly Entry[], holds: (entry: Entry, index: number) => boolean): number {
  return list.filter(holds).length / list.length;
}

/** The share of the entries, without the first, whose first word had room in the line above. */
function shareEnded(heads: readonly string[], above: readonly number[], lengths: readonly number[]): number {
  const sorted = lengths.toSorted((one, other) => one - other);
  const width = sorted[Math.floor(USUAL * (sorted.length - 1))] ?? 0;
  if (width > WIDEST_WRAP) return 1;
  return shareOf(heads.slice(1), (head, index) => {
    const word = FIRST_WORD.exec(head)?.[0] ?? '';
    return (above[index + 1] ?? 0) + 1 + word.length <= width;
  });
}
