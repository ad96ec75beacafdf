// The titles of a document and of its sections as spans of the text, so that what is injected can be shown in it.
import { skipBlank, skipBlankBack } from '../../blocks/lines.ts';
import type { Document, Span } from '../../document.ts';
import type { Section } from '../../pack/atoms.ts';

/** Units of a heading that are read; its title is cut at a word when it is longer than a budget anyway. */
const LONGEST_HEADING = 400;
/** Units at the beginning of a document in which its title must stand. */
const HEAD = 4000;
/** A first line longer than this is no title, nor is one that ends like a sentence. */
const LONGEST_FIRST_LINE = 120;
const SENTENCE_END = /[.!?:;,。！？：；，।؟]$/;
const FRONT_TITLE = /^title[ \t]*[:=][ \t]*(["']?)(.+?)\1[ \t]*$/m;

/** The titles of one document. */
export class Titles {
  /** The document's own title, where the text has one. */
  readonly title: Span | undefined;
  private readonly text: string;
  private readonly sections: readonly Section[];
  private readonly known: Span[] = [];

  constructor(document: Document, sections: readonly Section[]) {
    this.text = document.text;
    this.sections = sections;
    this.title = this.declaredTitle(document) ?? this.topHeading() ?? this.firstLine(document);
  }

  /** The titles of the sections around a place, the outermost first. */
  pathTo(section: number): Span[] {
    const path: Span[] = [];
    for (let at = section; at !== -1; at = this.sections[at]?.parent ?? -1) path.push(this.titleAt(at));
    return path.reverse();
  }

  private titleAt(section: number): Span {
    return (this.known[section] ??= titleSpan(this.text, this.sections[section] ?? { start: 0, end: 0 }));
  }

  /** What the file or the metadata before the text declares, where the text says it as well. */
  private declaredTitle({ text, blocks, title = '' }: Document): Span | undefined {
    const head = text.slice(0, HEAD);
    const words = title.length > LONGEST_HEADING ? [] : title.split(/\s+/).filter(Boolean);
    if (words.length > 0) {
      const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+');
      const found = new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, 'iu').exec(head);
      if (found !== null) return { start: found.index, end: found.index + found[0].length };
    }
    const [first] = blocks;
    if (first?.form !== 'front-matter') return undefined;
    const found = FRONT_TITLE.exec(head.slice(first.start, first.end));
    if (found === null) return undefined;
    const start = first.start + found.index + found[0].lastIndexOf(found[2] ?? '');
    return { start, end: start + (found[2] ?? '').length };
  }

  /** The first heading, when all others stand below it. */
  private topHeading(): Span | undefined {
    const [first, ...others] = this.sections;
    const isTop = first !== undefined && others.every(({ depth }) => depth > first.depth);
    return isTop ? this.titleAt(0) : undefined;
  }

  /** The first line of a text without headings, when it is a paragraph of its own and does not end as a sentence. */
  private firstLine({ text, blocks }: Document): Span | undefined {
    const [first] = blocks;
    if (first?.kind !== 'paragraph' || this.sections.length > 0) return undefined;
    const start = skipBlank(text, first.start, first.end);
    const end = skipBlankBack(text, start, first.end);
    const line = text.slice(start, Math.min(end, start + LONGEST_FIRST_LINE + 1));
    const isTitle =
      end - start <= LONGEST_FIRST_LINE && /^.*\p{L}.*$/u.test(line) && !SENTENCE_END.test(line);
    return isTitle ? { start, end } : undefined;
  }
}

const MARKS = /^(?:\s|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]+#)|<[^>]*>)*(?:#{1,6}(?=\s)|(?:= ?)+)?\s*/;
const UNDERLINE = /^[ \t>]*(?:=+|-+)$/;

/** `## Title ##`, `== Title ==`, `<h2>Title</h2>`, or `Title` over a line of `=` or `-` → the span of `Title`. */
function titleSpan(text: string, heading: Span): Span {
  const most = Math.min(heading.end, heading.start + LONGEST_HEADING);
  const [marks = ''] = MARKS.exec(text.slice(heading.start, most)) ?? [];
  const start = heading.start + marks.length;
  let end = skipBlankBack(text, start, most);
  if (most < heading.end) return { start, end };
  const feed = text.lastIndexOf('\n', end - 1);
  if (feed > start && UNDERLINE.test(text.slice(feed + 1, end))) end = skipBlankBack(text, start, feed);
  if (marks.includes('<')) end = text.lastIndexOf('<', end - 1);
  const closing = marks.includes('=') ? '= ' : '#';
  let to = end;
  while (to > start && closing.includes(text.charAt(to - 1))) to--;
  const isClosed = closing.length > 1 || skipBlankBack(text, start, to) < to;
  return { start, end: Math.max(start, skipBlankBack(text, start, isClosed ? to : end)) };
}
