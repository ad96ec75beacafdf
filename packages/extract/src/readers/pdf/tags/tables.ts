// A tagged table → a table of the tree, with its spans and header cells.
import { MAX_COLSPAN, MAX_ROWSPAN, type CellNode, type RowNode, type TreeNode } from '../../../tree/node.ts';
import type { TagChild, TagElement } from '../pdfium/tags.ts';
import { originOf, type Builder, type Surroundings } from './builder.ts';
import { roleOf } from './roles.ts';

/** The table of an element with its caption; nothing when it is empty. */
export function tableNode(
  { key, children }: Pick<TagElement, 'key' | 'children'>,
  builder: Builder,
  place: Surroundings,
): TreeNode[] {
  const caption: TreeNode[] = [];
  const rows: RowNode[] = [];
  const read = (some: readonly TagChild[], isHead: boolean, isFoot: boolean): void => {
    for (const child of some) {
      if (child === undefined) continue;
      const role = typeof child === 'number' ? 'group' : roleOf(child.type);
      if (typeof child !== 'number' && role === 'row')
        rows.push(rowNode(child, builder, place, { isHead, isFoot }));
      else if (typeof child !== 'number' && role === 'rows')
        read(child.children, child.type === 'THead', child.type === 'TFoot');
      else caption.push(...builder.flow([child], key, place));
    }
  };
  read(children, false, false);
  const filled = rows.filter(({ cells }) => cells.length > 0);
  if (filled.length === 0) return caption;
  const table: TreeNode = { kind: 'table', presentational: false, caption, rows: filled };
  builder.origins.set(table, originOf(key));
  return [table];
}

function rowNode(
  { key, children }: TagElement,
  builder: Builder,
  place: Surroundings,
  { isHead, isFoot }: { readonly isHead: boolean; readonly isFoot: boolean },
): RowNode {
  const cells = children.flatMap((child): CellNode[] => {
    if (child === undefined) return [EMPTY];
    if (typeof child !== 'number' && roleOf(child.type) === 'cell') return [cellNode(child, builder, place)];
    // Anything else in a row is a mark of its end, without text.
    const inside = builder.flow([child], key, { ...place, isCell: true });
    return inside.length === 0 ? [] : [{ ...EMPTY, children: inside }];
  });
  const isNamed = cells.slice(1).length > 0 && cells.slice(1).every(({ header }) => header);
  const [corner] = cells;
  // An empty corner is no name, but its row names the columns.
  const header = isHead || (isNamed && (corner?.header === true || corner?.children.length === 0));
  const row: RowNode = { kind: 'row', header, ...(isFoot && { footer: true }), cells };
  builder.origins.set(row, originOf(key));
  return row;
}

const EMPTY: CellNode = { kind: 'cell', header: false, colspan: 1, rowspan: 1, children: [] };

function cellNode(
  { type, key, columns, rows, children }: TagElement,
  builder: Builder,
  place: Surroundings,
): CellNode {
  return {
    kind: 'cell',
    header: type === 'TH',
    colspan: Math.min(MAX_COLSPAN, columns),
    rowspan: Math.min(MAX_ROWSPAN, rows),
    children: builder.flow(children, key, { ...place, isCell: true }),
  };
}
