// Equations of a DOCX (OMML, ECMA-376 part 1, section 22.1) → LaTeX on one line, which is what models and people read.
import { attributeOf } from './xml.ts';

/** An element of an equation. */
interface MathNode {
  readonly name: string;
  /** Its attribute `m:val`. */
  readonly value: string;
  text: string;
  readonly children: MathNode[];
}

/** Deeper elements give their text to the deepest that is allowed. */
const MAX_DEPTH = 60;

/** Collects an equation while it is read. Its calls are those of a visitor of XML, from inside the equation. */
export class Equation {
  readonly #root: MathNode = { name: 'm:oMath', value: '', text: '', children: [] };
  readonly #open: MathNode[] = [this.#root];
  /** Elements open beyond the bound. */
  #beyond = 0;

  open(name: string, attributes: string): void {
    if (this.#open.length > MAX_DEPTH) {
      this.#beyond++;
      return;
    }
    const node: MathNode = { name, value: attributeOf(attributes, 'val'), text: '', children: [] };
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
    else if (text.trim() !== '') top.children.push({ name: 'm:t', value: '', text, children: [] });
  }

  /** The equation in LaTeX, without dollar signs; '' when it holds nothing. */
  latex(): string {
    return inner(this.#root)
      .replace(/\s+/g, ' ')
      .replace(/ (?=[}^_])/g, '')
      .trim();
  }

  #top(): MathNode {
    return this.#open.at(-1) ?? this.#root;
  }
}

/** All that a node holds, in order. */
function inner(node: MathNode | undefined): string {
  return node === undefined ? '' : node.children.map(latexOf).join('');
}

function child(node: MathNode, name: string): MathNode | undefined {
  return node.children.find((candidate) => candidate.name === `m:${name}`);
}

function part(node: MathNode, name: string): string {
  return inner(child(node, name));
}

/** A property: `<m:fPr><m:type m:val="lin"/></m:fPr>`; `undefined` when it is not there. */
function property(node: MathNode, name: string): string | undefined {
  const properties = node.children.find((candidate) => candidate.name === `${node.name}Pr`);
  return properties === undefined ? undefined : child(properties, name)?.value;
}

function isHidden(node: MathNode, name: string): boolean {
  const value = property(node, name);
  return value !== undefined && !/^(?:0|off|false)$/.test(value);
}

function elements(node: MathNode): MathNode[] {
  return node.children.filter(({ name }) => name === 'm:e');
}

/** Base of an index: `ab` must become `{ab}`, and a base that is missing `{}`. */
function base(node: MathNode, name = 'e'): string {
  const text = part(node, name).trim();
  return /^(?:[^\\{}\s]|\\[a-zA-Z]+)$/u.test(text) ? text : `{${text}}`;
}

function latexOf(node: MathNode): string {
  const write = WRITERS[node.name];
  if (write !== undefined) return write(node);
  return node.name.startsWith('w:') || node.name.endsWith('Pr') ? wordPart(node) : inner(node);
}

/** Insertions stand in equations as elsewhere; all else of Word's is about looks. */
function wordPart(node: MathNode): string {
  return node.name === 'w:ins' || node.name === 'w:moveTo' || node.name === 'w:hyperlink' ? inner(node) : '';
}

const WRITERS: Readonly<Record<string, (node: MathNode) => string>> = {
  'm:r': runOf,
  'm:t': (node) => symbols(node.text),
  'm:f': fractionOf,
  'm:sSup': (node) => `${base(node)}^{${part(node, 'sup')}}`,
  'm:sSub': (node) => `${base(node)}_{${part(node, 'sub')}}`,
  'm:sSubSup': (node) => `${base(node)}_{${part(node, 'sub')}}^{${part(node, 'sup')}}`,
  'm:sPre': (node) => `{}_{${part(node, 'sub')}}^{${part(node, 'sup')}}${base(node)}`,
  'm:rad': (node) => {
    const degree = isHidden(node, 'degHide') ? '' : part(node, 'deg');
    return `\\sqrt${degree === '' ? '' : `[${degree}]`}{${part(node, 'e')}}`;
  },
  'm:nary': naryOf,
  'm:d': delimitedOf,
  'm:func': (node) => `${functionName(part(node, 'fName'))} ${part(node, 'e')}`,
  'm:limLow': (node) => {
    const name = functionName(part(node, 'e'));
    return name.startsWith('\\')
      ? `${name}_{${part(node, 'lim')}}`
      : `\\underset{${part(node, 'lim')}}{${name}}`;
  },
  'm:limUpp': (node) => `\\overset{${part(node, 'lim')}}{${part(node, 'e')}}`,
  'm:acc': (node) => `${ACCENTS[property(node, 'chr') ?? '\u0302'] ?? '\\hat'}{${part(node, 'e')}}`,
  'm:bar': (node) => `${property(node, 'pos') === 'top' ? '\\overline' : '\\underline'}{${part(node, 'e')}}`,
  'm:groupChr': groupOf,
  'm:borderBox': (node) => `\\boxed{${part(node, 'e')}}`,
  'm:phant': (node) => (property(node, 'show') === '0' ? '' : part(node, 'e')),
  'm:m': (node) => matrix(node.children.filter(({ name }) => name === 'm:mr').map(elements)),
  'm:eqArr': (node) => {
    const lines = elements(node).map((line) => inner(line).replaceAll('\\&', '&'));
    if (lines.length === 1) return (lines[0] ?? '').replaceAll('&', '');
    return `\\begin{aligned} ${lines.join(' \\\\ ')} \\end{aligned}`;
  },
};

