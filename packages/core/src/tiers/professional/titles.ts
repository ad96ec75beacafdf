// The titles of a document and of its sections as spans of the text, so that what is injected can be shown in it.
import { skipBlank, skipBlankBack } from '../../blocks/lines.ts';
import type { Document, Span } from '../../document.ts';
import type { Section } from '../../pack/atoms.ts';

/** Units at the beginning of a document in which its declared title must stand, and the longest that is looked for. */
const HEAD = 4000;
const LONGEST_TITLE = 300;
/** A first line that is longer than this or ends as a sentence is no title. */
let firstLine: RegExp | undefined;

/**
 * The title of a document, where its text has one: the declared title, also by metadata before the text, if the
 * beginning of the text says it; else the first line, if it is a paragraph of its own and none of several, of a text
 * without headings or of one without marks; else the first heading if all others stand below it, or count and it does
 * not.
 */
export function documentTitle(document: Document, sections: readonly Section[]): Span | undefined {
  const declared = declaredTitle(document);
  if (declared !== undefined) return declared;
  const { text, blocks, mediaType } = document;
  const [first] = blocks;
  const [top, ...others] = sections;
  if (first?.kind === 'paragraph' && (top === undefined || mediaType === 'text/plain')) {
    const line = lineOf(text, first);
    if (line !== undefined || top === undefined) return line;
  }
  if (top === undefined) return undefined;
  const opens = first?.kind === 'heading' && !COUNTED.test(top.title);
  const isAbove = others.every(({ depth, title }) => depth > top.depth || (opens && COUNTED.test(title)));
  return isAbove ? titleIn(text, top) : undefined;
}

/** `1. Scope`, `§ 3`, `ARTICLE IV`: one of several. */
const COUNTED = /^(?:§|\d|\S+ (?:\d+|[IVXLC]+)(?:\W|$))/;

/** The one line of a paragraph, if that may be a title. */
function lineOf(text: string, paragraph: Span): Span | undefined {
  const start = skipBlank(text, paragraph.start, paragraph.end);
  const end = skipBlankBack(text, start, paragraph.end);
  firstLine ??= new RegExp('^(?=.*\\p{L})[^\\n]{1,119}[^\\n.!?:;,。！？：；，।؟*_][*_]*$', 'u');
  const line = text.slice(start, end);
  return firstLine.test(line) && !isOneOfSeveral(text, line, end) ? { start, end } : undefined;
}

/** Matched in one way at most, so that no line takes longer than its length. */
const FIGURE = String.raw`[^\s\d]*\d\S*`;

/**
 * Whether a line comes again with other figures, as what opens the entries of a changelog or a diary does: `tar
 * (1.34-1) unstable`.
 */
function isOneOfSeveral(text: string, line: string, from: number): boolean {
  const words = line.split(/\s+/);
  const figures = words.filter((word) => /\d/.test(word)).length;
  if (figures === 0 || figures === words.length) return false;
  const pattern = words.map((word) => (/\d/.test(word) ? FIGURE : escaped(word))).join('[ \\t]+');
  return new RegExp(`\\n[ \\t]*${pattern}[ \\t\\r]*(?:\\n|$)`).test(text.slice(from));
}

function escaped(words: string): string {
  return words.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function declaredTitle({ text, blocks, title }: Document): Span | undefined {
  const name =
    title ??
    (blocks[0]?.form === 'front-matter'
      ? /^title *[:=] *["']?(.+?)["']? *$/m.exec(text.slice(0, HEAD))?.[1]
      : '');
  return name?.trim() && name.length <= LONGEST_TITLE ? occurrence(text, 0, HEAD, name.trim()) : undefined;
}

/** The titles of the sections around a place, the outermost first. */
export function titlePath(text: string, sections: readonly Section[], section: number): Span[] {
  const path: Span[] = [];
  for (let around = sections[section]; around !== undefined; around = sections[around.parent])
    path.push(titleIn(text, around));
  return path.reverse();
}

/** The title in a heading: its name there, else all of it. */
function titleIn(text: string, { start, end, title }: Section): Span {
  return occurrence(text, start, Math.min(end, start + 2 * LONGEST_TITLE), title) ?? { start, end };
}

/** Where a title stands in a range: as it is, else whatever its case and the blanks and line ends between its words. */
function occurrence(text: string, start: number, end: number, title: string): Span | undefined {
  const range = text.slice(start, end);
  const at = range.indexOf(title);
  if (at !== -1) return { start: start + at, end: start + at + title.length };
  const pattern = escaped(title).replace(/\s+/g, '\\s+');
  const found = new RegExp(pattern, 'iu').exec(range);
  return found === null
    ? undefined
    : { start: start + found.index, end: start + found.index + found[0].length };
}
