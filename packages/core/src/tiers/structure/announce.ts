// Paragraphs that introduce the block below them without a colon: captions, labels, salutations, questions, lines above
// an indented block. (prose.ts finds those with a colon itself.) No chunk should end with such a paragraph if it could
// hold the block as well.
import { columnOf, hasLetter, skipBlankBack } from '../../blocks/lines.ts';
import { BACKSLASH, BACKTICK, DOLLAR, DOT } from '../../blocks/marks.ts';
import type { Block } from '../../document.ts';
import { FLAG } from '../../pack/atoms.ts';

/** Most UTF-16 units of a caption, a question, a remark below a table, and a line above an indented block. */
const LONGEST_CAPTION = 300;
/** Most UTF-16 units of a label. The block below a label is longer than this or has several lines. */
const LONGEST_LABEL = 80;
/** Least columns by which a block is indented further than the one above it. */
const INDENT = 2;

/** `Table 3: …`, `**Tab. IV** …`, `表2 …` */
const CAPTION = /^[\s>*_]*(?:tab(?:le|elle|leau|la|el[al]?|ell[ae]|\.)|таблица|جدول|तालिका|表|표)\s*[\dIVX]/i;

/** `Exhibit 2.3. …`, `Chart 4: …`, right above a table. */
const NUMBERED = /^[A-Z][a-z]{2,11}\.? \d+(?:[.-]\d+)*[.:]?\s/;

/** `<a id="usage"></a>` */
const ANCHOR = /^<a\s[^<>]*>\s*<\/a>$/;

/** `[1]`, `2.`, `(3)`: the mark of a note or an item whose text stands below it. */
const MARK = /^(?:\[\d{1,3}\][.:]?|\(\d{1,3}\)|\d{1,3}[.)])$/;
const LONGEST_MARK = 6;

/** Matches the alternative text of a picture. */
const PICTURE = /^!\[([^\]]*)\]\(/;

/** True for a short paragraph that begins as captions of tables do. */
export function isCaption(text: string, { start, end }: Block): boolean {
  return end - start <= LONGEST_CAPTION && CAPTION.test(text.slice(start, end));
}

/** True when more captions of tables stand right below a table than right above one; one between two counts as none. */
export function standBelow(text: string, blocks: readonly Block[]): boolean {
  let below = 0;
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index];
    if (block?.kind !== 'paragraph') continue;
    const side = Number(blocks[index - 1]?.kind === 'table') - Number(blocks[index + 1]?.kind === 'table');
    if (side !== 0 && isCaption(text, block)) below += side;
  }
  return below > 0;
}

/**
 * The flag of a table's end by the paragraph below: `FLAG.introduces` above a caption, `FLAG.weaklyIntroduces` above
 * another short paragraph, which mostly is a note or a remark about the table, where one chunk holds both.
 */
export function tableEnd(text: string, below: Block, fits: boolean): number {
  if (isCaption(text, below)) return FLAG.introduces;
  return fits && below.end - below.start <= LONGEST_CAPTION ? FLAG.weaklyIntroduces : 0;
}

/**
 * The flags of a paragraph or picture by its role for the sibling below: `FLAG.introduces` for a label or caption that
 * belongs to the block below, `FLAG.weaklyIntroduces` where that is only likely, the flags of a heading for an anchor
 * right above one, and 0 for any other.
 */
