// The documents of the bench with what is known of them: generated ones, and the development corpus where it is
// present (CORPUS, by default ../shared/corpus beside the repository, and the table truth ../shared/bench/tables).
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Generated, generated, generatedPages } from './generated.ts';
import type { BenchKind } from './readers.ts';
import { headingsOf, headingsOfPage, tablesOf, textOfHtml, type Table, type Truth } from './scores.ts';

/** A document on disk. */
export interface BenchDocument {
  readonly file: string;
  readonly truth: Truth;
  /** Pages of a PDF, where they are known. */
  readonly pages?: number | undefined;
}

const SHARED = path.resolve(import.meta.dirname, '../../../../shared');
export const CORPUS = path.resolve(process.env['CORPUS'] ?? path.join(SHARED, 'corpus'));
const TABLES = path.resolve(process.env['TABLES'] ?? path.join(SHARED, 'bench/tables'));

interface Reference {
  readonly ok: boolean;
  readonly text: string;
  readonly pages?: readonly string[];
  readonly markdown?: string;
}

let references: Readonly<Record<string, Reference>> | undefined;

/** The reference output of a document, made by poppler (PDF) and pandoc (DOCX, HTML). */
function referenceOf(name: string): Reference | undefined {
  references ??= JSON.parse(readFileSync(path.join(CORPUS, 'references.json'), 'utf8')) as Record<
    string,
    Reference
  >;
  return references[name];
}

/** A reference with fewer words says nothing of a reader. */
const FEW_UNITS = 40;

/** Real documents of a kind; none where the corpus is absent. */
export function corpusDocuments(kind: BenchKind): BenchDocument[] {
  return namesIn(path.join(CORPUS, kind), `.${kind}`).flatMap((name): BenchDocument[] => {
    const file = path.join(CORPUS, kind, name);
    const reference = referenceOf(`${kind}/${name}`);
    if (reference === undefined || !reference.ok || reference.text.length < FEW_UNITS) return [];
    const { text, markdown, pages } = reference;
    if (markdown === undefined) return [{ file, pages: pages?.length, truth: { text } }];
    const headings = kind === 'html' ? headingsOfPage(readFileSync(file, 'utf8')) : headingsOf(markdown);
    return [{ file, truth: { text, headings, tables: tablesOf(markdown) } }];
  });
}

/** Pages of other documents with their Markdown by hand, rendered in each kind. */
export function renderedDocuments(kind: BenchKind): BenchDocument[] {
  return namesIn(path.join(CORPUS, 'rendered'), `.${kind}`).map((name) => {
    const file = path.join(CORPUS, 'rendered', name);
    const markdown = readFileSync(path.join(CORPUS, 'truth', name.replace(/\.\w+$/, '.md')), 'utf8');
    const truth = { text: markdown, headings: headingsOf(markdown), tables: tablesOf(markdown) };
    return { file, truth, pages: referenceOf(`rendered/${name}`)?.pages?.length };
  });
}

/** PDFs of the ICDAR 2013 competition with their tables. */
export function tableDocuments(): BenchDocument[] {
  return namesIn(TABLES, '.pdf').map((name) => {
    const xml = readFileSync(path.join(TABLES, name.replace('.pdf', '-str.xml')), 'utf8');
    return { file: path.join(TABLES, name), truth: { tables: tablesOfXml(xml) } };
  });
}

/**
 * Pages with their main content: generated ones, and those of MAIN_PAGES, a folder of folders with `source.html` and
 * `expected.html` such as Readability's own test pages.
 */
export function mainDocuments(): { readonly own: BenchDocument[]; readonly real: BenchDocument[] } {
  const folder = process.env['MAIN_PAGES'];
  const real = (folder === undefined ? [] : readdirSync(folder)).map((name) => {
    const [source = '', expected = ''] = ['source', 'expected'].map((page) =>
      path.join(folder ?? '', name, `${page}.html`),
    );
    return { file: source, truth: { text: textOfHtml(readFileSync(expected, 'utf8')) } };
  });
  const own = written(generatedPages(), 'html');
  return { own: own.map(({ file, truth: { text } }) => ({ file, truth: { text } })), real };
}

export function generatedDocuments(form: Parameters<typeof generated>[0]): BenchDocument[] {
  return written(generated(form), form === 'tagged pdf' ? 'pdf' : form);
}

/** The documents in a temporary folder. */
export function written(
  documents: readonly Pick<Generated, 'bytes' | 'truth'>[],
  ending: string,
): BenchDocument[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'grainline-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return documents.map(({ bytes, truth }, index) => {
    const file = path.join(folder, `${index}.${ending}`);
    writeFileSync(file, bytes);
    return { file, truth };
  });
}

function namesIn(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort();
}

/** `<cell start-row="0" start-col="1"><content>…`, in regions of a table that share its rows and columns. */
function tablesOfXml(xml: string): Table[] {
  return [...xml.matchAll(/<table[^>]*>([\s\S]*?)<\/table>/g)].map(([, table = '']) => {
    const cells = new Map<string, string>();
    let [rows, columns] = [0, 0];
    for (const [, head = '', region = ''] of table.matchAll(/<region([^>]*)>([\s\S]*?)<\/region>/g)) {
      const shift = { row: numberIn(head, 'row-increment'), column: numberIn(head, 'col-increment') };
      for (const [, cell = '', content = ''] of region.matchAll(
        /<cell([^>]*)>[\s\S]*?<content>([\s\S]*?)<\/content>/g,
      )) {
        const row = numberIn(cell, 'start-row') + shift.row;
        const column = numberIn(cell, 'start-col') + shift.column;
        [rows, columns] = [Math.max(rows, row + 1), Math.max(columns, column + 1)];
        cells.set(`${row} ${column}`, decodeXml(content));
      }
    }
    return Array.from({ length: rows }, (_row, row) =>
      Array.from({ length: columns }, (_column, column) => cells.get(`${row} ${column}`) ?? ''),
    );
  });
}

const numberIn = (tag: string, name: string): number =>
  Number(new RegExp(`\\b${name}=["'](-?\\d+)`).exec(tag)?.[1] ?? 0);

const decodeXml = (text: string): string =>
  text
    .replace(/<!\[CDATA\[|\]\]>/g, '')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => XML_ENTITIES[name] ?? '');

const XML_ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
