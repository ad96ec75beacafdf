// Headings that their author set in bold type instead of a style. Only documents without a heading of their own have
// them: with styles at hand, bold paragraphs are run-ins and notes.
import { isLayout } from './frame.ts';
import { joinGlyphs } from './glyphs.ts';
import { withoutMarks } from './links.ts';
import type { TreeNode } from './node.ts';

/** Longest title, in UTF-16 units, without and with a number; longer bold paragraphs are sentences. */
const MAX_TITLE = 100;
const MAX_NUMBERED = 160;
/** A single bold line says nothing about the others. */
const LEAST = 2;
/** A text with more bold titles than this share of its blocks is a form or a poster. */
const MOST = 1 / 3;

/** A paragraph in bold type as a whole, on one line. */
const BOLD = /^\*\*([^*\n]+)\*\*$/;
/** The end of a sentence, or of a part of one. A title may ask, and may end in a colon. */
const SENTENCE = /[.!;,]["'”’)\]]*$/;
/** `Agency: Veterans Health Administration` and `p = 0.22` are labels with their values, `11-01-2012` is a date. */
const VALUE = /[:：]\s*\S|=\s*[-+]?\d|\d([-/.])\d{1,2}\1\d{2,4}$/;
/** `2. Biographic Data`, `Art. 102. [Entry]` */
const NUMBERED = /^(?:\p{L}{1,10}\.?\s+)?(?:\d+|[IVX]+|[A-Z])[.)]\s/u;
/** `B. ROLE OF THE TRUSTEE`, also in plain type. */
const NUMBERED_CAPITALS = /^(?:\d{1,2}|[IVX]{1,5}|[A-Z])[.)]\s+(?=(?:\P{L}*\p{L}){4})[^\p{Ll}*\n]+$/u;
/** `STEP 1:`, `Part II` */
const COUNTED =
  /^(?:step|part|section|chapter|article|appendix|annex|schedule|phase|module|unit|lesson)\s+(?:\d+|[IVX]+|[A-Z])\b/i;
/** A letter or figure at the start, and a letter somewhere. */
const WORDS = /^[\p{L}\p{N}"'“‘„«¿¡(§](?=.*\p{L})/u;

/** A candidate with its title. */
interface Title {
  readonly text: string;
  /** True for titles of parts: in capitals, or counted by a word. */
  readonly isPart: boolean;
}

/** Turns bold paragraphs that stand alone above a text into headings. Linear. */
export function withBoldHeadings(nodes: readonly TreeNode[]): readonly TreeNode[] {
  const titles = new Map<TreeNode, Title>();
  const counts = { blocks: 0, headings: 0 };
  find(nodes, titles, counts);
  const bold = [...titles.keys()].filter(isBold).length;
  if (counts.headings > 0 || titles.size < LEAST || bold > MOST * counts.blocks) return nodes;
  const isParted = [...titles.values()].some(({ isPart }) => isPart);
  return replaced(nodes, (node) => {
    const title = titles.get(node);
    if (title === undefined) return node;
    const depth = isParted && !title.isPart ? 2 : 1;
    return { kind: 'heading', depth, text: title.text, ...(node.kind === 'paragraph' && joinGlyphs([node])) };
  });
}

/** Blocks that a title may stand above. */
const BODIES: ReadonlySet<TreeNode['kind']> = new Set([
  'paragraph',
  'list',
  'table',
  'code',
  'quote',
  'image',
]);

/** Finds the titles of blocks that are read one after the other, before `next`. Returns the first of the blocks. */
function find(
  nodes: readonly TreeNode[],
  titles: Map<TreeNode, Title>,
  counts: { blocks: number; headings: number },
  next?: TreeNode,
): TreeNode | undefined {
  for (const node of nodes.toReversed()) {
    if (node.kind === 'table' && isLayout(node)) {
      const cells = node.rows.flatMap((row) => row.cells);
      for (const { children } of cells.toReversed()) next = find(children, titles, counts, next);
      continue;
    }
    counts.blocks++;
    if (node.kind === 'heading') counts.headings++;
    const title = titleOf(node);
    // A bold line right above another that is no title belongs to it: an address, a block of labels.
    const isAbove = next !== undefined && BODIES.has(next.kind) && (titles.has(next) || !isBold(next));
    if (title !== undefined && isAbove) titles.set(node, title);
    next = node;
  }
  return next;
}

function isBold(node: TreeNode): boolean {
  return node.kind === 'paragraph' && BOLD.test(node.text);
}

function titleOf(node: TreeNode): Title | undefined {
  if (node.kind !== 'paragraph' || node.text.length > MAX_NUMBERED) return undefined;
  const bold = BOLD.exec(node.text)?.[1]?.trim();
  const text = bold ?? (NUMBERED_CAPITALS.test(node.text) ? node.text : '');
  if (text.length > (NUMBERED.test(text) ? MAX_NUMBERED : MAX_TITLE)) return undefined;
  if (!WORDS.test(text) || SENTENCE.test(text) || VALUE.test(text) || withoutMarks(text) !== text)
    return undefined;
  return { text, isPart: bold !== undefined && (COUNTED.test(text) || text === text.toUpperCase()) };
}

/** The nodes with others in their place, also in the cells of frames. */
function replaced(nodes: readonly TreeNode[], replace: (node: TreeNode) => TreeNode): TreeNode[] {
  return nodes.map((node): TreeNode => {
    if (node.kind !== 'table' || !isLayout(node)) return replace(node);
    const rows = node.rows.map((row) => ({
      ...row,
      cells: row.cells.map((cell) => ({ ...cell, children: replaced(cell.children, replace) })),
    }));
    return { ...node, rows };
  });
}
