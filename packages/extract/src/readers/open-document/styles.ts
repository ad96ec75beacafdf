// The styles of an OpenDocument file that have a meaning for its text: headings by outline level, titles, code and
// quotations by name, marks of runs, lists and their numbers, framed cells (OpenDocument 1.3, part 3, chapters 16, 17
// and 20). Styles are known by family and name, those of the content before those of the style sheet.
import { numeral } from '../../numerals.ts';
import { attributesOf, type XmlVisitor } from '../../package/xml.ts';
import type { MarkKind } from '../../tree/inline.ts';

/** The meaning of a paragraph's style. */
export interface ParagraphMeaning {
  readonly role: 'title' | 'code' | 'quote' | 'plain';
  /** List that the style puts its paragraphs into; '' for none. */
  readonly list: string;
  readonly run: RunMeaning;
}

/** The meaning of a run's style. */
export interface RunMeaning {
  readonly marks: ReadonlySet<MarkKind>;
  readonly isHidden: boolean;
}

/** A level of a list. */
export interface ListLevel {
  /** Name of the number format as in Word's numbering; `bullet` for signs and pictures. */
  readonly format: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly start: number;
  /** Number of levels whose numbers are shown, this one included. */
  readonly shown: number;
}

interface Style {
  readonly name: string;
  readonly displayName: string;
  readonly parent: string;
  readonly list: string;
  /** True for a style of the content, which the author set by hand. */
  readonly isAutomatic: boolean;
  /** Properties of its text and its cell, by their names without prefix. */
  readonly properties: Map<string, string>;
}

/** Chains of styles are some five long; longer ones are hostile. */
const MAX_CHAIN = 50;
const MAX_LEVEL = 10;

const TITLE = /^title$/i;
const CODE = /^(?:preformatted text|source code|html preformatted|code|code block)$/i;
const QUOTE = /^(?:quotations?|quote|intense quote|block quotation|block text)$/i;
const CODE_RUN = /^(?:source text|teletype|user entry|verbatim char|inline code|code|html code)$/i;
const STRONG_RUN = /^(?:strong emphasis|strong)$/i;
const EMPHASIS_RUN = /^emphasis$/i;

const PLAIN: RunMeaning = { marks: new Set(), isHidden: false };

/** Collects styles while they are read: a visitor of `styles.xml` and of the beginning of `content.xml`. */
export class OpenStyles {
  readonly #styles = new Map<string, Style>();
  readonly #boldCells = new Map<string, boolean>();
  readonly #lists = new Map<string, (ListLevel | undefined)[]>();
  /** Numbers of the headings. */
  readonly outline: (ListLevel | undefined)[] = [];
  readonly #paragraphs = new Map<string, ParagraphMeaning>();
  readonly #runs = new Map<string, RunMeaning>();
  /** The target of properties and of levels. */
  #style: Style | undefined;
  #levels: (ListLevel | undefined)[] | undefined;
  #isAutomatic = false;

  /** Takes the tags of a sheet; `isContent` gives its automatic styles precedence over those of the style sheet. */
  visitor(isContent: boolean): XmlVisitor {
    return {
      open: (name, written) => this.#open(name, written, isContent),
      close: (name) => {
        if (name === 'style:style') this.#style = undefined;
        if (name === 'text:list-style' || name === 'text:outline-style') this.#levels = undefined;
        if (name === 'office:automatic-styles') this.#isAutomatic = false;
      },
      text: () => undefined,
    };
  }

  paragraph(name: string): ParagraphMeaning {
    let meaning = this.#paragraphs.get(name);
    if (meaning === undefined) this.#paragraphs.set(name, (meaning = this.#paragraphMeaning(name)));
    return meaning;
  }

  run(name: string): RunMeaning {
    let meaning = this.#runs.get(name);
    if (meaning === undefined) this.#runs.set(name, (meaning = this.#runMeaning(name)));
    return meaning;
  }

  /** A level of a list, from 0; `undefined` for an unknown list. */
  level(list: string, at: number): ListLevel | undefined {
    return this.#lists.get(list)?.[Math.min(MAX_LEVEL - 1, at)];
  }

