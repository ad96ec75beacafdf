// Pages of characters → the tree of a document → text, page starts and blocks. Keeps PDFium's line breaks, and its
// order except for columns (columns.ts); a paragraph ends at a blank line, before a gap, after a short line that ends a
// sentence, and with its page, unless its sentence goes on (joins.ts).
import type { TreeNode } from '../../tree/node.ts';
import { serialise, type Serialised } from '../../tree/serialise.ts';
import { withBullets } from './lines/bullets.ts';
import type { Table } from './tables/cells.ts';
import { inReadingOrder } from './order/columns.ts';
import { joinTables, type TabledPage } from './tables/continued.ts';
import { flowNodes, isItem, unitNodes, type FlowContext, type ParagraphRule } from './structure/flow.ts';
import { bodyOf, findHeadings, type Heading } from './structure/headings.ts';
import { joinPages } from './structure/joins.ts';
import { marginsOf } from './lines/margins.ts';
import { joinMarks } from './lines/marks.ts';
import { separateNotes } from './order/notes.ts';
import type { OutlineEntry } from './pdfium/file.ts';
import type { Rule } from './pdfium/rules.ts';
import { findTables, fixedCells } from './tables/tables.ts';
import {
  fieldLines,
  isSameSize,
  isSmall,
  joinLines,
  linesOf,
  quantile,
  SENTENCE_END,
  SMALL_LETTER,
  type TextLine,
  type PageCharacters,
} from './lines/text.ts';

/** A page by itself: its lines in the order of the stream. */
export interface PageStream {
  readonly lines: readonly TextLine[];
  readonly rules: readonly Rule[];
  readonly fieldValues: string;
}

/** Facts from all pages of a document that help to read each page. */
export interface DocumentStyle {
  /** Running heads and feet, and page numbers, where white space separates them from the rest of their page. */
  readonly margins: ReadonlySet<TextLine>;
  /** The font size of its text in points. */
  readonly size: number;
  /** True if lines in a fixed pitch are code, and not the type of all text. */
  readonly hasCode: boolean;
}

/** The lines of a page in reading order, and their tables. */
export interface OrderedPage {
  readonly lines: readonly TextLine[];
  readonly tables: ReadonlyMap<TextLine, Table>;
  /** Lines of notes in the margin. */
  readonly notes: ReadonlySet<TextLine>;
  readonly fieldValues: string;
}

/** Finds the lines of a page; `undefined` is a page that could not be read and counts as an empty one. */
export function streamOf(page: PageCharacters | undefined): PageStream {
  if (page === undefined) return { lines: [], rules: [], fieldValues: '' };
  const lines = withBullets(joinMarks(linesOf(page), page.rules), page.dots);
  return { lines, rules: page.rules, fieldValues: fieldLines(page) };
}

/** Computes the common properties of a document's pages. */
export function styleOf(streams: readonly PageStream[]): DocumentStyle {
  const pages = streams.map(({ lines }) => lines);
  const lines = pages.flat();
  return { margins: marginsOf(pages), size: bodyOf(lines).size, hasCode: hasCode(lines) };
}

/** Finds the order and the tables of a page. */
export function orderPage(
  { lines: stream, rules, fieldValues }: PageStream,
  style: DocumentStyle,
): OrderedPage {
  const noted = separateNotes(stream, style.size);
  const isBeside = (line: TextLine): boolean => noted.notes.has(line);
  const cells = style.hasCode ? fixedCells(stream) : undefined;
  const isWhole = (line: TextLine): boolean => cells?.has(line) === false && line.isFixedPitch;
  const isApart = (line: TextLine): boolean => style.margins.has(line) || isBeside(line) || isWhole(line);
  const find = (lines: readonly TextLine[]): Map<TextLine, Table> =>
    tablesByLine(findTables(lines, rules, isApart));
  const found = find(noted.lines);
  const lines = inReadingOrder(noted.lines, found, { isBeside, isWhole });
  return { lines, tables: lines === noted.lines ? found : find(lines), notes: noted.notes, fieldValues };
}

