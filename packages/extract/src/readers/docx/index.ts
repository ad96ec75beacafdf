// DOCX → Document. Bytes → guarded archive → parts → tags → our tree → text and blocks. External images, links and
// entities are never opened.
import type { Document } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import type { Reader, Source } from '../../reader.ts';
import { titleOf } from '../../title.ts';
import { LinkTargets } from '../../tree/links.ts';
import { ParagraphStarts } from '../../tree/paragraphs.ts';
import { serialise } from '../../tree/serialise.ts';
import { readBody } from './body.ts';
import { holdsChunks } from './embedded.ts';
import { withBoldHeadings } from '../../tree/bold-headings.ts';
import { leftOutWarnings } from '../../package/left-out.ts';
import {
  APP_PROPERTIES,
  CORE_PROPERTIES,
  type OfficePackage,
  openOffice,
  propertyOf,
} from '../../package/office.ts';

/**
 * Reads Word documents (Office Open XML, transitional and strict; documents and templates, with and without macros).
 */
export const DOCX: Reader = {
  kind: 'docx',
  version: 5,
  extensions: ['docx', 'docm', 'dotx', 'dotm'],
  mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  read: readDocx,
};

const WORD = { usual: 'word/document.xml', what: 'Word document' };

const REASON =
  'Damaged, not there, too deep inside, or in a format that is not read inside a DOCX, and left out';

async function readDocx(source: Source): Promise<Document> {
  const { bytes, filename, links: style, url, regions, spent, signal } = source;
  signal?.throwIfAborted();
  const open = (): OfficePackage => openOffice(bytes, WORD, spent);
  const opened = open();
  const html = holdsChunks(opened) ? await import('../html/page.ts') : undefined;
  const leftOut = new Set<string>();
  const targets = new LinkTargets(url);
  const around = {
    counts: { notes: 0, targets: 0 },
    targets,
    leftOut,
    addPage: html?.addPage,
    depth: 0,
    isNumbered: regions === true,
  };
  const { nodes, parts, pageBreaks, title: shownTitle } = readBody(open, around, opened);
  signal?.throwIfAborted();
  const placement = regions === true ? new ParagraphStarts() : undefined;
  const { text, blocks, links } = serialise(withBoldHeadings(nodes), { targets, links: style, placement });
  if (text === '') throw new ExtractError('empty_document');
  const pages = Number.parseInt(propertyOf(parts, APP_PROPERTIES, 'Pages'), 10);
  return {
    text,
    blocks,
    pages: [],
    mediaType: DOCX.mediaTypes[0],
    ...(filename === undefined ? undefined : { filename }),
    ...titleOf(propertyOf(parts, CORE_PROPERTIES, 'title') || shownTitle),
    // Word writes the count when it saves; other programs often do not.
    declaredPages: pages >= 1 ? pages : pageBreaks + 1,
    ...(links.length > 0 && { links }),
    ...(placement !== undefined && { paragraphs: placement.finish() }),
    warnings: leftOutWarnings([...leftOut], REASON),
  };
}
