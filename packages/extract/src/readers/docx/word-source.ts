// The input and the result of a walk over a part of a Word document.
import type { TreeBuilder } from '../../tree/builder.ts';
import type { LinkTargets } from '../../tree/links.ts';
import type { TreeNode } from '../../tree/node.ts';
import type { Numbering } from './numbering.ts';
import type { Relationship } from '../../package/office.ts';
import type { Styles } from './styles.ts';

/** The facts that the walk needs while it reads. */
export interface WordSource {
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly relationships: ReadonlyMap<string, Relationship>;
  /** The content of a note, by `footnote 2`, `endnote 1`; `undefined` when it is missing. */
  readonly note: (key: string) => readonly TreeNode[] | undefined;
  /** The current note, by the same key; '' in the document itself. */
  readonly inNote: string;
  /** Known fields without an end, which hide nothing. */
  readonly unended: Unended;
  readonly counts: Counts;
  /** Those of the links in the document, its notes and its embedded documents. */
  readonly targets: LinkTargets;
  /** Adds the content of another part: a chunk of another format, a diagram, a chart. */
  readonly embedded: (kind: 'chunk' | 'diagram' | 'chart', part: string, builder: TreeBuilder) => void;
}

/** Counters shared by a document, its notes and its embedded documents. */
export interface Counts {
  /** Notes referred to so far; the number of each is its label. */
  notes: number;
  /** UTF-16 units of link targets: an address written once may have links without end. */
  targets: number;
}

/** Fields without an end, in the document ('') and its notes: the index of their begins among all elements there. */
export type Unended = ReadonlyMap<string, ReadonlySet<number>>;

/** Results of the walk besides the tree. */
export interface WalkResult {
  /** Number of the author's page breaks. */
  readonly pageBreaks: number;
  /** Text of the paragraph in the style "Title" that stands before all headings; '' when there is none. */
  readonly title: string;
  /** Fields that began and never ended, which hid the rest of the text. */
  readonly unended: readonly { readonly note: string; readonly index: number }[];
}
