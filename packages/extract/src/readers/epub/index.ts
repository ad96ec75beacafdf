// EPUB → Document: the parts of the book in their reading order, each read as a page of HTML, with the table of
// contents as headings. No script is run, no style sheet applied, and nothing outside the archive is opened.
import type { Document, Warning } from '@grainline/core';
import { decodeText } from '../../encoding/decode.ts';
import { ExtractError } from '../../errors.ts';
import { leftOutWarnings } from '../../package/left-out.ts';
import { openPackage, type Parts } from '../../package/parts.ts';
import type { Reader, Source } from '../../reader.ts';
import { titleOf } from '../../title.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import { LinkTargets } from '../../tree/links.ts';
import type { TreeNode } from '../../tree/node.ts';
import { dissolveRegions, takeFurniture } from '../../tree/regions.ts';
import { serialise } from '../../tree/serialise.ts';
import { nextTurn } from '../../turn.ts';
import { metaCharset } from '../html/charset.ts';
import { addPage } from '../html/page.ts';
import { readBook } from './book.ts';
import { withContents } from './contents.ts';

/** Reads books (EPUB 2 and 3). */
export const EPUB: Reader = {
  kind: 'epub',
  version: 1,
  extensions: ['epub'],
  mediaTypes: ['application/epub+zip'],
  read: readEpub,
};

/** Bytes of all chapters, unpacked; the longest novels have five million. Each takes some ten bytes of memory. */
const MAX_CHAPTER_BYTES = 32 << 20;

async function readEpub(source: Source): Promise<Document> {
  const parts = openPackage(source.bytes, source.spent);
  const book = readBook(parts);
  const targets = new LinkTargets();
  const tree: TreeNode[] = [];
  const missing: string[] = [];
  let isReplaced = false;
  let bytes = 0;
  for (const name of book.spine) {
    source.signal?.throwIfAborted();
    const part = await readPart(parts, name, { targets, marksFurniture: source.furniture !== 'keep' });
    if (part === undefined) missing.push(name);
    else {
      isReplaced ||= part.isReplaced;
      bytes += part.bytes;
      if (bytes > MAX_CHAPTER_BYTES)
        throw new ExtractError('too_large', {
          detail: `the chapters of a book may have ${MAX_CHAPTER_BYTES >> 20} MiB together`,
        });
      for (const node of withContents(part.tree, book.contents.get(name) ?? [])) tree.push(node);
    }
    await nextTurn();
  }
  if (missing.length === book.spine.length)
    throw new ExtractError('corrupted', { detail: 'it holds no chapter of the book' });
  const furniture = takeFurniture(tree);
  dissolveRegions(tree);
  const { text, blocks, links } = serialise(tree, { targets, links: source.links });
  if (text === '') throw new ExtractError('empty_document');
  // A link from chapter to chapter leads nowhere outside the book.
  const outward = links.filter(({ href }) => /^[a-z][a-z\d+.-]*:/i.test(href));
  return {
    text,
    blocks,
    pages: [],
    mediaType: EPUB.mediaTypes[0],
    ...(source.filename === undefined ? undefined : { filename: source.filename }),
    ...titleOf(book.title),
    ...(furniture.length > 0 && { furniture }),
    ...(outward.length > 0 && { links: outward }),
    warnings: warningsOf(missing, isReplaced),
  };
}

/** A chapter's blocks; `undefined` when it is missing. */
async function readPart(
  parts: Parts,
  name: string,
  { targets, marksFurniture }: { targets: LinkTargets; marksFurniture: boolean },
): Promise<{ tree: TreeNode[]; isReplaced: boolean; bytes: number } | undefined> {
  const bytes = parts.bytes(name);
  if (bytes === undefined) return undefined;
  const { text, warnings } = await decodeText(bytes, metaCharset(bytes));
  const html = withEndTags(text);
  const builder = new TreeBuilder(targets);
  addPage(html, builder, { marksFurniture });
  return {
    tree: builder.finish(),
    isReplaced: warnings.some(({ code }) => code === 'characters_replaced'),
    bytes: bytes.length,
  };
}

/** Elements that never have content (HTML standard, section 13.1.2). */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;
const SELF_CLOSED = /<([a-z][\w:-]*)((?:\s[^<>]*)?)\/>/gi;

/** In XHTML `<a id="x"/>` and `<title/>` are whole; in HTML they would be open until the end of the chapter. */
function withEndTags(xhtml: string): string {
  return xhtml.replace(SELF_CLOSED, (tag, name: string, attributes: string) =>
    VOID.test(name) ? tag : `<${name}${attributes}></${name}>`,
  );
}

function warningsOf(missing: readonly string[], isReplaced: boolean): Warning[] {
  const message = 'Some bytes mean nothing in the encoding of their chapter; they stand as U+FFFD.';
  return [
    ...leftOutWarnings(missing, 'Not in the archive, and left out'),
    ...(isReplaced ? [{ code: 'characters_replaced', message }] : []),
  ];
}
