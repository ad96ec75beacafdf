/**
 * Head and text of an HTML page in one file: no script, nothing that a browser would load, and a policy that forbids
 * both. For reports of evaluations and of chunks.
 */
import { hash } from 'node:crypto';

/** Head of a page. */
export interface HtmlHead {
  /** Plain text. */
  readonly title: string;
  /** Style sheet of the page, the only one that its policy allows. */
  readonly style: string;
  /** True for pictures inside the page. Default false: none. */
  readonly hasImages?: boolean | undefined;
}

/** Everything of a page up to the content of its body. */
export function htmlHead({ title, style, hasImages = false }: HtmlHead): string {
  const digest = hash('sha256', style, 'base64');
  const policy = `default-src 'none'; style-src 'sha256-${digest}'${hasImages ? '; img-src data:' : ''}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="generator" content="grainline">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
`;
}

/** The end of the body and of the page. */
export const HTML_END = '</body>\n</html>\n';

/** A text escaped for the content of an element or for an attribute in quotation marks. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\0', '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