const NO_NOTES: ReadonlySet<TextLine> = new Set();

/** Lays out the pages of a document. Linear. */
export function layOut(
  parts: readonly OrderedPage[],
  { hasCode, margins }: DocumentStyle,
  outline: readonly OutlineEntry[] = [],
): Serialised {
  const pages = joinTables(parts.map((page) => ({ ...page, isClosed: page.fieldValues !== '' })));
  const free = pages.map(({ lines, tables }) =>
    lines.filter((line) => line.text !== '' && !tables.has(line)),
  );
  const headings = findHeadings(free, runningText(free, pages), outline);
  const flows = pages.map(({ lines, isClosed }, index) => {
    const notes = parts[index]?.notes ?? NO_NOTES;
    const endsParagraph = paragraphRule(lines, hasCode);
    const isParagraphEnd: ParagraphRule = (line, next) =>
      notes.has(line) !== notes.has(next) ||
      margins.has(line) !== margins.has(next) ||
      endsParagraph(line, next);
    return { lines, notes, isParagraphEnd, isClosed };
  });
  const tabled = new Set(pages.flatMap(({ tables }) => [...tables.keys()]));
  const joined = joinPages(
    flows,
    (line) => !headings.has(line) && !tabled.has(line) && !line.isTurned && !(hasCode && line.isFixedPitch),
  );
  const tree = pages.flatMap(({ tables, goesOn }, index): TreeNode[] => {
    const lines = joined.pages[index] ?? [];
    const { isParagraphEnd } = flows[index] ?? { isParagraphEnd: () => true };
    const last = lines.at(-1);
    const long = last === undefined ? undefined : joined.long.get(last);
    const nodes = pageNodes(long === undefined ? lines : lines.slice(0, -1), tables, headings, {
      isParagraphEnd,
      hasCode,
    });
    const fieldValues = parts[index]?.fieldValues ?? '';
    if (fieldValues !== '') nodes.push({ kind: 'paragraph', text: fieldValues });
    if (long !== undefined) return [...nodes, ...unitNodes(long)];
    const isOpen = goesOn || joined.within.has(index) || index === pages.length - 1;
    return isOpen ? nodes : [...nodes, { kind: 'page' }];
  });
  return serialise(tree, { isPaged: pages.length > 0 });
}

/** A document with fewer characters outside its tables than this, and than inside, has its running text in tables. */
const LEAST_TEXT = 200;
/** So does a document with fewer than this share of the characters inside. */
const LEAST_SHARE = 0.1;

/** The lines that show the type of a document's text: those outside its tables, if there are enough. */
function runningText(
  lines: readonly (readonly TextLine[])[],
  pages: readonly TabledPage[],
): readonly TextLine[] {
  const outside = lines.flat();
  const inside = pages.flatMap(({ lines, tables }) => lines.filter((line) => tables.has(line)));
  const [free, tabled] = [lengthOf(outside), lengthOf(inside)];
  const isLittle = free < LEAST_SHARE * tabled || (free < LEAST_TEXT && free < tabled);
  return isLittle ? [...outside, ...inside] : outside;
}

function lengthOf(lines: readonly TextLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0);
}

function tablesByLine(tables: readonly Table[]): Map<TextLine, Table> {
  return new Map(tables.flatMap((table) => table.lines.map((line): [TextLine, Table] => [line, table])));
}

