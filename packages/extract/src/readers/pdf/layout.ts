// Pages of characters → the tree of a document → text, page starts and blocks. Takes PDFium's line breaks, and its order
// but for columns (columns.ts); a paragraph ends at a blank line, before a gap, after a short line that ends a sentence,
// and with its page, unless its sentence goes on (joins.ts).
import type { TreeNode } from '../../tree/node.ts';
import { serialise, type Serialised } from '../../tree/serialise.ts';
import type { Table } from './cells.ts';
import { inReadingOrder } from './columns.ts';
import { joinTables } from './continued.ts';
import { flowNodes, unitNodes, type FlowContext, type ParagraphRule } from './flow.ts';
import { findHeadings, isSameSize, type Heading, type OutlineEntry } from './headings.ts';
import { isSmall, joinPages } from './joins.ts';
import { joinMarks } from './marks.ts';
import { findTables } from './tables.ts';
import {
  fieldLines,
  joinLines,
  linesOf,
  quantile,
  SENTENCE_END,
  type Line,
  type PageCharacters,
} from './text.ts';

/** A page by itself, before the document is known that tells its headings and its code. */
export interface PageParts {
  readonly lines: readonly Line[];
  readonly tables: ReadonlyMap<Line, Table>;
  readonly fieldValues: string;
}

/** Finds the lines and tables of a page; `undefined` is a page that could not be read and counts as an empty one. */
export function partsOf(page: PageCharacters | undefined): PageParts {
  if (page === undefined) return { lines: [], tables: new Map(), fieldValues: '' };
  const stream = joinMarks(linesOf(page), page.rules);
  const found = tablesByLine(findTables(stream, page.rules));
  const lines = inReadingOrder(stream, found);
  const tables = lines === stream ? found : tablesByLine(findTables(lines, page.rules));
  return { lines, tables, fieldValues: fieldLines(page) };
}

/** Lays out the pages of a document. Linear. */
export function layOut(parts: readonly PageParts[], outline: readonly OutlineEntry[] = []): Serialised {
  const pages = joinTables(parts.map((page) => ({ ...page, isClosed: page.fieldValues !== '' })));
  const headings = findHeadings(
    pages.map(({ lines, tables }) => lines.filter((line) => line.text !== '' && !tables.has(line))),
    outline,
  );
  const isCode = hasCode(pages.flatMap(({ lines }) => lines));
  const flows = pages.map(({ lines, isClosed }) => {
    return { lines, isParagraphEnd: paragraphRule(lines), isClosed };
  });
  const tabled = new Set(pages.flatMap(({ tables }) => [...tables.keys()]));
  const joined = joinPages(
    flows,
    (line) => !headings.has(line) && !tabled.has(line) && !line.isTurned && !(isCode && line.isFixedPitch),
  );
  const tree = pages.flatMap(({ tables, goesOn }, index): TreeNode[] => {
    const lines = joined.pages[index] ?? [];
    const { isParagraphEnd } = flows[index] ?? { isParagraphEnd: () => true };
    const last = lines.at(-1);
    const long = last === undefined ? undefined : joined.long.get(last);
    const nodes = pageNodes(long === undefined ? lines : lines.slice(0, -1), tables, headings, {
      isParagraphEnd,
      hasCode: isCode,
    });
    const fieldValues = parts[index]?.fieldValues ?? '';
    if (fieldValues !== '') nodes.push({ kind: 'paragraph', text: fieldValues });
    if (long !== undefined) return [...nodes, ...unitNodes(long)];
    const isOpen = goesOn || joined.within.has(index) || index === pages.length - 1;
    return isOpen ? nodes : [...nodes, { kind: 'page' }];
  });
  return serialise(tree, { isPaged: pages.length > 0 });
}

function tablesByLine(tables: readonly Table[]): Map<Line, Table> {
  return new Map(tables.flatMap((table) => table.lines.map((line): [Line, Table] => [line, table])));
}

function pageNodes(
  lines: readonly Line[],
  tables: ReadonlyMap<Line, Table>,
  headings: ReadonlyMap<Line, Heading>,
  context: FlowContext,
): TreeNode[] {
  const nodes: TreeNode[] = [];
  let open: Line[] = [];
  for (const line of lines) {
    const heading = headings.get(line);
    const table = tables.get(line);
    if (heading === undefined && table === undefined) {
      open.push(line);
      continue;
    }
    nodes.push(...flowNodes(open, context));
    open = [];
    if (table?.lines[0] === line) nodes.push(table.node);
    if (heading?.lines[0] === line)
      nodes.push({ kind: 'heading', depth: heading.depth, text: joinLines(heading.lines, ' ') });
  }
  nodes.push(...flowNodes(open, context));
  return nodes;
}

/** A document set in a fixed pitch throughout, as typewriters and old printers do, is no code. */
function hasCode(lines: readonly Line[]): boolean {
  const count = (some: readonly Line[]): number => some.reduce((sum, { text }) => sum + text.length, 0);
  return count(lines.filter(({ isFixedPitch }) => isFixedPitch)) < count(lines) / 2;
}

/** A line shorter than this share of the page's usual line did not end for want of room. */
const SHORT = 0.8;
/** A line that stands lower by more than this many usual line distances begins something new. */
const WIDE = 1.35;

/** A note begins with its mark. */
const NOTE = /^(?:\d{1,2}|[*†‡§¶]{1,2})\s?\p{L}/u;

/** Whether a sentence may go on in a line that stands elsewhere. */
function goesOn(before: Line, line: Line): boolean {
  return isSameSize(before.size, line.size) && !SENTENCE_END.test(before.text);
}

/** Tells, for the lines of one page, whether a paragraph ends between two of them. */
function paragraphRule(lines: readonly Line[]): ParagraphRule {
  const texts = lines.filter(({ text }) => text !== '');
  // The length that nine of ten lines do not exceed: of a page of prose, its full line.
  const shortBelow =
    SHORT *
    quantile(
      texts.map(({ text }) => text.length),
      0.9,
    );
  const drops = texts.slice(1).map(({ baseline }, index) => (texts[index]?.baseline ?? 0) - baseline);
  const wideAbove =
    WIDE *
    quantile(
      drops.filter((drop) => drop > 1),
      0.5,
    );
  return (before, line) => {
    if (line.text === '') return true;
    if (isSmall(line, before) && NOTE.test(line.text)) return true;
    // At the head of the next column something new begins, unless a sentence goes on there in the same type.
    if (line.baseline > before.baseline + line.size && !goesOn(before, line)) return true;
    if (wideAbove > 0 && before.baseline - line.baseline > wideAbove) return true;
    return before.text.length < shortBelow && SENTENCE_END.test(before.text);
  };
}
