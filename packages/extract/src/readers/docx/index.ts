// DOCX → Document. Bytes → guarded archive → parts → mammoth's tree → our tree → text and blocks. External images,
// links and entities are never opened.
import type { Document } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import type { Reader, Source } from '../../reader.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import { serialise } from '../../tree/serialise.ts';
import { readWord } from './mammoth.ts';
import { openParts, type Parts } from './parts.ts';
import { headingDepths } from './styles.ts';
import { walkWord } from './walk.ts';
import { openZip } from './zip.ts';

/** Reads Word documents (Office Open XML, transitional and strict; documents and templates, with and without macros). */
export const DOCX: Reader = {
  kind: 'docx',
  extensions: ['docx', 'docm', 'dotx', 'dotm'],
  mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  read: readDocx,
};

const STYLES = 'word/styles.xml';
const CORE_PROPERTIES = 'docProps/core.xml';
const APP_PROPERTIES = 'docProps/app.xml';

async function readDocx({ bytes, filename, signal }: Source): Promise<Document> {
  signal?.throwIfAborted();
  const parts = openParts(openZip(bytes));
  const word = await readWord(parts);
  signal?.throwIfAborted();
  const builder = new TreeBuilder();
  const { pageBreaks, title: shownTitle } = walkWord(word, headingDepths(textOf(parts, STYLES)), builder);
  const { text, blocks } = serialise(builder.finish());
  if (text === '') throw new ExtractError('empty_document');
  const title = property(textOf(parts, CORE_PROPERTIES), 'title') || shownTitle;
  const pages = Number.parseInt(property(textOf(parts, APP_PROPERTIES), 'Pages'), 10);
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

/** A part that the document can do without. */
function textOf(parts: Parts, name: string): string | undefined {
  return parts.has(name) ? parts.read(name) : undefined;
}

/** The text of an element that holds nothing but text, whatever its prefix; '' when it is not there. */
function property(xml: string | undefined, name: string): string {
  const value = new RegExp(`<(?:\\w+:)?${name}(?:\\s[^<>]*)?>([^<]*)<`).exec(xml ?? '')?.[1] ?? '';
  return value
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => ENTITIES[entity] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