function pageNodes(
  lines: readonly TextLine[],
  tables: ReadonlyMap<TextLine, Table>,
  headings: ReadonlyMap<TextLine, Heading>,
  context: FlowContext,
): TreeNode[] {
  const nodes: TreeNode[] = [];
  let open: TextLine[] = [];
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

/** A document of which more than this share is in a fixed pitch is typewritten: the rest are stamps and covers. */
const TYPEWRITTEN = 0.8;
/** Except when more than this share of its lines are numbered lines of code. */
const NUMBERED = 0.1;

function hasCode(lines: readonly TextLine[]): boolean {
  // No typewriter numbers lines in a font of its own.
  if (lines.filter(({ isNumbered }) => isNumbered).length > NUMBERED * lines.length) return true;
  return lengthOf(lines.filter(({ isFixedPitch }) => isFixedPitch)) < TYPEWRITTEN * lengthOf(lines);
}

/** A line shorter than this share of the page's usual line did not end for lack of room. */
const SHORT = 0.8;
/** A line lower by more than this many usual line distances begins a new paragraph. */
const WIDE = 1.35;

/** A note begins with its mark. */
const NOTE = /^(?:\d{1,2}|[*∗†‡§¶]{1,2})\s?\p{L}/u;

/** True if a sentence may go on in a line elsewhere. */
function goesOn(before: TextLine, line: TextLine): boolean {
  return isSameSize(before.size, line.size) && !SENTENCE_END.test(before.text);
}

/** True if a line does not continue an item, but stands below its marker and begins a new paragraph. */
function isBehindItem(item: TextLine, line: TextLine): boolean {
  return line.left < item.left + item.size / 4 && !SMALL_LETTER.test(line.text) && isItem(item);
}

const CAPITAL = /^\p{Lu}/u;

/** True if a line begins a new paragraph behind a single line of code. */
function isBehindCode(code: TextLine, line: TextLine): boolean {
  return code.isFixedPitch && !line.isFixedPitch && CAPITAL.test(line.text);
}

/** This many lines of one size give their own usual distance; for fewer, all lines of the page do. */
const LEAST_DROPS = 5;

/** Finds the usual distance of a line from the next one below it: labels of a figure are closer than lines of text. */
function pitchesOf(lines: readonly TextLine[]): (line: TextLine) => number {
  const all: number[] = [];
  const drops = new Map<number, number[]>();
  const pitches = new Map<number, number>();
  let before: TextLine | undefined;
  for (const line of lines) {
    const drop = before === undefined ? 0 : before.baseline - line.baseline;
    if (drop > 1) {
      all.push(drop);
      const size = Math.round(line.size);
      if (Math.round(before?.size ?? 0) === size) {
        const known = drops.get(size);
        if (known === undefined) drops.set(size, [drop]);
        else known.push(drop);
      }
    }
    before = line;
  }
  return ({ size }) => {
    const key = Math.round(size);
    let pitch = pitches.get(key);
    if (pitch === undefined) {
      const own = drops.get(key) ?? [];
      pitches.set(key, (pitch = quantile(own.length < LEAST_DROPS ? all : own, 0.5)));
    }
    return pitch;
  };
}

/** Decides for the lines of one page if a paragraph ends between two of them. */
function paragraphRule(lines: readonly TextLine[], hasCode: boolean): ParagraphRule {
  const texts = lines.filter(({ text }) => text !== '');
  // The length that nine of ten lines do not exceed: of a page of prose, its full line.
  const shortBelow =
    SHORT *
    quantile(
      texts.map(({ text }) => text.length),
      0.9,
    );
  const pitchOf = pitchesOf(texts);
  return (before, line) => {
    const wideAbove = WIDE * pitchOf(before);
    if (line.text === '') return true;
    if (isSmall(line, before) && NOTE.test(line.text)) return true;
    if (before.text.length < shortBelow && isBehindItem(before, line)) return true;
    // A line of code by itself, and not the last words of a sentence.
    if (hasCode && before.text.length < shortBelow && isBehindCode(before, line)) return true;
    // The head of the next column begins a new paragraph, unless a sentence goes on there in the same type.
    if (line.baseline > before.baseline + line.size && !goesOn(before, line)) return true;
    if (wideAbove > 0 && before.baseline - line.baseline > wideAbove) return true;
    return before.text.length < shortBelow && SENTENCE_END.test(before.text);
  };
}
