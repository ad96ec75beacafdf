// Core's chunks ⇄ the page's tables of numbers.
import { type Chunk, type ContextPart, pageAt } from '@grainline/core';
import { countOf, type CutTable, PATH_SEPARATOR, pathOf, spanOf } from './cut-table.ts';

/** The table of some chunks; it leaves out their text. */
export function cutsOf(chunks: readonly Chunk[]): CutTable {
  const contexts = new Map<number, readonly ContextPart[]>();
  const known = new Map<string, number>();
  const numbers = (of: (chunk: Chunk) => number): Uint32Array => Uint32Array.from(chunks, of);
  chunks.forEach(({ context }, index) => {
    if (context !== undefined) contexts.set(index, context);
  });
  const pathNumber = ({ metadata: { headingPath } }: Chunk): number => {
    if (headingPath === undefined) return 0;
    const path = headingPath.join(PATH_SEPARATOR);
    const number = known.get(path) ?? known.size + 1;
    known.set(path, number);
    return number;
  };
  return {
    starts: numbers(({ start }) => start),
    ends: numbers(({ end }) => end),
    overlaps: numbers(({ overlap }) => overlap),
    contexts,
    pathOf: numbers(pathNumber),
    paths: [...known.keys()],
  };
}

/** The chunks of a table, complete enough for records and vectors. */
export function chunksOf({
  cuts,
  text,
  pages,
}: {
  readonly cuts: CutTable;
  readonly text: string;
  readonly pages: readonly number[];
}): Chunk[] {
  return Array.from({ length: countOf(cuts) }, (_, index) => {
    const { start, end, overlap } = spanOf(cuts, index);
    const context = cuts.contexts.get(index);
    const path = pathOf(cuts, index);
    return {
      text: text.slice(start, end),
      start,
      end,
      overlap,
      ...(context === undefined ? {} : { context }),
      metadata: { ...pagesOf(pages, start, end), ...(path === undefined ? {} : { headingPath: [path] }) },
    };
  });
}

function pagesOf(pages: readonly number[], start: number, end: number): Chunk['metadata'] {
  const pageStart = pageAt(pages, start);
  if (pageStart === undefined) return {};
  return { pageStart, pageEnd: pageAt(pages, end - 1) ?? pageStart };
}
