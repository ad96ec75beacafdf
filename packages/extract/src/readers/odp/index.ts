// ODP → Document. Bytes → guarded archive, or one flat XML document → pages with their shapes in reading order → text
// and blocks, a page for each slide.
import type { Document } from '@grainline/core';
import { choosePages, pagesIn } from '../../pages.ts';
import type { Reader, Source } from '../../reader.ts';
import { Deck } from '../../slides/deck.ts';
import { type OpenDocumentFile, openDocument } from '../open-document/document.ts';
import { PageWalk } from './slides.ts';

/** Reads presentations of OpenDocument: documents and templates, packed or flat. */
export const ODP: Reader = {
  kind: 'odp',
  version: 2,
  extensions: ['odp', 'otp', 'fodp'],
  mediaTypes: [
    'application/vnd.oasis.opendocument.presentation',
    'application/vnd.oasis.opendocument.presentation-template',
    'application/vnd.oasis.opendocument.presentation-flat-xml',
  ],
  read: (source) => new Promise((resolve) => resolve(readOdp(source))),
};

const BODY = 'office:presentation';

function readOdp(source: Source): Document {
  source.signal?.throwIfAborted();
  const file = openDocument(source.bytes, source.spent);
  const deck = new Deck(source);
  const count = source.pages === undefined ? 0 : countPages(file);
  const wanted = source.pages === undefined ? undefined : new Set(pagesIn(choosePages(source.pages, count)));
  const walk = new PageWalk(
    {
      styles: file.styles,
      targets: deck.targets,
      counts: Object.assign(deck.counts, { notes: 0, repeated: 0 }),
      object: (name, story) => deck.leftOut.attempt(name, () => file.object(name, story)),
    },
    deck,
    wanted,
  );
  file.visitBody(BODY, walk);
  return deck.finish({ count, title: file.title, mediaType: ODP.mediaTypes[0] });
}

/** The number of pages, which only a choice of pages needs. */
function countPages(file: OpenDocumentFile): number {
  let count = 0;
  const ignore = (): void => undefined;
  file.visitBody(BODY, {
    open: (name) => (count += name === 'draw:page' ? 1 : 0),
    close: ignore,
    text: ignore,
  });
  return count;
}
