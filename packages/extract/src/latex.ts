// Formulas as LaTeX on one line, the notation of models and people: the common part of Word's equations (OMML) and of
// MathML in web pages. Their readers collect a tree of elements and write each one; this file has the letters, signs
// and delimiters.

/** An element of a formula. */
export interface FormulaNode<Detail> {
  readonly name: string;
  /** Its relevant attributes. */
  readonly detail: Detail;
  text: string;
  readonly children: FormulaNode<Detail>[];
}

/** Deeper elements give their text to the deepest allowed one. */
const MAX_DEPTH = 60;

/** Collects a formula while it is read. */
export class FormulaTree<Detail> {
  readonly root: FormulaNode<Detail>;
  readonly #open: FormulaNode<Detail>[];
  /** The node for the text of elements that are too deep. */
  readonly #bare: Pick<FormulaNode<Detail>, 'name' | 'detail'>;
  /** Elements open beyond the bound. */
  #beyond = 0;

  constructor(
    root: Pick<FormulaNode<Detail>, 'name' | 'detail'>,
    bare: Pick<FormulaNode<Detail>, 'name' | 'detail'>,
  ) {
    this.root = { ...root, text: '', children: [] };
    this.#open = [this.root];
    this.#bare = bare;
  }

  open(name: string, detail: Detail): void {
    if (this.#open.length > MAX_DEPTH) {
      this.#beyond++;
      return;
    }
    const node = { name, detail, text: '', children: [] };
    this.#top().children.push(node);
    this.#open.push(node);
  }

  close(): void {
    if (this.#beyond > 0) this.#beyond--;
    else if (this.#open.length > 1) this.#open.pop();
  }

  text(text: string): void {
    const top = this.#top();
    if (this.#beyond === 0) top.text += text;
    else if (text.trim() !== '') top.children.push({ ...this.#bare, text, children: [] });
  }

  #top(): FormulaNode<Detail> {
    return this.#open.at(-1) ?? this.root;
  }
}

/** LaTeX on one line, without redundant blanks. */
export function onOneLine(latex: string): string {
  return latex
    .replace(/\s+/g, ' ')
    .replace(/ (?=[}^_])/g, '')
    .trim();
}

/** The base of an index: `ab` must become `{ab}`, and a missing base `{}`. */
export function braced(latex: string): string {
  const text = latex.trim();
  return /^(?:[^\\{}\s]|\\[a-zA-Z]+)$/u.test(text) ? text : `{${text}}`;
}

/** Words in a formula. */
export function textCommand(text: string): string {
  return `\\text{${text.replace(SPECIAL, '\\$&')}}`;
}

/** Rows of cells, as matrices and lines of equations have them. */
export function rowsOf(environment: string, rows: readonly (readonly string[])[]): string {
  return `\\begin{${environment}} ${rows.map((cells) => cells.join(' & ')).join(' \\\\ ')} \\end{${environment}}`;
}

/** Content between two delimiters, which grow with content higher than a line; '.' is a missing delimiter. */
export function delimited(begin: string, content: string, end: string): string {
  if (!TALL.test(content) && begin.length + end.length <= 4 && begin !== '.' && end !== '.')
    return begin + content.trim() + end;
  return `\\left${begin} ${content} \\right${end} `;
}

/** Content higher than a line, for which brackets grow. */
const TALL = /\\(?:frac|sum|int|prod|begin|underset|overset|bigcup|bigcap|underbrace|overbrace|atop)/;

/** Delimiters in LaTeX's spelling. */
export const DELIMITERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '{': '\\{',
    '}': '\\}',
    '‖': '\\|',
    '⟨': '\\langle',
    '⟩': '\\rangle',
    '〈': '\\langle',
    '〉': '\\rangle',
    '⌈': '\\lceil',
    '⌉': '\\rceil',
    '⌊': '\\lfloor',
    '⌋': '\\rfloor',
  }),
);

/** A delimiter in LaTeX's spelling; '.' for a missing one. */
export function delimiter(sign: string): string {
  return sign === '' ? '.' : (DELIMITERS.get(sign) ?? withCommands(sign).trim());
}

