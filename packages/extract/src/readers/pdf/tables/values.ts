// Decides if rows of cells are values side by side, and not columns of prose, a list, a form or a formula.
import { FILLED, isHeaded, textOf, type Cells, type Piece } from './cells.ts';
import { hasAxis } from './plots.ts';
import { isBelow } from './rows.ts';
import { firstWordWidth, hasLeader, quantile } from '../lines/text.ts';

/** Most lines of values are shorter than this many characters; lines of prose are longer. */
const LONG_LINE = 30;
/** At most this share of them hold pieces beside each other, which a gutter would have separated in a table. */
const CROWDED = 0.25;
/** A word, a number, an arrow, a tick, yes, no, or a dash for no value. */
const VALUE = /\p{L}{2}|\p{N}|\p{Script=Han}|^[-–—*←-⇿✓-✘yYnNxX]$/u;

/** Rows of cells that may be a table. */
export interface CellRows {
  readonly rows: readonly Cells[];
  /** The pieces of each row, and of lines written by themselves between rows, in the order of the stream. */
  readonly written: readonly (readonly Piece[])[];
  /** Number of the horizontal lines drawn through the rows. */
  readonly rules: number;
  /** Framed rows may hold any signs. */
  readonly isFramed: boolean;
}

/** True if rows hold values. */
export function holdsValues({ rows, written, rules, isFramed }: CellRows): boolean {
  const width = rows[0]?.length ?? 0;
  const texts = rows.map((row) => row.map((cell) => textOf(cell)));
  const filled = texts.flat().filter((text) => text !== '');
  const headed = isHeaded(rows);
  const parted = areParted(rows);
  const least = rules >= 2 || width > 2 || headed || parted ? 3 : 4;
  const isPair = parted && areHeadedPair(rows);
  if (rows.length < (width > 3 || isPair ? 2 : least)) return false;
  if (filled.length < FILLED * rows.length * width) return false;
  const crowded = rows.flat().filter(isCrowded);
  if (crowded.length > CROWDED * filled.length) return false;
  if (!isFramed && filled.filter((text) => VALUE.test(text)).length < 0.7 * filled.length) return false;
  if (width === 2 && texts.filter((row) => row.some(hasLeader)).length > 0.3 * rows.length) return false;
  const columns = Array.from({ length: width }, (_, column) =>
    texts.map((row) => row[column] ?? '').filter((text) => text !== ''),
  );
  if (columns.some((column) => column.length < 0.25 * rows.length && column.length < 2)) return false;
  if (width === 2 && isNumbering(columns[0] ?? [])) return false;
  if (isContents(texts) || hasAxis(rows) || columns.every(areFields)) return false;
  if (rules < 2 && (isLabelled(texts) || (!isPair && isTwoLines(rows)))) return false;
  if (isCellwise(written) || (parted && areApart(rows))) return true;
  // Of columns of prose, two hold long lines.
  const long = columns.filter((_, column) => {
    const lengths = rows.flatMap((row) => (row[column] ?? []).map(({ text }) => proseLength(text)));
    return quantile(lengths, 0.5) > LONG_LINE;
  });
  if (long.length > 1 && (rules < 2 || long.length * 2 > width)) return false;
  if (!columns.some(isProse) || explainCode(rows, written)) return true;
  return (headed || (parted && width === 2)) && areLabels(columns[0] ?? []);
}

/** In at least this share of the rows, the first cell is code and the last is none. */
const CODE = 0.9;
/** Where more than this share of the lines of texts are not the first of their row, the texts are as wide as a text. */
const WRAPPED = 0.2;
/** Where more of the texts go on with the sentence of the line above, they are one text with notes beside it. */
const GOING = 0.4;

