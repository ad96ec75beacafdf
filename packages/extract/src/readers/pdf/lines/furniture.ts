// Text that is no part of the document, by evidence: it stands at the edge of pages and repeats there, it counts them,
// or it is a stamp that archives are known to print. In doubt text is text.
import type { FurnitureKind } from '@grainline/core';
import type { Shape } from '../pdfium/rules.ts';
import { edgeRows, keyOf, outermost, PAGE_NUMBER, SAME_HEIGHT } from './margins.ts';
import { SAME_SIZE, type TextLine } from './text.ts';

/** A text counts as repeated on so many pages; in a short document on fewer. */
const LEAST_PAGES = 3;
const SHORT_DOCUMENT = 4;
const LEAST_PAGES_OF_SHORT = 2;
/** Longer lines are sentences. */
const MAX_LENGTH = 200;

/** Stamps that archives and libraries print on the pages of others. */
const STAMP =
  /^(?:arXiv:\d{4}\.\d{4,5}(?:v\d+)?\s*\[|(?:bio|med)Rxiv preprint|Downloaded (?:from|by|on) \S|Authorized licensed use limited to|Electronic copy available at|This preprint research paper has not been peer reviewed)/i;
/** Lines of a page that a stamp is among, from above and below. */
const STAMPED_LINES = 4;

/** A line and the page that it stands on. */
interface Edge {
  readonly line: TextLine;
  readonly page: number;
}

/** A page and the part of it that is shown. */
interface Sheet {
  readonly lines: readonly TextLine[];
  readonly box?: Shape | undefined;
}

/** A document with more than this share of its characters at the margins repeats its content: tickets, forms. */
const MOST = 0.4;

/**
 * The furniture of a document among the lines at the margins of its pages, with its kinds. `size` is that of the
 * document's text: what is larger, or bold in its size, may be the title of a slide. Linear but for sorting.
 */
export function findFurniture(
  sheets: readonly Sheet[],
  margins: ReadonlySet<TextLine>,
  size: number,
): Map<TextLine, FurnitureKind> {
  const pages = sheets.map(({ lines }) => lines);
  const needed = pages.length <= SHORT_DOCUMENT ? LEAST_PAGES_OF_SHORT : LEAST_PAGES;
  const edgesOf = (lines: readonly TextLine[], page: number): Edge[] =>
    lines.flatMap((line) => (mayRepeat(line, size) ? [{ line, page }] : []));
  const isNumber = ({ line }: Edge): boolean => PAGE_NUMBER.test(line.text);
  const apart = pages.flatMap((lines, page) =>
    edgesOf(
      lines.filter((line) => margins.has(line)),
      page,
    ),
  );
  const sure = new Set(
    [
      ...repeated(apart.filter(isNumber), () => '', needed),
      ...repeated(
        apart.filter((edge) => !isNumber(edge)),
        keyOf,
        needed,
      ),
    ].map(({ line }) => line),
  );
  // The same text at the same height needs no white space; any text does, where other pages have their heads.
  const outer = pages.flatMap((lines, page) => edgesOf(outermost(lines), page));
  const rows = pages.flatMap((lines, page) => edgesOf(edgeRows(lines), page));
  const isSure = ({ line }: Edge): boolean => sure.has(line);
  const all = new Set(
    [
      ...repeated(outer.filter(isNumber), () => '', 1, isSure),
      ...repeated(outer, keyOf, 1, isSure),
      ...repeated(rows, () => '', LEAST_PAGES, isSure),
    ].map(({ line }) => line),
  );
  const middle = middleOf(pages);
  const found = new Map<TextLine, FurnitureKind>();
  const isInBody = bodyRule(sheets, all, middle);
  if (lengthOf(all) <= MOST * lengthOf(pages.flat()))
    for (const line of all)
      if (!isInBody(line))
        found.set(
          line,
          PAGE_NUMBER.test(line.text) ? 'page-number' : line.baseline > middle ? 'header' : 'footer',
        );
  const sides = pages.flatMap((lines, page): Edge[] =>
    lines.filter(({ text, isTurned }) => isTurned && text !== '').map((line) => ({ line, page })),
  );
  for (const { line } of repeated(
    sides,
    (line) => `${keyOf(line)} ${Math.round(line.left / SAME_HEIGHT)}`,
    needed,
  ))
    found.set(line, 'stamp');
  for (const line of pages.flatMap(stampsOf)) found.set(line, 'stamp');
  return found;
}

function lengthOf(lines: Iterable<TextLine>): number {
  let sum = 0;
  for (const { text } of lines) sum += text.length;
  return sum;
}

function mayRepeat(line: TextLine, size: number): boolean {
  if (line.text.length > MAX_LENGTH) return false;
  if (line.cells.some(({ text }) => COUNT_OF_PAGES.test(text))) return true;
  return line.size <= (1 + SAME_SIZE) * size && !(line.isBold && line.size >= (1 - SAME_SIZE) * size);
}

/** No title says this, in whatever type. */
const COUNT_OF_PAGES = /^(?:page|seite)\s+\d{1,4}(?:\s+(?:of|von|\/)\s*\d{1,4})?$/i;

/** Lines with one key at one height on so many pages; only pages with evidence count. */
function repeated(
  edges: readonly Edge[],
  keyOf: (line: TextLine) => string,
  needed: number,
  isEvidence: (edge: Edge) => boolean = () => true,
): Edge[] {
  const groups = new Map<string, Edge[]>();
  for (const edge of edges) {
    const key = keyOf(edge.line);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [edge]);
    else known.push(edge);
  }
  return [...groups.values()].flatMap((group) => {
    const runs: Edge[][] = [];
    for (const edge of group.toSorted((a, b) => a.line.baseline - b.line.baseline)) {
      const run = runs.at(-1);
      const isNear = edge.line.baseline - (run?.at(-1)?.line.baseline ?? -Infinity) <= SAME_HEIGHT;
      if (run !== undefined && isNear) run.push(edge);
      else runs.push([edge]);
    }
    return runs
      .filter((run) => new Set(run.filter(isEvidence).map(({ page }) => page)).size >= needed)
      .flat();
  });
}

