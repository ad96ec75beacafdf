// Chunks for a terminal: a heading with the position above each, a bar beside it. Colour is optional: neighbours differ
// in shade, and repeated text is dim.
import type { Chunk } from '@grainline/core';
import { counted, printable } from '../io.ts';
import type { LayoutInput, Screen } from './layout.ts';

/** Wraps text in the terminal's codes for a style (ECMA-48, SGR), or returns it unchanged. */
type Paint = (look: number, text: string) => string;

const BOLD = 1;
const DIM = 2;
const CYAN = 36;
const YELLOW = 33;

/** A document, chunk by chunk. */
export function* renderView(
  { shown, document, chunks }: LayoutInput,
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
  // The first own line continues the last repeated one.
  const joined = [...repeated.slice(0, -1), `${repeated.at(-1) ?? ''}${own[0] ?? ''}`, ...own.slice(1)];
  return [...injected, ...joined].map((line) => `${bar}${line === '' ? '' : ` ${line}`}\n`).join('');
}

function paintUnlessEmpty(paint: Paint, look: number, text: string): string {
  return text === '' ? '' : paint(look, text);
}
