// Regions of a page: parts that are no blocks, which the readers mark and which are taken out or dissolved before the
// tree is written.
import type { Furniture, FurnitureKind } from '@grainline/core';
import { flatLines } from './cell.ts';
import { linkedLength, withoutMarks } from './links.ts';
import type { RegionNode, TreeNode } from './node.ts';

/** A line of navigation with more units outside links than this, and than inside, is a sentence. */
const MAX_SENTENCE = 200;
/** Navigation has at least this share of its units in links and in lines no longer than a title. */
const LEAST_SHARE = 0.5;
const MAX_TITLE = 80;
/** Most units of a consent banner, which explains itself, and of a link. */
const MAX_BANNER = 5000;
const MAX_LINK = 100;

/** A page with less text beside its furniture, and more than ten times as much in it, has its content there. */
const FEW_UNITS = 100;
const MUCH = 10;

/** `Next: Numbers, Previous: Description, Up: Introduction   [Contents]` */
const PAGER = /^(?:(?:Next|Previous|Prev|Up): [^\n]{1,100}){1,3}$/;

/** The checks of each kind of furniture that authors declare, on its lines. */
const CHECKS: Readonly<Partial<Record<RegionNode['label'], (lines: readonly string[]) => boolean>>> = {
  navigation: isNavigation,
  pager: ([line = '', ...others]) => others.length === 0 && PAGER.test(line),
  consent: (lines) => unitsOf(lines) <= MAX_BANNER,
  'skip-link': (lines) => unitsOf(lines) <= MAX_LINK,
  'edit-link': (lines) => unitsOf(lines) <= MAX_LINK,
};

/**
 * Takes the furniture out of a tree, in place, and returns it in order. What its author declares as such is checked:
 * an element without an end takes the rest of its page with it, so what reads like text stays text. Linear.
 */
export function takeFurniture(tree: readonly TreeNode[]): Furniture[] {
  const taken: { readonly region: RegionNode; readonly lines: readonly string[] }[] = [];
  let around = 0;
  const stack: TreeNode[] = tree.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const check = node.kind === 'region' ? CHECKS[node.label] : undefined;
    const lines = node.kind === 'region' && check !== undefined ? flatLines(node.children) : [];
    if (node.kind === 'region' && check?.(lines) === true) taken.push({ region: node, lines });
    else if ('text' in node) around += withoutMarks(node.text).length;
    else
      for (const list of listsIn(node).toReversed())
        for (const inside of list.toReversed()) stack.push(inside);
  }
  const units = taken.reduce((sum, { lines }) => sum + unitsOf(lines), 0);
  if (around < FEW_UNITS && units > MUCH * around) return [];
  return taken.flatMap(({ region, lines }) => {
    region.children.length = 0;
    const text = withoutMarks(lines.join('\n')).toWellFormed();
    return text === '' ? [] : [{ text, kind: kindOf(region.label) }];
  });
}

function kindOf(label: RegionNode['label']): FurnitureKind {
  return label === 'pager' ? 'navigation' : (label as FurnitureKind);
}

/** Dissolves the regions of a tree, in place: their blocks belong to the block around them. Linear. */
export function dissolveRegions(tree: TreeNode[]): void {
  const stack = [tree];
  for (let list = stack.pop(); list !== undefined; list = stack.pop()) {
    if (list.some(isRegion)) {
      const dissolved = blocksOf(list);
      list.length = 0;
      for (const node of dissolved) list.push(node);
    }
    for (const node of list) for (const inside of listsIn(node)) stack.push(inside);
  }
}

function blocksOf(list: readonly TreeNode[]): TreeNode[] {
  const blocks: TreeNode[] = [];
  const stack = list.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!isRegion(node)) blocks.push(node);
    else for (const inside of node.children.toReversed()) stack.push(inside);
  }
  return blocks;
}

function isRegion(node: TreeNode): node is RegionNode {
  return node.kind === 'region';
}

/** The lists of nodes directly inside a node, in order. */
export function listsIn(node: TreeNode): TreeNode[][] {
  switch (node.kind) {
    case 'list':
      return node.children.map(({ children }) => children);
    case 'table':
      return [node.caption, ...node.rows.flatMap(({ cells }) => cells.map(({ children }) => children))];
    case 'quote':
    case 'footnote':
    case 'region':
      return [node.children];
    default:
      return [];
  }
}

function unitsOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + withoutMarks(line).length, 0);
}

function isNavigation(lines: readonly string[]): boolean {
  let short = 0;
  for (const line of lines) {
    const linked = linkedLength(line);
    const units = withoutMarks(line).length;
    if (units - linked > Math.max(MAX_SENTENCE, linked)) return false;
    short += units <= MAX_TITLE ? units : linked;
  }
  return short >= LEAST_SHARE * unitsOf(lines);
}
