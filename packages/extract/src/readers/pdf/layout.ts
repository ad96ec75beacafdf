// Pages of characters → the tree of a document → text, page starts and blocks. Keeps PDFium's line breaks, and its
// order except for columns (columns.ts); a paragraph ends at a blank line, before a gap, after a short line that ends a
// sentence, and with its page, unless its sentence goes on (joins.ts).
import type { Furniture, FurnitureKind } from '@grainline/core';
import type { Source } from '../../reader.ts';
import { withLinks } from '../../tree/glyph-links.ts';
import { LinkTargets, type LinkStyle } from '../../tree/links.ts';
import type { TreeNode } from '../../tree/node.ts';
import { boxesOf, type Placement } from '../../tree/placement.ts';
import { serialise, type Serialised } from '../../tree/serialise.ts';
import { reachRule, type LineMode } from './lines/breaks.ts';
import { withBullets } from './lines/bullets.ts';
import type { Table } from './tables/cells.ts';
import { inReadingOrder } from './order/columns.ts';
import { joinTables } from './tables/continued.ts';
import {
  flowNodes,
  isOpenSentence,
  unitNodes,
  type FlowContext,
  type ParagraphRule,
} from './structure/flow.ts';
import { asidesFrom, figuresOf, outerAsides, type Asides } from './structure/asides.ts';
import { joinNotes, type Foot } from './structure/continued-notes.ts';
import { bodyOf, hasCode } from './structure/body.ts';
import { labelsOfSheet, linesInBoxes } from './structure/doubts.ts';
import type { Heading } from './structure/headings.ts';
import { joinPages } from './structure/joins.ts';
import { paragraphRule } from './structure/paragraphs.ts';
import { findFurniture } from './lines/furniture.ts';
import { separateIcons } from './lines/icons.ts';
import { marginsOf } from './lines/margins.ts';
import { joinMarks } from './lines/marks.ts';
import { inFencedOrder } from './order/fences.ts';
import { separateFigures } from './order/figures.ts';
import { separateFootnotes } from './order/footnotes.ts';
import { joinLayers } from './order/layers.ts';
import { separateNotes, type SeparatedNotes } from './order/notes.ts';
import type { Bookmark } from './pdfium/bookmarks.ts';
import type { Rule, Shape } from './pdfium/rules.ts';
import { findTables, fixedCells } from './tables/tables.ts';
import type { Origins } from './tags/builder.ts';
import { drawnTables } from './tags/drawn.ts';
import { joinTagged } from './tags/joins.ts';
import { nodesOfPage, type TagContext, type TaggedNodes } from './tags/nodes.ts';
import { placesOf, taggedPageOf, type TaggableCharacters, type TaggedPage } from './tags/page.ts';
import { headingsOf } from './tags/headings.ts';
import { proseOf, trustTags, type TrustedTags } from './tags/trust.ts';
import { placeFields } from './lines/fields.ts';
import { fieldLines, lettersOf, linesOf, titleOf, type TextLine } from './lines/text.ts';
import { joinGlyphs, type WithGlyphs } from '../../tree/glyphs.ts';

/** A page by itself: its lines in the order of the stream. */
export interface PageStream {
  readonly lines: readonly TextLine[];
  readonly rules: readonly Rule[];
  readonly shapes: readonly Shape[];
  /** The part of the page that is shown. */
  readonly box?: Shape | undefined;
  readonly fieldValues: string;
  /** The page by its structure tree, if it has one. */
  readonly tagged?: TaggedPage | undefined;
}

/** Facts from all pages of a document that help to read each page. */
export interface DocumentStyle {
  /** Running heads and feet, and page numbers, where white space separates them from the rest of their page. */
  readonly margins: ReadonlySet<TextLine>;
  /** The font size of its text in points. */
  readonly size: number;
  /** What becomes of the line breaks in its paragraphs. */
  readonly mode: LineMode;
  /** True if lines in a fixed pitch are code, and not the type of all text. */
  readonly hasCode: boolean;
  /** The pages that are read by their structure tree. */
  readonly tags: TrustedTags;
  /** The lines that are no part of the text; `undefined` when it keeps them. */
  readonly furniture: ReadonlyMap<TextLine, FurnitureKind> | undefined;
}

