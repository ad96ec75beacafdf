// The words of a diagram of Office (SmartArt), which its own part holds.
import type { TreeBuilder } from '../tree/builder.ts';
import type { Parts } from './parts.ts';

/**
 * The words of a diagram: one item for each of its shapes, in file order. Returns false when the diagram is missing.
 */
export function addDiagram(parts: Parts, name: string, builder: TreeBuilder): boolean {
  /** Paragraphs of each shape. */
  const shapes: string[][] = [];
  let isText = false;
  let isShape = false;
  const isThere = parts.visit(name, {
    open: (element) => {
      if (element === 'dgm:t') {
        isShape = true;
        shapes.push([]);
      } else if (element === 'a:p' && isShape) shapes.at(-1)?.push('');
      else if (element === 'a:t') isText = isShape;
    },
    close: (element) => {
      if (element === 'a:t') isText = false;
      else if (element === 'dgm:t') isShape = false;
    },
    text: (text) => {
      const paragraphs = shapes.at(-1);
      if (isText && paragraphs !== undefined) paragraphs.push(`${paragraphs.pop() ?? ''}${text}`);
    },
  });
  builder.openList({ ordered: false });
  for (const paragraphs of shapes.filter((texts) => texts.join('').trim() !== '')) {
    builder.openItem();
    for (const paragraph of paragraphs) {
      builder.text(paragraph);
      builder.boundary();
    }
    builder.close();
  }
  builder.close();
  return isThere;
}
