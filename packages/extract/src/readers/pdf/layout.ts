// Pages of characters → the tree of a document → text, page starts and blocks. Takes PDFium's order and its line
// breaks; a paragraph ends at a blank line, before a gap, after a short line that ends a sentence, and with its page.
import type { TreeNode } from '../../tree/node.ts';
import { serialise, type Serialised } from '../../tree/serialise.ts';
import { flowNodes, type ParagraphRule } from './flow.ts';
import { findHeadings, type Heading, type OutlineEntry } from './headings.ts';
import { findTables, type Table } from './tables.ts';
import { fieldLines, joinLines, linesOf, quantile, type Line, type PageCharacters } from './text.ts';

/** Lays out pages; `undefined` is a page that could not be read and counts as an empty one. Linear. */
export function layOut(
  pages: readonly (PageCharacters | undefined)[],
  outline: readonly OutlineEntry[] = [],
): Serialised {
  const lines = pages.map((page) => (page === undefined ? [] : linesOf(page)));
  const tables = lines.map((page, index) => tablesByLine(findTables(page, pages[index]?.rules ?? [])));
  const headings = findHeadings(
    lines.map((page, index) => page.filter((line) => line.text !== '' && tables[index]?.has(line) !== true)),
    outline,
  );
  const isCode = hasCode(lines.flat());
  const tree = pages.flatMap((page, index): TreeNode[] => [
    ...(index === 0 ? [] : [{ kind: 'page' } as const]),
    ...pageNodes(lines[index] ?? [], headings, tables[index] ?? new Map<Line, Table>(), isCode),
    ...(page === undefined ? [] : fieldNodes(page)),
  ]);
  return serialise(tree, { isPaged: pages.length > 0 });
}

function tablesByLine(tables: readonly Table[]): Map<Line, Table> {
  return new Map(tables.flatMap((table) => table.lines.map((line): [Line, Table] => [line, table])));
}

function fieldNodes(page: PageCharacters): TreeNode[] {
  const text = fieldLines(page);
  return text === '' ? [] : [{ kind: 'paragraph', text }];
}

function pageNodes(
  lines: readonly Line[],
  headings: ReadonlyMap<Line, Heading>,
  tables: ReadonlyMap<Line, Table>,
  hasCode: boolean,
): TreeNode[] {
  const context = { isParagraphEnd: paragraphRule(lines), hasCode };
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
  return [...nodes, ...flowNodes(open, context)];
}

/** A document set in a fixed pitch throughout, as typewriters and old printers do, is no code. */
function hasCode(lines: readonly Line[]): boolean {
  const count = (some: readonly Line[]): number => some.reduce((sum, { text }) => sum + text.length, 0);
  return count(lines.filter(({ isFixedPitch }) => isFixedPitch)) < count(lines) / 2;
}

/** A sentence's last mark, with what closes after it. */
const SENTENCE_END = /[.!?:\u2026\u3002\uFF01\uFF1F]["'\u2019\u201D)\]\u300D]*$/;
/** A line shorter than this share of the page's usual line did not end for want of room. */
const SHORT = 0.8;
/** A line that stands lower by more than this many usual line distances begins something new. */
const WIDE = 1.35;

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
    if (wideAbove > 0 && before.baseline - line.baseline > wideAbove) return true;
    return before.text.length < shortBelow && SENTENCE_END.test(before.text);
  };
}
