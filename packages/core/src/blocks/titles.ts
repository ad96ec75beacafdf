// Finds headings in plain text after its lines have been grouped into blocks: those of laws, books and manual pages,
// and of markup languages without a reader of their own (reStructuredText, AsciiDoc, POD, LaTeX). In doubt a paragraph.
import { columnOf, endsSentence, hasLetter, isAsLong, lineEnd, skipBlank, skipBlankBack } from './lines.ts';
import { BACKSLASH, EQUALS, isDigit, isLetter } from './marks.ts';
import type { GrowingBlock } from './tree.ts';

/** Most UTF-16 units of a title. */
const MAX_TITLE = 80;
/** Longest line of marks, and the shortest one above a title without a line below. */
const MAX_RULE = 160;
const LEAST_OVERLINE = 10;
/**
 * Shortest lines of marks above and below a title, which are also no shorter than the title; shorter ones delimit code
 * in AsciiDoc.
 */
const LEAST_FRAME = 5;
/** Least indentation, in columns, of text directly below its heading without a blank line. */
const HANGING = 2;

const RULE = /^([-=~^"'*+`])\1{3,}$/;
/** Matches lines of three marks, which count below a title only. */
const SHORT_RULE = /^(?:===|---)$/;
/** A line of marks that goes across the page, whatever the length of the title above it. */
const LEAST_WIDE = 60;
/** Matches the beginning of a line of code: a prompt, or a shebang. */
const PROMPT = /^(?:[$%#>] |#!)/;
/** `== Title` of AsciiDoc (a wiki closes its headings), `=head2 Title` of POD, `\subsection{Title}`. */
const MARKED =
  /^(?:(={1,6}) [^\s=\d(+*/.-][^=]*|=head([1-6])[ \t].+|\\(?:part|chapter|((?:sub)*)section)\*?[[{].+)$/;
/** `*** Title`, alone between blank lines; behind one star, which begins an item elsewhere, in an {@link OUTLINE}. */
const STARRED = /^(\*{1,6})[ \t]+[^*]*[^\s*]$/;
/** Matches the first line of an outline, which sets the editor's mode. */
const OUTLINE = /^.*-\*-.*\b(?:outline|org)\b/;
/** `§ 12 Scope`, `ARTICLE 4`, `Kapitel II: …`, `第三章`: the sign or word beside the number, and the title. */
const CHAPTER =
  /^(?:(§)§?[ \t\xa0]*\d+[a-z]?|(chapter|part|section|appendix|book|act|scene|article|schedule|annexe?|kapitel|teil|(?:unter)?(?:abschnitt|titel)|artikel|anhang|anlage|chapitre|titre|cap[ií]tulo|t[ií]tulo|art[ií]culo|anexo|глава|раздел|статья)[ \t\xa0]+(?:\d{1,3}(?:\.\d+)*|[ivxlc]{1,7}|[a-z])|第[\d一二三四五六七八九十百]{1,5}([章節节條条編编部]))[.:]?(?:$|[\s–—-]+(.+)$)/i;
/** Matches the sections behind all chapters, which are below none of them. */
const LAST = /^(?:app|ann?e|sch|anh|anl)/;
/** `2. Basic Permissions.` */
const COUNTED = /^(\d{1,3})\.[ \t\xa0]+(\S.{0,60})\.$/;
/** A number that is no neighbour of any other. */
const UNCOUNTED = -2;
/** `NAME`, `SEE ALSO`, `REQUIREMENTS:` */
const CAPITALS = /^[A-Z]{3}[A-Z ,&/-]*:?$/;
/** Matches capitals that are no title but a name in code, or a remark: `[APPLAUSE]`. */
const NO_TITLE = /^[[(]|[_`#\\@^~$]/;

/** The blocks of a plain text, with these headings found among them. Linear. */
export function withTitles(text: string, blocks: GrowingBlock[]): GrowingBlock[] {
  const titles = new Titles(text, blocks);
  // Copied at the first change: most texts have none.
  let titled: GrowingBlock[] | undefined;
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index];
    if (block === undefined) break;
    const { kind, start, end } = block;
    const isHeading = kind === 'heading';
    if (isHeading || kind === 'paragraph') {
      const heading = isHeading ? titles.finalHeading(block) : titles.headingIn(block);
      if (isHeading || heading !== undefined) titled ??= blocks.slice(0, index);
      if (heading !== undefined) titled?.push(heading);
      else if (isHeading) titled?.push({ kind: 'paragraph', start, end });
      else titled?.push(block);
      const from = heading === undefined ? end : skipBlank(text, heading.end, end);
      if (from < end) titled?.push({ kind: 'paragraph', start: from, end });
    } else titled?.push(block);
  }
  return titled ?? blocks;
}

/**
 * The headings of one text. They must be read in order, because the depth of a heading that does not show it follows
 * from the headings before.
 */
class Titles {
  readonly #text: string;
  /** Kinds of lines of marks, and words beside numbers, in the order of their first use, which gives their depths. */
  readonly #rules: string[] = [];
  readonly #words: string[] = [];
  /**
   * Difference between the depths of headings and those that their numbers show, learnt from headings with a line of
   * marks.
   */
  #offset = 0;
  /**
   * The numbers before short lines with a full stop. Such a line is a heading only if there are several; a single one
   * may be an item.
   */
  #numbers: ReadonlySet<number> | undefined;
  readonly #blocks: readonly GrowingBlock[];

  constructor(text: string, blocks: readonly GrowingBlock[]) {
    this.#text = text;
    this.#blocks = blocks;
  }

  /** A block that already counts as a heading, with its final depth; `undefined` when it turns out to be none. */
  finalHeading({ start, end, depth = 1 }: GrowingBlock): GrowingBlock | undefined {
    const title = this.#text.slice(start, end);
    const parts = /^\d+(?:\.\d+)*/.exec(title)?.[0].split('.').length ?? 0;
    if (title.includes('\n')) {
      const ofRule = depthIn(this.#rules, title.slice(-1));
      if (parts > 0) this.#offset = ofRule - parts;
      return headingOf(start, end, ofRule);
    }
    if (parts > 0) {
      // Numbers that restart in each chapter are below it.
      if (this.#words.length > 0 && /^1\.?\s/.test(title)) this.#offset = this.#words.length;
      return headingOf(start, end, depth + this.#offset);
    }
    const chapter = CHAPTER.exec(title);
    if (chapter !== null) return this.#chapter(start, end, chapter);
    return NO_TITLE.test(title) && title === title.toUpperCase() ? undefined : headingOf(start, end, depth);
  }

  /**
   * The heading at the beginning of a paragraph. Checks single units first, since hardly any paragraph begins with a
   * heading.
   */
  headingIn(block: GrowingBlock): GrowingBlock | undefined {
    const text = this.#text;
    const { start, end } = block;
    const first = textEnd(text, start, end);
    if (first - start > MAX_RULE) return undefined;
    const code = text.charCodeAt(start);
    const marked = code === EQUALS || code === BACKSLASH ? MARKED.exec(text.slice(start, first)) : null;
    if (marked !== null) {
      const [, equals, pod, subs] = marked;
      const depth = equals?.length ?? Number(pod ?? (subs === undefined ? 1 : 2 + subs.length / 3));
      return headingOf(start, first, depth);
    }
    const below = first === end ? end : skipBlank(text, first, end);
    if (below < end) {
      const isRuled = isRun(text, start) || isRun(text, below);
      return (
        (isRuled ? this.#ruled(start, text.slice(start, first), below, end) : undefined) ??
        this.#above(start, first, below, end)
      );
    }
    if (end - start > MAX_TITLE) return undefined;
    return this.#isCounted(block)
      ? headingOf(start, end, 1)
      : this.#alone(start, end, text.slice(start, end));
  }

  /** A heading that is a paragraph of one line. */
  #alone(start: number, end: number, line: string): GrowingBlock | undefined {
    const stars = STARRED.exec(line)?.[1];
    if (stars !== undefined && (stars !== '*' || OUTLINE.test(this.#text.slice(0, MAX_RULE))))
      return headingOf(start, end, stars.length);
    const chapter = CHAPTER.exec(line);
    if (chapter === null) return undefined;
    const [, , word = 'a', , title = ''] = chapter;
    const isSentence = endsSentence(this.#text, end) && word !== word.toUpperCase() && !isTitleCase(title);
    return isSentence ? undefined : this.#chapter(start, end, chapter);
  }

  /** A heading with a line of marks below it, above it, or both. */
  #ruled(start: number, line: string, below: number, end: number): GrowingBlock | undefined {
    const text = this.#text;
    const second = textEnd(text, below, end);
    const next = second - below <= MAX_RULE ? text.slice(below, second) : '';
    const isOver = RULE.test(line);
    const title = isOver ? next : line;
    if (!hasLetter(title)) return undefined;
    // Prose seldom wraps exactly at the end of a line of marks.
    if (title.length > MAX_TITLE && (isOver || title.length !== next.length)) return undefined;
    const third = skipBlank(text, second, end);
    const isLast = third === end && !endsSentence(text, isOver ? second : start + line.length);
    if (!isOver) {
      // Dashes across the page delimit mails and code as well.
      const isWide = next.length >= LEAST_WIDE && (!next.startsWith('-') || this.#rules.length > 0);
      const fits =
        (isLast && SHORT_RULE.test(next)) ||
        (RULE.test(next) && ((isLast && isWide) || isAsLong(next.length, line)));
      return fits ? headingOf(start, second, depthIn(this.#rules, next.charAt(0))) : undefined;
    }
    if (isListing(line, title)) return undefined;
    const last = textEnd(text, third, end);
    const isFramed =
      third < end && text.slice(third, last) === line && line.length >= Math.max(LEAST_FRAME, title.length);
    if (!isFramed && !(isLast && line.length >= LEAST_OVERLINE)) return undefined;
    return headingOf(start, last, depthIn(this.#rules, line.slice(isFramed ? -2 : -3)));
  }

  /**
   * A heading of two lines, the number of a chapter above its name; or capitals above lines that are all indented
   * further, as in manual pages.
   */
  #above(start: number, first: number, below: number, end: number): GrowingBlock | undefined {
    const text = this.#text;
    // In a text whose titles have rules, capitals are terms above their definitions.
    const isTitle = this.#rules.length === 0 && first - start <= MAX_TITLE;
    if (isTitle && CAPITALS.test(text.slice(start, first)) && isHanging(text, start, below, end))
      return headingOf(start, first, 1);
    if (end - below > MAX_TITLE || textEnd(text, below, end) < end || endsSentence(text, end))
      return undefined;
    const chapter = CHAPTER.exec(text.slice(start, first));
    return chapter !== null && chapter[4] === undefined ? this.#chapter(start, end, chapter) : undefined;
  }

  #chapter(start: number, end: number, [, sign, word, han = '']: RegExpExecArray): GrowingBlock {
    const name = (sign ?? word ?? han).toLowerCase();
    return headingOf(start, end, LAST.test(name) ? 1 : depthIn(this.#words, name));
  }

  /** True when a number stands before a short title with a full stop, and a neighbouring number before another. */
  #isCounted(block: GrowingBlock): boolean {
    const number = this.#numberOf(block);
    if (number === UNCOUNTED) return false;
    this.#numbers ??= new Set(this.#blocks.map((other) => this.#numberOf(other)));
    return this.#numbers.has(number - 1) || this.#numbers.has(number + 1);
  }

  /** The number before a short title with a full stop; {@link UNCOUNTED} when there is none. */
  #numberOf({ kind, start, end }: GrowingBlock): number {
    if (kind !== 'paragraph' || end - start > MAX_TITLE || !isDigit(this.#text.charCodeAt(start)))
      return UNCOUNTED;
    const [, number, title = ''] = COUNTED.exec(this.#text.slice(start, end)) ?? [];
    return isTitleCase(title) ? Number(number) : UNCOUNTED;
  }
}

function headingOf(start: number, end: number, depth: number): GrowingBlock {
  return { kind: 'heading', depth: Math.max(1, Math.min(6, depth)), start, end };
}

function depthIn(kinds: string[], kind: string): number {
  return kinds.indexOf(kind) + 1 || kinds.push(kind);
}

/**
 * True for a code block that AsciiDoc delimits with dashes: the lines of dashes have any length, and the text below
 * them does not begin like a title.
 */
function isListing(rule: string, title: string): boolean {
  const isLoose = Math.abs(rule.length - title.length) > 2;
  return PROMPT.test(title) || (rule.startsWith('-') && isLoose && !hasInitial(title));
}

/** True for text that begins with a capital, a figure, or a letter of a script without capitals. */
function hasInitial(title: string): boolean {
  const first = title.charAt(0);
  return isDigit(title.charCodeAt(0)) || (hasLetter(first) && first === first.toUpperCase());
}

/** True when a line begins with the same mark twice, as lines of marks do. */
function isRun(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === text.charCodeAt(at + 1) && !isLetter(code) && !isDigit(code);
}

function isHanging(text: string, start: number, below: number, end: number): boolean {
  const least = columnOf(text, start) + HANGING;
  for (let at = below; at < end; at = skipBlank(text, textEnd(text, at, end), end))
    if (columnOf(text, at) < least) return false;
  return true;
}

/** The end of the line around an offset, without trailing blanks. */
function textEnd(text: string, start: number, end: number): number {
  return skipBlankBack(text, start, lineEnd(text, start, end));
}

/** `Conveying Modified Source Versions`: true when no word of four letters or more begins with a small one. */
function isTitleCase(title: string): boolean {
  return title !== '' && !/(?<![A-Za-z’'-])[a-z][A-Za-z]{3}/.test(title);
}
