// DOCX → Document. Bytes → guarded archive → parts → tags → our tree → text and blocks. External images, links and
// entities are never opened.
import type { Document, Warning } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import type { Reader, Source } from '../../reader.ts';
import { LinkTargets } from '../../tree/links.ts';
import { serialise } from '../../tree/serialise.ts';
import { readBody } from './body.ts';
import { withBoldHeadings } from '../../tree/bold-headings.ts';
import { APP_PROPERTIES, CORE_PROPERTIES, openOffice, propertyOf } from '../../package/office.ts';

/**
 * Reads Word documents (Office Open XML, transitional and strict; documents and templates, with and without macros).
 */
export const DOCX: Reader = {
  kind: 'docx',
  version: 2,
  extensions: ['docx', 'docm', 'dotx', 'dotm'],
  mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  read: (source) => new Promise((resolve) => resolve(readDocx(source))),
};

/** Longest title, in UTF-16 units, as in a PDF. */
const MAX_TITLE = 300;

const WORD = { usual: 'word/document.xml', what: 'Word document' };

function readDocx({ bytes, filename, links: style, url, spent, signal }: Source): Document {
  signal?.throwIfAborted();
  const leftOut = new Set<string>();
  const targets = new LinkTargets(url);
  const {
    nodes,
    parts,
    pageBreaks,
    title: shownTitle,
  } = readBody(() => openOffice(bytes, WORD, spent), {
    counts: { notes: 0, targets: 0 },
    targets,
    leftOut,
    depth: 0,
  });
  signal?.throwIfAborted();
  const { text, blocks, links } = serialise(withBoldHeadings(nodes), { targets, links: style });
  if (text === '') throw new ExtractError('empty_document');
  const title = (propertyOf(parts, CORE_PROPERTIES, 'title') || shownTitle).slice(0, MAX_TITLE).trim();
  const pages = Number.parseInt(propertyOf(parts, APP_PROPERTIES, 'Pages'), 10);
  return {
    text,
    blocks,
    pages: [],
    mediaType: DOCX.mediaTypes[0],
    ...(filename === undefined ? undefined : { filename }),
    ...(title === '' ? undefined : { title: title.toWellFormed() }),
    // Word writes the count when it saves; other programs often do not.
    declaredPages: pages >= 1 ? pages : pageBreaks + 1,
    ...(links.length > 0 && { links }),
    warnings: warningsOf([...leftOut]),
  };
}

/** Number of part names in a warning, and the longest part of each name. */
const MAX_NAMES = 3;
const MAX_NAME = 80;

function warningsOf(leftOut: readonly string[]): Warning[] {
  if (leftOut.length === 0) return [];
  const names = leftOut.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME).toWellFormed());
  const list = `${names.join(', ')}${leftOut.length > MAX_NAMES ? ', …' : ''}`;
  return [
    {
      code: 'parts_left_out',
      message: `Damaged, not there, too deep inside, or in a format that is not read inside a DOCX, and left out: ${list}.`,
    },
  ];
}
