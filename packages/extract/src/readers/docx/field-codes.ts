// Fields of Word that have no result and show the content of their code: signs, buttons, and the equations of Word
// before 2007, which East Asian documents use for readings above words and circles around figures.
import { delimited, DELIMITERS, braced, onOneLine, rowsOf, withCommands } from '../../latex.ts';
import { symbolOf } from './symbols.ts';

/** The text of a field without a result; '' when it shows nothing, or a value that only the program knows. */
export function shownByCode(code: string): string {
  const [, name = '', rest = ''] = /^\s*(\w+)\s*(.*)$/s.exec(code) ?? [];
  switch (name.toUpperCase()) {
    case 'EQ':
      return equation(rest);
    case 'SYMBOL':
      return symbol(rest);
    case 'MACROBUTTON':
    case 'GOTOBUTTON':
      return (
        /^\S+\s+(.*)$/s
          .exec(rest)?.[1]
          ?.replace(/\\\*.*$/s, '')
          .trim() ?? ''
      );
    default:
      return '';
  }
}

/** `SYMBOL 183 \f "Symbol"`, `SYMBOL 0xB7 \f Symbol`: a sign by its number. */
function symbol(code: string): string {
  const number = Number(/^\S+/.exec(code)?.[0]);
  if (!Number.isInteger(number) || number < 0) return '';
  const [, quoted, bare = ''] = /\\f\s*(?:"([^"]*)"|(\S+))/i.exec(code) ?? [];
  return symbolOf(quoted ?? bare, number.toString(16));
}

/** A piece of an equation: text as it is, or LaTeX. */
interface Piece {
  readonly text: string;
  readonly isMath: boolean;
  /** True for text above or below the line: over a word it is the word's reading, not a part of the word. */
  readonly isRaised: boolean;
}

