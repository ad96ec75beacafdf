// The plan of a book: its package document (EPUB 3.3, section 5; Open Packaging Format 2.0.1) with the reading order,
// and its table of contents: the navigation document, or the NCX of EPUB 2.
import { ExtractError } from '../../errors.ts';
import { partName, type Parts } from '../../package/parts.ts';
import { attributesOf, type XmlVisitor } from '../../package/xml.ts';

/** An entry of the table of contents. */
export interface ContentsEntry {
  readonly title: string;
  /** From 1. */
  readonly depth: number;
  /** True when it means the start of its part, not a place within. */
  readonly isStart: boolean;
}

/** The plan of a book: its title, the order of its parts, and the headings that it lists. */
export interface Book {
  /** '' when it names none. */
  readonly title: string;
  /** Names of the parts with its text, in reading order, each once. */
  readonly spine: readonly string[];
  /** The entries of the table of contents by part, in order. */
  readonly contents: ReadonlyMap<string, readonly ContentsEntry[]>;
}

const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';

/** A file of the book, as its package document lists it. */
interface ManifestItem {
  readonly name: string;
  readonly mediaType: string;
  readonly isContents: boolean;
}

/** Reads the plan of a book. Throws `corrupted` when there is none, `encrypted` when its chapters are. */
export function readBook(parts: Parts): Book {
  const top = topFolderOf(parts);
  const main = packageDocumentOf(parts, top);
  const folder = main.slice(0, main.lastIndexOf('/') + 1);
  const items = new Map<string, ManifestItem>();
  const references: string[] = [];
  let [title, ncx] = ['', ''];
  let isTitle = false;
  parts.visit(main, {
    open: (name, written) => {
      const attributes = attributesOf(written);
      const local = localName(name);
      isTitle = local === 'title' && title === '';
      if (local === 'item')
        items.set(attributes.get('id') ?? '', {
          name: hrefName(folder, attributes.get('href') ?? ''),
          mediaType: attributes.get('media-type') ?? '',
          isContents: (attributes.get('properties') ?? '').split(/\s+/).includes('nav'),
        });
      else if (local === 'spine') ncx = attributes.get('toc') ?? '';
      else if (local === 'itemref') references.push(attributes.get('idref') ?? '');
    },
    close: () => (isTitle = false),
    text: (text) => {
      if (isTitle) title += text;
    },
  });
  const spine = [...new Set(references.flatMap((id) => items.get(id)?.name ?? []))];
  if (spine.length === 0) throw new ExtractError('corrupted', { detail: 'its plan names no chapter' });
  assertReadable(parts, top, new Set(spine));
  const navigation = [...items.values()].find(({ isContents }) => isContents)?.name;
  const ncxName =
    items.get(ncx)?.name ??
    [...items.values()].find(({ mediaType }) => mediaType === 'application/x-dtbncx+xml')?.name;
  return {
    title: title.replace(/\s+/g, ' ').trim(),
    spine,
    contents:
      contentsOf(parts, navigation, readNavigation) ?? contentsOf(parts, ncxName, readNcx) ?? new Map(),
  };
}

/** The folder that stands for the top of the archive: '', or the one that was packed with the book in it. */
function topFolderOf(parts: Parts): string {
  if (parts.has(CONTAINER)) return '';
  for (const name of parts.names())
    if (/^[^/]+\/META-INF\/container\.xml$/.test(name)) return name.slice(0, -CONTAINER.length);
  return '';
}

/** The part that the container names as the plan of the book. */
function packageDocumentOf(parts: Parts, top: string): string {
  let found = '';
  parts.visit(top + CONTAINER, {
    open: (name, written) => {
      if (localName(name) === 'rootfile') found ||= attributesOf(written).get('full-path') ?? '';
    },
    close: ignore,
    text: ignore,
  });
  const main = partName(top, found);
  if (!parts.has(main)) throw new ExtractError('corrupted', { detail: 'it holds no book' });
  return main;
}

