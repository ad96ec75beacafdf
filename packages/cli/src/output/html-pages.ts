// Chunks on the drawn pages of their PDF, as one HTML file without scripts: beside each page the chunks that begin on
// it, on the page the boxes of all chunks. Boxes are SVG, whose attributes the policy allows; a document without drawn
// pages is shown as text.
import { type Region, regionsOf } from '@grainline/core';
import { escaped } from '@grainline/eval/html';
import { articleOf, chunksHead, factsOf, HUES, renderHtml } from './html.ts';
import type { DrawnPage, LayoutInput } from './layout.ts';

const STYLE = `
body:has(.page) { max-width: 96rem; }
.page { display: grid; grid-template-columns: minmax(0, 11fr) minmax(0, 7fr); gap: 1.2rem; margin: 0 0 1.6rem; align-items: start; }
figure { position: sticky; top: .5rem; margin: 0; }
figcaption { font-size: .8rem; color: var(--faint); padding: .2rem 0; font-variant-numeric: tabular-nums; }
figure svg { display: block; width: 100%; height: auto; margin: 0; background: #fff; border-radius: 3px;
  box-shadow: 0 0 0 1px light-dark(#0002, #fff2), 0 1px 6px light-dark(#0002, #0008); }
figure a { mix-blend-mode: multiply; outline: none; }
figure rect { fill: var(--tint); }
figure a:hover rect, figure a:focus-visible rect, figure a:target rect { fill: var(--strong); }
figure text { font: 700 8px system-ui, sans-serif; fill: var(--ink); }
.chunks > article:first-child { margin-top: 1.6rem; }
.chunks article { margin: .5rem 0; }
.chunks pre { max-height: 6rem; overflow: auto; scrollbar-width: thin; font-size: .82rem; }
.chunks article:target pre { max-height: none; }
${HUES.map(([tint, , ink, strong], hue) => `.h${hue} { --tint: ${tint}; --strong: ${strong}; --ink: ${ink}; }`).join('\n')}
@media (max-width: 52rem) { .page { grid-template-columns: 1fr; } figure { position: static; } }
@media print { .page { grid-template-columns: 1fr; break-before: page; } figure { position: static; }
  .chunks pre { max-height: none; } }
`;

/** The head of a file with these documents. */
export function pagesHead(shown: readonly string[]): string {
  return chunksHead(shown, STYLE);
}

/** A document, page by page. */
export function* renderPages(finished: LayoutInput): Generator<string> {
  const { shown, document, chunks, drawn, documentId } = finished;
  if (drawn === undefined) {
    yield* renderHtml(finished);
    return;
  }
  yield `<section>\n<h1>${escaped(shown)}</h1>\n<p>${escaped(factsOf(finished))}</p>\n`;
  const anchor = encodeURIComponent(documentId.toWellFormed());
  const placed = chunks.map((chunk) =>
    regionsOf(document, { start: chunk.start + chunk.overlap, end: chunk.end }),
  );
  const boxes = boxesByPage(placed);
  const indexes = indexesByPage(finished, placed, drawn.pages);
  for (const page of drawn.pages) {
    yield `<div class="page">\n${figureOf(page, boxes.get(page.number) ?? [], anchor)}<div class="chunks">\n`;
    for (const index of indexes.get(page.number) ?? []) {
      const [chunk, id] = [chunks[index], `${anchor}-${index}`];
      if (chunk !== undefined) yield articleOf(chunk, index, id, `${id}-box`);
    }
    yield '</div>\n</div>\n';
  }
  yield '</section>\n';
}

/**
 * The indexes of the chunks that begin on each page. A chunk without a box goes by its metadata, else to the one
 * before.
 */
function indexesByPage(
  { chunks }: LayoutInput,
  placed: readonly (readonly Region[])[],
  drawn: readonly DrawnPage[],
): Map<number, number[]> {
  const numbers = new Set(drawn.map(({ number }) => number));
  const pages = new Map<number, number[]>();
  let page = drawn[0]?.number ?? 1;
  for (const [index, { metadata }] of chunks.entries()) {
    const own = placed[index]?.[0]?.page ?? metadata.pageStart ?? page;
    if (numbers.has(own)) page = own;
    const known = pages.get(page);
    if (known === undefined) pages.set(page, [index]);
    else known.push(index);
  }
  return pages;
}

/** The boxes of a chunk on one page. */
interface PlacedBoxes {
  readonly index: number;
  readonly boxes: readonly Region[];
}

/** Linear in the boxes. */
function boxesByPage(placed: readonly (readonly Region[])[]): Map<number, PlacedBoxes[]> {
  const pages = new Map<number, PlacedBoxes[]>();
  for (const [index, regions] of placed.entries())
    for (const [page, boxes] of Map.groupBy(regions, (region) => region.page)) {
      const known = pages.get(page);
      if (known === undefined) pages.set(page, [{ index, boxes }]);
      else known.push({ index, boxes });
    }
  return pages;
}

function figureOf(
  { number, width, height, picture }: DrawnPage,
  placed: readonly PlacedBoxes[],
  anchor: string,
): string {
  const image =
    picture === undefined
      ? ''
      : `<image width="${width}" height="${height}" href="data:image/png;base64,${picture}"/>\n`;
  return `<figure>
<figcaption>Page ${number}</figcaption>
<svg viewBox="0 0 ${width} ${height}" role="group" aria-label="Page ${number}">
${image}${placed.map((each) => boxesOf(each, anchor)).join('')}</svg>
</figure>
`;
}

/** Links from the boxes of a chunk to its text; its number stands before the first box. */
function boxesOf({ index, boxes }: PlacedBoxes, anchor: string): string {
  const rects = boxes.map(
    ({ x0, y0, x1, y1 }) =>
      `<rect x="${rounded(x0 - PAD)}" y="${rounded(y0 - PAD)}" width="${rounded(x1 - x0 + 2 * PAD)}" height="${rounded(y1 - y0 + 2 * PAD)}"/>`,
  );
  const { x0 = 0, y0 = 0 } = boxes[0] ?? {};
  const label = `<text x="${rounded(Math.max(1, x0 - 4 - 5 * String(index).length))}" y="${rounded(y0 + 7)}">${index}</text>`;
  return `<a class="h${index % HUES.length}" id="${anchor}-${index}-box" href="#${anchor}-${index}"><title>Chunk ${index}</title>${rects.join('')}${label}</a>\n`;
}

/** Points around a box, so that letters do not touch its edge. */
const PAD = 1;

function rounded(points: number): string {
  return String(Math.round(100 * points) / 100);
}
