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
import { type Walked, WordWalk } from './walk.ts';
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
  const parts = openParts(openZip(bytes));
  const { builder, pageBreaks, title: shownTitle } = readBody(parts);
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

/** A field that never ends would hide the rest of the document; the second time it is not taken for one. */
function readBody(parts: Parts): Walked & { readonly builder: TreeBuilder } {
  const first = walkParts(parts);
  return first.unended.length === 0 ? first : walkParts(parts, new Set(first.unended));
}

function walkParts(
  parts: Parts,
  unended: ReadonlySet<number> = new Set(),
): Walked & { readonly builder: TreeBuilder } {
  const builder = new TreeBuilder();
  const source = {
    styles: readStyles((visitor) => parts.visit(parts.related('styles'), visitor)),
    numbering: readNumbering((visitor) => parts.visit(parts.related('numbering'), visitor)),
    embedded: readEmbedded(parts),
  };
  const notes = readNotes(parts, source);
  const relationships = parts.relationshipsOf(parts.main);
  const walk = new WordWalk({ ...source, relationships, unended, note: (key) => notes.get(key) }, builder);
  let root = '';
  parts.visit(parts.main, {
    open: (name, attributes) => {
      if (root === '') root = name;
      walk.open(name, attributes);
    },
    close: () => walk.close(),
    text: (text) => walk.text(text),
  });
  if (root !== 'w:document') throw new ExtractError('corrupted', { detail: 'it holds no Word document' });
  return { ...walk.end(), builder };
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