/** Functions with a LaTeX command. */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  'sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp lim liminf limsup max min sup inf det dim ker gcd arg deg hom Pr'.split(
    ' ',
  ),
);

/** The command of a function, or its name when there is none. */
export function functionName(name: string): string {
  const word = name.replace(/^\\(?:text|mathrm)\{(\w+)\}$/, '$1').trim();
  return FUNCTIONS.has(word) ? `\\${word}` : name.trim();
}

/** Signs over or under a letter. */
export const ACCENTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '\u0300': '\\grave',
    '\u0301': '\\acute',
    '\u0302': '\\hat',
    '^': '\\hat',
    '\u0303': '\\tilde',
    '~': '\\tilde',
    '\u0304': '\\bar',
    '\u0305': '\\overline',
    '¯': '\\overline',
    '\u0306': '\\breve',
    '\u0307': '\\dot',
    '\u0308': '\\ddot',
    '\u030c': '\\check',
    '\u0332': '\\underline',
    '\u20d6': '\\overleftarrow',
    '\u20d7': '\\vec',
    '→': '\\vec',
    '\u20db': '\\dddot',
    '\u20e1': '\\overleftrightarrow',
  }),
);

/** Characters that LaTeX would read as commands. */
const SPECIAL = /[{}%#$&_]/g;

/** Letters and signs with a LaTeX command, by the command. */
const COMMANDS: readonly (readonly [characters: string, commands: string])[] = [
  [
    'αβγδεζηθικλμνξπρςστυφχψωϑϕϖϱϵ',
    'alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho varsigma sigma tau upsilon varphi chi psi omega vartheta phi varpi varrho epsilon',
  ],
  ['ΓΔΘΛΞΠΣΥΦΨΩ', 'Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega'],
  [
    '±∓×÷⋅∙∘∗⊗⊕∩∪∧∨∖≤≥≠≈≡∼≃≅∝≪≫∈∉∋⊂⊃⊆⊇⊥∥∣',
    'pm mp times div cdot bullet circ ast otimes oplus cap cup land lor setminus leq geq neq approx equiv sim simeq cong propto ll gg in notin ni subset supset subseteq supseteq perp parallel mid',
  ],
  [
    '→←↔⇒⇐⇔↦↑↓⟶⟹⟺∀∃∄¬∅∞∂∇∑∏∐∫∬∭∮√…⋯⋮⋱ℏℓℜℑℵ′″⟨⟩⌈⌉⌊⌋†‡∠∴∵',
    'rightarrow leftarrow leftrightarrow Rightarrow Leftarrow Leftrightarrow mapsto uparrow downarrow longrightarrow Longrightarrow Longleftrightarrow forall exists nexists neg varnothing infty partial nabla sum prod coprod int iint iiint oint surd ldots cdots vdots ddots hbar ell Re Im aleph prime prime\\prime langle rangle lceil rceil lfloor rfloor dagger ddagger angle therefore because',
  ],
  ['ℝℕℤℚℂ', 'mathbb{R} mathbb{N} mathbb{Z} mathbb{Q} mathbb{C}'],
  ['⋃⋂⋁⋀⨁⨂', 'bigcup bigcap bigvee bigwedge bigoplus bigotimes'],
  ['\\', 'backslash'],
];

const COMMAND_OF: ReadonlyMap<string, string> = new Map(
  COMMANDS.flatMap(([characters, commands]) => {
    const names = commands.split(' ');
    return Array.from(characters, (character, index) => [character, `\\${names[index] ?? ''} `] as const);
  }),
);

/** Text of an equation with its letters and signs as commands. Letters of mathematical alphabets become plain ones. */
export function withCommands(text: string): string {
  return Array.from(
    text.replace(ALPHABETS, (letters) => letters.normalize('NFKC')),
    (character) => {
      const command = COMMAND_OF.get(character);
      if (command !== undefined) return command;
      if (character === '−') return '-';
      return '{}%#$&_'.includes(character) ? `\\${character}` : character;
    },
  ).join('');
}

const ALPHABETS = /[\u{1D400}-\u{1D7FF}\u210e]+/gu;
