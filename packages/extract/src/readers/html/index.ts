// HTML → Document. Reads the markup as browsers do as far as text is concerned; runs no script, applies no style sheet
// and fetches nothing.
import type { Document, Warning } from '@grainline/core';
import { decodeText } from '../../encoding/decode.ts';
import { ExtractError } from '../../errors.ts';
import type { Reader, Source } from '../../reader.ts';
import { nextTurn } from '../../turn.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import { LinkTargets } from '../../tree/links.ts';
import { mainContentOf } from '../../tree/main-content.ts';
import { dissolveRegions, takeFurniture } from '../../tree/regions.ts';
import { serialise } from '../../tree/serialise.ts';
import { metaCharset } from './charset.ts';
import { Tokens } from './tokens.ts';
import { HtmlWalk } from './walk.ts';

/** Units to read before the event loop gets a turn and the reader checks the signal. */
const STRIDE = 1 << 20;

/** Reads HTML pages. */
export const HTML: Reader = {
  kind: 'html',
  version: 4,
  extensions: ['html', 'htm', 'xhtml'],
  mediaTypes: ['text/html', 'application/xhtml+xml'],
  read: readHtml,
};

async function readHtml(source: Source): Promise<Document> {
  const { bytes, filename, charset, signal } = source;
  const { text: html, warnings } = await decodeText(bytes, charset, metaCharset(bytes));
  const targets = new LinkTargets(source.url);
  const builder = new TreeBuilder(targets);
  const walk = new HtmlWalk(builder, {
    marksFurniture: source.furniture !== 'keep',
    marksBoxes: source.content === 'main',
  });
  const tokens = new Tokens(html, walk);
  for (let read = 0; read < html.length;) {
    signal?.throwIfAborted();
    read = Math.min(html.length, read + STRIDE);
    tokens.readTo(read);
    if (read < html.length) await nextTurn();
  }
  tokens.end();
  const page = builder.finish();
  const furniture = takeFurniture(page);
  const tree = source.content === 'main' ? mainContentOf(page) : page;
  const isPart = tree !== page;
  dissolveRegions(tree);
  const { text, blocks, links } = serialise(tree, { targets, links: source.links });
  if (text === '') throw new ExtractError('empty_document');
  return {
    text,
    blocks,
    pages: [],
    mediaType: HTML.mediaTypes[0],
    ...(filename === undefined ? undefined : { filename }),
    ...(walk.title === '' ? undefined : { title: walk.title.toWellFormed() }),
    ...(furniture.length > 0 && { furniture }),
    ...(links.length > 0 && { links }),
    warnings: [...warnings, ...leftOut(furniture.length, isPart)],
  };
}

function leftOut(places: number, isPart: boolean): Warning[] {
  const furniture = `Navigation, banners and the like were left out of the text in ${places === 1 ? '1 place' : `${places} places`}; the option furniture: 'keep' keeps them.`;
  const content = "Only the main content was read; the option content: 'all' reads the whole page.";
  return [
    ...(places > 0 ? [{ code: 'furniture_left_out', message: furniture }] : []),
    ...(isPart ? [{ code: 'content_left_out', message: content }] : []),
  ];
}