/** `EQ \f(1,2)`: text when it has words alone, else LaTeX between dollar signs. */
function equation(code: string): string {
  const { text, isMath } = new Reading(code.replace(/\\\*\s*(?:"[^"]*"|\S+)/g, '')).sequence(0);
  return isMath ? `$${onOneLine(text)}$` : text.replace(/\s+/g, ' ').trim();
}

/** Deeper ones are read as plain text. */
const MAX_DEPTH = 20;

/** Reads the code of an equation once, from its beginning to its end. */
class Reading {
  readonly #code: string;
  readonly #argumentEnd: RegExp;
  #at = 0;

  constructor(code: string) {
    this.#code = code;
    // With decimal commas, as in German, semicolons separate arguments.
    this.#argumentEnd = code.includes(';') ? /[;)]/ : /[,)]/;
  }

  /** Up to the end of an argument: `\f(` here `,` and here `)`. */
  sequence(depth: number): Piece {
    const pieces: Piece[] = [];
    const end = depth === 0 ? undefined : this.#argumentEnd;
    let open = 0;
    while (this.#at < this.#code.length) {
      const sign = this.#code.charAt(this.#at);
      if (open === 0 && end?.test(sign) === true) break;
      if (sign === '(') open++;
      if (sign === ')') open--;
      pieces.push(sign === '\\' ? this.#switch(depth) : this.#plain());
    }
    return joined(pieces);
  }

  #plain(): Piece {
    PLAIN.lastIndex = this.#at;
    const text = PLAIN.exec(this.#code)?.[0] ?? this.#code.charAt(this.#at);
    this.#at += text.length;
    return plain(text);
  }

  /** `\f(…)` and its kind with their options; `\(` and its kind are the sign alone. */
  #switch(depth: number): Piece {
    SWITCH.lastIndex = this.#at;
    const found = SWITCH.exec(this.#code);
    if (found === null || depth >= MAX_DEPTH) {
      const text = this.#code.slice(this.#at + 1, this.#at + 2);
      this.#at += 2;
      return plain(text);
    }
    const [whole, name = '', options = '', bracket] = found;
    this.#at += whole.length;
    return meaningOf(name.toLowerCase(), options, bracket === '(' ? this.#arguments(depth + 1) : []);
  }

  #arguments(depth: number): Piece[] {
    const all: Piece[] = [];
    for (;;) {
      all.push(this.sequence(depth));
      const sign = this.#code.charAt(this.#at++);
      if (sign === ')' || sign === '') return all;
    }
  }
}

/** Letters and figures, up to the next special character. */
const PLAIN = /[^\\(),;]+/y;
/** The switch, its options (`\al`, `\co2`, `\up 8`, `\bc\[`), and the bracket of its arguments. */
const SWITCH = /\\([a-z])((?:\s*\\(?:[a-z]+ ?-?\d*|[^a-z\s]))*)\s*(\(?)/iy;

const plain = (text: string): Piece => ({ text, isMath: false, isRaised: false });
const math = (text: string): Piece => ({ text, isMath: true, isRaised: false });
/** As a part of a formula. */
const latexOf = (piece: Piece | undefined): string =>
  piece === undefined ? '' : piece.isMath ? piece.text : withCommands(piece.text.trim());

function joined(pieces: readonly Piece[]): Piece {
  const [only, ...others] = pieces.filter(({ text }) => text.trim() !== '');
  if (only === undefined) return plain('');
  if (others.length === 0) return only;
  if (!pieces.some(({ isMath }) => isMath)) return plain(pieces.map(({ text }) => text).join(''));
  return math(pieces.map(latexOf).join(''));
}

/** The text of a switch with its arguments. */
function meaningOf(name: string, options: string, pieces: readonly Piece[]): Piece {
  const [first, second] = pieces;
  const all = pieces.map(latexOf);
  // Extra arguments belong to the last one: the comma between figures may have been one of them.
  const from = (index: number): string => all.slice(index).join(',');
  switch (name) {
    case 'f':
      return math(`\\frac{${latexOf(first)}}{${from(1)}}`);
    case 'r':
      return math(
        second === undefined ? `\\sqrt{${latexOf(first)}}` : `\\sqrt[${latexOf(first)}]{${from(1)}}`,
      );
    case 's': {
      const sign = /\\do/i.test(options) ? '_' : '^';
      return { text: `${sign}${braced(all.join(' '))}`, isMath: true, isRaised: true };
    }
    case 'i': {
      const operator = /\\su/i.test(options) ? '\\sum' : /\\pr/i.test(options) ? '\\prod' : '\\int';
      return math(`${operator}_${braced(latexOf(first))}^${braced(latexOf(second))} ${from(2)}`);
    }
    case 'b': {
      const [begin, end] = bracketsOf(options);
      return math(delimited(begin, all.join(''), end));
    }
    case 'a': {
      const columns = Math.max(1, Number(/\\co ?(\d+)/i.exec(options)?.[1] ?? 1));
      const rows = Array.from({ length: Math.ceil(all.length / columns) }, (_, row) =>
        all.slice(row * columns, (row + 1) * columns),
      );
      return math(rowsOf('matrix', rows));
    }
    case 'o':
      return overstruck(pieces);
    case 'l':
      return joined(pieces.flatMap((piece, index) => (index === 0 ? [piece] : [plain(', '), piece])));
    // A box around it, and a blank before it.
    default:
      return joined(pieces);
  }
}

/** `\b`, `\b\bc\[`, `\b\lc\<\rc\|` */
function bracketsOf(options: string): readonly [string, string] {
  const sign = (name: string): string | undefined =>
    new RegExp(`\\\\${name}\\s*\\\\(.)`, 'i').exec(options)?.[1];
  const both = sign('bc');
  const begin = both ?? sign('lc') ?? (sign('rc') === undefined ? '(' : '.');
  const end =
    (both === undefined ? undefined : (PAIRS[both] ?? both)) ??
    sign('rc') ??
    (sign('lc') === undefined ? ')' : '.');
  return [DELIMITERS.get(begin) ?? begin, DELIMITERS.get(end) ?? end];
}

const PAIRS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/** One over the other: a word with its reading, which is left out, or a sign in a circle. */
function overstruck(pieces: readonly Piece[]): Piece {
  const onLine = pieces.filter(({ isRaised, text }) => !isRaised && text.trim() !== '');
  if (onLine.length === 0) return joined(pieces);
  const inside = onLine.filter(({ text }) => !ENCLOSURE.test(text.trim()));
  if (inside.length === onLine.length || inside.some(({ isMath }) => isMath)) return joined(onLine);
  const text = inside
    .map((piece) => piece.text)
    .join('')
    .trim();
  const circled = /^\d+$/.test(text) ? CIRCLED.charAt(Number(text) - 1) : '';
  return plain(circled || (text === '' ? joined(onLine).text : `(${text})`));
}

/** Signs that enclose another sign. */
const ENCLOSURE = /^[○◯〇□△◇]$/;
const CIRCLED = '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳';
