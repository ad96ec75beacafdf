// DOCX → Document. Bytes → guarded archive → parts → tags → our tree → text and blocks. External images, links and
// entities are never opened.
import type { Document } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import type { Reader, Source } from '../../reader.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import { serialise } from '../../tree/serialise.ts';
import { readEmbedded } from './embedded.ts';
import { readNotes } from './notes.ts';
import { readNumbering } from './numbering.ts';
import { openParts, type Parts } from './parts.ts';
import { readStyles } from './styles.ts';
import { type Unended, type Walked, WordWalk } from './walk.ts';
import { openZip } from './zip.ts';

/** Reads Word documents (Office Open XML, transitional and strict; documents and templates, with and without macros). */
export const DOCX: Reader = {
  kind: 'docx',
  extensions: ['docx', 'docm', 'dotx', 'dotm'],
  mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  read: (source) => new Promise((resolve) => resolve(readDocx(source))),
};

const CORE_PROPERTIES = 'docProps/core.xml';
const APP_PROPERTIES = 'docProps/app.xml';

function readDocx({ bytes, filename, signal }: Source): Document {
  signal?.throwIfAborted();
  const { builder, parts, pageBreaks, title: shownTitle } = readBody(bytes);
  signal?.throwIfAborted();
  const { text, blocks } = serialise(builder.finish());
  if (text === '') throw new ExtractError('empty_document');
  const title = property(parts, CORE_PROPERTIES, 'title') || shownTitle;
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
    warnings: [],
  };
}

/** A document that has been read, with the parts that it was read from. */
interface Body extends Walked {
  readonly builder: TreeBuilder;
  readonly parts: Parts;
}

/** Each walk may bring to light fields without an end that others have hidden, in text boxes; more than two are made to cost time. */
const MAX_WALKS = 3;

/**
 * A field that never ends would hide the rest of the document or note; the next time it is not taken for one. The parts are opened anew for
 * that, so that the bounds on bytes and tags are those of one walk.
 */
function readBody(bytes: Uint8Array): Body {
  const unended = new Map<string, Set<number>>();
  for (let walks = 1; ; walks++) {
    const body = walkParts(openParts(openZip(bytes)), unended);
    if (body.unended.length === 0 || walks === MAX_WALKS) return body;
    for (const { note, index } of body.unended)
      unended.set(note, (unended.get(note) ?? new Set()).add(index));
  }
}

function walkParts(parts: Parts, unended: Unended): Body {
  const builder = new TreeBuilder();
  const source = {
    styles: readStyles((visitor) => parts.visit(parts.related('styles'), visitor)),
    numbering: readNumbering((visitor) => parts.visit(parts.related('numbering'), visitor)),
    embedded: readEmbedded(parts),
    unended,
  };
  const notes = readNotes(parts, source);
  const relationships = parts.relationshipsOf(parts.main);
  const walk = new WordWalk({ ...source, relationships, note: (key) => notes.content.get(key) }, builder);
  const { visitor } = walk;
  let root = '';
  parts.visit(parts.main, {
    open: (name, written) => {
      if (root === '') root = name;
      visitor.open(name, written);
    },
    close: (name) => visitor.close(name),
    text: (text) => visitor.text(text),
  });
  if (root !== 'w:document') throw new ExtractError('corrupted', { detail: 'it holds no Word document' });
  const walked = walk.end();
  return { ...walked, unended: [...walked.unended, ...notes.unended], builder, parts };
}

/** The text of the first element of a name that holds nothing but text; '' when it or its part is not there. */
function property(parts: Parts, part: string, name: string): string {
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
