// Lines that are neither heading nor table → paragraphs, lists and code. A paragraph ends at a blank line, before a
// gap, after a short line that ends a sentence, and before an item.
import type { ItemNode, ListNode, TreeNode } from '../../../tree/node.ts';
import { asidesOf, type Asides } from './asides.ts';
import { paragraphText, type LineBreaks } from '../lines/breaks.ts';
import { hasLeader, quantile, SENTENCE_END, SMALL_LETTER, type TextLine } from '../lines/text.ts';
import { joinGlyphs } from '../../../tree/glyphs.ts';

/** Decides if a paragraph ends between two lines of a page. */
export type ParagraphRule = (before: TextLine, line: TextLine) => boolean;

/** Facts about the document of the lines. */
export interface FlowContext {
  readonly isParagraphEnd: ParagraphRule;
  /** True if its fixed-pitch lines are code, and not the type of all text. */
  readonly hasCode: boolean;
  /** What becomes of the line breaks in its paragraphs. */
  readonly breaks: LineBreaks;
  /** True if none of its lines begins an item. */
  readonly isProse?: boolean;
  readonly asides?: Asides;
}

/** Reads consecutive lines, including blank ones. Linear. */
export function flowNodes(lines: readonly TextLine[], context: FlowContext): TreeNode[] {
  const nodes: TreeNode[] = [];
  let open: TextLine[] = [];
  for (let at = 0; at < lines.length;) {
    const code = context.hasCode ? codeAt(lines, at) : [];
    if (code.length > 0) {
      nodes.push(...textNodes(open, context), {
        kind: 'code',
        text: codeText(code),
        language: '',
        ...joinGlyphs(code),
      });
      nodes.push(...asidesOf(context.asides, code));
      open = [];
      at += code.length;
    } else {
      open.push(...lines.slice(at, at + 1));
      at++;
    }
  }
  return [...nodes, ...textNodes(open, context)];
}

// --- Code

/** Lines of code are no further apart than this many times the font size. */
const MAX_CODE_GAP = 3;
/** Addresses are often set in a fixed pitch. */
const ADDRESS = /@|^(?:https?:|www\.)/i;

/** The lines of code from an index on: two or more in a fixed pitch, one below the other. */
function codeAt(lines: readonly TextLine[], at: number): readonly TextLine[] {
  let end = at;
  if (isRest(lines, at)) return [];
  for (; end < lines.length; end++) {
    const line = lines[end];
    const before = lines[end - 1];
    if (
      line === undefined ||
      line.isTurned ||
      !(line.isFixedPitch || isBlankOfCode(before, line, lines[end + 1]))
    )
      break;
    const drop = end === at || before === undefined ? 1 : before.baseline - line.baseline;
    if (drop < -1 || drop > MAX_CODE_GAP * line.size) break;
  }
  const code = lines.slice(at, end);
  const rows = new Set(code.map(({ baseline }) => Math.round(baseline)));
  return rows.size > 1 && !code.every(({ text }) => ADDRESS.test(text)) ? code : [];
}

/** True if a line is the number of an empty line of code, between two that have code. */
function isBlankOfCode(before: TextLine | undefined, line: TextLine, next: TextLine | undefined): boolean {
  const isBetween = before?.isNumbered === true && next?.isNumbered === true;
  return isBetween && /^\d+:?$/.test(line.text);
}

/** A line of a paragraph is closer to the paragraph than this share of its distance from the code below. */
const CLOSER = 0.8;

/**
 * True if a line ends the sentence of the paragraph above it, with a name in a fixed pitch, and code comes further
 * below.
 */
function isRest(lines: readonly TextLine[], at: number): boolean {
  const [before, line, next] = [lines[at - 1], lines[at], lines[at + 1]];
  if (before === undefined || line === undefined || next === undefined) return false;
  if (before.text === '' || before.isFixedPitch || SENTENCE_END.test(before.text)) return false;
  const drop = before.baseline - line.baseline;
  return drop > 0 && drop < CLOSER * (line.baseline - next.baseline);
}

/** Deepest indentation and widest gap that are kept, in characters. */
const MAX_INDENT = 80;

