// The titles of a document and of its sections as spans of the text, because injected text must be a slice of the
// document.
import { skipBlank, skipBlankBack } from '../../blocks/lines.ts';
import type { Document, Span } from '../../document.ts';
import type { Section } from '../../pack/atoms.ts';

/** Length in units of the part of a document to search for its declared title, and the longest such title. */
const HEAD = 4000;
const LONGEST_TITLE = 300;
/** Matches a first line that may be a title: a short line that does not end like a sentence. */
let firstLine: RegExp | undefined;

/**
 * Finds the title of a document in its text. It is, in this order of preference:
 *
 * - the declared title (the document's own, or that in metadata before the text), if the beginning of the text contains
 *   it;
 * - the first line, if it is a paragraph by itself and not one of several similar lines, and the text has no headings
 *   or no marks;
 * - the first heading, if all others stand below it, or if they are numbered and it is not.
 *
 * Undefined when there is none of these.
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

/** Matches titles that are one of several: `1. Scope`, `§ 3`, `ARTICLE IV`. */
const COUNTED = /^(?:§|\d|\S+ (?:\d+|[IVXLC]+)(?:\W|$))/;

/** The line of a paragraph of one line, if the line may be a title. */
function lineOf(text: string, paragraph: Span): Span | undefined {
  const start = skipBlank(text, paragraph.start, paragraph.end);
  const end = skipBlankBack(text, start, paragraph.end);
  firstLine ??= new RegExp('^(?=.*\\p{L})[^\\n]{1,119}[^\\n.!?:;,。！？：；，।؟*_][*_]*$', 'u');
  const line = text.slice(start, end);
  return firstLine.test(line) && !isOneOfSeveral(text, line, end) ? { start, end } : undefined;
}

/** Matches a word with figures. It can match in one way only, so that the time is linear in the line. */
const FIGURE = String.raw`[^\s\d]*\d\S*`;

/**
 * True when a line occurs again with other figures, as the first lines of entries in a changelog or a diary do: `tar
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

/** The span of the title in a heading, or of the whole heading when the title does not stand there literally. */
function titleIn(text: string, { start, end, title }: Section): Span {
  return occurrence(text, start, Math.min(end, start + 2 * LONGEST_TITLE), title) ?? { start, end };
}

/**
 * The span of a title in a range: first as it is, else in any case and with any blanks and line ends between its words.
 */
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