/** The lines of a page in reading order, and their tables. */
export interface OrderedPage {
  readonly lines: readonly TextLine[];
  readonly tables: ReadonlyMap<TextLine, Table>;
  /** Lines of notes in the margin. */
  readonly notes: ReadonlySet<TextLine>;
  /** Footnotes and figures, which are not among the lines. */
  readonly asides: Asides;
  readonly foot: Foot;
  /** Labels of drawings, which are no headings. */
  readonly labels: ReadonlySet<TextLine>;
  /** True if the page is wider than high. */
  readonly isWide: boolean;
  readonly fieldValues: string;
  /** Text that has been left out of the lines. */
  readonly furniture: readonly PageFurniture[];
  /** Present if the page is read by its structure tree: then it has no lines and no tables here. */
  readonly tagged?: Tagged;
  /** Its structure tree if that gives the headings alone. */
  readonly titled?: TaggedPage;
}

/** Text that is left out, with the characters that show it. */
type PageFurniture = Pick<Furniture, 'text' | 'kind'> & WithGlyphs;

function furnitureOfLine(line: TextLine, kind: FurnitureKind): PageFurniture {
  return { text: line.text, kind, ...joinGlyphs([line]) };
}

interface Tagged {
  readonly page: TaggedPage;
  /** The kind of a line at the margin that is left out. */
  readonly furnitureOf: (line: TextLine) => FurnitureKind | undefined;
  /** Its running heads and page numbers. */
  readonly margins: readonly TextLine[];
  /** Tables that only the layout shows, by their leaves. */
  readonly drawn: ReadonlyMap<number, Table>;
}

/** Finds the lines of a page; `undefined` is a page that could not be read and counts as an empty one. */
export function streamOf(page: TaggableCharacters | undefined): PageStream {
  if (page === undefined) return { lines: [], rules: [], shapes: [], fieldValues: '' };
  const { rules, dots, shapes = [], box } = page;
  const text = separateIcons(withBullets(joinMarks(linesOf(page), rules), dots), shapes);
  const { places, rest } = placeFields(text, page.fieldValues, rules);
  return {
    lines: joinLayers(places.flat()),
    rules,
    shapes,
    box,
    fieldValues: fieldLines(rest),
    tagged: taggedPageOf(page),
  };
}

/** Computes the common properties of a document's pages. */
export function styleOf(
  streams: readonly PageStream[],
  { furniture, lines: mode = 'join' }: Pick<Source, 'furniture' | 'lines'> = {},
): DocumentStyle {
  const pages = streams.map(({ lines }) => lines);
  const lines = pages.flat();
  const [margins, { size }] = [marginsOf(pages), bodyOf(lines)];
  return {
    margins,
    size,
    mode,
    hasCode: hasCode(lines),
    tags: trustTags(streams.map(({ tagged }) => tagged)),
    furniture: furniture === 'keep' ? undefined : findFurniture(streams, margins, size),
  };
}

/** Finds the order and the tables of a page. */
export function orderPage(stream: PageStream, style: DocumentStyle): OrderedPage {
  const { tagged, lines } = stream;
  if (tagged === undefined) return orderByLayout(stream, style);
  if (!style.tags.pages.has(tagged)) {
    const page = orderByLayout(stream, style);
    return style.tags.titled.has(tagged) ? { ...page, titled: tagged } : page;
  }
  const margins = lines.filter((line) => style.margins.has(line));
  const drawn = style.tags.untabled.has(tagged) ? separate(stream, style).find(lines) : NO_TABLES;
  const page = {
    page: tagged,
    margins,
    drawn: drawnTables(tagged, drawn),
    furnitureOf: furnitureOf(stream, style),
  };
  const none = {
    lines: [],
    tables: NO_TABLES,
    notes: NO_NOTES,
    asides: NO_ASIDES,
    foot: NO_FOOT,
    labels: NO_NOTES,
    isWide: isWide(stream),
    furniture: [],
  };
  return { ...none, fieldValues: tagged.fieldValues, tagged: page };
}

/** The kind of a line of a tagged page, if it is left out. */
function furnitureOf({ lines, tagged }: PageStream, { furniture }: DocumentStyle): Tagged['furnitureOf'] {
  if (furniture === undefined) return () => undefined;
  const placeOf = placesOf(lines.filter((line) => furniture.has(line)));
  const artifacts = new Set(tagged?.artifacts);
  return (line) => furniture.get(placeOf(line) ?? line) ?? (artifacts.has(line) ? 'artifact' : undefined);
}

