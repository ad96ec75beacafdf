// Equations of a DOCX (OMML, ECMA-376 part 1, section 22.1) → LaTeX on one line, which is what models and people read.
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
} from '../latex.ts';
import { attributeOf } from './xml.ts';

/** An element of an equation, with its attribute `m:val`. */
type MathNode = FormulaNode<string>;

/** Collects an equation while it is read. Its calls are those of a visitor of XML, from inside the equation. */
export class Equation {
  readonly #tree = new FormulaTree({ name: 'm:oMath', detail: '' }, { name: 'm:t', detail: '' });

  open(name: string, attributes: string): void {
    this.#tree.open(name, attributeOf(attributes, 'val'));
  }

  close(): void {
    this.#tree.close();
  }

  text(text: string): void {
    this.#tree.text(text);
  }

  /** The equation in LaTeX, without dollar signs; '' when it holds nothing. */
  latex(): string {
    return onOneLine(inner(this.#tree.root));
  }
}

/** The content of a node, in order. */
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
  return properties === undefined ? undefined : child(properties, name)?.detail;
}

function isHidden(node: MathNode, name: string): boolean {
  return isSet(property(node, name));
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !/^(?:0|off|false)$/.test(value);
}

function elements(node: MathNode): MathNode[] {
  return node.children.filter(({ name }) => name === 'm:e');
}

/** Base of an index. */
function base(node: MathNode): string {
  return braced(part(node, 'e'));
}

function latexOf(node: MathNode): string {
  const write = WRITERS.get(node.name);
  if (write !== undefined) return write(node);
  return node.name.startsWith('w:') || node.name.endsWith('Pr') ? wordPart(node) : inner(node);
}

/** Insertions are content in equations, too; other elements of Word only set the appearance. */
function wordPart(node: MathNode): string {
  return node.name === 'w:ins' || node.name === 'w:moveTo' || node.name === 'w:hyperlink' ? inner(node) : '';
}

const WRITERS: ReadonlyMap<string, (node: MathNode) => string> = new Map(
  Object.entries({
    'm:r': runOf,
    'm:t': (node) => withCommands(node.text),
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
    'm:acc': (node) => `${ACCENTS.get(property(node, 'chr') ?? '\u0302') ?? '\\hat'}{${part(node, 'e')}}`,
    'm:bar': (node) =>
      `${property(node, 'pos') === 'top' ? '\\overline' : '\\underline'}{${part(node, 'e')}}`,
    'm:groupChr': groupOf,
    'm:borderBox': (node) => `\\boxed{${part(node, 'e')}}`,
    'm:phant': (node) => (property(node, 'show') === '0' ? '' : part(node, 'e')),
    'm:m': (node) =>
      rowsOf(
        'matrix',
        node.children.filter(({ name }) => name === 'm:mr').map((row) => elements(row).map(inner)),
      ),
    'm:eqArr': (node) => {
      const lines = elements(node).map((line) => inner(line).replaceAll('\\&', '&'));
      if (lines.length === 1) return (lines[0] ?? '').replaceAll('&', '');
      return rowsOf(
        'aligned',
        lines.map((line) => [line]),
      );
    },
  }),
);

/** A run is in italics without another style; words are `\text`. */
function runOf(node: MathNode): string {
  const text = node.children.filter(({ name }) => name === 'm:t' || name === 'w:t').map((t) => t.text);
  const properties = child(node, 'rPr');
  if (properties !== undefined && isSet(child(properties, 'nor')?.detail)) return textCommand(text.join(''));
  const latex = withCommands(text.join(''));
  const script = SCRIPTS.get(properties === undefined ? '' : (child(properties, 'scr')?.detail ?? ''));
  const style = properties === undefined ? '' : (child(properties, 'sty')?.detail ?? '');
  if (style === 'p' && FUNCTIONS.has(latex.trim())) return `\\${latex.trim()} `;
  const isBold = style.includes('b');
  if (script !== undefined) return `${script}{${latex}}`;
  return isBold && /\p{L}/u.test(latex) ? `\\mathbf{${latex}}` : latex;
}

const SCRIPTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'double-struck': '\\mathbb',
    script: '\\mathcal',
    fraktur: '\\mathfrak',
    'sans-serif': '\\mathsf',
    monospace: '\\mathtt',
  }),
);

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
  const sign = withCommands(property(node, 'chr') ?? '∫').trim() || '\\int';
  const below = isHidden(node, 'subHide') ? '' : part(node, 'sub');
  const above = isHidden(node, 'supHide') ? '' : part(node, 'sup');
  return `${sign}${below === '' ? '' : `_{${below}}`}${above === '' ? '' : `^{${above}}`} ${part(node, 'e')}`;
}

function delimitedOf(node: MathNode): string {
  const separator = withCommands(property(node, 'sepChr') ?? '|');
  const content = elements(node).map(inner).join(separator);
  const [begin, end] = [property(node, 'begChr') ?? '(', property(node, 'endChr') ?? ')'];
  return delimited(delimiter(begin), content, delimiter(end));
}

function groupOf(node: MathNode): string {
  const isAbove = property(node, 'pos') === 'top';
  const content = part(node, 'e');
  switch (property(node, 'chr') ?? '⏟') {
    case '⏟':
      return `\\underbrace{${content}}`;
    case '⏞':
      return `\\overbrace{${content}}`;
    default: {
      const sign = withCommands(property(node, 'chr') ?? '').trim();
      return `\\${isAbove ? 'overset' : 'underset'}{${sign}}{${content}}`;
    }
  }
}
