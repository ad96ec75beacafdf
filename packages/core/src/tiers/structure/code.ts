// Code → atoms: its lines. The strongest gaps are blank lines where the code is least indented, then the places
// behind a closing bracket there, then other blank lines. Knows no language; a grammar knows better where it is there.
import { skipBlank, skipBlankBack } from '../../blocks/lines.ts';
import { FLAG, STRENGTH } from '../../pack/atoms.ts';
import type { Prose } from '../../pack/prose.ts';

/** What a line of code is, as far as cutting goes. */
interface CodeLine {
  /** With its indentation, save in the first line. */
  readonly start: number;
  readonly first: number;
  readonly end: number;
  /** True when a blank line stands before it. */
  readonly parted: boolean;
}

/** Marks with which a line of code says that it belongs to the line before: closing brackets and the like. */
const CLOSING = /^(?:[)\]}>]|end\b|fi\b|done\b|esac\b|<\/)/;
/** Lines that belong to the line behind them: comments, decorators, attributes. */
const ATTACHED = /^(?:\/\/|\/\*|\*|#(?!include|define|if|endif)|--|@|\[\[?\w|"""|''')/;
const FENCE = /^(?:`{3,}|~{3,})/;

/**
 * Adds the lines of the code in [start, end), which is not blank at its edges. The line that opens a fence never ends
 * a chunk, and the one that closes it never begins one. Linear.
 */
export function addCode(prose: Prose, text: string, start: number, end: number, strength: number): void {
  const all = linesOf(text, start, end);
  const fenced = all.length > 1 && FENCE.test(text.slice(start, start + 3));
  const closed = fenced && FENCE.test(text.slice(all.at(-1)?.first ?? end, end));
  const least = leastIndentation(all, fenced ? 1 : 0);
  for (const [index, line] of all.entries()) {
    let gap = index === 0 ? strength : gapBefore(text, line, all[index - 1] ?? line, least);
    if (closed && index === all.length - 1) gap = STRENGTH.character;
    prose.addPiece(
      line.start,
      line.end,
      gap,
      fenced && index === 0 ? FLAG.leads : 0,
      prose.roomAt(line.start),
    );
  }
}

/** The lines of [start, end) that are not blank. */
function linesOf(text: string, start: number, end: number): CodeLine[] {
  const found: CodeLine[] = [];
  let parted = false;
  for (let at = start; at < end;) {
    const feed = text.indexOf('\n', at);
    const lineEnd = feed === -1 ? end : Math.min(feed, end);
    const first = skipBlank(text, at, lineEnd);
    if (first < lineEnd) found.push({ start: at, first, end: skipBlankBack(text, first, lineEnd), parted });
    parted = first === lineEnd;
    at = lineEnd + 1;
  }
  return found;
}

/** The least indentation of the lines from an index on; a closing fence, indented less than its code, tells the same. */
function leastIndentation(all: readonly CodeLine[], from: number): number {
  let least = Infinity;
  for (let index = from; index < all.length; index++) least = Math.min(least, indentationOf(all[index]));
  return least;
}

function indentationOf(line: CodeLine | undefined): number {
  return line === undefined ? Infinity : line.first - line.start;
}

function gapBefore(text: string, line: CodeLine, before: CodeLine, least: number): number {
  const opening = text.slice(line.first, line.first + LOOK);
  const outermost = indentationOf(line) <= least;
  if (CLOSING.test(opening)) return STRENGTH.character;
  if (line.parted) return outermost ? STRENGTH.paragraph : STRENGTH.sentence;
  const previous = text.slice(before.first, before.first + LOOK);
  if (ATTACHED.test(previous) && indentationOf(line) === indentationOf(before)) return STRENGTH.character;
  return outermost && CLOSING.test(previous) ? STRENGTH.line : STRENGTH.clause;
}

/** Units of a line that tell what it is. */
const LOOK = 8;