/** A run is in italics unless it says otherwise; words are `\text`. */
function runOf(node: MathNode): string {
  const text = node.children.filter(({ name }) => name === 'm:t' || name === 'w:t').map((t) => t.text);
  const properties = child(node, 'rPr');
  const isText = properties !== undefined && isOnIn(properties, 'nor');
  if (isText) return `\\text{${text.join('').replace(SPECIAL, '\\$&')}}`;
  const latex = symbols(text.join(''));
  const script = SCRIPTS[properties === undefined ? '' : (child(properties, 'scr')?.value ?? '')];
  const style = properties === undefined ? '' : (child(properties, 'sty')?.value ?? '');
  if (style === 'p' && FUNCTIONS.has(latex.trim())) return `\\${latex.trim()} `;
  const isBold = style.includes('b');
  if (script !== undefined) return `${script}{${latex}}`;
  return isBold && /\p{L}/u.test(latex) ? `\\mathbf{${latex}}` : latex;
}

function isOnIn(properties: MathNode, name: string): boolean {
  const found = child(properties, name);
  return found !== undefined && !/^(?:0|off|false)$/.test(found.value);
}

const SCRIPTS: Readonly<Record<string, string>> = {
  'double-struck': '\\mathbb',
  script: '\\mathcal',
  fraktur: '\\mathfrak',
  'sans-serif': '\\mathsf',
  monospace: '\\mathtt',
};

function fractionOf(node: MathNode): string {
  const [above, below] = [part(node, 'num'), part(node, 'den')];
  switch (property(node, 'type')) {
    case 'lin':
    case 'skw':
      return `{${above}}/{${below}}`;
    case 'noBar':
      return `{${above} \\atop ${below}}`;
    default:
      return `\\frac{${above}}{${below}}`;
  }
}

function naryOf(node: MathNode): string {
  const sign = symbols(property(node, 'chr') ?? '∫').trim() || '\\int';
  const below = isHidden(node, 'subHide') ? '' : part(node, 'sub');
  const above = isHidden(node, 'supHide') ? '' : part(node, 'sup');
  return `${sign}${below === '' ? '' : `_{${below}}`}${above === '' ? '' : `^{${above}}`} ${part(node, 'e')}`;
}

function delimitedOf(node: MathNode): string {
  const side = (name: string, usual: string): string => {
    const sign = property(node, name) ?? usual;
    return sign === '' ? '.' : (DELIMITERS[sign] ?? symbols(sign).trim());
  };
  const separator = symbols(property(node, 'sepChr') ?? '|');
  const content = elements(node).map(inner).join(separator);
  const [begin, end] = [side('begChr', '('), side('endChr', ')')];
  if (!TALL.test(content) && begin.length + end.length <= 4 && begin !== '.' && end !== '.')
    return begin + content.trim() + end;
  return `\\left${begin} ${content} \\right${end} `;
}

/** What is higher than a line, so that its brackets grow. */
const TALL = /\\(?:frac|sum|int|prod|begin|underset|overset|bigcup|bigcap|underbrace|overbrace|atop)/;

const DELIMITERS: Readonly<Record<string, string>> = {
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
};

function groupOf(node: MathNode): string {
  const isAbove = property(node, 'pos') === 'top';
  const content = part(node, 'e');
  switch (property(node, 'chr') ?? '⏟') {
    case '⏟':
      return `\\underbrace{${content}}`;
    case '⏞':
      return `\\overbrace{${content}}`;
    default: {
      const sign = symbols(property(node, 'chr') ?? '').trim();
      return `\\${isAbove ? 'overset' : 'underset'}{${sign}}{${content}}`;
    }
  }
}

function matrix(rows: readonly (readonly MathNode[])[]): string {
  const lines = rows.map((cells) => cells.map(inner).join(' & '));
  return `\\begin{matrix} ${lines.join(' \\\\ ')} \\end{matrix}`;
}

/** Functions that LaTeX has a command for. */
const FUNCTIONS = new Set(
  'sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp lim liminf limsup max min sup inf det dim ker gcd arg deg hom Pr'.split(
    ' ',
  ),
);

function functionName(name: string): string {
  const word = name.replace(/^\\(?:text|mathrm)\{(\w+)\}$/, '$1').trim();
  return FUNCTIONS.has(word) ? `\\${word}` : name.trim();
}

const ACCENTS: Readonly<Record<string, string>> = {
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
};

/** What LaTeX would take for a command. */
const SPECIAL = /[{}%#$&_]/g;

/** Letters and signs that LaTeX has a command for, by the command. */
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
function symbols(text: string): string {
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
