// DOCX → Document. Bytes → guarded archive → parts → tags → our tree → text and blocks. External images, links and
// entities are never opened.
import type { Document, Warning } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import type { Reader, Source } from '../../reader.ts';
import { LinkTargets } from '../../tree/links.ts';
import { serialise } from '../../tree/serialise.ts';
import { readBody } from './body.ts';
import { withBoldHeadings } from './bold-headings.ts';
import { openPackage, type Parts } from './parts.ts';

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

const CORE_PROPERTIES = 'docProps/core.xml';
const APP_PROPERTIES = 'docProps/app.xml';

function readDocx({ bytes, filename, links: style, url, signal }: Source): Document {
  signal?.throwIfAborted();
  const leftOut = new Set<string>();
  const targets = new LinkTargets(url);
  const {
    nodes,
    parts,
    pageBreaks,
    title: shownTitle,
  } = readBody(() => openPackage(bytes), {
    counts: { notes: 0, targets: 0 },
    targets,
    leftOut,
    depth: 0,
  });
  signal?.throwIfAborted();
  const { text, blocks, links } = serialise(withBoldHeadings(nodes), { targets, links: style });
  if (text === '') throw new ExtractError('empty_document');
  const title = (property(parts, CORE_PROPERTIES, 'title') || shownTitle).slice(0, MAX_TITLE).trim();
  const pages = Number.parseInt(property(parts, APP_PROPERTIES, 'Pages'), 10);
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

/** A property of the document from a part, '' when the part is damaged or missing: the text does not depend on it. */
function property(parts: Parts, part: string, name: string): string {
  try {
    return readProperty(parts, part, name);
  } catch (error) {
    if (error instanceof ExtractError && error.code === 'corrupted') return '';
    throw error;
  }
}

/** The text of the first element of a name that holds nothing but text. */
function readProperty(parts: Parts, part: string, name: string): string {
  let value: string | undefined;
  let isInside = false;
  parts.visit(part, {
    open: (element) => {
      isInside = value === undefined && element.slice(element.indexOf(':') + 1) === name;
    },
    close: () => (isInside = false),
    text: (text) => {
      if (isInside) value = (value ?? '') + text;
    },
  });
  return (value ?? '').replace(/\s+/g, ' ').trim();
}