  /** True for a cell with lines or a colour of its own. */
  isFramed(cell: string): boolean {
    return this.#chain('table-cell', cell).some(({ properties }) =>
      [...properties].some(
        ([name, value]) =>
          (name.startsWith('border') && !/^(?:none|hidden|0)/.test(value)) ||
          (name === 'background-color' && !/^(?:transparent|#ffffff)$/i.test(value)),
      ),
    );
  }

  /** True for a cell in bold type. */
  isBoldCell(name: string): boolean {
    let isBold = this.#boldCells.get(name);
    if (isBold === undefined)
      this.#boldCells.set(name, (isBold = runOf(this.#chain('table-cell', name), []).marks.has('strong')));
    return isBold;
  }

  /** True for a sheet that is not shown. */
  isHiddenTable(name: string): boolean {
    return this.#chain('table', name).some(({ properties }) => properties.get('display') === 'false');
  }

  /** True for a section that is not shown. */
  isHiddenSection(name: string): boolean {
    return this.#chain('section', name).some(({ properties }) => properties.get('display') === 'none');
  }

  #open(name: string, written: string, isContent: boolean): void {
    switch (name) {
      case 'office:automatic-styles':
        this.#isAutomatic = true;
        break;
      case 'style:style':
        this.#openStyle(attributesOf(written), isContent);
        break;
      case 'style:text-properties':
      case 'style:table-cell-properties':
      case 'style:section-properties':
      case 'style:table-properties':
        if (this.#style !== undefined) addProperties(this.#style.properties, attributesOf(written));
        break;
      case 'text:list-style':
        this.#levels = [];
        this.#openList(attributesOf(written).get('name') ?? '', this.#levels, isContent);
        break;
      case 'text:outline-style':
        this.#levels = this.outline;
        break;
      case 'text:list-level-style-number':
      case 'text:list-level-style-bullet':
      case 'text:list-level-style-image':
      case 'text:outline-level-style':
        this.#openLevel(name, attributesOf(written));
        break;
      default:
    }
  }

  /** The style sheet's own automatic styles are those of headers and footers. */
  #openStyle(attributes: ReadonlyMap<string, string>, isContent: boolean): void {
    const [name, family] = [attributes.get('name') ?? '', attributes.get('family') ?? ''];
    const key = `${family} ${name}`;
    this.#style = {
      name,
      displayName: attributes.get('display-name') ?? name.replaceAll('_20_', ' '),
      parent: attributes.get('parent-style-name') ?? '',
      list: attributes.get('list-style-name') ?? '',
      isAutomatic: this.#isAutomatic,
      properties: new Map(),
    };
    if (isContent || !this.#isAutomatic || !this.#styles.has(key)) this.#styles.set(key, this.#style);
  }

  #openList(name: string, levels: (ListLevel | undefined)[], isContent: boolean): void {
    if (isContent || !this.#isAutomatic || !this.#lists.has(name)) this.#lists.set(name, levels);
  }