/** Code in its layout: the positions of its pieces give indentation and gaps. */
export function codeText(lines: readonly TextLine[]): string {
  const left = Math.min(...lines.map((line) => line.left));
  // The widest piece gives the best character width: its blank edges are only part of one character.
  const cells = lines.flatMap((line) => line.cells).filter(({ text }) => !hasLeader(text));
  const widest = cells.reduce(
    (best, cell) => (cell.text.length > (best?.text.length ?? 0) ? cell : best),
    cells[0],
  );
  const pitch = widest === undefined ? 0 : (widest.right - widest.left) / widest.text.length;
  const blanks = (width: number): number =>
    pitch > 0 ? Math.max(0, Math.min(MAX_INDENT, width / pitch)) : 0;
  const numbers = numbersOf(lines);
  const rows: CodeRow[] = [];
  for (const { cells: pieces, baseline, isDivided, isNumbered } of lines) {
    let row = rows.at(-1);
    if (row === undefined || Math.abs(row.baseline - baseline) >= 1)
      rows.push((row = { baseline, text: '', right: left }));
    for (const [at, cell] of pieces.entries()) {
      const width = blanks(cell.left - row.right);
      // Between two letters there is a blank and what their cells leave free beside them.
      const gap =
        isNumbered && at === 1
          ? numbers.length + 1 + Math.round(blanks(cell.left - numbers.codeLeft)) - row.text.length
          : Math.floor(width);
      row.text += ' '.repeat(row.text === '' ? Math.round(width) : Math.max(1, gap)) + cell.text;
      row.right = cell.right;
    }
    // PDFium takes the hyphen at the end of a line for one that divides a word.
    if (isDivided && !row.text.endsWith('-')) row.text += '-';
  }
  const wide =
    BLANK_LINE *
    quantile(
      rows.slice(1).map((row, index) => dropOf(rows[index], row)),
      0.3,
    );
  return rows.map((row, index) => (dropOf(rows[index - 1], row) > wide ? '\n' : '') + row.text).join('\n');
}

/** Length in characters of the longest separate line number of code, and the left edge of the code. */
function numbersOf(lines: readonly TextLine[]): { readonly length: number; readonly codeLeft: number } {
  let [length, codeLeft] = [0, Infinity];
  for (const { cells, isNumbered } of lines) {
    const [number, code] = cells;
    if (!isNumbered || number === undefined || code === undefined) continue;
    length = Math.max(length, number.text.length);
    codeLeft = Math.min(codeLeft, code.left);
  }
  return { length, codeLeft };
}

interface CodeRow {
  readonly baseline: number;
  text: string;
  right: number;
}

/** Lines of code further apart than this many times the usual distance have a blank line between them. */
const BLANK_LINE = 1.6;

function dropOf(above: CodeRow | undefined, { baseline }: CodeRow): number {
  return above === undefined ? 0 : above.baseline - baseline;
}

// --- Paragraphs and lists

/** The beginning of an item. */
export interface Marker {
  /** The sign, or '1' for a number. */
  readonly sign: string;
  readonly number: number;
  /** Offset of the item's text in its line. */
  readonly length: number;
}

/** A paragraph or an item. */
export interface TextUnit {
  readonly lines: TextLine[];
  readonly marker: Marker | undefined;
  /** True if it continues the line before it, so that the two are one unless its marker holds. */
  readonly isContinued: boolean;
  /** Number of its lines before the page that begins in it, or with it. */
  readonly pageBreak?: number;
}

const SIGN = /^([•‣◦▪▫●○■□▶➢➤✓♦◆◊\uF0A7\uF0B7\uF0D8·*∗→–—−‐-])(?:\s+|$)/;
const NUMBER = /^(0|[1-9]\d{0,2})[.)]\s+(?=\S)/;
/** These also occur in running text: one of them alone is no list. */
const WEAK = /^[·*∗→–—−‐-]$/;

/** The mark at the beginning of a line, if it has one. */
export function markerOf({ text, isTurned }: Pick<TextLine, 'text' | 'isTurned'>): Marker | undefined {
  if (isTurned) return undefined;
  const sign = SIGN.exec(text);
  if (sign !== null) return { sign: sign[1] ?? '', number: 0, length: sign[0].length };
  const number = NUMBER.exec(text);
  return number === null ? undefined : { sign: '1', number: Number(number[1]), length: number[0].length };
}

