// The answer to the web app's form without JavaScript: the JSON answer as HTML. Document text is always text, and the
// policy allows no scripts and no requests.
import type { IncomingHttpHeaders } from 'node:http';
import type { HttpReply } from '../http/message.ts';
import { prefersHtml } from '../http/negotiate.ts';

/** The rendered members of answers and errors. */
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

/** The reply as HTML when the client prefers it and the reply holds chunks of text; otherwise the reply unchanged. */
export function renderPlainAnswer(reply: HttpReply, { accept }: IncomingHttpHeaders): HttpReply {
  const { body, headers } = reply;
  if (!prefersHtml(accept) || typeof body !== 'string') return reply;
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

/** Without styles, elements separate the lines. */
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