export function announcement(text: string, above: Block | undefined, block: Block, below: Block): number {
  if (block.kind === 'image') return isNamedBy(text, block, below) ? FLAG.introduces : 0;
  const { start } = block;
  const end = skipBlankBack(text, start, block.end);
  const length = end - start;
  const isOverTable = below.kind === 'table';
  const isMark = length <= LONGEST_MARK && MARK.test(text.slice(start, end));
  if (below.kind === 'code' && isUnfinished(text, block)) return FLAG.weaklyIntroduces;
  // Rules out most paragraphs.
  if (text.charCodeAt(end - 1) === DOT && !isOverTable && !isMark) return 0;
  if (length > LONGEST_CAPTION || below.kind === 'rule') return 0;
  if (below.kind === 'heading') {
    const isAnchor = text.startsWith('<a', start) && ANCHOR.test(text.slice(start, end));
    return isAnchor ? FLAG.keepWithNext | FLAG.heading : 0;
  }
  if (isOverTable && (isCaption(text, block) || NUMBERED.test(text.slice(start, end))))
    return FLAG.introduces;
  if (isMark) return FLAG.introduces;
  // A paragraph between a table or picture and prose is the caption or source of the former, unless it puts the
  // picture's content into words.
  const isBelow = above?.kind === 'table' || above?.kind === 'image';
  if (below.kind === 'paragraph' && isBelow && !isNamedBy(text, above, block)) return 0;
  const last = lastOf(text, start, end);
  if (isQuestionMark(last)) return FLAG.weaklyIntroduces;
  if (length <= LONGEST_LABEL && isSetApart(text, start, end)) return FLAG.introduces;
  if (endsSentence(last)) return 0;
  const deeper = columnOf(text, below.start) - columnOf(text, start);
  const isLabel = deeper >= 0 && length <= LONGEST_LABEL && isLine(text, start, end) && isFuller(text, below);
  if (isLabel && hasLetter(text.slice(start, end))) return FLAG.introduces;
  return deeper >= INDENT ? FLAG.weaklyIntroduces : 0;
}

/** True for a paragraph that ends inside a sentence, whatever stands below it. */
export function isUnfinished(text: string, block: Block | undefined): boolean {
  if (block?.kind !== 'paragraph') return false;
  const last = lastOf(text, block.start, skipBlankBack(text, block.start, block.end));
  return !endsSentence(last) && !isQuestionMark(last);
}

/** True for display math at `at`: `$$`, `\[`, `\begin{align}`, or a fence that says so. */
export function isFormula(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (
    (code === DOLLAR || code === BACKSLASH || code === BACKTICK) && FORMULA.test(text.slice(at, at + 16))
  );
}

const FORMULA = /^(?:\$\$|\\\[|\\begin\{(?:align|displ|eqn|equ|gath|math|mult)|`{3,}math)/;

/** True when a paragraph puts the picture above it into words, as the name of a hint or warning below its sign. */
function isNamedBy(text: string, { start, end }: Block, name: Block): boolean {
  const words = PICTURE.exec(text.slice(start, Math.min(end, start + LONGEST_CAPTION)))?.[1];
  return words !== undefined && words === text.slice(name.start, skipBlankBack(text, name.start, name.end));
}

/** The last unit that is no closing bracket, quotation mark or mark of emphasis. */
function lastOf(text: string, start: number, end: number): number {
  let at = end - 1;
  while (at > start && CLOSING.includes(text.charAt(at))) at--;
  return text.charCodeAt(at);
}

const CLOSING = `*_\`"'”’»)]）」』`;

/** True for a line that is all in strong type: `**Example 1.**`. */
function isSetApart(text: string, start: number, end: number): boolean {
  const mark = text.slice(start, start + 2);
  return (mark === '**' || mark === '__') && text.indexOf(mark, start + 2) === end - 2;
}

function isLine(text: string, start: number, end: number): boolean {
  const feed = text.indexOf('\n', start);
  return feed === -1 || feed >= end;
}

/** True for a block that a label may stand above: a list, code, or a paragraph longer than a label. */
function isFuller(text: string, { kind, start, end }: Block): boolean {
  return kind !== 'paragraph' || end - start > LONGEST_LABEL || !isLine(text, start, end);
}

function isQuestionMark(code: number): boolean {
  return code === 0x3f || code === 0xff1f || code === 0x61f;
}

/** True for `.`, `!`, `…`, `;` and their like in other scripts. */
function endsSentence(code: number): boolean {
  return (
    code === DOT ||
    code === 0x21 ||
    code === 0x3b ||
    code === 0x2026 ||
    code === 0x3002 ||
    code === 0xff01 ||
    code === 0xff0e ||
    code === 0x964 ||
    code === 0x6d4 ||
    code === 0x55d
  );
}
