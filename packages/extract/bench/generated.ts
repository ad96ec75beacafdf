// Documents of known content, written here: the same headings, paragraphs, items and tables as PDF with and without
// tags, as DOCX, as HTML, and as HTML inside the frames of web pages.
import { item, LISTS, para, row, cell, styled, writeDocx } from '@grainline/testing/docx-writer';
import { pagesOf } from '@grainline/testing/generated-text';
import { setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';
import { type Tag, taggedPdf, type TaggedText } from '@grainline/testing/tagged-pdf';
import type { Truth, Table } from './scores.ts';

type Part =
  | { readonly kind: 'heading'; readonly depth: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'item'; readonly text: string }
  | { readonly kind: 'table'; readonly rows: Table };

export interface Generated {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly truth: Truth;
}

const PAGES = [1, 2, 3, 5, 8, 13, 21];

/** Documents of some lengths in one of the forms. */
export function generated(form: keyof typeof FORMS): Generated[] {
  return PAGES.map((pages) => {
    const parts = partsOf(pages);
    return { name: `${pages} pages`, bytes: FORMS[form](parts), truth: truthOf(parts) };
  });
}

/** Articles inside the frames of pages: marked up by meaning, by class names, and not at all. */
export function generatedPages(): Generated[] {
  return Object.entries(FRAMES).flatMap(([frame, around]) =>
    [1, 3].map((pages) => {
      const parts = partsOf(pages);
      const bytes = new TextEncoder().encode(around(htmlOf(parts)));
      return { name: `${frame}, ${pages} pages`, bytes, truth: truthOf(parts) };
    }),
  );
}

/** The generated text with a list and a table in each section. */
function partsOf(pages: number): Part[] {
  return pagesOf(pages)
    .split('\n\n')
    .flatMap((text, at): Part[] => {
      const [, marks, heading = ''] = /^(#+) (.*)$/.exec(text) ?? [];
      if (marks === undefined) return [{ kind: 'paragraph', text }];
      const list = [1, 2, 3].map((number): Part => ({
        kind: 'item',
        text: `${heading}, point ${at}.${number}`,
      }));
      return [
        { kind: 'heading', depth: marks.length, text: heading },
        ...list,
        { kind: 'table', rows: tableAt(at) },
      ];
    });
}

const tableAt = (at: number): Table => [
  ['Harbour', 'Vessels', 'Cargo', 'Season'],
  ...['Bergen', 'Porto', 'Izmir', 'Tampa'].map((name, row) => [
    name,
    String((at * 37 + row * 11) % 900),
    `${(at * 53 + row * 7) % 90}.${row}`,
    ['spring', 'summer', 'autumn', 'winter'][(at + row) % 4] ?? '',
  ]),
];

function truthOf(parts: readonly Part[]): Truth {
  return {
    text: parts.map((part) => ('rows' in part ? part.rows.flat().join(' ') : part.text)).join('\n'),
    headings: parts.flatMap((part) => (part.kind === 'heading' ? [part.text] : [])),
    tables: parts.flatMap((part) => (part.kind === 'table' ? [part.rows] : [])),
  };
}

const FORMS = {
  pdf: (parts: readonly Part[]) =>
    writePdf({ pages: linesByPage(parts).map((lines) => ({ content: setText(lines) })) }),
  'tagged pdf': (parts: readonly Part[]) => writePdf(taggedPdf({ tags: [tagsOf(typeset(parts))] })),
  docx: docxOf,
  html: (parts: readonly Part[]) =>
    new TextEncoder().encode(`<!doctype html><html><body>${htmlOf(parts)}</body></html>`),
} as const;

interface SetPart {
  readonly part: Part;
  readonly lines: readonly TaggedText[];
}

const TOP = 740;
const BOTTOM = 60;
const LEFT = 60;
const LINE_UNITS = 88;
const COLUMN = 120;

/** Sets the parts one below the other, from page to page. */
function typeset(parts: readonly Part[]): SetPart[] {
  let page = 0;
  let y = TOP;
  return parts.map((part) => {
    const lines: TaggedText[] = [];
    const set = (text: string, x: number, style: Partial<SetText> = {}): void => {
      lines.push({ x, y, text, page, ...style });
    };
    const feed = (by: number): void => {
      y -= by;
      if (y >= BOTTOM) return;
      y = TOP;
      page++;
    };
    feed(part.kind === 'heading' ? 26 : 8);
    if (part.kind === 'table') {
      for (const cells of part.rows) {
        cells.forEach((text, column) => set(text, LEFT + column * COLUMN));
        feed(16);
      }
    } else {
      const size = part.kind === 'heading' ? 18 - 3 * part.depth : 10;
      const indent = part.kind === 'item' ? 14 : 0;
      if (part.kind === 'item') set('\u2022', LEFT);
      for (const line of wrap(part.text)) {
        set(line, LEFT + indent, { size, font: part.kind === 'heading' ? 'B' : 'F' });
        feed(1.3 * size);
      }
    }
    return { part, lines };
  });
}

function wrap(text: string): string[] {
  return text.match(new RegExp(`.{1,${LINE_UNITS}}(?= |$)`, 'g'))?.map((line) => line.trim()) ?? [];
}

function linesByPage(parts: readonly Part[]): SetText[][] {
  const pages: SetText[][] = [];
  for (const line of typeset(parts).flatMap(({ lines }) => lines)) (pages[line.page ?? 0] ??= []).push(line);
  return pages;
}

/** The structure tree: one item to a list, as many programs write them. */
function tagsOf(parts: readonly SetPart[]): Tag {
  const children = parts.map(({ part, lines }): Tag => {
    if (part.kind === 'heading') return { type: `H${part.depth}`, children: lines };
    if (part.kind === 'paragraph') return { type: 'P', children: lines };
    if (part.kind === 'item') {
      const label: Tag = { type: 'Lbl', children: lines.slice(0, 1) };
      return {
        type: 'L',
        children: [{ type: 'LI', children: [label, { type: 'LBody', children: lines.slice(1) }] }],
      };
    }
    let at = 0;
    const rows = part.rows.map((cells, index): Tag => {
      const type = index === 0 ? 'TH' : 'TD';
      return { type: 'TR', children: cells.map(() => ({ type, children: lines.slice(at, ++at) })) };
    });
    return { type: 'Table', children: rows };
  });
  return { type: 'Document', children };
}

function docxOf(parts: readonly Part[]): Uint8Array {
  const styles = [1, 2]
    .map(
      (depth) =>
        `<w:style w:type="paragraph" w:styleId="Heading${depth}"><w:name w:val="heading ${depth}"/></w:style>`,
    )
    .join('');
  const body = parts.map((part) => {
    if (part.kind === 'heading') return styled(`Heading${part.depth}`, part.text);
    if (part.kind === 'item') return item(1, 0, part.text);
    if (part.kind === 'paragraph') return para(part.text);
    const rows = part.rows.map((cells) => row(...cells.map((text) => cell(text)))).join('');
    return `<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/></w:tblPr>${rows}</w:tbl>`;
  });
  return writeDocx({ body: body.join(''), styles, numbering: LISTS });
}

function htmlOf(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (part.kind === 'heading') return `<h${part.depth}>${part.text}</h${part.depth}>`;
      if (part.kind === 'item') return `<ul><li>${part.text}</li></ul>`;
      if (part.kind === 'paragraph') return `<p>${part.text}</p>`;
      const rows = part.rows.map((cells, index) => {
        const tag = index === 0 ? 'th' : 'td';
        return `<tr>${cells.map((text) => `<${tag}>${text}</${tag}>`).join('')}</tr>`;
      });
      return `<table>${rows.join('')}</table>`;
    })
    .join('\n');
}