  #openLevel(name: string, attributes: ReadonlyMap<string, string>): void {
    const at = Number.parseInt(attributes.get('level') ?? '', 10) - 1;
    if (this.#levels === undefined || !(at >= 0 && at < MAX_LEVEL)) return;
    const number = (attribute: string): number => Number.parseInt(attributes.get(attribute) ?? '', 10);
    const isBullet = name.endsWith('-bullet') || name.endsWith('-image');
    this.#levels[at] = {
      format: isBullet ? 'bullet' : (FORMATS.get(attributes.get('num-format') ?? '') ?? 'decimal'),
      prefix: (attributes.get('num-prefix') ?? '').slice(0, MAX_AFFIX),
      suffix: (attributes.get('num-suffix') ?? '').slice(0, MAX_AFFIX),
      start: number('start-value') >= 0 ? number('start-value') : 1,
      shown: Math.min(at + 1, Math.max(1, number('display-levels') || 1)),
    };
  }

  #paragraphMeaning(name: string): ParagraphMeaning {
    const chain = this.#chain('paragraph', name);
    // A style without a sheet still has its name.
    const names =
      chain.length === 0 ? [name.replaceAll('_20_', ' ')] : chain.map(({ displayName }) => displayName);
    const has = (pattern: RegExp): boolean => names.some((candidate) => pattern.test(candidate));
    return {
      role: has(TITLE) ? 'title' : has(CODE) ? 'code' : has(QUOTE) ? 'quote' : 'plain',
      list: chain.find(({ list }) => list !== '')?.list ?? '',
      // A named style is the look of many paragraphs; by hand, bold type is the author's emphasis.
      run: runOf(
        chain.filter(({ isAutomatic }) => isAutomatic),
        chain,
      ),
    };
  }

  #runMeaning(name: string): RunMeaning {
    const chain = this.#chain('text', name);
    const names =
      chain.length === 0 ? [name.replaceAll('_20_', ' ')] : chain.map(({ displayName }) => displayName);
    const has = (pattern: RegExp): boolean => names.some((candidate) => pattern.test(candidate));
    const { marks, isHidden } = runOf(chain, chain);
    const named = [
      ...marks,
      ...(has(STRONG_RUN) ? (['strong'] as const) : []),
      ...(has(EMPHASIS_RUN) ? (['emphasis'] as const) : []),
      ...(has(CODE_RUN) ? (['code'] as const) : []),
    ];
    return named.length === 0 && !isHidden ? PLAIN : { marks: new Set(named), isHidden };
  }

  /** A style and its parents, the nearest first; a circular chain ends at the repetition. */
  #chain(family: string, name: string): Style[] {
    const chain = new Set<Style>();
    for (let id = name; id !== '' && chain.size < MAX_CHAIN;) {
      const style = this.#styles.get(`${family} ${id}`);
      if (style === undefined || chain.has(style)) break;
      chain.add(style);
      id = style.parent;
    }
    return [...chain];
  }
}

/** Longest text before or behind a number. */
const MAX_AFFIX = 20;

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['', 'none'],
  ['1', 'decimal'],
  ['a', 'lowerLetter'],
  ['A', 'upperLetter'],
  ['i', 'lowerRoman'],
  ['I', 'upperRoman'],
  ['一, 二, 三, ...', 'chineseCounting'],
  ['①, ②, ③, ...', 'decimalEnclosedCircle'],
]);

/** The properties that are read. */
const READ =
  /^(?:font-weight|font-style|text-line-through-style|text-line-through-type|text-position|display|border.*|background-color)$/;

function addProperties(properties: Map<string, string>, attributes: ReadonlyMap<string, string>): void {
  for (const [name, value] of attributes) if (READ.test(name)) properties.set(name, value);
}

/** Marks by the first style that says something of each; hidden by any style. */
function runOf(styles: readonly Style[], all: readonly Style[]): RunMeaning {
  const value = (name: string): string =>
    styles.find(({ properties }) => properties.has(name))?.properties.get(name) ?? '';
  const marks = new Set<MarkKind>();
  if (/^(?:bold|[6-9]00)$/.test(value('font-weight'))) marks.add('strong');
  if (/^(?:italic|oblique)$/.test(value('font-style'))) marks.add('emphasis');
  if (/^(?!none$)./.test(value('text-line-through-style') || value('text-line-through-type')))
    marks.add('strike');
  if (/^(?:super|[1-9]\d*(?:\.\d+)?%)/.test(value('text-position'))) marks.add('raised');
  const isHidden =
    all.find(({ properties }) => properties.has('display'))?.properties.get('display') === 'none';
  return { marks, isHidden };
}

/** The label of a numbered level, with the blank behind, for the numbers of all levels down to it; '' without one. */
export function labelOf(
  levelAt: (at: number) => ListLevel | undefined,
  numbers: readonly (number | undefined)[],
  at: number,
): string {
  const level = levelAt(at);
  if (level === undefined || level.format === 'bullet') return '';
  const shown: string[] = [];
  for (let above = at + 1 - level.shown; above <= at; above++) {
    const { format, start } = levelAt(above) ?? level;
    const figure = format === 'bullet' ? '' : numeral(format, numbers[above] ?? start);
    if (figure !== '') shown.push(figure);
  }
  const label = `${level.prefix}${shown.join('.')}${level.suffix}`.replace(/\s+/g, ' ').trim();
  return /[\p{L}\p{N}]/u.test(label) ? `${label} ` : '';
}
