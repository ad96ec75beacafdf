// Words that narrow columns break without a hyphen: programs do so where a word is wider than its cell.
import { goesOnInFigures, type Cells, type Piece } from './cells.ts';
import { SMALL_LETTER } from '../lines/text.ts';

/**
 * A table in which fewer lines than this seem to end within a word breaks none: their words are as wide as the column.
 */
const LEAST_BREAKS = 3;
/**
 * A line is full when less is left of its column than one letter takes: the mean of its own letters or, when the next
 * piece is no word, a wide letter of this many times the font size.
 */
const WIDE_LETTER = 0.9;
/** Before a common ending the letter may be this many times wider than the mean. */
const LAST_LETTER_WIDTH = 1.15;
/** Longest usual rest of a broken word; longer pieces are words more often than not. */
const MAX_REST = 5;
const LETTERS = /^["'“‘(]?[\p{L}\p{M}'’/-]*\p{L}$/u;
const FIRST_WORD = /^[\p{L}\p{M}'’]+/u;
/** Letters without a syllable are no word, except the sign of a unit; for Latin letters only. */
const FRAGMENT = /^[b-df-hj-np-tv-xz]{1,3}$/;
const UNIT = /^(?:[mckµn]?m|[mk]?g|[mcd]?l|m?s|hrs?|yrs?|h|t|lbs?|ft|pts?|pcs|k?[wv]h?|[kmg]?hz|[kmg]?b)$/;
/** Common short words in the languages of most of our documents. */
const SMALL_WORD =
  /^(?:of|on|in|the|and|to|for|with|or|by|at|as|is|are|from|an?|be|that|not|per|than|no|its?|und|der|die|das|von|zu|de|la|les?|des|du|et|en|el|los|di|da|y|e|o)$/;

/**
 * Breaks within common endings of long words, the break as a bar: neither side is a word of its own. The rest is no
 * sign of a unit either ("Protein g").
 */
const ENDING =
  /(?:[stc](?:i\|on|io\|n|\|ions?)|(?:\|me|m\|e|me\|)nts?|[ae]\|nts?|[a-z]{5}(?:e\|[rd]|ti\|ons)|[a-z]{3}(?:i\|ng|\|ing)|\|(?:ness|ity|ities|ical|ically|ingly|ances?|ences?)|i\|t(?:y|ies)|i\|al|it\|y|ag\|es?|n\|ess|[ae]n\|ces?|iv\|es?)$/;
/** Shorter words may end like broken ones. */
const LONG_WORD = 8;

/**
 * The pieces whose last word, or address of a page, goes on in the next piece of their cell. A line that breaks within
 * a word has no blank itself and fills its column. A line that breaks at a blank may look the same, but then its words
 * occur elsewhere in the table too, and each piece is a word. Linear.
 */
export function brokenWords(rows: readonly Cells[]): ReadonlySet<Piece> {
  const columns = columnsOf(rows);
  const candidates = columns.flatMap(candidatesOf);
  const certain = [
    ...candidates.filter(isEnding).map(({ piece }) => piece),
    ...columns.flatMap(brokenAddresses),
    ...rows.flat().flatMap(brokenFigures),
  ];
  const full = candidates.filter(({ isFull }) => isFull);
  return full.length < LEAST_BREAKS ? new Set(certain) : new Set([...certain, ...brokenAmong(rows, full)]);
}

/** A single consonant before a word is the end of the word above, unless it is the sign of a unit. */
const LAST_LETTER = /^[b-df-hj-np-tv-xz] (?!of\b|from\b|per\b|in\b)/;

function isEnding({ piece, rest, next }: Candidate): boolean {
  const broken = `${piece.text}|${rest}`.toLowerCase();
  return broken.length > LONG_WORD && (ENDING.test(broken) || LAST_LETTER.test(next));
}

/** The candidates of a table with broken words that are no words of their own. */
function brokenAmong(rows: readonly Cells[], candidates: readonly Candidate[]): readonly Piece[] {
  const pieces = rows.flat(2);
  const begun = wordsIn(pieces, /(?<=\s)[\p{L}\p{M}'’]+/gu);
  const ended = wordsIn(pieces, /[\p{L}\p{M}'’]+(?=\s)/gu);
  const isWhole = ({ piece, rest }: Candidate): boolean =>
    rest.length > MAX_REST || SMALL_WORD.test(rest) || begun.has(rest) || ended.has(piece.text.toLowerCase());
  const broken = candidates.filter((one) => FRAGMENT.test(one.rest) || !isWhole(one));
  const isProved = candidates.some(
    (one) => isEnding(one) || (FRAGMENT.test(one.rest) && !(one.next === one.rest && UNIT.test(one.rest))),
  );
  return isProved && broken.length >= LEAST_BREAKS ? broken.map(({ piece }) => piece) : [];
}

/** The beginning of an address at the end of a line. */
const ADDRESS = /(?:https?:\/\/|www\.)\S*$/i;
const MORE_OF_ADDRESS = /^[a-z\d/._~?#=&%-]\S*$/;
/** Some programs leave single characters of an address on lines of their own. */
const SINGLE = 2;

/** The pieces of a column with an address that goes on: it fills the line, or stands on it with next to nothing. */
function brokenAddresses(cells: readonly Piece[][]): Piece[] {
  const right = rightOf(cells);
  return cells.flatMap((cell) => {
    let isOpen = false;
    return cell.filter((piece, index) => {
      const next = cell[index + 1];
      isOpen = isOpen || ADDRESS.test(piece.text);
      const isFull = piece.right + letterOf(piece) > right || piece.text.length <= SINGLE;
      isOpen &&= next !== undefined && isFull && MORE_OF_ADDRESS.test(next.text);
      return isOpen;
    });
  });
}

/** The pieces of a cell whose number goes on in the next. */
function brokenFigures(cell: readonly Piece[]): Piece[] {
  return cell.filter((piece, index) => {
    const next = cell[index + 1];
    const isBelow = next !== undefined && next.baseline < piece.baseline - piece.size / 2;
    return isBelow && goesOnInFigures(piece.text, next.text);
  });
}

function rightOf(cells: readonly Piece[][]): number {
  return cells.flat().reduce((most, piece) => Math.max(most, piece.right), -Infinity);
}

/** The mean width of the letters of a piece. */
function letterOf({ left, right, text }: Piece): number {
  return (right - left) / Math.max(1, text.length);
}

/** The cells of each column that do not reach into another. */
function columnsOf(rows: readonly Cells[]): Piece[][][] {
  const width = rows[0]?.length ?? 0;
  const columns: Piece[][][] = [];
  let next = Infinity;
  for (let column = width - 1; column >= 0; column--) {
    const cells = rows.map((row) => row[column] ?? []);
    const limit = next;
    columns.push(cells.filter((cell) => cell.every(({ right }) => right < limit)));
    next = cells.flat().reduce((least, { left }) => Math.min(least, left), next);
  }
  return columns;
}

/** A piece that may end within a word, with the beginning of the next piece. */
interface Candidate {
  readonly piece: Piece;
  readonly rest: string;
  /** The text that it begins. */
  readonly next: string;
  /** False if one wide letter would fit. */
  readonly isFull: boolean;
}

function candidatesOf(cells: readonly Piece[][]): Candidate[] {
  const right = rightOf(cells);
  return cells.flatMap((cell) =>
    cell.flatMap((piece, index): Candidate[] => {
      const next = cell[index + 1];
      const [rest = ''] = FIRST_WORD.exec(next?.text ?? '') ?? [];
      const letter = FRAGMENT.test(rest) ? WIDE_LETTER * piece.size : letterOf(piece);
      const mayBe =
        next !== undefined &&
        next.line !== piece.line &&
        !piece.line.isDivided &&
        piece.right + LAST_LETTER_WIDTH * letter > right &&
        LETTERS.test(piece.text) &&
        SMALL_LETTER.test(rest);
      return mayBe ? [{ piece, rest, next: next.text, isFull: piece.right + letter > right }] : [];
    }),
  );
}

/** The words of pieces that have a blank before or behind them, in small letters. */
function wordsIn(pieces: readonly Piece[], word: RegExp): Set<string> {
  return new Set(pieces.flatMap(({ text }) => text.toLowerCase().match(word) ?? []));
}