/** True if a line begins as items of lists do. */
export function isItem(line: TextLine): boolean {
  return markerOf(line) !== undefined;
}

function textNodes(lines: readonly TextLine[], context: FlowContext): TreeNode[] {
  const { isParagraphEnd, isProse, breaks, asides } = context;
  return unitNodes(unitsOf(lines, isParagraphEnd, isProse), breaks, asides);
}

/** Paragraphs and lists of units, with the blocks behind them. */
export function unitNodes(units: readonly TextUnit[], breaks: LineBreaks, asides?: Asides): TreeNode[] {
  return listsOf(confirmMarkers(units), breaks, asides);
}

/** The lines of one page as paragraphs and items; markers are still tentative. */
export function unitsOf(
  lines: readonly TextLine[],
  isParagraphEnd: ParagraphRule,
  isProse = false,
): TextUnit[] {
  const units: TextUnit[] = [];
  let before: TextLine | undefined;
  for (const line of lines) {
    const open = units.at(-1);
    const marker = isProse || before?.isDivided === true ? undefined : markerOf(line);
    const isEnd =
      before === undefined ||
      (!before.isDivided &&
        (isParagraphEnd(before, line) || isBesideHanging(units, line)) &&
        !isBesideMark(before, line));
    if (open === undefined || isEnd || marker !== undefined)
      units.push({ lines: [line], marker, isContinued: !isEnd });
    else open.lines.push(line);
    before = line;
  }
  return units;
}

/** True if the last item has its lines further right than its marker, and a line stands below the marker itself. */
function isBesideHanging(units: readonly TextUnit[], { left }: TextLine): boolean {
  const { marker, lines: [first, second] = [] } = units.at(-1) ?? {};
  if (marker === undefined || first === undefined || second === undefined) return false;
  return second.left > first.left + INDENT && left < first.left + INDENT / 2;
}

/** True if a line stands beside a bullet that the stream gives a line of its own. */
function isBesideMark(before: TextLine, line: TextLine): boolean {
  const marker = markerOf(before);
  return marker?.length === before.text.length && Math.abs(before.baseline - line.baseline) < before.size;
}

/** Units with confirmed markers: signs that also occur in prose, and numbers, need another of their kind. */
function confirmMarkers(units: readonly TextUnit[]): TextUnit[] {
  const kept: TextUnit[] = [];
  units.forEach((unit, index) => {
    const { marker, lines, isContinued } = unit;
    const isItem = marker !== undefined && (!needsCompany(marker) || hasCompany(units, index));
    const last = kept.at(-1);
    if (isItem || !isContinued || last === undefined || unit.pageBreak !== undefined)
      kept.push({ ...unit, marker: isItem ? marker : undefined });
    else last.lines.push(...lines);
  });
  return kept;
}

function needsCompany({ sign, number }: Marker): boolean {
  return number > 0 || sign === '1' || WEAK.test(sign);
}

/** Greatest distance in units to the item before or after: lists may lie between. */
const REACH = 12;

function hasCompany(units: readonly TextUnit[], index: number): boolean {
  const unit = units[index];
  if (unit === undefined) return false;
  return [-1, 1].some((step) => {
    for (let at = index + step; Math.abs(at - index) <= REACH; at += step) {
      const other = units[at];
      // A unit further right is a text below an item.
      if (other !== undefined && other.marker === undefined && isIndented(other, unit)) continue;
      if (other?.marker === undefined) return false;
      if (isCompany(unit, other, step)) return true;
      if ((other.lines[0]?.left ?? 0) <= (unit.lines[0]?.left ?? 0) - INDENT) return false;
    }
    return false;
  });
}

/** Items of one list begin at one place, to within so many points. */
const INDENT = 5;

function isIndented({ lines: [line] }: TextUnit, { lines: [item] }: TextUnit): boolean {
  return line !== undefined && item !== undefined && line.left > item.left + INDENT;
}

