// Fidelity of a reader's Markdown against the truth of a document: words, headings, tables. All scores are 0 to 1.
import { importPeer, type LinkeDom } from './readers.ts';

/** The known facts of a document. */
export interface Truth {
  readonly text?: string | undefined;
  readonly headings?: readonly string[] | undefined;
  /** Tables as rows of cells. */
  readonly tables?: readonly Table[] | undefined;
  /** True of a page that is known to hold no table. */
  readonly hasNoTables?: boolean;
  readonly phrases?: Phrases | undefined;
  readonly outline?: Outline | undefined;
  /** All cells of each sheet of a workbook. A reader may part a sheet into tables. */
  readonly sheets?: readonly Table[] | undefined;
}

/** Words that stand once on a page, in its main content or beside it. */
export interface Phrases {
  readonly main: readonly string[];
  readonly beside: readonly string[];
}

/** The first words of headings with their levels, and of lines that may be taken for one. */
export interface Outline {
  readonly headings: readonly Heading[];
  readonly maybe: readonly string[];
}

export interface Heading {
  readonly level: number;
  readonly text: string;
}

export type Table = readonly (readonly string[])[];

/** Items that the truth and the output share, and how many each has. */
export interface Overlap {
  /** Shared headings of the right level, where the truth has levels; all of a file may be off by the same number. */
  readonly levelled?: number;
  readonly shared: number;
  readonly wanted: number;
  readonly given: number;
}

export interface Scores {
  readonly words?: number | undefined;
  readonly headings?: Overlap | undefined;
  readonly tables?: number | undefined;
  /** The number of tables in a document that has none. */
  readonly falseTables?: number | undefined;
  readonly content?: ContentScore | undefined;
}

/** Shares of the phrases: of the main content that are kept, and beside it that are left out. */
export interface ContentScore {
  readonly kept: number;
  readonly leftOut: number;
  readonly f1: number;
}

const { parseHTML } = await Promise.resolve()
  .then(() => importPeer<LinkeDom>('linkedom'))
  .catch(() => ({ parseHTML: undefined }));

/** Scores an output; parts without truth have no score. */
export function scoresOf(truth: Truth, markdown: string): Scores {
  const wantedPairs = pairsOf(truth.tables ?? []);
  return {
    words:
      truth.text === undefined
        ? undefined
        : f1(overlap(wordsOf(plain(truth.text)), wordsOf(plain(markdown)))),
    headings:
      truth.headings === undefined
        ? outlineOverlap(truth.outline, markdown)
        : overlap(
            truth.headings.map(headingKey).filter(Boolean),
            headingsOf(markdown).map(headingKey).filter(Boolean),
          ),
    tables:
      truth.sheets !== undefined
        ? neighboursOf(truth.sheets, markdown)
        : wantedPairs.length === 0
          ? undefined
          : f1(overlap(wantedPairs, pairsOf(tablesOf(markdown)))),
    falseTables: truth.hasNoTables === true ? filledTables(tablesOf(markdown)).length : undefined,
    content: truth.phrases === undefined ? undefined : contentScore(truth.phrases, markdown),
  };
}

function outlineOverlap(outline: Outline | undefined, markdown: string): Overlap | undefined {
  if (outline === undefined) return undefined;
  const left = outline.headings.map(({ level, text }) => ({ level, key: headingKey(text) }));
  const maybe = outline.maybe.map(headingKey);
  const shifts: number[] = [];
  let wrong = 0;
  for (const { level, text } of levelledHeadingsOf(markdown)) {
    const key = headingKey(text);
    if (key === '') continue;
    const at = left.findIndex((heading) => key.startsWith(heading.key));
    const [heading] = at === -1 ? [] : left.splice(at, 1);
    if (heading !== undefined) shifts.push(level - heading.level);
    else if (!maybe.some((start) => key.startsWith(start))) wrong++;
  }
  const shared = shifts.length;
  return { shared, wanted: outline.headings.length, given: shared + wrong, levelled: mostAlike(shifts) };
}

/** The number of the most frequent value. */
function mostAlike(values: readonly number[]): number {
  return Math.max(0, ...values.map((value) => values.filter((other) => other === value).length));
}

