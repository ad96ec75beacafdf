// The main content of a page, by the author's elements and by link density. Paragraphs weigh for the boxes around them,
// the nearer the more, as in Mozilla's Readability and its forebears; a box loses by the share of its text that is in
// links. README.md of the HTML reader has the reasons.
import { linkedLength, withoutMarks } from './links.ts';
import type { RegionNode, TreeNode } from './node.ts';
import { listsIn } from './regions.ts';

/** A part of a page with blocks of its own: the page, a region or a cell. Counts include what is inside. */
interface Box {
  readonly nodes: TreeNode[];
  /** Absent for the page and for cells. */
  readonly label: RegionNode['label'] | undefined;
  readonly parent: Box | undefined;
  units: number;
  /** Units in links. */
  linked: number;
  /** Units of paragraphs outside links. */
  prose: number;
  weight: number;
}

/** Least units of a paragraph outside links that shows content. */
const LEAST_PARAGRAPH = 25;
/** Boxes around a paragraph for which it weighs. */
const REACH = 5;
/** The declared content is the main content if it has such a share of the prose of the page. */
const DECLARED_SHARE = 0.4;
/** Boxes beside the chosen one belong to it with such a share of its weight. */
const SIBLING_SHARE = 0.2;
/** A box with more of its text in links is a list of links. */
const MAX_DENSITY = 0.5;
/** A declared side bar with a greater share of the prose is none. */
const MAX_ASIDE = 0.4;
/** A box around the best is better with so many times its prose and no more than such a share of text in links. */
const WIDER = 1.25;
const MAX_WIDER_DENSITY = 0.25;
/** Main content with fewer units than this and than such a share of the page was not found. */
const FEW_UNITS = 250;
const LEAST_SHARE = 0.3;

/** The nodes of the main content, in order; all nodes when none can be found. Linear. */
export function mainContentOf(tree: TreeNode[]): TreeNode[] {
  const boxes = boxesOf(tree);
  const [page] = boxes;
  if (page === undefined) return tree;
  const best = declaredOf(boxes, page) ?? heaviestOf(boxes);
  if (best === undefined) return tree;
  const chosen = new Set([best, ...siblingsOf(best, boxes)]);
  const units = [...chosen].reduce((sum, box) => sum + box.units, 0);
  if (units < FEW_UNITS && units < LEAST_SHARE * page.units) return tree;
  const within = new Set<Box | undefined>(chosen);
  for (const box of boxes) {
    if (!within.has(box.parent)) continue;
    within.add(box);
    if (!chosen.has(box) && isBeside(box, best)) box.nodes.length = 0;
  }
  return [...titleOf(tree, best), ...boxes.flatMap((box) => (chosen.has(box) ? box.nodes : []))];
}

/** All boxes, in the order of the page, with their counts. */
function boxesOf(tree: TreeNode[]): Box[] {
  const boxes: Box[] = [];
  const stack = [{ list: tree, box: boxAround(tree, undefined, undefined) }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { list, box } = next;
    if (box.nodes === list) boxes.push(box);
    const inside: typeof stack = [];
    for (const node of list) {
      if ('text' in node && node.kind !== 'image')
        weigh(node.text, node.kind === 'paragraph' || node.kind === 'code', box);
      const isBox = node.kind === 'region' || node.kind === 'table';
      const label = node.kind === 'region' ? node.label : undefined;
      for (const nodes of listsIn(node))
        inside.push({ list: nodes, box: isBox ? boxAround(nodes, label, box) : box });
    }
    for (const one of inside.toReversed()) stack.push(one);
  }
  for (const { label, parent, units, linked, prose } of boxes.toReversed()) {
    if (parent === undefined) continue;
    parent.units += units;
    parent.linked += linked;
    if (!BESIDE.has(label)) parent.prose += prose;
  }
  for (const box of boxes) box.weight *= 1 - densityOf(box);
  return boxes;
}

function boxAround(nodes: TreeNode[], label: Box['label'], parent: Box | undefined): Box {
  return { nodes, label, parent, units: 0, linked: 0, prose: 0, weight: 0 };
}

function weigh(marked: string, isProse: boolean, box: Box): void {
  const text = withoutMarks(marked);
  const linked = linkedLength(marked);
  const units = text.length - linked;
  box.units += text.length;
  box.linked += linked;
  if (!isProse || units < LEAST_PARAGRAPH) return;
  box.prose += units;
  const weight = 1 + text.split(/[,،、，]/).length + Math.min(3, Math.floor(units / 100));
  let around: Box | undefined = box;
  for (let level = 0; level < REACH && around !== undefined; level++, around = around.parent)
    around.weight += weight / (level < 2 ? level + 1 : 3 * level);
}

function densityOf({ linked, units }: Box): number {
  return units === 0 ? 0 : linked / units;
}

