// The titles of a document and of its sections as spans of the text, so that what is injected can be shown in it.
import { skipBlank, skipBlankBack } from '../../blocks/lines.ts';
import type { Document, Span } from '../../document.ts';
import type { Section } from '../../pack/atoms.ts';

/** Units at the beginning of a document in which its declared title must stand, and the longest that is looked for. */
const HEAD = 4000;
const LONGEST_TITLE = 300;
/** A first line that is longer than this or ends as a sentence is no title. */
const FIRST_LINE = /^[^\n]{1,119}[^\n.!?:;,。！？：；，।؟]$/;

/**
 * The title of a document, where its text has one: the declared title, also by metadata before the text, if the
 * beginning of the text says it; else the first heading if all others stand below it; else, in a text without headings,
 * the first line if it is a paragraph of its own.
 */
export function documentTitle(document: Document, sections: readonly Section[]): Span | undefined {
  const declared = declaredTitle(document);
  if (declared !== undefined) return declared;
  const [top, ...others] = sections;
  if (top !== undefined)
    return others.every(({ depth }) => depth > top.depth) ? titleIn(document.text, top) : undefined;
  const [first] = document.blocks;
  if (first?.kind !== 'paragraph') return undefined;
  const start = skipBlank(document.text, first.start, first.end);
  const end = skipBlankBack(document.text, start, first.end);
  return FIRST_LINE.test(document.text.slice(start, end)) ? { start, end } : undefined;
}

function declaredTitle({ text, blocks, title }: Document): Span | undefined {
  const head = text.slice(0, HEAD);
  const name =
    title ?? (blocks[0]?.form === 'front-matter' ? /^title *[:=] *["']?(.+?)["']? *$/m.exec(head)?.[1] : '');
  if (!name?.trim() || name.length > LONGEST_TITLE) return undefined;
  const pattern = name.trim().replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const found = new RegExp(pattern.replace(/\s+/g, '\\s+'), 'iu').exec(head);
  return found === null ? undefined : { start: found.index, end: found.index + found[0].length };
}

/** The titles of the sections around a place, the outermost first. */
export function titlePath(text: string, sections: readonly Section[], section: number): Span[] {
  const path: Span[] = [];
  for (let around = sections[section]; around !== undefined; around = sections[around.parent])
    path.push(titleIn(text, around));
  return path.reverse();
}

/** The title in a heading; all of the heading when line ends or blanks in the title make it differ from its name. */
function titleIn(text: string, { start, end, title }: Section): Span {
  const at = text.slice(start, end).indexOf(title);
  return at === -1 ? { start, end } : { start: start + at, end: start + at + title.length };
}
