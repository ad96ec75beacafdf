// RTF → Document. Pictures, objects, headers and comments are not read, and nothing outside the file is opened.
import type { Document } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import type { Reader, Source } from '../../reader.ts';
import { titleOf } from '../../title.ts';
import { withBoldHeadings } from '../../tree/bold-headings.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import { LinkTargets } from '../../tree/links.ts';
import type { TreeNode } from '../../tree/node.ts';
import { dissolveRegions } from '../../tree/regions.ts';
import { serialise } from '../../tree/serialise.ts';
import { addPage } from '../html/page.ts';
import { readTokens } from './tokens.ts';
import { RtfWalk } from './walk.ts';

/** Reads Rich Text Format, and the mail in HTML that Outlook wraps in it. */
export const RTF: Reader = {
  kind: 'rtf',
  version: 3,
  extensions: ['rtf'],
  mediaTypes: ['application/rtf', 'text/rtf'],
  read: (source) => new Promise((resolve) => resolve(readRtf(source))),
};

function readRtf({ bytes, filename, links: style, url, signal }: Source): Document {
  signal?.throwIfAborted();
  let targets = new LinkTargets(url);
  let walk = new RtfWalk(targets);
  readTokens(bytes, walk);
  if (walk.isMostlyFixed) {
    targets = new LinkTargets(url);
    walk = new RtfWalk(targets, false);
    readTokens(bytes, walk);
  }
  const nodes = walk.finish();
  const tree = walk.html === undefined ? withBoldHeadings(nodes) : treeOfHtml(walk.html, targets);
  const { text, blocks, links } = serialise(tree, { targets, links: style });
  if (text === '') throw new ExtractError('empty_document');
  return {
    text,
    blocks,
    pages: [],
    mediaType: RTF.mediaTypes[0],
    ...(filename === undefined ? undefined : { filename }),
    ...titleOf(walk.title.replace(/\s+/g, ' ')),
    // Word writes the count when it saves; other programs often do not.
    declaredPages: walk.pages >= 1 ? walk.pages : walk.pageBreaks + 1,
    ...(links.length > 0 && { links }),
    warnings: [],
  };
}

function treeOfHtml(html: string, targets: LinkTargets): TreeNode[] {
  const builder = new TreeBuilder(targets);
  addPage(html, builder);
  const tree = builder.finish();
  dissolveRegions(tree);
  return tree;
}