/** Text of so many pages, and of more than this share of the pages, shows where the text of pages ends. */
const LEAST_BODIES = 2;
const BODIES = 0.1;
/** Shorter lines may be heads and feet that have no evidence. */
const BODY_LENGTH = 40;

/**
 * Decides if a line of the upper half stands where the text of pages stands: no running head does, but titles at the
 * upper edge of the text do, and they may repeat. Pages show where the text begins, and for a head that repeats no more
 * than is needed the free space below the text.
 */
function bodyRule(
  sheets: readonly Sheet[],
  furniture: ReadonlySet<TextLine>,
  middle: number,
): (line: TextLine) => boolean {
  const needed = Math.ceil(Math.max(LEAST_BODIES, BODIES * sheets.length));
  const ends = sheets.flatMap(({ lines }) => {
    const outer = lines.filter(({ baseline, isTurned }) => baseline > middle && !isTurned);
    const prose = outer.filter((line) => line.text.length >= BODY_LENGTH && !furniture.has(line));
    const end = Math.max(...prose.map(({ baseline }) => baseline));
    const isAbove = outer.some((line) => furniture.has(line) && line.baseline <= end);
    return prose.length === 0 || isAbove ? [] : [end];
  });
  const upper = ends.sort((a, b) => b - a)[needed - 1] ?? -Infinity;
  const low = lowHeads(sheets, furniture, middle);
  return (line) => (line.baseline > middle && line.baseline < upper + 1) || low.has(line);
}

/** The heads that repeat on few pages and are further from the upper edge than the text ends above the lower one. */
function lowHeads(
  sheets: readonly Sheet[],
  furniture: ReadonlySet<TextLine>,
  middle: number,
): ReadonlySet<TextLine> {
  const heads = new Map<string, Edge[]>();
  for (const [page, { lines }] of sheets.entries())
    for (const line of lines)
      if (furniture.has(line) && line.baseline > middle && !PAGE_NUMBER.test(line.text)) {
        const known = heads.get(keyOf(line));
        if (known === undefined) heads.set(keyOf(line), [{ line, page }]);
        else known.push({ line, page });
      }
  const isLow = ({ line, page }: Edge): boolean => {
    const { lines = [], box } = sheets[page] ?? {};
    const body = lines.filter(
      (one) => !furniture.has(one) && one.text.length >= BODY_LENGTH && !one.isTurned,
    );
    if (box === undefined || body.length === 0) return false;
    const below = Math.min(...body.map(({ baseline }) => baseline)) - box.bottom;
    return box.top - line.baseline - line.size > below;
  };
  const low = [...heads.values()].filter((edges) => edges.length <= LEAST_PAGES && edges.every(isLow));
  return new Set(low.flat().map(({ line }) => line));
}

function middleOf(pages: readonly (readonly TextLine[])[]): number {
  let [lowest, highest] = [Infinity, -Infinity];
  for (const { baseline, text } of pages.flat()) {
    if (text === '') continue;
    lowest = Math.min(lowest, baseline);
    highest = Math.max(highest, baseline);
  }
  return (lowest + highest) / 2;
}

/** The stamps of a page: turned lines, or among the highest and lowest. */
function stampsOf(lines: readonly TextLine[]): TextLine[] {
  const stamped = lines.filter(({ text }) => STAMP.test(text));
  if (stamped.length === 0) return [];
  const heights = lines.filter(({ text, isTurned }) => text !== '' && !isTurned);
  heights.sort((a, b) => a.baseline - b.baseline);
  const edge = new Set([...heights.slice(0, STAMPED_LINES), ...heights.slice(-STAMPED_LINES)]);
  return stamped.filter((line) => line.isTurned || edge.has(line));
}
