// The content of a Markdown table's cell: its blocks on one line, with `<br>` between them, because a row is a single
// line. Rows of a table inside a cell stay separate, and so do their cells.
import { joinGlyphs, type WithGlyphs } from './glyphs.ts';
import { withoutMarks } from './links.ts';
import type { CellNode, ItemNode, ListNode, RowNode, TreeNode } from './node.ts';

/** A value with its extent in the grid: the columns and rows that it takes, from 1. */
export interface GridCell {
  /** One line, `|` and line ends escaped, the marks of links among its words. */
  readonly text: string;
  readonly columnSpan: number;
  readonly rowSpan: number;
  /** Offset in `text` of a page break. */
  readonly pageBreak?: number;
  /** The nodes that the text was made of. */
  readonly children: readonly TreeNode[];
}

/** The content of a cell as one line. */
export function flatten(children: readonly TreeNode[]): string {
  return escapeCell(flatLines(children).join('\n'));
}

/** Text of a cell, its bars and line ends as a row takes them. */
export function escapeCell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/\n+/g, '<br>');
}

/** The remaining work: nodes, rows, and the mark of an item. */
type Pending = TreeNode | RowNode | { readonly kind: 'mark'; readonly mark: string };

/**
 * One line a block, in order. Keeps its own stack; only a table inside a cell calls it again, which the builder's
 * bound on depth keeps to some thirty levels.
 *
 * @param level number of tables around: rows of the first are lines, those of a nested table are parts of a line
 */
export function flatLines(children: readonly TreeNode[], level = 0): string[] {
  const lines: string[] = [];
  const stack: Pending[] = [];
  pushReversed(stack, children);
  let mark = '';
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.kind === 'mark') {
      mark = node.mark;
      continue;
    }
    const line = flatLine(node, stack, level);
    if (line === '') continue;
    lines.push(mark + line);
    mark = '';
  }
  return lines;
}

/** True when its content is invisible: only tables and lists around nothing. Stops at the first text. */
export function isBlank(children: readonly TreeNode[]): boolean {
  const stack: (TreeNode | RowNode | CellNode | ItemNode)[] = [...children];
  const add = (nodes: readonly (TreeNode | RowNode | CellNode | ItemNode)[]): void => {
    for (const node of nodes) stack.push(node);
  };
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.kind === 'table') {
      add(node.caption);
      add(node.rows);
    } else if (node.kind === 'row') add(node.cells);
    else if ('children' in node) add(node.children);
    else if (node.kind !== 'rule' && node.kind !== 'page') return false;
  }
  return true;
}

/** The characters that the content of a cell was made of, in the order of its flat text. */
export function glyphsWithin(children: readonly TreeNode[]): WithGlyphs | undefined {
  const [only] = children;
  if (children.length === 1 && only !== undefined && 'text' in only) return only;
  const found: WithGlyphs[] = [];
  const stack: (TreeNode | ItemNode)[] = children.toReversed();
  const add = (nodes: readonly (TreeNode | ItemNode)[]): void => {
    for (const node of nodes.toReversed()) stack.push(node);
  };
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.kind === 'table')
      add([...node.caption, ...node.rows.flatMap(({ cells }) => cells.flatMap((cell) => cell.children))]);
    else if ('children' in node) add(node.children);
    if ('glyphs' in node) found.push(node);
  }
  return joinGlyphs(found);
}

/** Reads no more than necessary, so that nested tables are not read again on every level. */
export function isLongerThan(children: readonly TreeNode[], limit: number): boolean {
  let length = 0;
  const stack: Pending[] = [];
  pushReversed(stack, children);
  for (let node = stack.pop(); node !== undefined && length <= limit; node = stack.pop()) {
    if (node.kind === 'row') for (const cell of node.cells) pushReversed(stack, cell.children);
    else if (node.kind !== 'mark') length += 1 + withoutMarks(flatLine(node, stack, 0)).length;
  }
  return length > limit;
}

/** The line of a leaf or row; containers go to the stack instead and give ''. */
function flatLine(node: TreeNode | RowNode, stack: Pending[], level: number): string {
  switch (node.kind) {
    case 'heading':
    case 'paragraph':
    case 'image':
      return node.text;
    case 'code':
      return flatCode(node.text);
    case 'row':
      return flatRow(node, level + 1);
    case 'list':
      pushItems(stack, node);
      return '';
    case 'table':
      pushReversed(stack, node.rows);
      pushReversed(stack, node.caption);
      return '';
    case 'quote':
    case 'footnote':
    case 'region':
      pushReversed(stack, node.children);
      return '';
    case 'rule':
    case 'page':
      return '';
  }
}

/** A nested table's row as text, `a | b`; one more level deep as `a, b; c, d`. */
function flatRow({ cells }: RowNode, level: number): string {
  const texts = cells.map(({ children }) =>
    flatLines(children, level).join(children.some(({ kind }) => kind === 'table') ? '; ' : ' '),
  );
  const filled = texts.slice(0, texts.findLastIndex((text) => text !== '') + 1);
  return filled.join(level === 1 ? ' | ' : ', ');
}

function pushItems(stack: Pending[], { children, ordered, start }: ListNode): void {
  stack.push({ kind: 'mark', mark: '' });
  for (let index = children.length - 1; index >= 0; index--) {
    const { label = '', children: inside = [] } = children[index] ?? {};
    pushReversed(stack, inside);
    stack.push({ kind: 'mark', mark: (ordered ? `${start + index}. ` : '- ') + label });
  }
}

function pushReversed(stack: Pending[], nodes: readonly Pending[]): void {
  for (const node of nodes.toReversed()) stack.push(node);
}

/** Code in a cell: each line as inline code, because a fence needs lines of its own. */
function flatCode(code: string): string {
  return code
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (line.includes('`') ? line.replaceAll('`', '\\`') : `\`${line.trim()}\``))
    .join('\n');
}