/** True if texts explain the code, in a fixed pitch, to their left: options, commands, functions. */
function explainCode(rows: readonly Cells[], written: readonly (readonly Piece[])[]): boolean {
  const texts = rows.map((row) => row.at(-1) ?? []);
  const code = rows.filter(
    ([name = []], at) =>
      name.every(({ isFixedPitch }) => isFixedPitch) && !texts[at]?.some(({ isFixedPitch }) => isFixedPitch),
  );
  if (code.length < CODE * rows.length) return false;
  const firsts = new Set(texts.map(([first]) => first));
  const left = texts.reduce((least, [first]) => Math.min(least, first?.left ?? Infinity), Infinity);
  const lines = written.flat().filter((piece) => piece.left >= left);
  if (lines.length - firsts.size <= WRAPPED * lines.length) return true;
  const right = lines.reduce((most, piece) => Math.max(most, piece.right), 0);
  const going = lines.filter(
    (line, at) => firsts.has(line) && /^\p{Ll}/u.test(line.text) && isFull(lines[at - 1], line, right),
  );
  return going.length <= GOING * rows.length;
}

/** True if the first word of a line would not fit at the end of the line above. */
function isFull(above: Piece | undefined, line: Piece, edge: number): boolean {
  return above !== undefined && above.right + firstWordWidth(line) >= edge;
}

/** At least this share of the rows of a table has white space that the file does not write. */
const PARTED = 0.6;

/** True if the white space between the cells of most rows is not written, on a page that writes its blanks. */
function areParted(rows: readonly Cells[]): boolean {
  const parted = rows.filter((row) => row.slice(1).some(([first]) => first?.isDetached === true));
  return parted.length >= PARTED * rows.length;
}

/** Rows further apart than this many times the font size are no lines of a text. */
const FAR = 2.2;

function areApart(rows: readonly Cells[]): boolean {
  return rows.every((row, at) => {
    const above = rows[at - 1]?.flat().reduce((least, { baseline }) => Math.min(least, baseline), Infinity);
    return above === undefined || row.flat().every(({ baseline, size }) => above - baseline > FAR * size);
  });
}

/** Fewer columns of two rows are no table. */
const LEAST_COLUMNS = 3;

/**
 * True if two rows are names of columns and values: the names are one line, in bold type, or the values are one, too,
 * and share their left edges.
 */
function areHeadedPair(rows: readonly Cells[]): boolean {
  const [names = [], values = [], ...others] = rows;
  const isLine = (row: Cells): boolean =>
    row.every((cell, at) => cell.length === 1 && (at === 0 || cell[0]?.isDetached === true));
  const isAligned = names.every(
    ([name], at) =>
      Math.abs((name?.left ?? 0) - (values[at]?.[0]?.left ?? 0)) <= SAME_EDGE * (name?.size ?? 0),
  );
  const isPair = others.length === 0 && names.length >= LEAST_COLUMNS && isLine(names);
  // Numbers in the first column count lines.
  const isNamed = [names, values].every(([cell = []]) => LETTER.test(textOf(cell)));
  const isFilled = values.every((cell) => cell.length > 0);
  // Two lines of names and offices side by side are those who sign.
  const areNames = rows.flat().every((cell) => NAME.test(textOf(cell)));
  return isPair && isNamed && ((isFilled && isHeaded(rows)) || (isLine(values) && isAligned && !areNames));
}

const LETTER = /\p{L}/u;
/** The name of a person or an office, with capitals and without figures. */
const NAME = /^\p{Lu}\P{N}*$/u;

/** Left edges of one column differ by at most this many times the font size. */
const SAME_EDGE = 0.15;

/** True if most texts of a column are labels, so that texts beside them explain them. */
function areLabels(column: readonly string[]): boolean {
  const lengths = column.map(({ length }) => length);
  const words = column.filter((text) => WORD.test(text));
  return quantile(lengths, 0.5) <= LONG_LINE && !isProse(column) && 2 * words.length > column.length;
}

/** At least this share of the rows of a table written cell by cell has a cell of several lines. */
const CELLWISE = 0.4;

/**
 * True if cells of several lines are written one after the other, and yet end with their rows: columns of prose are
 * written line by line, or end at the foot of the page.
 */
function isCellwise(written: readonly (readonly Piece[])[]): boolean {
  const tall = written.filter((pieces) =>
    pieces.some((piece, index) => {
      const before = pieces[index - 1];
      return before !== undefined && isBelow(before, piece);
    }),
  );
  return written.length > 2 && tall.length >= CELLWISE * written.length;
}

/** True if a cell holds two pieces of one line. */
export function isCrowded(cell: readonly Piece[]): boolean {
  return cell.some(({ line }, index) => index > 0 && cell[index - 1]?.line === line);
}

