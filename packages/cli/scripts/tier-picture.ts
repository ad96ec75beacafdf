// Draws the chunks of a document: its text line by line, every chunk on a ground of its own colour, its number and
// length in the margin, and its injected context above it. Pure: document and chunks → SVG. docs/tiers.md shows the
// pictures.
import type { Chunk, Document } from '@grainline/core';

/** A part of one drawn line: [from, to) in columns. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly chunk: number;
  /** True at the begin of the chunk. */
  readonly isBegin: boolean;
}

/** A drawn line. */
interface DrawnLine {
  readonly text: string;
  readonly runs: readonly Run[];
  /** Numbers of the chunks that begin here; the context counts as their begin. */
  readonly begins: readonly number[];
  readonly isContext: boolean;
}

const COLUMNS = 92;
const COLUMN = 7.4;
const LINE = 19;
const MARGIN = 92;
const TOP = 14;
const WIDTH = Math.ceil(MARGIN + COLUMNS * COLUMN + 16);

/**
 * Grounds in light and dark. Neighbours differ in lightness and in hue, for colour-blind eyes. Text keeps a contrast of
 * at least 7 on each.
 */
const GROUNDS = [
  { light: '#cfe3ff', dark: '#16365f' },
  { light: '#ffe2b8', dark: '#553508' },
  { light: '#d3f0cf', dark: '#154522' },
  { light: '#f7d3e6', dark: '#561b3d' },
  { light: '#e5ddfb', dark: '#3a2c66' },
] as const;

const STYLE = `
text { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1a1d21; white-space: pre; }
.margin { fill: #59626d; text-anchor: end; }
.context { font-style: italic; fill: #3d4650; }
.page { fill: #ffffff; }
.edge { stroke: #1a1d21; }
${GROUNDS.map(({ light }, index) => `.g${index} { fill: ${light}; }`).join('\n')}
@media (prefers-color-scheme: dark) {
text { fill: #eef1f4; }
.margin { fill: #a5afba; }
.context { fill: #c9d1d9; }
.page { fill: #0d1117; }
.edge { stroke: #eef1f4; }
${GROUNDS.map(({ dark }, index) => `.g${index} { fill: ${dark}; }`).join('\n')}
}`;

/**
 * The picture as the text of an SVG file. The document must have no tabs and no characters of other widths.
 */
export function tierPicture(document: Document, chunks: readonly Chunk[], title: string): string {
  const lines = linesOf(document.text, chunks);
  const height = lines.length * LINE + 2 * TOP;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}"/>`,
    ...lines.map((line, index) => drawn(line, TOP + index * LINE, chunks)),
    '</svg>',
    '',
  ].join('\n');
}

function linesOf(text: string, chunks: readonly Chunk[]): DrawnLine[] {
  const lines: DrawnLine[] = [];
  let next = 0;
  for (const { from, to } of wrapped(text)) {
    const begins: number[] = [];
    while (next < chunks.length && (chunks[next]?.start ?? 0) < to) {
      const injected = contextLines(chunks[next], next);
      lines.push(...injected);
      if (injected.length === 0) begins.push(next);
      next++;
    }
    const shown = text.slice(from, to).trimEnd();
    lines.push({ text: shown, runs: runsOf(from, to, chunks), begins, isContext: false });
  }
  return lines;
}

/** Ranges of the lines of a text, the long ones broken at blanks. */
function* wrapped(text: string): Generator<{ from: number; to: number }> {
  let from = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const end = from + line.length;
    while (end - from > COLUMNS + 1) {
      const blank = text.lastIndexOf(' ', from + COLUMNS);
      const to = blank > from ? blank + 1 : from + COLUMNS;
      yield { from, to };
      from = to;
    }
    yield { from, to: end };
    from = end;
  }
}

function contextLines(chunk: Chunk | undefined, index: number): DrawnLine[] {
  return (chunk?.context ?? [])
    .flatMap((part) => part.text.split('\n').map((line) => `» ${line}`.slice(0, COLUMNS)))
    .map((text, place) => {
      const runs = [{ from: 0, to: text.length, chunk: index, isBegin: false }];
      return { text, runs, begins: place === 0 ? [index] : [], isContext: true };
    });
}

/** The chunks' parts of a line, without its end. Repeated text belongs to the chunk before. */
function runsOf(from: number, to: number, chunks: readonly Chunk[]): Run[] {
  const runs: Run[] = [];
  for (const [index, { start, end, overlap }] of chunks.entries()) {
    const first = Math.max(from, start + overlap);
    const last = Math.min(to, end);
    if (first < last) {
      runs.push({ from: first - from, to: last - from, chunk: index, isBegin: first === start + overlap });
    }
  }
  return runs;
}

function drawn({ text, runs, begins, isContext }: DrawnLine, y: number, chunks: readonly Chunk[]): string {
  const parts = runs.map(({ from, to, chunk }) => {
    const width = Math.max(0, Math.min(to, text.length) - from);
    // An empty line of a chunk is a thin mark, so that the chunk looks continuous.
    return rectangle(MARGIN + from * COLUMN, y, Math.max(width * COLUMN, 4), chunk);
  });
  for (const { from, isBegin } of runs) {
    if (from > 0 && isBegin) parts.push(edge(MARGIN + from * COLUMN, y));
  }
  const baseline = y + 13.5;
  if (begins.length > 0)
    parts.push(`<text class="margin" x="${MARGIN - 8}" y="${baseline}">${label(begins, chunks)}</text>`);
  if (text !== '') {
    const look = isContext ? ' class="context"' : '';
    const length = round(text.length * COLUMN);
    parts.push(
      `<text${look} x="${MARGIN}" y="${baseline}" textLength="${length}" xml:space="preserve">${escaped(text)}</text>`,
    );
  }
  return parts.join('\n');
}

/** `3: 214` is the third chunk with its length; several chunks on one line have only numbers. */
function label(begins: readonly number[], chunks: readonly Chunk[]): string {
  const [first = 0] = begins;
  if (begins.length > 1) return begins.map((index) => index + 1).join(', ');
  return `${first + 1}: ${chunks[first]?.text.length ?? 0}`;
}

function rectangle(x: number, y: number, width: number, chunk: number): string {
  const ground = chunk % GROUNDS.length;
  return `<rect class="g${ground}" x="${round(x)}" y="${y}" width="${round(width)}" height="${LINE}"/>`;
}

function edge(x: number, y: number): string {
  return `<line class="edge" x1="${round(x)}" x2="${round(x)}" y1="${y}" y2="${y + LINE}" stroke-width="1.5"/>`;
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
