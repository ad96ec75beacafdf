// Head and body of a message as pieces of a document.
import { documentFromText } from '@grainline/core';
import type { Source } from '../../reader.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import { LinkTargets } from '../../tree/links.ts';
import type { TreeNode } from '../../tree/node.ts';
import { dissolveRegions } from '../../tree/regions.ts';
import { serialise } from '../../tree/serialise.ts';
import { addPage } from '../html/page.ts';
import { lowered, type MailPiece } from './join.ts';
import type { MailMessage } from './message.ts';

/** The subject as a heading, the lines of the head as a table, and the body. */
export function bodyOf(message: MailMessage, { links }: Pick<Source, 'links'>): MailPiece[] {
  const builder = new TreeBuilder();
  addHead(message, builder);
  const page = lowered(pieceOf(message.html, links));
  return [serialise(builder.finish()), ...(page.text === '' ? plainPieces(message.text) : [page])];
}

function addHead({ subject, head }: MailMessage, builder: TreeBuilder): void {
  if (subject.trim() !== '') {
    builder.openHeading(1);
    builder.text(clean(subject));
    builder.closeHeading();
  }
  const lines = head.filter(([, value]) => value.trim() !== '');
  if (lines.length === 0) return;
  builder.openTable({ isFramed: true });
  for (const [name, value] of lines) {
    builder.openRow({ header: false });
    for (const text of [name, value]) {
      builder.openCell({});
      builder.text(clean(text));
      builder.close();
    }
    builder.close();
  }
  builder.close();
}

/** A page of HTML as a piece; '' when it shows no text. */
function pieceOf(html: string, links: Source['links']): MailPiece {
  const targets = new LinkTargets();
  const builder = new TreeBuilder(targets);
  addPage(clean(html), builder);
  const tree: TreeNode[] = builder.finish();
  dissolveRegions(tree);
  return serialise(tree, { targets, links });
}

/**
 * A plain body as it is written: runs of lines with `>` before them, which is Markdown's own mark, are quotations, the
 * others plain text.
 */
function plainPieces(body: string): MailPiece[] {
  const pieces: MailPiece[] = [];
  const lines = clean(body).split('\n');
  for (let at = 0; at < lines.length;) {
    const isQuoted = (lines[at] ?? '').startsWith('>');
    let end = at + 1;
    while (end < lines.length && (lines[end] ?? '').startsWith('>') === isQuoted) end++;
    const text = trimmed(lines.slice(at, end));
    if (text !== '') {
      const { blocks } = documentFromText(text, { kind: isQuoted ? 'markdown' : 'text' });
      pieces.push({ text, blocks });
    }
    at = end;
  }
  return pieces;
}

/** Lines as one text, without blank lines at both ends. */
function trimmed(lines: readonly string[]): string {
  return lines
    .join('\n')
    .replace(/^(?:[\t ]*\n)+/, '')
    .trimEnd();
}

/** Line ends as in every document; no NUL, no byte order mark, no half of a character. */
function clean(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\0\uFEFF]/g, '')
    .toWellFormed();
}
