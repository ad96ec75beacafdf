// ODS → Document. Bytes → guarded archive, or one flat XML document → sheets → our tree → text and blocks. Linked
// files, DDE and macros are never opened.
import type { Document } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import type { Reader, Source } from '../../reader.ts';
import { titleOf } from '../../title.ts';
import { nothingSpent } from '../../sheets/sheet.ts';
import { warningsOf } from '../../sheets/warnings.ts';
import { writeSheet } from '../../sheets/write.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import { LinkTargets } from '../../tree/links.ts';
import { serialise } from '../../tree/serialise.ts';
import { openDocument } from '../open-document/document.ts';
import { SpreadsheetWalk } from './walk.ts';

/** Reads spreadsheets of OpenDocument: documents and templates, packed or flat. */
export const ODS: Reader = {
  kind: 'ods',
  version: 1,
  extensions: ['ods', 'ots', 'fods'],
  mediaTypes: [
    'application/vnd.oasis.opendocument.spreadsheet',
    'application/vnd.oasis.opendocument.spreadsheet-template',
    'application/vnd.oasis.opendocument.spreadsheet-flat-xml',
  ],
  read: (source) => new Promise((resolve) => resolve(readOds(source))),
};

function readOds({ bytes, filename, links: style, url, signal, spent: around }: Source): Document {
  signal?.throwIfAborted();
  const file = openDocument(bytes, around);
  const targets = new LinkTargets(url);
  const builder = new TreeBuilder(targets);
  const spent = nothingSpent();
  const walk = new SpreadsheetWalk(file.styles, spent);
  file.visitBody('office:spreadsheet', walk);
  for (const sheet of walk.finish()) writeSheet(builder, sheet, spent);
  const { text, blocks, links } = serialise(builder.finish(), { targets, links: style });
  if (text === '') throw new ExtractError('empty_document');
  return {
    text,
    blocks,
    pages: [],
    mediaType: ODS.mediaTypes[0],
    ...(filename === undefined ? undefined : { filename }),
    ...titleOf(file.title),
    ...(links.length > 0 && { links }),
    warnings: warningsOf(spent),
  };
}
