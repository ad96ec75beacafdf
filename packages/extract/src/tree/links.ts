// Links of a tree. Their targets are no text, so the tree has numbers around the words of a link, in marks that begin
// with NUL, which the text of a document never has. The writer of the tree takes the marks out and notes the offsets of
// the words, or writes Markdown.
import type { Link } from '@grainline/core';

/** The place of link targets: data beside the text, or Markdown in it. */
export type LinkStyle = 'data' | 'markdown';

/**
 * The form of a link in Markdown. `bare` has none: in headings and inline code a target is data alone. An image is in
 * brackets among other words; a `picture` is all of its paragraph.
 */
type LinkForm = 'link' | 'bare' | 'image' | 'picture';

const LETTERS: Readonly<Record<LinkForm, string>> = { link: 'l', bare: 'b', image: 'i', picture: 'p' };

const LINK = /\0([lbip])([\da-z]+);([^\0]*)\0[;:]/g;
const MARK = /\0(?:[lbip][\da-z]+)?[;:]/g;
/** The end of words; that of an image differs, because an image parts the words around it. */
const END = '\0;';
const IMAGE_END = '\0:';

/** Encloses the words of a link in marks. */
export function markLink(words: string, form: LinkForm, number: number): string {
  return `\0${LETTERS[form]}${number.toString(36)};${words}${form === 'image' ? IMAGE_END : END}`;
}

/** An image in the form of a picture. */
export function asPicture(text: string): string {
  return text.replace(/^\0i/, '\0p');
}

/** Text without the marks of links. */
export function withoutMarks(text: string): string {
  return text.includes('\0') ? text.replace(MARK, '') : text;
}

/** Text without a link's mark at its end. */
export function withoutEndMark(text: string): string {
  return text.endsWith(END) ? text.slice(0, -END.length) : text;
}

/** Number of units within links. */
export function linkedLength(text: string): number {
  let length = 0;
  if (text.includes('\0')) for (const [, , , words = ''] of text.matchAll(LINK)) length += words.length;
  return length;
}

/** Longest link target that is kept, in UTF-16 units; what browsers and servers commonly take. */
const MAX_TARGET = 2000;

/** Most units of the targets of a document: 100,000 of the usual length. Further links keep only their text. */
export const MAX_TARGETS = 10_000_000;

/** Units of link targets so far, in one document: an address written once may have links without end. */
export interface TargetCount {
  targets: number;
}