const links = (count: number, label: string): string =>
  `<ul>${Array.from({ length: count }, (_, at) => `<li><a href="/${at}">${label} ${at + 1} of the week</a></li>`).join('')}</ul>`;

const FRAMES: Readonly<Record<string, (article: string) => string>> = {
  'marked by meaning': (article) =>
    `<html><head><title>Log</title></head><body><header><nav>${links(12, 'Section')}</nav></header><main><article>${article}</article></main><aside>${links(15, 'Related story')}</aside><footer><p>All rights reserved. Imprint, terms and privacy.</p>${links(8, 'Office')}</footer></body></html>`,
  'marked by classes': (article) =>
    `<html><head><title>Log</title></head><body><div id="cookie-banner" class="cookie-consent">We use cookies to improve your visit. <button>Accept all</button></div><div class="navbar menu">${links(12, 'Section')}</div><div class="content post-body">${article}</div><div class="sidebar">${links(15, 'Related story')}</div><div class="comments"><p>First!</p><p>Nice text, thanks.</p></div><div class="footer">All rights reserved. ${links(8, 'Office')}</div></body></html>`,
  'not marked': (article) =>
    `<html><head><title>Log</title></head><body><div>${links(12, 'Section')}</div><div>${article}</div><div>${links(15, 'Related story')}</div><div>All rights reserved. ${links(8, 'Office')}</div></body></html>`,
};
