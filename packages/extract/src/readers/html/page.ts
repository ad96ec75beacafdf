// A page of HTML inside another document → calls of its tree builder.
import type { TreeBuilder } from '../../tree/builder.ts';
import { Tokens } from './tokens.ts';
import { HtmlWalk } from './walk.ts';

/** Adds a whole page to a builder; `marksFurniture` opens a region for what its author declares as furniture. */
export function addPage(html: string, builder: TreeBuilder, { marksFurniture = false } = {}): void {
  const tokens = new Tokens(html, new HtmlWalk(builder, { marksFurniture }));
  tokens.readTo(html.length);
  tokens.end();
}
