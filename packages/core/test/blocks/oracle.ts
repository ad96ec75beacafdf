// Asks mdast-util-from-markdown with GFM, an independent reader of Markdown, for the blocks of a text, and says where
// ours differ. Blocks are compared by their path of kinds, their depth and their range of lines; marks that stand alone
// on a line (`>`, `-`) count for neither side, because to us they belong to a leaf and to the oracle to the container
// only.
import { importPeer } from './peers.ts';
import type { Block } from '../../src/document.ts';

/** The compared members of a node in the oracle's tree. */
export interface OracleNode {
  readonly type: string;
  readonly depth?: number;
  readonly children?: readonly OracleNode[];
  readonly position?: {
    readonly start: { readonly offset?: number };
    readonly end: { readonly offset?: number };
  };
}

export type Oracle = (text: string) => OracleNode;

/** The oracle, `undefined` where its packages are not installed. */
export async function loadOracle(): Promise<Oracle | undefined> {
  try {
    const [mdast, gfm, syntax] = (await Promise.all(
      ['mdast-util-from-markdown', 'mdast-util-gfm', 'micromark-extension-gfm'].map(importPeer),
    )) as [
      { fromMarkdown: (text: string, options: object) => OracleNode },
      { gfmFromMarkdown: () => object },
      { gfm: () => object },
    ];
    return (text) =>
      mdast.fromMarkdown(text, { extensions: [syntax.gfm()], mdastExtensions: [gfm.gfmFromMarkdown()] });
  } catch {
    return undefined;
  }
}

export interface Difference {
  /** Blocks that only the oracle sees, as `path first-last` with lines from 1. */
  readonly missing: readonly string[];
  /** Blocks that only we see. */
  readonly extra: readonly string[];
  /** How many blocks the oracle sees. */
  readonly total: number;
}

/** Compares our blocks of a text with the oracle's. */
export function compare(text: string, blocks: readonly Block[], tree: OracleNode): Difference {
  const lines = new OracleLines(text);
  const expected = withoutTails(describeOracle(tree, lines));
  const actual = withoutTails(describeOurs(blocks, lines));
  return { missing: subtract(expected, actual), extra: subtract(actual, expected), total: expected.length };
}

/** HTML blocks that touch are one to the oracle; we set tables apart. */
function withoutTails(entries: readonly Entry[]): string[] {
  const result: Entry[] = [];
  for (const entry of entries) {
    const before = result.at(-1);
    const joins =
      before?.path === entry.path && entry.path.endsWith('html') && before.last + 1 >= entry.first;
    if (joins) result[result.length - 1] = { ...before, last: Math.max(before.last, entry.last) };
    else result.push(entry);
  }
  return result.map(({ path, first, last }) => `${path} ${first}-${last}`);
}

function subtract(from: readonly string[], what: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const key of what) counts.set(key, (counts.get(key) ?? 0) + 1);
  return from.filter((key) => {
    const left = counts.get(key) ?? 0;
    counts.set(key, left - 1);
    return left <= 0;
  });
}

interface Entry {
  readonly path: string;
  readonly first: number;
  readonly last: number;
}

const KINDS: Readonly<Record<string, string>> = {
  blockquote: 'quote',
  code: 'code',
  definition: 'definition',
  footnoteDefinition: 'footnote',
  heading: 'heading',
  html: 'html',
  list: 'list',
  listItem: 'item',
  paragraph: 'paragraph',
  table: 'table',
  tableCell: 'cell',
  tableRow: 'row',
  thematicBreak: 'rule',
};

/** Blocks into which the comparison does not look: they hold text, and HTML inside a line is called `html` as well. */
const LEAVES: ReadonlySet<string> = new Set(['paragraph', 'heading', 'cell', 'footnote']);

function describeOracle(root: OracleNode, lines: OracleLines): Entry[] {
  const entries: Entry[] = [];
  const visit = (node: OracleNode, path: string): void => {
    for (const child of node.children ?? []) {
      const kind = KINDS[child.type];
      if (kind === undefined) continue;
      const here = `${path}/${kind}${kind === 'heading' ? child.depth : ''}`;
      entries.push(lines.entry(here, child.position?.start.offset ?? 0, child.position?.end.offset ?? 0));
      if (!LEAVES.has(kind)) visit(child, here);
    }
  };
  visit(root, '');
  return entries;
}

function describeOurs(blocks: readonly Block[], lines: OracleLines): Entry[] {
  const entries: Entry[] = [];
  const visit = (children: readonly Block[], path: string): void => {
    for (const block of children) {
      const here = `${path}/${kindOf(block)}`;
      entries.push(lines.entry(here, block.start, block.end));
      if (block.kind !== 'footnote' && block.form !== 'html') visit(block.children ?? [], here);
    }
  };
  visit(blocks, '');
  return entries;
}

function kindOf({ kind, form, depth }: Block): string {
  if (form === 'html' || form === 'definition') return form;
  if (kind === 'heading') return `heading${depth}`;
  return kind === 'image' ? 'paragraph' : kind;
}

/** Line numbers of a text. */
class OracleLines {
  readonly #text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  entry(path: string, start: number, end: number): Entry {
    const text = this.#text.slice(start, end).trimEnd();
    let first = this.#line(start);
    let last = this.#line(start + Math.max(0, text.length - 1));
    while (last > first && /^[ \t>]*$/.test(this.#content(last))) last--;
    while (
      first < last &&
      /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]*)*$/.test(this.#content(first)) &&
      !/^[ \t>]*([-*+])(?:[ \t]*\1){2,}/.test(this.#content(first))
    )
      first++;
    // A row is a line; the line of dashes, to us part of the header's last cell, is nothing to the oracle.
    return { path, first, last: /\/(?:row|cell)$/.test(path) ? first : last };
  }

  #content(line: number): string {
    return this.#text.slice(this.#starts[line - 1], this.#starts[line]).trimEnd();
  }

  /** From 1. */
  #line(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}
