// Chunks as one HTML file without dependencies, to keep, to mail or to print. Content of documents is always escaped
// text: the file has no script, and its policy forbids a browser to load or run anything.
import { type BlockKind, type Chunk, estimatePages } from '@grainline/core';
import { escaped, HTML_END, htmlHead } from '@grainline/eval/html';
import { counted } from '../io.ts';
import type { LayoutInput, Totals } from './layout.ts';
import { caption } from './view.ts';

/** Neighbouring chunks differ in hue; their numbers carry the same information. */
export const HUES = [
  ['#d9e8fb', '#1d3350', '#2a63ad', '#7fb2f2'],
  ['#fde7c4', '#4a3511', '#8a5900', '#eab54f'],
  ['#d6efdf', '#173c2b', '#1d7548', '#6fcf9c'],
  ['#f6dcec', '#47223a', '#a02f74', '#ef8cc6'],
  ['#e6e2d6', '#39362c', '#68624f', '#bdb59c'],
] as const;

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.55 system-ui, sans-serif; color: light-dark(#24201a, #ece6dc);
  background: light-dark(#fbfaf7, #171512); --faint: light-dark(#655d50, #aaa192); }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 54rem; }
h1 { font-size: 1.3rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
p { margin: .3rem 0; color: var(--faint); }
section + section { margin-top: 3rem; }
svg { display: block; margin: 1rem 0; fill: currentColor; max-width: 100%; }
svg text { font: 11px system-ui, sans-serif; fill: var(--faint); }
article { margin: .7rem 0; border-left: 4px solid var(--edge); border-radius: 3px; background: var(--ground);
  content-visibility: auto; contain-intrinsic-block-size: auto 12rem; }
article:target { outline: 3px solid var(--edge); }
header { padding: .25rem .7rem; font-size: .82rem; color: var(--edge); font-variant-numeric: tabular-nums; }
header a { font-weight: 650; color: inherit; }
header span { display: block; overflow-wrap: anywhere; }
pre { margin: 0; padding: .1rem .7rem .7rem; font: inherit; white-space: pre-wrap; overflow-wrap: anywhere;
  unicode-bidi: plaintext; tab-size: 4; }
pre.columns { font: .85em/1.5 ui-monospace, Menlo, Consolas, monospace; }
pre.context { font-style: italic; opacity: .8; padding-bottom: .3rem; }
mark { color: inherit; background: repeating-linear-gradient(-45deg, light-dark(#0003, #fff3) 0 1px, transparent 1px 6px);
  text-decoration: underline wavy 1px; }
${HUES.map(
  ([ground, darkGround, edge, darkEdge], hue) =>
    `.h${hue} { --ground: light-dark(${ground}, ${darkGround}); --edge: light-dark(${edge}, ${darkEdge}); }`,
).join('\n')}
@media print { article { break-inside: avoid; content-visibility: visible; print-color-adjust: exact; } }
`;

/** The head of a file with these documents. @param images style of pages with pictures, which follows the other */
export function chunksHead(shown: readonly string[], images?: string): string {
  const [only = ''] = shown;
  const title = shown.length === 1 ? only : counted(shown.length, 'document');
  const style = STYLE + (images ?? '');
  return htmlHead({ title: `${title} · chunks`, style, hasImages: images !== undefined });
}

/** A document, chunk by chunk. */
export function* renderHtml(finished: LayoutInput): Generator<string> {
  const { shown, chunks, documentId } = finished;
  const lengths = chunks.map(({ text }) => text.length).sort((a, b) => a - b);
  const [shortest = 0, median = 0, longest = 0] = [lengths[0], lengths[lengths.length >> 1], lengths.at(-1)];
  yield `<section>\n<h1>${escaped(shown)}</h1>\n<p>${escaped(factsOf(finished))}</p>\n`;
  yield `<p>${shortest} to ${longest} characters a chunk, median ${median}</p>\n${histogram(lengths, longest)}`;
  // Browsers compare fragments literally first, so an escaped id is found.
  const anchor = encodeURIComponent(documentId.toWellFormed());
  for (const [index, chunk] of chunks.entries()) yield articleOf(chunk, index, `${anchor}-${index}`);
  yield '</section>\n';
}

/** One line about a document and its chunks. */
export function factsOf({ tier, document, chunks }: LayoutInput): string {
  const facts = [
    `tier ${tier}`,
    counted(estimatePages(document), 'page'),
    counted(document.text.length, 'character'),
    counted(chunks.length, 'chunk'),
  ];
  return facts.join(' · ');
}

/** The end of the file. */
export function chunksFoot({ documents, pages, characters, chunks }: Totals): string {
  const sums = [counted(pages, 'page'), counted(characters, 'character'), counted(chunks, 'chunk')];
  const total = documents > 1 ? `<p>Together ${sums.join(' · ')}</p>\n` : '';
  return total + HTML_END;
}

/** Kinds of blocks with columns, which need a fixed pitch. */
const IN_COLUMNS: ReadonlySet<BlockKind> = new Set(['table', 'code']);

/** A chunk as text. @param target id that its number leads to */
export function articleOf(chunk: Chunk, index: number, id: string, target = id): string {
  const { text, overlap, context = [], enrichment, metadata } = chunk;
  const [number = '', ...about] = caption(chunk, index).split(' · ');
  const { boundary, headingPath = [], blockKinds = [] } = metadata;
  const fixed = blockKinds.some((kind) => IN_COLUMNS.has(kind)) ? ' class="columns"' : '';
  if (boundary !== undefined) about.push(`begins at a ${boundary.reason.replace('-', ' ')}`);
  const path = spanOf(headingPath, ' › ');
  const injected = context
    .map((part) => `<pre class="context" title="${part.kind}">\n${escaped(part.text)}</pre>\n`)
    .join('');
  const parts = [enrichment?.title, enrichment?.summary].filter((part) => part !== undefined);
  const described = spanOf(parts, ' — ');
  const repeated = overlap === 0 ? '' : `<mark>${escaped(text.slice(0, overlap))}</mark>`;
  return `<article class="h${index % HUES.length}" id="${id}">
<header><a href="#${target}">${number}</a> · ${escaped(about.join(' · '))}${path}${described}</header>
${injected}<pre${fixed}>
${repeated}${escaped(text.slice(overlap))}</pre>
</article>
`;
}

/**
 * Parts side by side, each isolated. A part in Arabic would otherwise move the number that begins the next one.
 */
function spanOf(parts: readonly string[], between: string): string {
  if (parts.length === 0) return '';
  return `<span>${parts.map((part) => `<bdi>${escaped(part)}</bdi>`).join(between)}</span>`;
}

const BARS = 24;
const [BAR_WIDTH, HEIGHT, GAP] = [14, 48, 2];

/** A histogram of the lengths. */
function histogram(lengths: readonly number[], longest: number): string {
  const step = Math.max(1, Math.ceil((longest + 1) / BARS));
  const counts = Array.from({ length: BARS }, () => 0);
  for (const length of lengths) {
    const bar = Math.floor(length / step);
    counts[bar] = (counts[bar] ?? 0) + 1;
  }
  const highest = Math.max(1, ...counts);
  const bars = counts.map((count, bar) => {
    const height = Math.ceil((count / highest) * HEIGHT);
    const about = `${bar * step} to ${(bar + 1) * step - 1} characters: ${counted(count, 'chunk')}`;
    return `<rect x="${bar * BAR_WIDTH}" y="${HEIGHT - height}" width="${BAR_WIDTH - GAP}" height="${height}"><title>${about}</title></rect>`;
  });
  const width = BARS * BAR_WIDTH;
  const scale = `<text y="${HEIGHT + 14}">0</text><text x="${width}" y="${HEIGHT + 14}" text-anchor="end">${BARS * step} characters</text>`;
  return `<svg viewBox="0 0 ${width} ${HEIGHT + 18}" width="${width}" role="img" aria-label="How many chunks are how long">${bars.join('')}${scale}</svg>\n`;
}