/** True if two items are of one list; `step` is 1 where the other comes later, else -1. */
export function isCompany(unit: TextUnit, other: TextUnit, step: number): boolean {
  if (unit.marker?.sign !== other.marker?.sign) return false;
  const distance = (other.marker?.number ?? 0) - (unit.marker?.number ?? 0);
  // Numbers of two digits begin further left than those of one.
  return (
    Math.abs((other.lines[0]?.left ?? 0) - (unit.lines[0]?.left ?? 0)) <= 2 * INDENT &&
    (distance === step || unit.marker?.sign !== '1')
  );
}

/** True if a sentence may go on in a line further below. */
export function isOpenSentence(last: TextLine | undefined, next: TextLine | undefined): boolean {
  return last !== undefined && SMALL_LETTER.test(next?.text ?? '') && !ENDS_WITH_MARK.test(last.text);
}

/** The end of a sentence, perhaps with the mark of a footnote. */
const ENDS_WITH_MARK = /[.!?\u2026\u3002\uFF01\uFF1F]["'\u2019\u201D)\]\u300D]*(?:\d{1,3}|[*†‡§¶]{1,3})?$/u;

/** A list that is open, and where its items begin. */
interface OpenList {
  readonly node: ListNode;
  readonly left: number;
  readonly sign: string;
}

function listsOf(units: readonly TextUnit[], breaks: LineBreaks, asides: Asides | undefined): TreeNode[] {
  const nodes: TreeNode[] = [];
  /** Blocks behind the open list, and behind text that ends no sentence. */
  const waiting: TreeNode[] = [];
  let last: TextLine | undefined;
  let open: OpenList[] = [];
  for (const unit of units) {
    const { lines, marker } = unit;
    if (marker === undefined) {
      if (lines.every(({ text }) => text === '')) continue;
      if (open.length > 0 || !isOpenSentence(last, lines[0])) nodes.push(...waiting.splice(0));
      nodes.push(...textOf(lines, breaks, unit.pageBreak));
      waiting.push(...asidesOf(asides, lines));
      last = lines.at(-1);
      open = [];
      continue;
    }
    waiting.push(...asidesOf(asides, lines));
    const left = lines[0]?.left ?? 0;
    open = open.filter((list) => list.left <= left + INDENT);
    const list = listFor(open, marker, left, nodes);
    if (open.at(-1) !== list) open.push(list);
    list.node.children.push(itemOf(unit, marker, breaks));
  }
  return [...nodes, ...waiting];
}

/** The open list that an item continues; else a new one, inside the last item of the list further left. */
function listFor(open: OpenList[], marker: Marker, left: number, nodes: TreeNode[]): OpenList {
  const last = open.at(-1);
  if (last !== undefined && Math.abs(last.left - left) <= INDENT) {
    const next = last.node.start + last.node.children.length;
    if (last.sign === marker.sign && (marker.sign !== '1' || next === marker.number)) return last;
    open.pop();
  }
  const isOrdered = marker.sign === '1';
  const node: ListNode = {
    kind: 'list',
    ordered: isOrdered,
    start: isOrdered ? marker.number : 1,
    children: [],
  };
  const around: TreeNode[] = open.at(-1)?.node.children.at(-1)?.children ?? nodes;
  around.push(node);
  return { node, left, sign: marker.sign };
}

function itemOf({ lines, pageBreak }: TextUnit, { length }: Marker, breaks: LineBreaks): ItemNode {
  const [first, ...rest] = lines;
  const shortened = first === undefined ? [] : [{ ...first, text: first.text.slice(length) }];
  return { kind: 'item', children: textOf([...shortened, ...rest], breaks, pageBreak) };
}

/** The paragraph of some lines, none for blank ones; a page may begin in it after so many of them. */
function textOf(lines: readonly TextLine[], breaks: LineBreaks, pageBreak?: number): TreeNode[] {
  const { text, pageBreak: before = 0 } = paragraphText(lines, breaks, pageBreak);
  const page: TreeNode[] = pageBreak === undefined || before > 0 ? [] : [{ kind: 'page' }];
  if (text === '') return page;
  const shown = joinGlyphs(lines);
  return [
    ...page,
    before > 0
      ? { kind: 'paragraph', text, pageBreak: before, ...shown }
      : { kind: 'paragraph', text, ...shown },
  ];
}
