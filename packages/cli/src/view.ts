// Chunks for reading in a terminal: a line above each says where it lies, a bar runs beside it. Colour adds to that
// and is never needed: bars and text of neighbours differ in shade, what is repeated is dim.
import type { Chunk } from '@grainline/core';
import type { Finished, Screen } from './layout.ts';
import { counted, printable } from './terminal.ts';

/** Wraps text in the terminal's codes for a look (ECMA-48, SGR), or leaves it alone. */
type Paint = (look: number, text: string) => string;

const BOLD = 1;
const DIM = 2;
const CYAN = 36;
const YELLOW = 33;

/** The document as chunk after chunk. */
export function* renderView(
  { shown, document, chunks }: Finished,
  { colour, columns }: Screen,
): Generator<string> {
  const paint: Paint = colour ? (look, text) => `\x1b[${look}m${text}\x1b[0m` : (_, text) => text;
  const counts = [counted(document.text.length, 'character'), counted(chunks.length, 'chunk')];
  yield `${paint(BOLD, `${shown}: ${counts.join(', ')}`)}\n`;
  for (const [index, chunk] of chunks.entries()) {
    const shade = index % 2 === 0 ? CYAN : YELLOW;
    yield `${paint(shade, rule(caption(chunk, index), columns))}\n`;
    yield body(chunk, shade, paint);
  }
  yield '\n';
}

/** `3 · 956 characters · 1042–1998 · 230 tokens · page 2 · repeats 100` */
export function caption({ text, start, end, overlap, metadata }: Chunk, index: number): string {
  const { pageStart, pageEnd, tokenCount } = metadata;
  const parts = [String(index), counted(text.length, 'character'), `${start}–${end}`];
  if (tokenCount !== undefined) parts.push(counted(tokenCount, 'token'));
  if (pageStart !== undefined)
    parts.push(pageStart === pageEnd ? `page ${pageStart}` : `pages ${pageStart}–${pageEnd ?? ''}`);
  if (overlap > 0) parts.push(`repeats ${overlap}`);
  return parts.join(' · ');
}

const LEAD = '┌─ ';

function rule(title: string, columns: number): string {
  return `${LEAD}${title} ${'─'.repeat(Math.max(0, columns - LEAD.length - title.length - 1))}`;
}

/** Context, then the repeated part, both dim, then the chunk's own text, each line behind a bar. */
function body({ text, overlap, context = [] }: Chunk, shade: number, paint: Paint): string {
  const bar = paint(shade, '│');
  const injected = context.flatMap((part) =>
    part.text.split('\n').map((line) => paint(DIM, printable(`» ${line}`))),
  );
  const repeated = text
    .slice(0, overlap)
    .split('\n')
    .map((line) => paintUnlessEmpty(paint, DIM, printable(line)));
  const own = text.slice(overlap).split('\n').map(printable);
  // The first own line goes on where the repeated part ends.
  const joined = [...repeated.slice(0, -1), `${repeated.at(-1) ?? ''}${own[0] ?? ''}`, ...own.slice(1)];
  return [...injected, ...joined].map((line) => `${bar}${line === '' ? '' : ` ${line}`}\n`).join('');
}

function paintUnlessEmpty(paint: Paint, look: number, text: string): string {
  return text === '' ? '' : paint(look, text);
}