/** Fonts may be scrambled (EPUB 3.3, section 4.4); a scrambled chapter belongs to a shop's protection. */
function assertReadable(parts: Parts, top: string, spine: ReadonlySet<string>): void {
  parts.visit(top + ENCRYPTION, {
    open: (name, written) => {
      if (localName(name) !== 'CipherReference') return;
      const part = hrefName(top, attributesOf(written).get('URI') ?? '');
      if (spine.has(part)) throw new ExtractError('encrypted');
    },
    close: ignore,
    text: ignore,
  });
}

/** Most entries of a table of contents that are used; the text does not depend on it. */
const MAX_ENTRIES = 20_000;
/** Longest title of an entry, in UTF-16 units. */
const MAX_TITLE = 500;

/** Collects entries while a table of contents is read. */
class Contents {
  readonly byPart = new Map<string, ContentsEntry[]>();
  readonly #folder: string;
  #count = 0;

  constructor(part: string) {
    this.#folder = part.slice(0, part.lastIndexOf('/') + 1);
  }

  add(href: string, words: string, depth: number): void {
    const title = words.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE);
    if (title === '' || href === '' || ++this.#count > MAX_ENTRIES) return;
    const name = hrefName(this.#folder, href);
    const entries = this.byPart.get(name) ?? [];
    entries.push({ title, depth: Math.max(1, depth), isStart: !href.includes('#') || entries.length === 0 });
    this.byPart.set(name, entries);
  }
}

/** A damaged table of contents costs headings, not the book. */
function contentsOf(
  parts: Parts,
  name: string | undefined,
  read: (contents: Contents) => XmlVisitor,
): Contents['byPart'] | undefined {
  if (name === undefined) return undefined;
  const contents = new Contents(name);
  try {
    parts.visit(name, read(contents));
  } catch (error) {
    if (!(error instanceof ExtractError && error.code === 'corrupted')) throw error;
  }
  return contents.byPart.size === 0 ? undefined : contents.byPart;
}

/** `<nav epub:type="toc">` with a list of lists of links. */
function readNavigation(contents: Contents): XmlVisitor {
  let [depth, href, words, inContents] = [0, '', '', false];
  return {
    open: (name, written) => {
      const local = localName(name);
      if (local === 'nav') inContents = /(?:^|\s)toc(?:\s|$)/.test(attributesOf(written).get('type') ?? '');
      else if (inContents && local === 'ol') depth++;
      else if (inContents && local === 'a') [href, words] = [attributesOf(written).get('href') ?? '', ''];
    },
    close: (name) => {
      const local = localName(name);
      if (local === 'nav') inContents = false;
      else if (inContents && local === 'ol') depth--;
      else if (inContents && local === 'a') {
        contents.add(href, words, depth);
        href = '';
      }
    },
    text: (text) => {
      if (href !== '') words += text;
    },
  };
}

/** `<navPoint><navLabel><text>…</text></navLabel><content src="…"/><navPoint>…`, nested. */
function readNcx(contents: Contents): XmlVisitor {
  let [depth, words, isText] = [0, '', false];
  return {
    open: (name, written) => {
      const local = localName(name);
      if (local === 'navPoint') [depth, words] = [depth + 1, ''];
      else if (local === 'text') isText = depth > 0;
      else if (local === 'content' && depth > 0)
        contents.add(attributesOf(written).get('src') ?? '', words, depth);
    },
    close: (name) => {
      const local = localName(name);
      if (local === 'navPoint') depth--;
      else if (local === 'text') isText = false;
    },
    text: (text) => {
      if (isText) words += text;
    },
  };
}

/** Names of elements without the prefix of their namespace. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The part that an address in a folder means, its fragment left out and its escapes decoded. */
function hrefName(folder: string, href: string): string {
  const path = href.split(/[#?]/, 1)[0] ?? '';
  try {
    return partName(folder, decodeURIComponent(path));
  } catch {
    return partName(folder, path);
  }
}

const ignore = (): void => undefined;
