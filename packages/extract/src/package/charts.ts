// A chart of a DOCX as its source table: a row for each category, a column for each series. The numbers are the saved
// ones in displayed form: without the digits of binary rounding, with percentages and dates as such.
import type { TreeBuilder } from '../tree/builder.ts';
import type { Parts } from './parts.ts';
import { attributeOf, isOn, type XmlVisitor } from './xml.ts';

/** The values at the points of an axis, by index. Names of categories may have levels, the innermost first. */
interface Points {
  format: string;
  readonly levels: Map<number, string>[];
}

interface Series {
  name: string;
  readonly categories: Points;
  readonly values: Points;
}

/** Points of a chart that are shown. */
const MAX_POINTS = 10_000;

/** Most cells of a table for each point, so that series and categories that have nothing in common fill no memory. */
const CELLS_PER_POINT = 4;

/** Longest number format to interpret. */
const MAX_FORMAT = 200;

/** Most levels of category names; programs offer three or so. */
const MAX_LEVELS = 4;

/** Adds the chart in a part, its title before it. Returns false when the part is missing. */
export function addChart(parts: Parts, name: string, builder: TreeBuilder): boolean {
  const chart = new Chart();
  if (!parts.visit(name, chart)) return false;
  builder.text(chart.title);
  builder.boundary();
  addTable(builder, chart);
  return true;
}

/** Collects a chart while it is read. */
class Chart implements XmlVisitor {
  title = '';
  is1904 = false;
  points = 0;
  readonly series: Series[] = [];
  /** Names of the open elements, with the number of each. */
  readonly #path: string[] = [];
  readonly #inside = new Map<string, number>();
  #index = 0;

  open(element: string, written: string): void {
    this.#path.push(element);
    this.#inside.set(element, (this.#inside.get(element) ?? 0) + 1);
    if (element === 'c:ser') this.series.push({ name: '', categories: noPoints(), values: noPoints() });
    else if (element === 'c:pt') this.#index = Number.parseInt(attributeOf(written, 'idx'), 10) || 0;
    else if (element === 'c:lvl') this.#target()?.levels.push(new Map());
    else if (element === 'c:date1904') this.is1904 = isOn(written);
  }

  close(): void {
    const element = this.#path.pop() ?? '';
    this.#inside.set(element, (this.#inside.get(element) ?? 0) - 1);
  }

  text(text: string): void {
    const element = this.#path.at(-1);
    if (element === 'a:t' && this.#path[2] === 'c:title') this.title += text;
    const last = this.series.at(-1);
    if (last === undefined || !this.#isIn('c:ser')) return;
    if (element === 'c:formatCode') (this.#target() ?? last.values).format = text.slice(0, MAX_FORMAT);
    else if (element !== 'c:v') return;
    else if (this.#isIn('c:tx')) last.name += text;
    else if (this.points < MAX_POINTS) {
      this.points++;
      addPoint(this.#target(), this.#index, text);
    }
  }

  #isIn(element: string): boolean {
    return (this.#inside.get(element) ?? 0) > 0;
  }

  /** The target of the current points. */
  #target(): Points | undefined {
    const last = this.series.at(-1);
    if (this.#isIn('c:cat') || this.#isIn('c:xVal')) return last?.categories;
    return this.#isIn('c:val') || this.#isIn('c:yVal') ? last?.values : undefined;
  }
}

const noPoints = (): Points => ({ format: '', levels: [] });

function addPoint(points: Points | undefined, index: number, text: string): void {
  if (points === undefined) return;
  if (points.levels.length === 0) points.levels.push(new Map());
  points.levels.at(-1)?.set(index, text);
}

function addTable(builder: TreeBuilder, { series, points, is1904 }: Chart): void {
  const indices = new Set(
    series.flatMap(({ categories, values }) =>
      [categories, values].flatMap(({ levels: [inner] }) => [...(inner?.keys() ?? [])]),
    ),
  );
  const rows = [...indices]
    .sort((one, other) => one - other)
    .slice(0, Math.ceil((CELLS_PER_POINT * points) / (series.length + 1)));
  if (rows.length === 0) return;
  // Series share their categories; some of them omit the names.
  const most = (one: Points, other: Points): Points => (sizeOf(other) > sizeOf(one) ? other : one);
  const names = namesOf(series.map(({ categories }) => categories).reduce(most), rows, is1904);
  const columns = series.map(({ values: { levels, format } }) => ({
    inner: levels[0],
    kind: kindOf(format),
  }));
  builder.openTable();
  addRow(builder, ['', ...series.map(({ name }) => name)], true);
  for (const row of rows) {
    const values = columns.map(({ inner, kind }) => displayedValue(inner?.get(row) ?? '', kind, is1904));
    addRow(builder, [names.get(row) ?? '', ...values], false);
  }
  builder.close();
}

const sizeOf = ({ levels: [inner] }: Points): number => inner?.size ?? 0;

/** Names of the categories: a name of an outer level holds up to the next name of that level. */
function namesOf({ levels, format }: Points, rows: readonly number[], is1904: boolean): Map<number, string> {
  const names = new Map<number, string>();
  const outer = levels.slice(1, MAX_LEVELS).reverse();
  const current = outer.map(() => '');
  const kind = kindOf(format);
  for (const row of rows) {
    for (const [at, level] of outer.entries()) current[at] = level.get(row) ?? current[at] ?? '';
    const name = displayedValue(levels[0]?.get(row) ?? '', kind, is1904);
    if (name !== '') names.set(row, [...current, name].filter((text) => text !== '').join(' '));
  }
  return names;
}

/** Significant digits that spreadsheets show. */
const DIGITS = 15;

type ValueKind = 'percentage' | 'date' | 'number';

/** The kind of values with a format. Computed once for all values, since formats are longer than values. */
function kindOf(format: string): ValueKind {
  // Quoted, escaped and bracketed parts are text or a colour, and the part after a semicolon is for other numbers.
  const plain = format.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '').split(';', 1)[0] ?? '';
  if (plain.includes('%')) return 'percentage';
  return /y/i.test(plain) && /[md]/i.test(plain) ? 'date' : 'number';
}

/** A value in the displayed form of its kind. */
function displayedValue(value: string, kind: ValueKind, is1904: boolean): string {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  if (kind === 'percentage') return `${rounded(number * 100)}%`;
  if (kind === 'date') return dateOf(number, is1904) ?? value;
  return rounded(number);
}

const rounded = (number: number): string => String(Number(number.toPrecision(DIGITS)));

const DAY_MS = 86_400_000;

/** The last year of spreadsheets. */
const LAST_YEAR = 9999;

/** The day of a spreadsheet's day number: counted from the last day of 1899, or from the first of 1904. */
function dateOf(days: number, is1904: boolean): string | undefined {
  const date = new Date(
    Date.UTC(is1904 ? 1904 : 1899, is1904 ? 0 : 11, is1904 ? 1 : 30) + Math.floor(days) * DAY_MS,
  );
  // Also false for an invalid date.
  return days >= 0 && date.getUTCFullYear() <= LAST_YEAR ? date.toISOString().slice(0, 10) : undefined;
}

function addRow(builder: TreeBuilder, cells: readonly string[], header: boolean): void {
  builder.openRow({ header });
  for (const cell of cells) {
    builder.openCell({ header });
    builder.text(cell);
    builder.close();
  }
  builder.close();
}
