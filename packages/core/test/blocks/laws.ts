// Laws of the blocks of every text: they are ordered, children lie inside their parent, leaves cover all text that is
// not blank, and the tree is shallow.
import type { Block } from '../../src/document.ts';

/** A list of items is two levels; rows and cells come on top of the containers. */
const MAX_LEVELS = 110;

/** The first law that the blocks break, in words; `undefined` when they keep all. */
export function brokenLaw(text: string, blocks: readonly Block[]): string | undefined {
  let covered = 0;
  const visit = (children: readonly Block[], from: number, to: number, level: number): string | undefined => {
    let end = from;
    if (level > MAX_LEVELS) return 'the tree is deeper than it may be';
    for (const block of children) {
      const name = `${block.kind} ${block.start}-${block.end}`;
      if (block.start < end || block.end > to)
        return `${name} leaves its place in ${from}-${to}, behind ${end}`;
      if (block.start >= block.end) return `${name} is empty`;
      if (block.children?.length === 0) return `${name} has a list of no children`;
      end = block.end;
      if (block.children === undefined) {
        if (text.slice(covered, block.start).trim() !== '') return `text before ${name} is in no leaf`;
        if (text.slice(block.start, block.end).trim().length !== block.end - block.start)
          return `${name} has blank edges`;
        covered = block.end;
        continue;
      }
      const issue = visit(block.children, block.start, block.end, level + 1);
      if (issue !== undefined) return issue;
    }
    return undefined;
  };
  const issue = visit(blocks, 0, text.length, 0);
  if (issue !== undefined) return issue;
  return text.slice(covered).trim() === '' ? undefined : 'text behind the last leaf is in no leaf';
}

/** A tree as lines: kind, what is known of it, and its text. */
export function outline(text: string, blocks: readonly Block[], indent = ''): string[] {
  return blocks.flatMap((block) => {
    const { kind, depth, language, form, ordered, first, header, columnSpan, rowSpan } = block;
    const facts = [
      depth,
      language,
      form,
      ordered === true ? 'ordered' : undefined,
      first === undefined ? undefined : `from ${first}`,
      header === true ? 'header' : undefined,
      columnSpan === undefined ? undefined : `${columnSpan} columns`,
      rowSpan === undefined ? undefined : `${rowSpan} rows`,
    ].filter((fact) => fact !== undefined);
    const name = [kind, ...facts].join(' ');
    const own = block.children === undefined ? `: ${JSON.stringify(text.slice(block.start, block.end))}` : '';
    return [`${indent}${name}${own}`, ...outline(text, block.children ?? [], `${indent}  `)];
  });
}