/** The largest main element, and the only article in it or on the page, if they have most of the prose. */
function declaredOf(boxes: readonly Box[], page: Box): Box | undefined {
  const largest = (label: Box['label'], around: Box): Box | undefined => {
    const found = boxes.filter((box) => box.label === label && isWithin(box, around));
    const best = found.reduce<Box | undefined>(
      (most, box) => (most && most.prose >= box.prose ? most : box),
      undefined,
    );
    return best !== undefined && best.prose >= DECLARED_SHARE * around.prose ? best : undefined;
  };
  const main = largest('main', page);
  return largest('article', main ?? page) ?? main;
}

function isWithin(box: Box, around: Box): boolean {
  let at: Box | undefined = box.parent;
  while (at !== undefined && at !== around) at = at.parent;
  return at !== undefined;
}

/** The box with the greatest weight; or one around it that has as much, because its content is in several boxes. */
function heaviestOf(boxes: readonly Box[]): Box | undefined {
  let best = boxes.reduce<Box | undefined>(
    (most, box) => (most && most.weight >= box.weight ? most : box),
    undefined,
  );
  if (best === undefined || best.weight === 0) return undefined;
  for (let around = best.parent; around?.parent !== undefined; around = around.parent)
    if (
      around.weight >= best.weight ||
      (around.prose >= WIDER * best.prose && densityOf(around) <= MAX_WIDER_DENSITY)
    )
      best = around;
  return best;
}

/** Boxes beside the best that have content too: the parts of an article between its advertisements. */
function siblingsOf(best: Box, boxes: readonly Box[]): Box[] {
  if (best.label === 'main' || best.label === 'article' || best.parent === undefined) return [];
  return boxes.filter(
    (box) =>
      box !== best &&
      box.parent === best.parent &&
      !BESIDE.has(box.label) &&
      densityOf(box) < MAX_DENSITY &&
      box.weight >= Math.max(10, SIBLING_SHARE * best.weight),
  );
}

const BESIDE: ReadonlySet<Box['label']> = new Set<Box['label']>([
  'footer',
  'aside',
  'comments',
  'navigation',
  'consent',
]);

/** True for a box in the main content that is no part of it: a side bar, a footer, comments, a list of links. */
function isBeside(box: Box, best: Box): boolean {
  if (box.units === 0) return false;
  if (box.label === 'comments') return best.prose >= FEW_UNITS;
  if (BESIDE.has(box.label)) return box.prose <= MAX_ASIDE * best.prose;
  if (box.label !== 'box') return false;
  if (densityOf(box) > MAX_DENSITY && box.prose < box.linked) return true;
  return TITLE_BESIDE.test(titleIn(box)) && box.prose <= Math.max(box.linked, MAX_NOTE);
}

/** Titles of boxes beside an article. */
const TITLE_BESIDE =
  /^(?:about the authors?|(?:related|recommended|suggested|popular|latest|more|other|similar|recent)(?: (?:articles?|stories|posts?|links?|news|topics?|reads?|reading|content|videos?|items?|searches|from .{1,30}))?|(?:you (?:may|might) (?:also )?(?:like|enjoy)|read (?:next|more)|(?:most|more) (?:popular|read|viewed|shared)|share(?: (?:this|on)\b.{0,30})?|follow us.{0,30}|(?:sign up|subscribe)\b.{0,60}|newsletter|comments?(?: \(\d+\))?|leave a (?:reply|comment)|advertisement|sponsored.{0,30}|tags))\s*:?$/i;
/** Most prose of a box under such a title. */
const MAX_NOTE = 400;

/** The first line of a box, in its own box or not. */
function titleIn({ nodes }: Box): string {
  let [first] = nodes;
  while (first?.kind === 'region' && first.children.length === 1) [first] = first.children;
  return first !== undefined && 'text' in first ? withoutMarks(first.text).replace(/[*_]/g, '').trim() : '';
}

/** The only title of the page, if it is above the main content, with the summary below it. */
function titleOf(tree: readonly TreeNode[], { nodes }: Box): TreeNode[] {
  const titles: TreeNode[][] = [];
  let above = 0;
  const stack = [{ list: tree, at: 0 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { list, at } = next;
    const node = list[at];
    if (node === undefined) continue;
    if (node === nodes[0]) above = titles.length;
    if (node.kind === 'heading' && node.depth === 1) titles.push([node, ...summaryIn(list, at + 1)]);
    stack.push({ list, at: at + 1 });
    for (const inside of listsIn(node).toReversed()) stack.push({ list: inside, at: 0 });
  }
  return above === 1 && titles.length === 1 ? (titles[0] ?? []) : [];
}

/** Lines below a title that may be its summary, and its least units: dates and names of authors are shorter. */
const SUMMARY_LINES = 3;
const LEAST_SUMMARY = 60;

function summaryIn(list: readonly TreeNode[], from: number): TreeNode[] {
  const lines = list.slice(from, from + SUMMARY_LINES);
  const end = lines.findIndex(({ kind }) => kind !== 'paragraph' && kind !== 'heading');
  return lines
    .slice(0, end === -1 ? SUMMARY_LINES : end)
    .filter((node) => 'text' in node && node.text.length >= LEAST_SUMMARY && linkedLength(node.text) === 0);
}