/** True if a column has labels alone, as that of a form whose fields are empty. */
function areFields(column: readonly string[]): boolean {
  return column.filter((text) => text.endsWith(':')).length > FIELDS * column.length;
}

/** A column of labels has more than this share of its texts end with a colon. */
const FIELDS = 0.6;

/** True if the cells of a column are the lines of a text: long, and many continue in the middle of a sentence. */
function isProse(column: readonly string[]): boolean {
  const lengths = column.map(proseLength);
  const going = column.filter((text) => proseLength(text) > 0 && /^[^\p{L}\p{N}]*\p{Ll}/u.test(text));
  return column.length > 2 && quantile(lengths, 0.5) > 25 && going.length > 0.3 * column.length;
}

/** A name of code or an address has no blanks; a line of a text has some. */
const NAME_OF_CODE = /^[!-~]+$/;

/** The length of a line of a text; a name is none, however long. */
function proseLength(text: string): number {
  return NAME_OF_CODE.test(text) ? 0 : text.length;
}

/** True if a column counts its rows, as the line numbers of a transcript and the numbers of references do. */
function isNumbering(column: readonly string[]): boolean {
  return (
    column.length > 2 && areConsecutive(column.map((text) => Number(/^\[(\d+)\]$/.exec(text)?.[1] ?? text)))
  );
}

function areConsecutive(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1);
}

/** Two lines without other signs of a table need figures in at least this share of the second line's cells. */
const FIGURES_SHARE = 0.5;

/** True if rows are no more than two lines, and no figures below labels. */
function isTwoLines(rows: readonly Cells[]): boolean {
  const last = rows.at(-1) ?? [];
  const figures = last.filter((cell) => cell.some(({ text }) => /\p{N}/u.test(text)));
  const isTall = rows.some((row) => row.some((cell) => cell.length > 1));
  return rows.length === 2 && !isTall && figures.length < FIGURES_SHARE * last.length;
}

/** The label at the right edge beside a formula, and beside the first line of an entry: "(2.13)", "[function]". */
const EQUATION = /^\((?:[A-Z]\.?)?(?:\d{1,3}[.–-])*(\d{1,3})\)$/;
const KIND_OF_ENTRY = /^\[\p{L}[\p{L} -]{2,24}\]$/u;

/** True if the last column holds nothing but the numbers of formulas, which count, or the kinds of entries. */
function isLabelled(rows: readonly (readonly string[])[]): boolean {
  const labels = rows.map((row) => row.at(-1) ?? '').filter((text) => text !== '');
  const numbers = labels.map((label) => Number(EQUATION.exec(label)?.[1]));
  return (
    (areConsecutive(numbers) && !Number.isNaN(numbers[0])) ||
    labels.every((label) => KIND_OF_ENTRY.test(label))
  );
}

/** The number of a page. */
const PAGE = /^(?:\d{1,4}|[ivxlc]{1,7})$/;
/** The beginning of a numbered entry in a list of contents. */
const SECTION = /^(?:\d{1,3}(?:\.\d{1,3})*[.:]?|[A-Z](?:\.\d{1,3})+|(?:[A-Z]|[IVX]{1,5})[.:])(?:\s|$)/;
const WORD = /\p{L}{3}/u;
/** This share of the entries is numbered, or has dots that lead to their page. */
const NUMBERED = 0.3;

/**
 * True if rows are entries of a list of contents: some with a section's number, all with words, and with pages that
 * rise.
 */
function isContents(rows: readonly (readonly string[])[]): boolean {
  const pages = rows.map((row) => row.at(-1) ?? '').filter((text) => text !== '');
  const entries = rows.map((row) => row.slice(0, -1).join(' ').trim()).filter((text) => text !== '');
  const numbered = entries.filter((text) => SECTION.test(text) || hasLeader(text));
  return (
    (rows[0]?.length ?? 0) <= 3 &&
    pages.length > 3 &&
    entries.every((text) => WORD.test(text)) &&
    numbered.length >= NUMBERED * entries.length &&
    // Roman numbers are no numbers here, and so never larger.
    pages.every((page, index) => PAGE.test(page) && !(Number(pages[index - 1]) > Number(page)))
  );
}
