// Pages of documentation in HTML (printed-pages.txt) as Chromium prints them, with the tables of the HTML as their
// truth. The pages come from Debian's -doc packages and are printed into a cache, with tags and without.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { unpackPackage } from './debian.ts';
import type { BenchDocument } from './documents.ts';
import { importPeer, type LinkeDom, type PageElement } from './readers.ts';
import type { Table } from './scores.ts';

export type PageGroup = 'inspected' | 'confirming' | 'without-tables';

/** A page of the list, and its names in the cache. */
interface PrintedPage {
  readonly group: string;
  readonly package: string;
  readonly source: string;
  readonly html: string;
  readonly tagged: string;
  readonly untagged: string;
}

const CACHE = path.resolve(import.meta.dirname, '../../../node_modules/.cache/grainline-printed');
const TIME_LIMIT_MS = 120_000;

/** Prints the pages that the cache lacks; returns the reasons why some are missing. */
export function printPages(): string[] {
  const missing = pagesOfList().filter((page) => filesOf(page).some((file) => !existsSync(file)));
  if (missing.length === 0) return [];
  if (!isChromiumThere()) return ['chromium is missing; install it to print the pages.'];
  return [...Map.groupBy(missing, (page) => page.package)].flatMap(([name, pages]) =>
    printPackage(name, pages),
  );
}

/** The printed pages of a group that are in the cache. */
export async function printedDocuments(
  group: PageGroup,
  form: 'tagged' | 'untagged',
): Promise<BenchDocument[]> {
  const { parseHTML } = await importPeer<LinkeDom>('linkedom');
  return pagesOfList()
    .filter((page) => page.group === group && filesOf(page).every((file) => existsSync(file)))
    .map((page) => ({
      file: page[form],
      truth:
        group === 'without-tables'
          ? { hasNoTables: true }
          : { tables: tablesOfPage(parseHTML(readFileSync(page.html, 'utf8')).document) },
    }));
}

/** Groups are parted by blank lines: the name of a group, then a package and a path a line. */
function pagesOfList(): PrintedPage[] {
  const text = readFileSync(path.join(import.meta.dirname, 'printed-pages.txt'), 'utf8');
  return text.split('\n\n').flatMap((lines) => {
    const [group = '', ...pages] = lines.trim().split('\n');
    if (group.startsWith('#')) return [];
    return pages.map((page) => {
      const [name = '', source = ''] = page.split(' ');
      const stem = path.join(CACHE, `${name}-${source.replaceAll('/', '-')}`);
      return {
        group,
        package: name,
        source,
        html: stem,
        tagged: `${stem}.tagged.pdf`,
        untagged: `${stem}.pdf`,
      };
    });
  });
}

const filesOf = ({ html, tagged, untagged }: PrintedPage): string[] => [html, tagged, untagged];

function isChromiumThere(): boolean {
  try {
    execFileSync('chromium', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function printPackage(name: string, pages: readonly PrintedPage[]): string[] {
  const folder = path.join(CACHE, `${name}.unpacked`);
  try {
    unpackPackage(name, folder);
    return pages.flatMap((page) => printPage(page, path.join(folder, page.source)));
  } catch (error) {
    return [
      `${name} is missing (${reasonOf(error)}). It comes from Debian by apt-get, after \`apt-get update\`.`,
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function printPage({ html, tagged, untagged }: PrintedPage, source: string): string[] {
  try {
    mkdirSync(CACHE, { recursive: true });
    copyFileSync(source, html);
    print(source, tagged, []);
    print(source, untagged, ['--disable-pdf-tagging']);
    return [];
  } catch (error) {
    return [`${path.basename(html)} is not printed (${reasonOf(error)}).`];
  }
}

function print(source: string, target: string, options: readonly string[]): void {
  if (existsSync(target)) return;
  const fixed = ['--headless', '--disable-gpu', '--no-pdf-header-footer'];
  // Chromium has no sandbox for root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const profile = `--user-data-dir=${path.join(CACHE, 'profile')}`;
  execFileSync(
    'chromium',
    [...fixed, ...sandbox, profile, ...options, `--print-to-pdf=${target}`, pathToFileURL(source).href],
    { stdio: 'ignore', timeout: TIME_LIMIT_MS },
  );
  if (!existsSync(target)) throw new Error('chromium wrote no file');
}

const reasonOf = (error: unknown): string => String((error as Partial<Error>).message).split('\n')[0] ?? '';

/** Text in a longer cell is the page's own: such a table is its layout. */
const MAX_CELL_UNITS = 600;
const LEAST_CELLS = 5;
const LAYOUT =
  'nav, [class*=nav], [class*=toc], [class*=header], [class*=footer], [summary*=avigation], [role=presentation]';

/** The tables of a page with at least two rows of two cells, without those that arrange the page. */
function tablesOfPage(page: PageElement): Table[] {
  return [...page.querySelectorAll('table')].flatMap((table): Table[] => {
    const isNested = (table.parentElement?.closest('table') ?? null) !== null;
    if (isNested || table.closest(LAYOUT) !== null || has(table, 'table, pre, h1, h2, h3')) return [];
    const rows = [...table.querySelectorAll('tr')].map(cellsOf);
    const filled = rows.map((cells) => cells.filter((cell) => cell !== '').length);
    const isTable =
      filled.filter((count) => count > 1).length > 1 &&
      filled.reduce((sum, count) => sum + count, 0) >= LEAST_CELLS &&
      rows.flat().every((cell) => cell.length <= MAX_CELL_UNITS);
    return isTable ? [rows] : [];
  });
}

const has = (element: PageElement, selector: string): boolean =>
  [...element.querySelectorAll(selector)].length > 0;

const MAX_SPAN = 50;

/** The cells of a row; one over several columns stands in the first of them. */
function cellsOf(row: PageElement): string[] {
  return [...row.querySelectorAll('td, th')].flatMap((cell) => {
    const columns = Math.min(MAX_SPAN, Number(cell.getAttribute('colspan')) || 1);
    return [cell.textContent.trim(), ...Array<string>(columns - 1).fill('')];
  });
}
