// ODT → Document. Bytes → guarded archive, or one flat XML document → styles → tags → our tree → text and blocks.
import type { Document } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import { LeftOut } from '../../package/left-out.ts';
import type { Reader, Source } from '../../reader.ts';
import { titleOf } from '../../title.ts';
import { withBoldHeadings } from '../../tree/bold-headings.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import { LinkTargets } from '../../tree/links.ts';
import { serialise } from '../../tree/serialise.ts';
import { openDocument } from '../open-document/document.ts';
import { OpenWalk } from '../open-document/walk.ts';

/** Reads texts of OpenDocument: documents, templates and master documents, packed or flat. */
export const ODT: Reader = {
  kind: 'odt',
  version: 3,
  extensions: ['odt', 'ott', 'odm', 'fodt'],
  mediaTypes: [
    'application/vnd.oasis.opendocument.text',
    'application/vnd.oasis.opendocument.text-template',
    'application/vnd.oasis.opendocument.text-master',
    'application/vnd.oasis.opendocument.text-flat-xml',
  ],
  read: (source) => new Promise((resolve) => resolve(readOdt(source))),
};

function readOdt({ bytes, filename, links: style, url, signal, spent }: Source): Document {
  signal?.throwIfAborted();
  const file = openDocument(bytes, spent);
  const targets = new LinkTargets(url);
  const leftOut = new LeftOut();
  const builder = new TreeBuilder(targets);
  const walk = new OpenWalk(
    {
      styles: file.styles,
      targets,
      counts: { notes: 0, targets: 0, repeated: 0 },
      object: (name, story) => leftOut.attempt(name, () => file.object(name, story)),
    },
    builder,
  );
  file.visitBody('office:text', walk);
  walk.end();
  signal?.throwIfAborted();
  const { text, blocks, links } = serialise(withBoldHeadings(builder.finish()), { targets, links: style });
  if (text === '') throw new ExtractError('empty_document');
  return {
    text,
    blocks,
    pages: [],
    mediaType: ODT.mediaTypes[0],
    ...(filename === undefined ? undefined : { filename }),
    ...titleOf(file.title || walk.title),
    ...(file.pages >= 1 && { declaredPages: file.pages }),
    ...(links.length > 0 && { links }),
    warnings: leftOut.warnings,
  };
}
