// The style sheet of a DOCX: the paragraph styles of headings, titles, code, quotations and list items, the effect of
// character styles on a run, and the borders of table styles. Built-in styles have English names in every language of
// Word; own styles inherit from them or carry an outline level.
import { attributeOf, isOn, nameOf, type Properties, type XmlVisitor } from '../../package/xml.ts';

/** The meaning of a paragraph style. */
export interface ParagraphStyle {
  /** Depth 1 to 6 of a heading; 0 for ordinary text. */
  readonly depth: number;
  readonly role: 'title' | 'code' | 'quote' | 'entry' | undefined;
  /** Numbering of the style; `undefined` when it has none. */
  readonly numbering: StyleNumbering | undefined;
  /** True when its text is hidden. */
  readonly isHidden: boolean;
}

export interface StyleNumbering {
  /** Styles with this numbering: levels of a list may name one of them. */
  readonly styleId: string;
  readonly numId: string;
  /** As written; '' when the list's level that names the style decides. */
  readonly level: string;
}

/** The relevant style of a run. */
export interface RunStyle {
  readonly strong: boolean;
  readonly emphasis: boolean;
  readonly strike: boolean;
  readonly code: boolean;
  readonly isHidden: boolean;
  /** `superscript`, `subscript` or ''. */
  readonly raised: string;
  /** Name of the font; '' without one. */
  readonly font: string;
}

/** A run without properties. */
export const PLAIN_RUN: RunStyle = {
  strong: false,
  emphasis: false,
  strike: false,
  code: false,
  isHidden: false,
  raised: '',
  font: '',
};

/** The appearance of a table style. */
export interface TableStyle {
  /** True when it sets the first row off, in a table with that option. */
  readonly marksFirstRow: boolean;
  /** True when it colours rows or columns. */
  readonly isColoured: boolean;
  /** The borders, by names such as `w:insideH`; true for a drawn one. */
  readonly borders: ReadonlyMap<string, boolean>;
}

/** The style sheet: each style by its id. */
export interface Styles {
  readonly paragraph: (styleId: string) => ParagraphStyle;
  readonly character: (styleId: string) => RunStyle;
  readonly table: (styleId: string) => TableStyle;
}

interface Style {
  name: string;
  basedOn: string;
  /** Outline level as written: 0 to 8 are headings, 9 is body text; -1 when absent. */
  outline: number;
  numId: string;
  level: string;
  /** Run properties by name, as they are written. */
  readonly run: Map<string, string>;
  readonly borders: Map<string, boolean>;
  /** Parts of a table that the style sets off, such as `firstRow`. */
  readonly parts: Set<string>;
}

const MAX_HEADING_DEPTH = 6;
const BODY_TEXT = 9;

export const CODE_STYLES =
  /^(?:source code|html preformatted|preformatted text|code|code block|macro text|plain text code)$/i;
export const QUOTE_STYLES = /^(?:quote|intense quote|block text|quotations|block quote)$/i;
export const CODE_RUN_STYLES =
  /^(?:verbatim char|html code|source text|code|code char|html preformatted char|inline code)$/i;
/** Entries of lists of contents, of figures and of an index. Authors base them on any style, headings as well. */
const ENTRY_STYLES = /^(?:toc|contents|index) [1-9]$|^table of (?:figures|authorities)$/i;
/** "heading 1", and its translations by programs that name their own styles in the user's language. */
const HEADING_STYLES =
  /^(?:heading|überschrift|titre|título|titulo|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|cím|címsor|başlık|заголовок|επικεφαλίδα|標題|标题|見出し|제목) ?([1-9])$/i;

/** Reads `word/styles.xml`. The usual names have their meaning even without a style sheet. */
export function readStyles(visit: (visitor: XmlVisitor) => unknown): Styles {
  const styles = new Map<string, Style>();
  visit(styleVisitor(styles));
  const paragraphs = new Map<string, ParagraphStyle>();
  const characters = new Map<string, RunStyle>();
  const tables = new Map<string, TableStyle>();
  return {
    paragraph: (id) => remembered(paragraphs, id, () => paragraphStyle(id, styles)),
    character: (id) => remembered(characters, id, () => characterStyle(id, styles)),
    table: (id) => remembered(tables, id, () => tableStyle(id, styles)),
  };
}