function contentScore({ main, beside }: Phrases, markdown: string): ContentScore {
  const words = ` ${wordsOf(plain(markdown)).join(' ')} `;
  const countIn = (phrases: readonly string[]): number =>
    phrases.filter((phrase) => words.includes(` ${phrase} `)).length;
  const [shared, wrong] = [countIn(main), countIn(beside)];
  return {
    kept: shared / main.length,
    leftOut: beside.length === 0 ? 1 : 1 - wrong / beside.length,
    f1: f1({ shared, wanted: main.length, given: shared + wrong }),
  };
}

/** Runs of letters and runs of digits, in lower case; Chinese and Japanese by character. */
export function wordsOf(text: string): string[] {
  return text.normalize('NFKC').replaceAll('\u00ad', '').toLowerCase().match(WORD) ?? [];
}

const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[^\P{L}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|\p{N}+/gu;

/**
 * Markdown without its marks: front matter, targets of links, tags, fences, numbers of items and
 * notes, escapes.
 */
export function plain(markdown: string): string {
  return markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/ ?\{#[^}\s]+\}/g, '')
    .replace(/!?\[((?:[^\]\\]|\\.)*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/^[ \t]*(?:```|~~~)[^\n]*$/gm, ' ')
    .replace(/^[ \t>]*\d{1,3}[.)][ \t]/gm, ' ')
    .replace(/\[\^[^\]\s]+\]:?/g, ' ')
    .replace(/<\/?[a-z!][^<>\n]{0,300}>/gi, ' ')
    .replace(/&(amp|lt|gt|quot|nbsp);/g, (_, name: string) => ENTITIES[name] ?? ' ')
    .replace(/\\([\\`*_{}[\]()#+\-.!|<>~])/g, '$1');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };

/** Headings outside fences, in both forms of Markdown. */
export function headingsOf(markdown: string): string[] {
  return levelledHeadingsOf(markdown).map(({ text }) => text);
}

function levelledHeadingsOf(markdown: string): Heading[] {
  const headings: Heading[] = [];
  const lines = markdown.split('\n');
  let fence = '';
  for (const [at, line] of lines.entries()) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1] ?? '';
    if (mark !== '' && (fence === '' || fence === mark)) fence = fence === '' ? mark : '';
    else if (fence === '') {
      const [, marks, text = ''] = /^ {0,3}(#{1,6})\s+(.+?)[\s#]*$/.exec(line) ?? [];
      const rule = /^(?:=+|-{2,})\s*$/.exec(lines[at + 1] ?? '')?.[0];
      if (marks !== undefined) headings.push({ level: marks.length, text });
      else if (rule !== undefined && /^[^\s|>-]/.test(line))
        headings.push({ level: rule.startsWith('=') ? 1 : 2, text: line });
    }
  }
  return headings;
}

/** The words of a heading without its number and MediaWiki's link to edit it, which some readers print. */
const headingKey = (text: string): string =>
  wordsOf(plain(text))
    .join(' ')
    .replace(/^(?:\p{N}+ )+/u, '')
    .replace(/ edit$/, '');

/** Tables of a Markdown text, as pipes and as HTML, those in block quotes too. */
export function tablesOf(markdown: string): Table[] {
  const tables: string[][][] = [];
  let rows: string[][] = [];
  for (const line of [...markdown.split('\n'), '']) {
    if (/^[\s>]*\|/.test(line)) rows.push(cellsOf(line));
    else if (rows.length > 0) {
      tables.push(rows.filter((cells) => !cells.every((cell) => /^:?-+:?$/.test(cell))));
      rows = [];
    }
  }
  return [...tables, ...(/<table/i.test(markdown) ? tablesOfHtml(markdown) : [])];
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^[\s>]*\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** Tables of HTML that hold no other table. */
export function tablesOfHtml(html: string): Table[] {
  if (parseHTML === undefined) return [];
  const { document } = parseHTML(`<html><body>${html}</body></html>`);
  return [...document.querySelectorAll('table')]
    .filter((table) => [...table.querySelectorAll('table')].length === 0)
    .map((table) =>
      [...table.querySelectorAll('tr')].map((row) =>
        [...row.querySelectorAll('td, th')].map(({ textContent }) => textContent),
      ),
    );
}

/** The text of HTML; a tag inside a line separates no words. */
export function textOfHtml(html: string): string {
  return html
    .replace(/<(?:script|style)[\s>][\s\S]*?<\/(?:script|style)>/gi, ' ')
    .replace(
      /<\/?(?:a|abbr|b|cite|code|em|font|i|mark|q|s|small|span|strong|sub|sup|tt|u|wbr)(?:\s[^>]*)?>/gi,
      '',
    )
    .replace(/<[^>]*>/g, '\n')
    .replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));/gi, (_, hex?: string, decimal?: string) =>
      String.fromCodePoint(
        Math.min(0x10ffff, hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
      ),
    );
}

/** The headings that a page itself marks as such. */
export function headingsOfPage(html: string): string[] | undefined {
  if (parseHTML === undefined) return undefined;
  const { document } = parseHTML(html);
  return [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
    .filter((heading) => heading.closest('[hidden], template, noscript, script') === null)
    .map(({ textContent }) => textContent);
}

/** Neighbouring cells of the tables with at least two rows and two columns, to the right and below. */
export function pairsOf(tables: readonly Table[]): string[] {
  return pairsIn(filledTables(tables));
}

/** The keys of the cells of tables with two rows of two cells at least: code with pipes has fewer. */
function filledTables(tables: readonly Table[]): Table[] {
  return tables
    .map((rows) => rows.map((cells) => cells.map(cellKey)))
    .filter((rows) => rows.filter((cells) => cells.filter(Boolean).length > 1).length > 1);
}

function pairsIn(tables: readonly Table[]): string[] {
  return tables.flatMap((rows) =>
    rows.flatMap((cells, row) =>
      cells.flatMap((cell, column) => {
        if (cell === '') return [];
        const right = cells.slice(column + 1).find(Boolean);
        const below = rows.slice(row + 1).find((other) => other[column])?.[column];
        return [
          ...(right === undefined ? [] : [`${cell} → ${right}`]),
          ...(below === undefined ? [] : [`${cell} ↓ ${below}`]),
        ];
      }),
    ),
  );
}

/** The share of direct neighbours on the sheets that are neighbours in the tables. */
function neighboursOf(sheets: readonly Table[], markdown: string): number | undefined {
  const wanted = sheets.flatMap((rows) => {
    const keys = rows.map((cells) => cells.map(cellKey));
    return keys.flatMap((cells, row) =>
      cells.flatMap((cell, column) => {
        const [right, below] = [cells[column + 1], keys[row + 1]?.[column]];
        const isInTable = (row: readonly string[] = []): boolean =>
          Boolean(row[column - 1] ?? row[column + 1]);
        return [
          ...(cell && right ? [`${cell} → ${right}`] : []),
          ...(cell && below && isInTable(cells) && isInTable(keys[row + 1]) ? [`${cell} ↓ ${below}`] : []),
        ];
      }),
    );
  });
  if (wanted.length === 0) return undefined;
  return (
    overlap(wanted, pairsIn(tablesOf(markdown).map((rows) => rows.map((cells) => cells.map(cellKey)))))
      .shared / wanted.length
  );
}

/** The words of a cell without blanks between them and without the marks of items. */
function cellKey(cell: string): string {
  const lines = plain(cell.replace(/<br\s*\/?>/g, '\n')).split('\n');
  return wordsOf(lines.map((line) => line.replace(/^\s*(?:\d{1,2}[.)]|[-*+•])\s/, '')).join('\n')).join('');
}

export function overlap(wanted: readonly string[], given: readonly string[]): Overlap {
  const left = new Map<string, number>();
  for (const item of wanted) left.set(item, (left.get(item) ?? 0) + 1);
  let shared = 0;
  for (const item of given) {
    const count = left.get(item) ?? 0;
    if (count === 0) continue;
    shared++;
    left.set(item, count - 1);
  }
  return { shared, wanted: wanted.length, given: given.length };
}

export function f1({ shared, wanted, given }: Overlap): number {
  return wanted + given === 0 ? 1 : (2 * shared) / (wanted + given);
}
