// The answer to the form of the page without JavaScript: what a program would get as JSON, written for people. Text of
// documents is only ever text in it, and its policy lets nothing run and nothing load.
import type { IncomingHttpHeaders } from 'node:http';
import type { Reply } from './intake.ts';
import { prefersPage } from './negotiate.ts';

/** What an answer with chunks, a link or a fault has, as far as it is shown. */
interface Shown {
  readonly metadata?: { readonly filename?: string; readonly estimated_pages?: number };
  readonly tier?: string;
  readonly total_chunks?: number;
  readonly chunks?: readonly { readonly text?: string }[];
  readonly download_url?: string;
  readonly expires_in?: string;
  readonly warnings?: readonly { readonly message: string }[];
  readonly error?: string;
  readonly message?: string;
  readonly code?: string;
}

/**
 * The reply to an upload as a page, when its client would rather have one; else, and when it holds no chunks of text,
 * as it is.
 */
export function plainAnswer(reply: Reply, { accept }: IncomingHttpHeaders): Reply {
  const { body, headers } = reply;
  if (!prefersPage(accept) || typeof body !== 'string') return reply;
  const shown = JSON.parse(body) as Shown;
  if (shown.chunks?.some(({ text }) => typeof text !== 'string') === true) return reply;
  return {
    ...reply,
    headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8' },
    body: pageOf(shown),
  };
}

function pageOf(shown: Shown): string {
  const { error, message, code, metadata } = shown;
  const title = error ?? metadata?.filename ?? 'Chunks';
  const content =
    error === undefined ? chunksOf(shown) : `<p>${escaped(message ?? '')} (${escaped(code ?? '')})</p>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} - Grainline</title>
<main>
<h1>${escaped(title)}</h1>
${content}
<p><a href="../../">Another document</a></p>
</main>
</html>
`;
}

function chunksOf(shown: Shown): string {
  const { tier = '', total_chunks: count = 0, metadata, chunks = [], warnings = [] } = shown;
  const { download_url: link, expires_in: lifetime = '' } = shown;
  const pages = metadata?.estimated_pages ?? 0;
  return [
    `<p>${counted(count, 'chunk')} by the tier ${escaped(tier)}, of ${counted(pages, 'page')}.</p>`,
    ...warnings.map(({ message }) => `<p>${escaped(message)}</p>`),
    link === undefined
      ? `<ol>\n${chunks.map(({ text = '' }) => `<li><p>${lines(text)}</p></li>`).join('\n')}\n</ol>`
      : `<p><a href="${escaped(link)}">All chunks as JSON</a>, for ${escaped(lifetime)}.</p>`,
  ].join('\n');
}

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** No style may tell how blanks are shown, so that lines are parted by elements. */
const lines = (text: string): string => escaped(text).replaceAll(/\r\n?|\n/g, '<br>\n');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
