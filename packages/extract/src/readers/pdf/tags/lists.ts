// A tagged list → a list of the tree. Labels are those of the tree, or the beginning of an item.
import type { ItemNode, TreeNode } from '../../../tree/node.ts';
import { joinLines } from '../lines/text.ts';
import type { TagElement } from '../pdfium/tags.ts';
import { markerOf } from '../structure/flow.ts';
import { originOf, type Builder, type Surroundings } from './builder.ts';
import { roleOf } from './roles.ts';
import { leavesOf } from './tree.ts';
import { joinGlyphs } from '../../../tree/glyphs.ts';

/** An item and its mark: a number, a label, or nothing for a bullet. */
interface Item {
  readonly node: ItemNode;
  readonly number: number;
  readonly label: string;
}

/** The list of an element, behind its caption; nothing when it is empty. */
export function listNode({ key, children }: TagElement, builder: Builder, place: Surroundings): TreeNode[] {
  const items: Item[] = [];
  const above: TreeNode[] = [];
  for (const child of children) {
    if (child === undefined) continue;
    const role = typeof child === 'number' ? 'group' : roleOf(child.type);
    if (typeof child !== 'number' && role === 'item') {
      const item = itemOf(child, builder, place);
      if (item !== undefined) items.push(item);
      continue;
    }
    const nodes = builder.flow([child], key, place);
    const last = items.at(-1);
    if (role === 'list' && last !== undefined) last.node.children.push(...nodes);
    else if (role === 'caption') above.push(...nodes);
    else if (nodes.length > 0) items.push({ node: { kind: 'item', children: nodes }, number: 0, label: '' });
  }
  if (items.length === 0) return above;
  const start = numberedFrom(items);
  const list: TreeNode = {
    kind: 'list',
    ordered: start !== undefined,
    start: start ?? 1,
    children: items.map(({ node, label }) => {
      if (start !== undefined || label === '') return node;
      // A label that stands alone is the text of its item.
      const labelled: ItemNode =
        node.children.length === 0
          ? { ...node, children: [{ kind: 'paragraph', text: label }] }
          : { ...node, label: `${label} ` };
      const origin = builder.origins.get(node);
      if (origin !== undefined) builder.origins.set(labelled, origin);
      return labelled;
    }),
  };
  builder.origins.set(list, originOf(key));
  return [...above, list];
}

/** The first number of items that count; an item without any at the beginning is the rest of one on the page before. */
function numberedFrom(items: readonly Item[]): number | undefined {
  const first = items.findIndex(({ number }) => number > 0);
  const start = (items[first]?.number ?? 0) - first;
  if (first === -1 || first > 1 || start < 0) return undefined;
  return items.every(({ number }, index) => index < first || number === start + index) ? start : undefined;
}

/** A sign in place of a bullet; the letter o is the bullet of a common word processor. */
const BULLET = /^(?:o|[^\p{L}\p{N}]*)$/u;

function itemOf({ key, children }: TagElement, builder: Builder, place: Surroundings): Item | undefined {
  const labels = children.filter((child) => typeof child === 'object' && child.type === 'Lbl');
  const lines = builder.take(leavesOf(labels));
  const label = joinLines(lines, ' ');
  const nodes = builder.flow(
    children.filter((child) => !labels.includes(child)),
    key,
    place,
  );
  if (label === '' && nodes.length === 0) return undefined;
  const node: ItemNode = { kind: 'item', children: nodes, ...joinGlyphs(lines) };
  builder.origins.set(node, originOf(key));
  if (label !== '') {
    const marker = markerOf({ text: `${label} x`, isTurned: false });
    const isSign = BULLET.test(label) || (marker !== undefined && marker.sign !== '1');
    return { node, number: marker?.number ?? 0, label: isSign ? '' : label };
  }
  const [first, ...others] = nodes;
  const marker = first?.kind === 'paragraph' ? markerOf({ text: first.text, isTurned: false }) : undefined;
  if (first?.kind !== 'paragraph' || marker === undefined) return { node, number: 0, label: '' };
  const text = { ...first, text: first.text.slice(marker.length) };
  const origin = builder.origins.get(first);
  if (origin !== undefined) builder.origins.set(text, origin);
  node.children.splice(0, nodes.length, ...(text.text === '' ? [] : [text]), ...others);
  return {
    node,
    number: marker.number,
    label: marker.sign === '1' ? first.text.slice(0, marker.length).trim() : '',
  };
}