function remembered<T>(known: Map<string, T>, id: string, find: () => T): T {
  let found = known.get(id);
  if (found === undefined) known.set(id, (found = find()));
  return found;
}

const newStyle = (): Style => ({
  name: '',
  basedOn: '',
  outline: -1,
  numId: '',
  level: '',
  run: new Map(),
  borders: new Map(),
  parts: new Set(),
});

/** Properties that set a part of a table off: bold type, a colour behind it, a line around it. */
const SETS_OFF = new Set(['w:b', 'w:shd', 'w:tcBorders']);

/**
 * The borders of a table (ECMA-376 part 1, section 17.4.39). Others are skipped, because each table with the style
 * reads all borders.
 */
const TABLE_BORDERS: ReadonlySet<string> = new Set(
  'w:top w:start w:left w:bottom w:end w:right w:insideH w:insideV'.split(' '),
);

function styleVisitor(styles: Map<string, Style>): XmlVisitor {
  let style: Style | undefined;
  /** The open table part, run properties, and borders. */
  let part = '';
  let isInRun = false;
  let isInBorders = false;
  return {
    open: (name, written) => {
      if (name === 'w:style') {
        style = newStyle();
        const id = nameOf(written, 'styleId');
        // The first of two styles with one id keeps it (ECMA-376 part 1, section 17.7.4.17).
        if (!styles.has(id)) styles.set(id, style);
      } else if (style === undefined) return;
      else if (name === 'w:tblStylePr') part = nameOf(written, 'type');
      else if (part !== '') {
        if (SETS_OFF.has(name)) style.parts.add(part);
      } else if (name === 'w:tblBorders') isInBorders = true;
      else if (isInBorders) {
        if (TABLE_BORDERS.has(name)) style.borders.set(name, isLine(written));
      } else if (name === 'w:rPr') isInRun = true;
      else if (isInRun) style.run.set(name, written);
      else if (name === 'w:name') style.name = nameOf(written);
      else if (name === 'w:basedOn') style.basedOn = nameOf(written);
      else if (name === 'w:outlineLvl') style.outline = Number.parseInt(nameOf(written), 10);
      else if (name === 'w:numId') style.numId = nameOf(written);
      else if (name === 'w:ilvl') style.level = nameOf(written);
    },
    close: (name) => {
      if (name === 'w:style') style = undefined;
      if (name === 'w:tblStylePr') part = '';
      if (name === 'w:tblBorders') isInBorders = false;
      if (name === 'w:rPr') isInRun = false;
    },
    text: () => undefined,
  };
}

/** Chains of styles are some five long; longer ones are hostile. */
const MAX_CHAIN = 50;

/** A style and its bases, the nearest first; a circular chain ends at the repetition. */
function chainOf(styleId: string, styles: ReadonlyMap<string, Style>): [id: string, style: Style][] {
  const chain = new Map<string, Style>();
  for (let id = styleId; id !== '' && !chain.has(id) && chain.size < MAX_CHAIN;) {
    const style = styles.get(id);
    if (style === undefined) break;
    chain.set(id, style);
    id = style.basedOn;
  }
  return [...chain];
}

function paragraphStyle(styleId: string, styles: ReadonlyMap<string, Style>): ParagraphStyle {
  const chain = chainOf(styleId, styles);
  const name = chain[0]?.[1].name ?? styleId;
  const numbered = chain.find(([, { numId }]) => numId !== '');
  const levelled = chain.find(([, { numId, level }]) => numId !== '' || level !== '');
  return {
    depth: chain.length === 0 ? depthByName(styleId) : depthOf(chain),
    role: /^title$/i.test(name)
      ? 'title'
      : CODE_STYLES.test(name)
        ? 'code'
        : QUOTE_STYLES.test(name)
          ? 'quote'
          : ENTRY_STYLES.test(name)
            ? 'entry'
            : undefined,
    numbering: numbered && { styleId, numId: numbered[1].numId, level: levelled?.[1].level ?? '' },
    isHidden: isOn(chain.find(([, { run }]) => run.has('w:vanish'))?.[1].run.get('w:vanish')),
  };
}

