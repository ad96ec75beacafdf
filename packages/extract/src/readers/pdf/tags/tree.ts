// Walks over the structure tree of a page.
import { roleOf, type TagRole } from './roles.ts';
import type { TagChild, TagElement } from '../pdfium/tags.ts';

/** The leaves below some children, in their order, but for those of elements with some roles. */
export function leavesOf(children: readonly TagChild[], apart: ReadonlySet<TagRole> = NONE): number[] {
  const leaves: number[] = [];
  const walk = (some: readonly TagChild[]): void => {
    for (const child of some) {
      if (typeof child === 'number') leaves.push(child);
      else if (child !== undefined && !apart.has(roleOf(child.type))) walk(child.children);
    }
  };
  walk(children);
  return leaves;
}

const NONE: ReadonlySet<TagRole> = new Set();

/** All elements below some children, each before those inside it. */
export function elementsOf(children: readonly TagChild[]): TagElement[] {
  const elements: TagElement[] = [];
  const walk = (some: readonly TagChild[]): void => {
    for (const child of some) {
      if (child === undefined || typeof child === 'number') continue;
      elements.push(child);
      walk(child.children);
    }
  };
  walk(children);
  return elements;
}
