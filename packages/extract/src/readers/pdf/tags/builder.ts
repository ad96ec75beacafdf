// The types that the parts of this folder share: how nodes are built below an element, and where a node comes from.
import type { TreeNode } from '../../../tree/node.ts';
import type { TextLine } from '../lines/text.ts';
import type { TagChild } from '../pdfium/tags.ts';

/** The element behind a node. */
export interface Origin {
  /** The keys of the elements that it begins and ends in. */
  readonly begin: string;
  readonly end: string;
  /** The separator before its part on the next page; none when its last word goes on. */
  readonly between: '' | ' ' | '\n';
}

/** The origins of nodes, items and rows. */
export type Origins = WeakMap<object, Origin>;

/** Builds the nodes below elements, for the parts of this folder. */
export interface Builder {
  readonly flow: (children: readonly TagChild[], key: string, place: Surroundings) => TreeNode[];
  /** The lines of some leaves, which count as used. */
  readonly take: (leaves: readonly number[]) => readonly TextLine[];
  readonly origins: Origins;
}

/** What stands around children. */
export interface Surroundings {
  /** True in a cell, whose paragraphs have one line. */
  readonly isCell?: boolean;
  /** Number of containers around; text outside the tree comes between blocks without any. */
  readonly level: number;
  /** Number of sections around. */
  readonly sections: number;
}

/** The origin of a node that is one element. */
export function originOf(key: string): Origin {
  return { begin: key, end: key, between: ' ' };
}
