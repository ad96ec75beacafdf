// Pages of characters → the tree of a document → text, page starts and blocks. Takes PDFium's order and its line
// breaks; a paragraph ends at a blank line, before a gap, after a short line that ends a sentence, and with its page.
import type { TreeNode } from '../../tree/node.ts';
import { serialise, type Serialised } from '../../tree/serialise.ts';
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
  const tree = pages.flatMap((page, index): TreeNode[] => [
    ...(index === 0 ? [] : [{ kind: 'page' } as const]),
    ...pageNodes(lines[index] ?? [], headings, tables[index] ?? new Map<Line, Table>()),
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
): TreeNode[] {
  const isParagraphEnd = paragraphRule(lines);
  const nodes: TreeNode[] = [];
  let open: Line[] = [];
  let before: Line | undefined;
  const flush = (): void => {
    const text = joinLines(open, '\n');
    if (text !== '') nodes.push({ kind: 'paragraph', text });
    open = [];
  };
  for (const line of lines) {
    const heading = headings.get(line);
    const table = tables.get(line);
    if (table !== undefined) {
      flush();
      if (table.lines[0] === line) nodes.push(table.node);
    } else if (heading !== undefined) {
      flush();
      if (heading.lines[0] === line)
        nodes.push({ kind: 'heading', depth: heading.depth, text: joinLines(heading.lines, ' ') });
    } else {
      const isDivided = before?.isDivided ?? false;
      if (!isDivided && before !== undefined && isParagraphEnd(before, line)) flush();
      open.push(line);
    }
    before = line;
  }
  flush();
  return nodes;
}

/** A sentence's last mark, with what closes after it. */
const SENTENCE_END = /[.!?:\u2026\u3002\uFF01\uFF1F]["'\u2019\u201D)\]\u300D]*$/;
/** A line shorter than this share of the page's usual line did not end for want of room. */
const SHORT = 0.8;
/** A line that stands lower by more than this many usual line distances begins something new. */
const WIDE = 1.35;

/** Tells, for the lines of one page, whether a paragraph ends between two of them. */
function paragraphRule(lines: readonly Line[]): (before: Line, line: Line) => boolean {
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
