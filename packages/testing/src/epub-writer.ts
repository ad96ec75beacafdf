// Writes books for tests: EPUB archives of pages of XHTML. Can lie about anything.
import { writeZip, type ZipEntry } from './docx-writer.ts';

export interface BookSpec {
  /** Name in `OEBPS/` → content of the page's body. */
  readonly chapters: Readonly<Record<string, string>>;
  /** Names in reading order; default: all chapters. */
  readonly order?: readonly string[];
  /** The navigation document, see {@link bookContents}. */
  readonly nav?: string;
  /** The table of contents of EPUB 2. */
  readonly ncx?: string;
  /** Further entries. */
  readonly extra?: readonly ZipEntry[];
}

export const BOOK_CONTAINER =
  '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>';

/** The entries of a book; change them and pack them with `writeZip`. */
export function bookEntries({
  chapters,
  order = Object.keys(chapters),
  nav,
  ncx,
  extra = [],
}: BookSpec): ZipEntry[] {
  const items = [
    ...Object.keys(chapters).map(
      (name) => `<item id="${name}" href="${name}" media-type="application/xhtml+xml"/>`,
    ),
    nav === undefined
      ? ''
      : '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>',
    ncx === undefined ? '' : '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
  ];
  const opf = `<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The  Tides</dc:title><dc:title>Subtitle</dc:title></metadata><manifest>${items.join('')}</manifest><spine toc="ncx">${order.map((name) => `<itemref idref="${name}"/>`).join('')}</spine></package>`;
  const page = (body: string): string =>
    `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x.js"/></head><body>${body}</body></html>`;
  return [
    { name: 'mimetype', content: 'application/epub+zip', method: 0 },
    { name: 'META-INF/container.xml', content: BOOK_CONTAINER },
    { name: 'OEBPS/book.opf', content: opf },
    ...(nav === undefined ? [] : [{ name: 'OEBPS/nav.xhtml', content: nav }]),
    ...(ncx === undefined ? [] : [{ name: 'OEBPS/toc.ncx', content: ncx }]),
    ...Object.entries(chapters).map(([name, body]) => ({ name: `OEBPS/${name}`, content: page(body) })),
    ...extra,
  ];
}

export const writeBook = (spec: BookSpec): Uint8Array => writeZip(bookEntries(spec));

/** A navigation document with this list as its table of contents. */
export const bookContents = (list: string): string =>
  `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body><nav epub:type="toc"><h1>Contents</h1>${list}</nav><nav epub:type="landmarks"><ol><li><a href="b.xhtml">Start</a></li></ol></nav></body></html>`;
