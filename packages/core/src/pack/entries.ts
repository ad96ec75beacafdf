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

/** The entries of a range while its lines are read. */
interface Entries {
  readonly starts: number[];
  /** The length of every line. */
  readonly lines: number[];
  /** The length of the last line of each, and of the first word of each. */
  readonly lengths: number[];
  readonly words: number[];
  fresh: number;
  small: number;
}

/**
 * The starts of the entries of [start, end), the first included, or undefined for other text. A line that is indented
 * more than the first goes on with the entry above it. Linear.
 */
export function entriesIn(text: string, start: number, end: number): readonly number[] | undefined {
  if (isPlainlyProse(text, start, end)) return undefined;
  const from = lineStart(text, start, 0);
  const entries: Entries = { starts: [], lines: [], lengths: [], words: [], fresh: 0, small: 0 };
  let open = 0;
  for (let line = from; line < end; line = lineEnd(text, line, end) + 1) {
    const feed = lineEnd(text, line, end);
    const first = skipBlank(text, line, feed);
    const last = skipBlankBack(text, first, feed);
    if (first === last) continue;
    entries.lines.push(last - line);
    if (OPEN.includes(text.charAt(last - 1))) open++;
    if (entries.starts.length === 0 || first - line <= start - from) addEntry(text, first, last, entries);
    entries.lengths[entries.starts.length - 1] = last - line;
  }
  const { starts, fresh } = entries;
  if (starts.length < LEAST_ENTRIES || open > MOST_OPEN * entries.lines.length || isMixed(entries))
    return undefined;
  const isCertain = starts.length >= CERTAIN && fresh >= FRESH * starts.length;
  return isCertain || shareEnded(entries) >= LEAST_ENDED ? starts : undefined;
}

/**
 * True when the first lines show that they are no entries: too few, or some begin with a small letter of ASCII and some
 * with a capital or a figure. Nearly all paragraphs of prose end here, at the second or third line.
 */
function isPlainlyProse(text: string, start: number, end: number): boolean {
  let [isSmall, isFresh] = [false, false];
  let line = start;
  for (let lines = 1; lines <= CERTAIN; lines++) {
    const code = text.charCodeAt(line);
    if (code >= 0x61 && code <= 0x7a) isSmall = true;
    else if ((code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39)) isFresh = true;
    if (isSmall && isFresh) return true;
    const feed = lineEnd(text, line, end);
    if (feed === end) return lines < LEAST_ENTRIES;
    line = feed + 1;
  }
  return false;
}

/** The first word of a line with its first letter or figure, and with the marks before it. */
const FIRST_WORD = /^[^\p{L}\p{N}\n]*([\p{L}\p{N}]?)\S*/u;
/** Units of a line in which its first word and a small letter are looked for. */
const LINE_HEAD = 80;

function addEntry(text: string, first: number, last: number, entries: Entries): void {
  const head = text.slice(first, Math.min(last, first + LINE_HEAD));
  const [word = '', letter = ''] = FIRST_WORD.exec(head) ?? [];
  entries.starts.push(first);
  entries.words.push(word.length);
  if (/\p{Ll}/u.test(letter)) entries.small++;
  // Prose in capitals, as in licences, shows nothing by its capitals.
  else if (/^[\p{Lu}\p{N}]/u.test(letter) && /\p{Ll}/u.test(head)) entries.fresh++;
}

/** True when some entries begin with small letters and some with others. */
function isMixed({ starts: { length }, small }: Entries): boolean {
  return small > (1 - FRESH) * length && small < SMALL * length;
}

function shareEnded({ lines, lengths, words }: Entries): number {
  const sorted = lines.toSorted((one, other) => one - other);
  const width = sorted[Math.floor(USUAL * (sorted.length - 1))] ?? 0;
  if (width > WIDEST_WRAP) return 1;
  const ended = words.filter((word, index) => index > 0 && (lengths[index - 1] ?? 0) + 1 + word <= width);
  return ended.length / Math.max(1, words.length - 1);
}
