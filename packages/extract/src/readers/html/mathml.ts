// A formula of an HTML page (MathML Core, and the common part of MathML 3) → LaTeX. An author's own notation, in an
// annotation or `alttext`, is used unchanged; otherwise the elements are converted.
import {
  ACCENTS,
  delimited,
  delimiter,
  FormulaTree,
  functionName,
  FUNCTIONS,
  braced,
  onOneLine,
  rowsOf,
  withCommands,
  textCommand,
  type FormulaNode,
} from '../../latex.ts';
import { plainTex, type Attributes } from './attributes.ts';

type MathNode = FormulaNode<ReadonlyMap<string, string>>;

const NONE: ReadonlyMap<string, string> = new Map();

/** Text is a node like any other, because pages have it in any element. */
const TEXT = '#text';

/** Collects a formula while it is read, from inside `<math>`. */
export class Formula {
  /** True inside an annotation that holds the author's notation. */
  isNotation = false;
  readonly #sign: '$' | '$$';
  readonly #tree = new FormulaTree({ name: 'math', detail: NONE }, { name: TEXT, detail: NONE });
  #notation: string;

  /** @param attributes those of `<math>` */
  constructor(attributes: Attributes) {
    this.#sign = /^block$/i.test(attributes.get('display') ?? '') ? '$$' : '$';
    this.#notation = attributes.get('alttext') ?? '';
  }

  /** True when the author's notation is known. */
  get hasNotation(): boolean {
    return this.#notation !== '';
  }

  open(name: string, attributes: Attributes): void {
    this.#tree.open(name, attributes.size === 0 ? NONE : new Map(attributes));
  }

  close(): void {
    this.#tree.close();
  }

  text(text: string): void {
    if (this.isNotation) this.#notation += text;
    else if (text.trim() !== '') {
      this.#tree.open(TEXT, NONE);
      this.#tree.text(text);
      this.#tree.close();
    }
  }

  /** The formula between dollar signs; '' when it is empty. */
  markdown(): string {
    const latex = plainTex(this.#notation) || onOneLine(inner(this.#tree.root));
    return latex === '' ? '' : this.#sign + latex + this.#sign;
  }
}

/** The content of an element, in order. Figures in elements of their own stay apart. */
function inner(node: MathNode): string {
  const pieces: string[] = [];
  let last = '';
  for (const child of node.children) {
    const latex = latexOf(child);
    if (/\d$/.test(last) && /^\d/.test(latex)) pieces.push(' ');
    pieces.push(latex);
    if (latex !== '') last = latex.slice(-1);
  }
  return pieces.join('');
}

/** An element with a wrong number of parts counts as a row of its parts (MathML Core, section 3.1.3.1). */
function latexOf(node: MathNode): string {
  const parts = PARTS.get(node.name);
  if (parts !== undefined && node.children.length !== parts) return inner(node);
  return (WRITERS.get(node.name) ?? inner)(node);
}

/** Number of parts of each element with a fixed number. */
const PARTS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    mfrac: 2,
    mroot: 2,
    msub: 2,
    msup: 2,
    msubsup: 3,
    munder: 2,
    mover: 2,
    munderover: 3,
  }),
);

/** LaTeX of the child at a position; '' without one. */
function at(node: MathNode, position: number): string {
  const child = node.children[position];
  return child === undefined ? '' : latexOf(child);
}

const base = (node: MathNode): string => braced(at(node, 0));

const WRITERS: ReadonlyMap<string, (node: MathNode) => string> = new Map(
  Object.entries({
    [TEXT]: ({ text }) => withCommands(text.trim()),
    mi: identifier,
    mn: (node) => withCommands(wordsIn(node)),
    mo: operator,
    mtext: (node) => (wordsIn(node) === '' ? ' ' : textCommand(wordsIn(node))),
    ms: (node) => textCommand(`"${wordsIn(node)}"`),
    mspace: () => ' ',
    mfrac: fraction,
    msqrt: (node) => `\\sqrt{${inner(node)}}`,
    mroot: (node) => `\\sqrt[${at(node, 1)}]{${at(node, 0)}}`,
    msub: (node) => `${base(node)}_{${at(node, 1)}}`,
    msup: (node) => `${base(node)}^{${at(node, 1)}}`,
    msubsup: (node) => `${base(node)}_{${at(node, 1)}}^{${at(node, 2)}}`,
    munder: (node) => around(node, at(node, 1), ''),
    mover: (node) => around(node, '', at(node, 1)),
    munderover: (node) => around(node, at(node, 1), at(node, 2)),
    mmultiscripts: multiscripts,
    mtable: (node) =>
      rowsOf(
        'matrix',
        node.children.map((row) => cellsOf(row).map(latexOf)),
      ),
    mfenced: fenced,
    menclose: (node) =>
      /box|circle/.test(node.detail.get('notation') ?? '') ? `\\boxed{${inner(node)}}` : inner(node),
    // The shown alternative, and invisible space.
    maction: (node) => at(node, 0),
    mphantom: () => '',
  }),
);

/** Text of an element of letters, with all its descendants. */
function wordsIn(node: MathNode): string {
  const text = node.text + node.children.map(wordsIn).join('');
  return text.replace(/\s+/g, ' ').trim();
}

/** Identifiers: a single letter is in italics, as in LaTeX; several letters are a name. */
function identifier(node: MathNode): string {
  const text = wordsIn(node);
  if (FUNCTIONS.has(text)) return `\\${text} `;
  const latex = withCommands(text);
  const variant = VARIANTS.get(node.detail.get('mathvariant') ?? '');
  if (variant !== undefined) return `${variant}{${latex.trim()}}`;
  return /^\p{L}{2,}$/u.test(text) && !latex.includes('\\') ? `\\mathrm{${latex}}` : latex;
}

const VARIANTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bold: '\\mathbf',
    'bold-italic': '\\mathbf',
    'double-struck': '\\mathbb',
    script: '\\mathcal',
    fraktur: '\\mathfrak',
    'sans-serif': '\\mathsf',
    monospace: '\\mathtt',
  }),
);

/** Invisible signs: times, application of a function, comma, plus (Unicode 2061 to 2064). */
const UNSEEN = /[\u2061-\u2064]/g;

function operator(node: MathNode): string {
  const text = wordsIn(node).replace(UNSEEN, '');
  if (FUNCTIONS.has(text)) return `\\${text} `;
  return /^\p{L}{2,}$/u.test(text) ? ` ${textCommand(text)} ` : withCommands(text);
}

function fraction(node: MathNode): string {
  const [above, below] = [at(node, 0), at(node, 1)];
  if (/^0(?:\D|$)/.test(node.detail.get('linethickness') ?? '')) return `{${above} \\atop ${below}}`;
  return node.detail.get('bevelled') === 'true' ? `{${above}}/{${below}}` : `\\frac{${above}}{${below}}`;
}

/** Functions and signs whose bounds LaTeX sets below and above them. */
const BOUNDED =
  /^\\(?:sum|prod|coprod|i{0,3}nt|oint|lim|limsup|liminf|max|min|sup|inf|det|gcd|Pr|big[a-z]+)$/;

/** The element with a part under or over it: bounds, an accent, a brace, or anything else. */
function around(node: MathNode, below: string, above: string): string {
  const main = at(node, 0).trim();
  const name = functionName(main);
  if (BOUNDED.test(name))
    return `${name}${below === '' ? '' : `_{${below}}`}${above === '' ? '' : `^{${above}}`} `;
  return overset(underset(main, below, signOf(node, 1)), above, signOf(node, below === '' ? 1 : 2));
}

/** The sign that is the whole text of a child; of a longer text only its start. */
function signOf(node: MathNode, position: number): string {
  const child = node.children[position];
  return child === undefined ? '' : startOf(child);
}

/** The first letters in an element. No more is read, because nested elements would be read again on every level. */
function startOf(node: MathNode): string {
  let start = node.text.trim();
  for (const child of node.children) {
    if (start.length > MAX_SIGN) break;
    start += startOf(child);
  }
  return start;
}

/** Longest sign over or under a base, in UTF-16 units. */
const MAX_SIGN = 2;

/** A line below, as an operator and as a sign that combines. */
const UNDERLINES: ReadonlySet<string> = new Set(['_', '\u0332', '¯', '‾']);

function underset(main: string, below: string, sign: string): string {
  if (below === '') return main;
  if (sign === '⏟') return `\\underbrace{${main}}`;
  return UNDERLINES.has(sign) ? `\\underline{${main}}` : `\\underset{${below}}{${main}}`;
}

function overset(main: string, above: string, sign: string): string {
  if (above === '') return main;
  if (sign === '⏞') return `\\overbrace{${main}}`;
  const accent = OVER.get(sign) ?? ACCENTS.get(sign);
  return accent === undefined ? `\\overset{${above}}{${main}}` : `${accent}{${main}}`;
}

/** Accents in operator form, besides those written over letters. */
const OVER: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '‾': '\\overline',
    ˆ: '\\hat',
    '˜': '\\tilde',
    '˙': '\\dot',
    '¨': '\\ddot',
    '˘': '\\breve',
    ˇ: '\\check',
    '´': '\\acute',
    '`': '\\grave',
    '⃗': '\\vec',
  }),
);

/** Indices in pairs, below and above, behind the base and then before it. */
function multiscripts(node: MathNode): string {
  const before = node.children.findIndex(({ name }) => name === 'mprescripts');
  const pairs = (from: number, to: number): string => {
    let latex = '';
    for (let index = from; index < to; index += 2) {
      const [below, above] = [at(node, index), index + 1 < to ? at(node, index + 1) : ''];
      const pair = `${below === '' ? '' : `_{${below}}`}${above === '' ? '' : `^{${above}}`}`;
      // One base has one index below and one above in LaTeX: each further pair stands at an empty one.
      latex += latex === '' || pair === '' ? pair : `{}${pair}`;
    }
    return latex;
  };
  const { length } = node.children;
  const prefix = before === -1 ? '' : pairs(before + 1, length);
  return `${prefix === '' ? '' : `{}${prefix}`}${base(node)}${pairs(1, before === -1 ? length : before)}`;
}

/** Cells of a row; the number of an equation (`mlabeledtr`) comes first in the page and is shown behind. */
function cellsOf({ name, children }: MathNode): readonly MathNode[] {
  return name === 'mlabeledtr' ? [...children.slice(1), ...children.slice(0, 1)] : children;
}

function fenced(node: MathNode): string {
  const separators = Array.from((node.detail.get('separators') ?? ',').replace(/\s/g, ''));
  let content = '';
  for (const [index, child] of node.children.entries()) {
    if (index > 0) content += withCommands(separators[Math.min(index, separators.length) - 1] ?? '');
    content += latexOf(child);
  }
  const [begin, end] = [node.detail.get('open') ?? '(', node.detail.get('close') ?? ')'];
  return delimited(delimiter(begin), content, delimiter(end));
}
