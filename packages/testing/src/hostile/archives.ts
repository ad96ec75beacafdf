// Archives of XML: what every kind of them must withstand.
import { writeZip, type ZipEntry } from '../docx-writer.ts';
import { bookEntries } from '../epub-writer.ts';
import {
  openCell,
  openDocumentEntries,
  openFrame,
  openPage,
  openPara,
  openRow,
} from '../open-document-writer.ts';
import { pptxEntries, slideTitle } from '../pptx-writer.ts';
import { xlsxEntries } from '../xlsx-writer.ts';
import { documentsOf, type DocumentRow, type HostileDocument, series } from './row.ts';

/** A small document with the word "hello" in its main part. */
export interface Archive {
  readonly entries: readonly ZipEntry[];
  readonly main: string;
  /** The outcome when the main part is damaged. */
  readonly damaged: string;
  /** True when the main part is read piece by piece, up to the bounds of a workbook. */
  readonly isStreamed?: true;
}

/** An archive of each kind. */
export const ARCHIVES: Readonly<Record<string, Archive>> = {
  pptx: {
    entries: pptxEntries({ slides: [{ shapes: slideTitle('hello') }] }),
    main: 'ppt/slides/slide1.xml',
    damaged: '400 empty_document',
  },
  xlsx: {
    entries: xlsxEntries({
      sheets: [{ name: 'S', rows: [[{ type: 'inlineStr', xml: '<is><t>hello</t></is>' }]] }],
    }),
    main: 'xl/worksheets/sheet1.xml',
    damaged: '400 corrupted',
    isStreamed: true,
  },
  odt: {
    entries: openDocumentEntries({ kind: 'text', body: openPara('hello') }),
    main: 'content.xml',
    damaged: '400 corrupted',
  },
  odp: {
    entries: openDocumentEntries({ kind: 'presentation', body: openPage(openFrame(openPara('hello'))) }),
    main: 'content.xml',
    damaged: '400 corrupted',
  },
  ods: {
    entries: openDocumentEntries({
      kind: 'spreadsheet',
      body: `<table:table table:name="S">${openRow([openCell('hello')])}</table:table>`,
    }),
    main: 'content.xml',
    damaged: '400 corrupted',
  },
  epub: {
    entries: bookEntries({ chapters: { 'a.xhtml': '<p>hello</p>' } }),
    main: 'OEBPS/book.opf',
    damaged: '400 corrupted',
  },
};

const MIB = 1 << 20;

function rowsOf(kind: string, { entries, main, damaged, isStreamed }: Archive): DocumentRow[] {
  const changed = (change: (text: string) => string | Uint8Array, more: Partial<ZipEntry> = {}): Uint8Array =>
    writeZip(
      entries.map((entry) =>
        entry.name === main ? { ...entry, content: change(String(entry.content)), ...more } : entry,
      ),
    );
  /** XML behind the start of the main part's root. */
  const inserted = (xml: string): Uint8Array =>
    changed((text) => text.replace(/<(?!\?)[^>]*>/, (root) => root + xml));
  const withType = (subset: string, use: string): Uint8Array =>
    changed((text) =>
      text
        .replace(/^(?:<\?[^>]*>)?/, (prolog) => `${prolog}<!DOCTYPE x [${subset}]>`)
        .replace(/hello|<metadata/, (words) => use + words),
    );
  const whole = (): Uint8Array => writeZip(entries);
  const lol = series(9, (at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`);
  return [
    {
      of: 'a zip bomb',
      bytes: () => changed(() => Buffer.alloc(201 * MIB, 0x20), { declaredSize: 100 }),
      is: isStreamed === true ? damaged : '413 too_large',
      isHeavy: true,
    },
    { of: 'a billion laughs', bytes: () => withType(`<!ENTITY l0 "lol">${lol}`, '&l9;'), is: damaged },
    {
      of: 'an entity of another file',
      bytes: () => withType('<!ENTITY f SYSTEM "file:///etc/passwd">', '&f;'),
      is: damaged,
    },
    {
      of: 'an archive that is cut',
      bytes: () => whole().subarray(0, whole().length >> 1),
      is: '400 corrupted',
    },
    { of: 'an archive under the name of a text', bytes: whole, filename: 'a.txt', is: /hello/ },
    { of: 'an archive under the name of a PDF', bytes: whole, filename: 'a.pdf', is: /hello/ },
    { of: 'a text under its name', bytes: () => 'only words', is: '400 unsupported_type' },
    {
      of: 'an archive that holds itself',
      bytes: () =>
        writeZip([
          ...entries,
          { name: `x/a.${kind}`, content: whole() },
          { name: 'vbaProject.bin', content: whole() },
        ]),
      is: /hello/,
    },
    { of: 'a part twice', bytes: () => writeZip([...entries, ...entries]), is: '400 corrupted' },
    {
      of: 'fifty thousand entries',
      bytes: () =>
        writeZip([
          ...entries,
          ...Array.from({ length: 50_000 }, (_, at) => ({ name: `x/${at}.xml`, content: '', method: 0 })),
        ]),
      is: '413 too_large',
      isHeavy: true,
    },
    {
      of: 'four million tags',
      bytes: () => inserted('<x/>'.repeat(4_000_000)),
      is: isStreamed === true ? /hello/ : '400 too_complex',
      isHeavy: true,
    },
    {
      of: 'three hundred thousand elements in one another',
      bytes: () => inserted('<x>'.repeat(300_000) + '</x>'.repeat(300_000)),
      is: /hello/,
      isHeavy: true,
    },
    {
      of: 'an element of a million attributes',
      bytes: () => inserted(`<x${series(1_000_000, (at) => ` a${at}=""`)}/>`),
      is: damaged,
    },
    { of: 'a comment without end', bytes: () => inserted(`<!--${'<'.repeat(30 * MIB)}`), is: damaged },
    {
      of: 'a million namespaces',
      bytes: () => inserted(series(90_000, (at) => `<x xmlns:n${at}="urn:${at}">`) + '</x>'.repeat(90_000)),
      is: /hello/,
      isHeavy: true,
    },
  ];
}

export const ARCHIVE_DOCUMENTS: readonly HostileDocument[] = Object.entries(ARCHIVES).flatMap(
  ([kind, archive]) => documentsOf(kind, rowsOf(kind, archive)),
);