const SCHEMES_LEFT_OUT = /^[\s\p{Cc}]*(?:#|javascript:|data:|vbscript:|blob:|about:)/iu;

/**
 * The target without blanks, control characters and brackets, or '' when a link to it has no use outside its page.
 * Browsers drop tabs and line ends anywhere in an address, and control characters before it (URL Standard, section
 * 4.4): neither may hide a scheme.
 */
export function linkTarget(address: string | undefined): string {
  if (address === undefined || address === '' || address.length > MAX_TARGET) return '';
  const target = address.replace(/[\t\n\r]/g, '').trim();
  if (SCHEMES_LEFT_OUT.test(target)) return '';
  return target.replace(/[\s\p{Cc}<>]/gu, (character) => encodeURIComponent(character));
}

const ABSOLUTE = /^[a-z][a-z\d+.-]*:/i;

/** Units that resolving adds to the targets of one document at most; the targets behind are kept as written. */
const MAX_ADDED = 10_000_000;

/** The targets of a document's links by their numbers. */
export class LinkTargets {
  readonly #targets: string[] = [];
  #base: string | undefined;
  #added = 0;

  /** @param url address of the document, to which its relative targets refer */
  constructor(url?: string) {
    this.base = url;
  }

  /** The address to which the relative targets refer that are added from here on; it may be relative itself. */
  set base(address: string | undefined) {
    const base = linkTarget(address) === '' ? undefined : resolve(address ?? '', this.#base);
    // A name and a password in the address of a document are no part of the addresses in it.
    if (base !== undefined) this.#base = base.replace(/^([^/]*\/\/)[^/?#]*@/, '$1');
  }

  /** The number for a target. */
  add(target: string): number {
    const resolved = this.#resolved(target);
    this.#added += resolved.length - target.length;
    return this.#targets.push(resolved) - 1;
  }

  /** The target with a number; `undefined` when there is none. */
  at(number: number): string | undefined {
    return this.#targets[number];
  }

  #resolved(target: string): string {
    if (this.#base === undefined || ABSOLUTE.test(target) || this.#added > MAX_ADDED) return target;
    return linkTarget(resolve(target, this.#base)) || target;
  }
}

function resolve(address: string, base: string | undefined): string | undefined {
  try {
    return new URL(address, base).href;
  } catch {
    return undefined;
  }
}

/** A text as it is written. */
export interface WrittenText {
  readonly text: string;
  /** The text without what its links add to it. */
  readonly plain: string;
  /** The units that the links add, by their offsets in the plain text, in order. */
  readonly added: readonly AddedUnits[];
}

/** Units that stand before an offset of a text. */
export interface AddedUnits {
  readonly at: number;
  readonly length: number;
}

const NOTHING_ADDED: readonly AddedUnits[] = [];

/** A text behind others that have no links. */
export function prefixed(prefix: string, written: Pick<WrittenText, 'plain' | 'added'>): typeof written {
  if (prefix === '') return written;
  return {
    plain: prefix + written.plain,
    added: written.added.map(({ at, length }) => ({ at: at + prefix.length, length })),
  };
}

/** The offset in a written text behind its first part, which has marks. */
export function offsetIn({ added }: WrittenText, part: string): number {
  const { length } = withoutMarks(part);
  return added.reduce((sum, one) => (one.at < length ? sum + one.length : sum), length);
}

/** Writes text without marks, and gathers the links in it, in order. */
export class LinkWriter {
  readonly links: Link[] = [];
  readonly #targets: LinkTargets;
  readonly #style: LinkStyle;

  constructor(targets: LinkTargets, style: LinkStyle) {
    this.#targets = targets;
    this.#style = style;
  }

  /** The text as it is written at an offset of the document. */
  write(text: string, offset: number): WrittenText {
    if (!text.includes('\0')) return { text, plain: text, added: NOTHING_ADDED };
    let [shift, plain, last] = [offset, '', 0];
    const added: AddedUnits[] = [];
    const written = text.replace(
      LINK,
      (marked: string, letter: string, number: string, words: string, at: number) => {
        const href = this.#targets.at(Number.parseInt(number, 36));
        if (href === undefined) return marked;
        const [before, after] = this.#around(words, letter, href);
        const isEscaped = after.startsWith('](') && letter === LETTERS.link;
        const shown = isEscaped ? words.replace(BRACKETS, '\\$&') : words;
        // A blank that ends its paragraph is left out there, and leaves no words.
        if (this.#style === 'data' && words !== '') {
          const start = at + shift + before.length;
          this.links.push({ start, end: start + words.length, href });
        }
        plain += text.slice(last, at);
        last = at + marked.length;
        added.push({ at: plain.length, length: before.length });
        if (isEscaped)
          for (const { index } of words.matchAll(BRACKETS))
            added.push({ at: plain.length + index, length: 1 });
        plain += words;
        added.push({ at: plain.length, length: after.length });
        const all = before + shown + after;
        shift += all.length - marked.length;
        return all;
      },
    );
    return { text: written, plain: plain + text.slice(last), added };
  }

  /** The signs before and behind the words of a link. An address that is its own text stays as it is. */
  #around(words: string, letter: string, href: string): readonly [before: string, after: string] {
    const isImage = letter === LETTERS.image || letter === LETTERS.picture;
    if (this.#style === 'data') return letter === LETTERS.image ? ['[', ']'] : ['', ''];
    if (letter === LETTERS.bare) return ['', ''];
    if (!isImage && (href === words || href === `mailto:${words}`)) return ['', ''];
    const target = (hasBalancedParentheses(href) ? href : encodeParentheses(href)).replaceAll('|', '%7C');
    return [isImage ? '![' : '[', `](${target})`];
  }
}

const BRACKETS = /[[\]]/g;

function hasBalancedParentheses(target: string): boolean {
  let open = 0;
  for (const character of target) {
    if (character === '(') open++;
    else if (character === ')' && --open < 0) return false;
  }
  return open === 0;
}

function encodeParentheses(target: string): string {
  return target.replace(/\(/g, '%28').replace(/\)/g, '%29');
}