/** The first style of the chain that decides. */
function depthOf(chain: readonly [id: string, style: Style][]): number {
  for (const [id, { name, outline }] of chain) {
    const named = depthByName(name === '' ? id : name);
    if (named > 0) return named;
    if (outline >= 0) return outline < BODY_TEXT ? Math.min(MAX_HEADING_DEPTH, outline + 1) : 0;
  }
  return 0;
}

function depthByName(name: string): number {
  if (/^title$/i.test(name)) return 1;
  const depth = HEADING_STYLES.exec(name)?.[1];
  return depth === undefined ? 0 : Math.min(MAX_HEADING_DEPTH, Number(depth));
}

/** Depth of a heading by the paragraph's own outline level; `undefined` without one. */
export function depthByOutline(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const level = Number.parseInt(attributeOf(written, 'val'), 10);
  if (!(level >= 0 && level <= BODY_TEXT)) return undefined;
  return level < BODY_TEXT ? Math.min(MAX_HEADING_DEPTH, level + 1) : 0;
}

function characterStyle(styleId: string, styles: ReadonlyMap<string, Style>): RunStyle {
  const chain = chainOf(styleId, styles);
  const properties = new Map<string, string>();
  for (const [, { run }] of chain.reverse()) for (const [name, written] of run) properties.set(name, written);
  const name = styles.get(styleId)?.name ?? styleId;
  const style = withRunProperties(PLAIN_RUN, properties);
  return {
    ...style,
    strong: style.strong || name === 'Strong',
    emphasis: style.emphasis || name === 'Emphasis',
    code: style.code || CODE_RUN_STYLES.test(name),
  };
}

function tableStyle(styleId: string, styles: ReadonlyMap<string, Style>): TableStyle {
  const chain = chainOf(styleId, styles).map(([, style]) => style);
  return {
    marksFirstRow: chain.some(({ parts }) => parts.has('firstRow')),
    isColoured: chain.some(({ parts }) => parts.size > 0),
    borders: new Map(chain.toReversed().flatMap(({ borders }) => [...borders])),
  };
}

/** True for a drawn border. */
export function isLine(written: string): boolean {
  return !/^(?:|nil|none)$/.test(attributeOf(written, 'val'));
}

/** A run's style: its own properties on top of those of its style. */
export function withRunProperties(style: RunStyle, properties: Properties): RunStyle {
  if (properties.size === 0) return style;
  const toggle = (name: string, otherwise: boolean): boolean =>
    properties.has(name) ? isOn(properties.get(name)) : otherwise;
  const raised = raisedOf(properties);
  const fonts = properties.get('w:rFonts');
  return {
    strong: toggle('w:b', style.strong),
    emphasis: toggle('w:i', style.emphasis),
    strike: toggle('w:strike', style.strike) || toggle('w:dstrike', false),
    code: style.code,
    isHidden: toggle('w:vanish', style.isHidden),
    raised: raised ?? style.raised,
    font: (fonts === undefined ? '' : fontOf(fonts)) || style.font,
  };
}

/** `superscript` or `subscript`; LibreOffice writes an index as a smaller run at a height of its own. */
function raisedOf(properties: Properties): string | undefined {
  const [written, position, size] = ['w:vertAlign', 'w:position', 'w:sz'].map((name) => properties.get(name));
  if (written !== undefined) return attributeOf(written, 'val');
  if (position === undefined || size === undefined) return undefined;
  return isRaised(Number(attributeOf(position, 'val')), Number(attributeOf(size, 'val')))
    ? 'superscript'
    : undefined;
}

/** True for a run so high above the line that it is an index; Word raises labels and pictures by less. */
export function isRaised(position: number, size: number): boolean {
  return position > LEAST_RAISE * size;
}

/** LibreOffice raises by 33 % of the size of the line, which is more than 40 % of that of the index. */
const LEAST_RAISE = 0.3;

function fontOf(written: string): string {
  return attributeOf(written, 'ascii') || attributeOf(written, 'hAnsi');
}