function orderByLayout(stream: PageStream, style: DocumentStyle): OrderedPage {
  const { noted, find, isBeside, isWhole, furniture } = separate(stream, style);
  const found = find(noted.lines);
  const isRuled = [...found.values()].some((table) => table.isRuled);
  const fenced = isRuled ? noted.lines : inFencedOrder(noted.lines, stream.rules, found.size > 0);
  const ordered = fenced === noted.lines ? inReadingOrder(noted.lines, found, { isBeside, isWhole }) : fenced;
  const tables = ordered === noted.lines ? found : find(ordered);
  const isApart = (line: TextLine): boolean => style.margins.has(line) || isBeside(line);
  const context = { size: style.size, shapes: stream.shapes, tables, isApart, isCode: isWhole };
  const footed = separateFootnotes(ordered, context);
  const { lines, figures } = separateFigures(footed.lines, context);
  const asides = asidesFrom(figures, footed.footnotes, style);
  const untabled = lines.filter((line) => !tables.has(line));
  const labels = new Set([...linesInBoxes(untabled, stream.shapes), ...labelsOfSheet(lines, stream)]);
  const { fieldValues } = stream;
  const { notes } = noted;
  return {
    lines,
    tables,
    notes,
    asides,
    foot: footed,
    labels,
    isWide: isWide(stream),
    fieldValues,
    furniture,
  };
}

function isWide({ box }: PageStream): boolean {
  return box !== undefined && box.right - box.left > box.top - box.bottom;
}

/** Parts the notes and the code of a page from the lines that may be a table, and finds tables. */
function separate({ lines: stream, rules }: PageStream, style: DocumentStyle): Separated {
  const furniture = stream.flatMap((line): PageFurniture[] => {
    const kind = style.furniture?.get(line);
    return kind === undefined ? [] : [furnitureOfLine(line, kind)];
  });
  const text = furniture.length === 0 ? stream : stream.filter((line) => style.furniture?.has(line) !== true);
  const { numbers, ...noted } = separateNotes(text, style.size);
  if (numbers !== undefined && style.furniture !== undefined) {
    furniture.push(furnitureOfLine(numbers, 'line-numbers'));
    noted.lines = noted.lines.filter((line) => line !== numbers);
  }
  const isBeside = (line: TextLine): boolean => noted.notes.has(line);
  const cells = style.hasCode ? fixedCells(stream) : undefined;
  const isWhole = (line: TextLine): boolean => cells?.has(line) === false && line.isFixedPitch;
  const isApart = (line: TextLine): boolean => style.margins.has(line) || isBeside(line) || isWhole(line);
  const find = (lines: readonly TextLine[]): Map<TextLine, Table> =>
    new Map(findTables(lines, rules, isApart).flatMap((table) => table.lines.map((line) => [line, table])));
  return { noted, find, isBeside, isWhole, furniture };
}

interface Separated {
  readonly noted: SeparatedNotes;
  readonly furniture: readonly PageFurniture[];
  readonly find: (lines: readonly TextLine[]) => Map<TextLine, Table>;
  /** True for notes in the margin, and for code in a fixed pitch. */
  readonly isBeside: (line: TextLine) => boolean;
  readonly isWhole: (line: TextLine) => boolean;
}

const NO_NOTES: ReadonlySet<TextLine> = new Set();
const NO_TABLES: ReadonlyMap<TextLine, Table> = new Map();
const NO_ASIDES: Asides = new Map();
const NO_FOOT: Foot = { rest: [] };

/** A document's text, and what is left out of it. */
export interface LaidOut extends Serialised {
  readonly furniture: readonly Furniture[];
}

/** The wishes for a text besides those for its lines. */
export interface Writing {
  /** Takes the places of the text. */
  readonly placement?: Placement | undefined;
  /** False when no page has links. */
  readonly hasLinks?: boolean;
  /** Default `data`. */
  readonly links?: LinkStyle | undefined;
  /** Address of the document. */
  readonly url?: string | undefined;
}

/** Lays out the pages of a document. Linear. */
export function layOut(
  ordered: readonly OrderedPage[],
  { hasCode, margins, mode, tags }: DocumentStyle,
  outline: readonly Bookmark[] = [],
  { placement, hasLinks = true, links, url }: Writing = {},
): LaidOut {
  const origins: Origins = new WeakMap();
  const parts = joinNotes(ordered, { mode });
  const pages = joinTables(parts.map((page) => ({ ...page, isClosed: page.fieldValues !== '' })));
  const free = pages.map(({ lines, tables }, index) => {
    const page = parts[index]?.tagged?.page;
    return page === undefined
      ? lines.filter((line) => line.text !== '' && !tables.has(line))
      : proseOf(page).flatMap((leaf) => page.leaves.get(leaf) ?? []);
  });
  const headings = headingsOf({ parts, pages, free }, tags, outline);
  const flows = pages.map(({ lines, isClosed }, index) => {
    const { notes = NO_NOTES, asides = NO_ASIDES } = parts[index] ?? {};
    const endsParagraph = paragraphRule(lines, hasCode);
    const isParagraphEnd: ParagraphRule = (line, next) =>
      notes.has(line) !== notes.has(next) ||
      margins.has(line) !== margins.has(next) ||
      (endsParagraph(line, next) && !(asides.has(line) && isOpenSentence(line, next)));
    return { lines, notes, isParagraphEnd, isClosed };
  });
  const tabled = new Set(pages.flatMap(({ tables }) => [...tables.keys()]));
  const joined = joinPages(
    flows,
    (line) => !headings.has(line) && !tabled.has(line) && !line.isTurned && !(hasCode && line.isFixedPitch),
  );
  const built = parts.map(({ tagged }) =>
    taggedNodes(tagged, { hasCode, hasLists: tags.hasLists, headings, origins, mode }),
  );
  const tagged = joinTagged(
    built.map((page) => page?.nodes),
    (page) => parts[page]?.fieldValues !== '',
    origins,
  );
  const tree = pages.flatMap(({ tables, goesOn }, index): TreeNode[] => {
    const lines = joined.pages[index] ?? [];
    const { isParagraphEnd } = flows[index] ?? { isParagraphEnd: () => true };
    const last = lines.at(-1);
    const long = last === undefined ? undefined : joined.long.get(last);
    const asides = parts[index]?.asides ?? NO_ASIDES;
    const breaks = { mode, reachOf: reachRule(pages[index]?.lines ?? []) };
    const own = new Set(lines);
    const open = new Set(long?.flatMap((unit) => unit.lines));
    const outer = outerAsides(asides, {
      paragraphs: (line) => own.has(line),
      titles: (line) => headings.has(line) || tables.has(line),
      open: (line) => open.has(line),
    });
    const flowing = long === undefined ? lines : lines.slice(0, -1);
    const nodes = tagged.pages[index] ?? [
      ...outer.first,
      ...pageNodes(flowing, tables, headings, { isParagraphEnd, hasCode, breaks, asides }),
      ...outer.last,
    ];
    const fieldValues = parts[index]?.fieldValues ?? '';
    if (fieldValues !== '') nodes.push({ kind: 'paragraph', text: fieldValues });
    if (long !== undefined) return [...nodes, ...unitNodes(long, { mode })];
    const isOpen =
      goesOn || tagged.goesOn.has(index) || joined.within.has(index) || index === pages.length - 1;
    return isOpen ? nodes : [...nodes, { kind: 'page' }];
  });
  const leftOut = parts.flatMap((part, index) =>
    [...part.furniture, ...(built[index]?.furniture ?? [])].map((one) => ({ page: index + 1, ...one })),
  );
  const boxes = placement && boxesOf(leftOut, lettersOf);
  const furniture = leftOut.map(({ page, text, kind }, index): Furniture => {
    const regions = boxes?.[index];
    return { page, text, kind, ...(regions && { regions }) };
  });
  const targets = new LinkTargets(url);
  const linked = hasLinks ? withLinks(tree, lettersOf, targets) : tree;
  return { ...serialise(linked, { isPaged: pages.length > 0, placement, targets, links }), furniture };
}

function taggedNodes(
  tagged: Tagged | undefined,
  context: Omit<TagContext, 'margins' | 'drawn'>,
): { readonly nodes: TaggedNodes; readonly furniture: readonly PageFurniture[] } | undefined {
  if (tagged === undefined) return undefined;
  const { page, margins, drawn, furnitureOf } = tagged;
  const { nodes, above, below } = nodesOfPage(page, { ...context, margins, drawn });
  const furniture = [...above, ...below].flatMap((line): PageFurniture[] => {
    const kind = furnitureOf(line);
    return kind === undefined ? [] : [furnitureOfLine(line, kind)];
  });
  const isKept = (line: TextLine): boolean => furnitureOf(line) === undefined;
  return { nodes: { nodes, above: above.filter(isKept), below: below.filter(isKept) }, furniture };
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
      nodes.push({ kind: 'heading', depth: heading.depth, ...titleOf(heading.lines) });
    if ((heading ?? table)?.lines.at(-1) === line)
      nodes.push(...figuresOf(context.asides, heading?.lines ?? table?.lines ?? []));
  }
  nodes.push(...flowNodes(open, context));
  return nodes;
}
