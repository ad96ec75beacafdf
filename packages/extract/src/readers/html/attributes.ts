// The relevant attributes of an element, and their meaning.

import type { TableShape } from '../../tree/containers.ts';
import type { Element } from './elements.ts';

/** Attributes of one start tag by their names in lower case; only those of {@link KEPT}. */
export type Attributes = Map<string, string>;

/** Relevant attributes; the others are not even sliced. */
export const KEPT: ReadonlySet<string> = new Set(
  'id hidden popover scope border style class href src alt alttext encoding display linethickness bevelled mathvariant notation close separators start reversed value colspan rowspan role open type checked data-lang data-language shadowrootmode aria-colspan aria-rowspan aria-level'.split(
    ' ',
  ),
);

/**
 * `language-js`, and the forms of Org (`src src-js`), SyntaxHighlighter (`brush: js;`), pandoc (`sourceCode js`) and
 * highlight.js (`hljs js`).
 */
const LANGUAGE_CLASS = /(?:^|\s)(?:language|lang)-([\w+#.-]{1,30})(?:\s|$)/i;
const HIGHLIGHTER_CLASS =
  /(?:^|\s)(?:(?:highlight-source|highlight|sourceCode|mw-highlight-lang|src src)-|brush:\s*|(?:sourceCode(?:\s+number(?:Source|Lines))?|hljs)\s+)([\w+#.-]{1,30})(?:[\s;]|$)/i;

/** Values of highlighters for code without a language, and other words in its place. */
const NO_LANGUAGE = /^(?:none|default|nohighlight|undefined|numberSource|numberLines|cell-code)$/i;

/** The language that a class or a data attribute names, in lower case; '' without one. */
export function languageOf(attributes: Attributes): string {
  const named = attributes.get('data-lang') ?? attributes.get('data-language');
  const classes = attributes.get('class') ?? '';
  const highlighted = LANGUAGE_CLASS.exec(classes) ?? HIGHLIGHTER_CLASS.exec(classes);
  const language = named ?? highlighted?.[1] ?? '';
  return /^[\w+#.-]{1,30}$/.test(language) && !NO_LANGUAGE.test(language) ? language.toLowerCase() : '';
}

const HIDING_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)/i;

/**
 * Elements without content of their own. KaTeX writes each formula twice, as MathML and as letters in this. MathJax
 * does so too, with its MathML inside or a script behind ({@link rendersFormula}). MediaWiki has `[edit]` in each
 * heading, but not in print. Highlighters show line numbers beside the code, which readers do not copy. Haddock has the
 * type of each word of code inside the word, and Doxygen the declarations behind it, shown on hover. Sphinx has
 * `[source]` and `[docs]` at the edge, as links between code and its description. Google's icon fonts draw a picture in
 * place of its name (`expand_more`).
 */
const NO_CONTENT =
  /(?:^|\s)(?:katex-html|MathJax(?:_Preview|_Display|_SVG|_CHTML)?|mw-editsection|linenos?|linenodiv|line-?numbers?-(?:rows|wrapper)|rouge-gutter|blob-num|hljs-ln-numbers|CodeMirror-linenumber|crayon-nums|lnt|listing_lines|annottext|tt(?:name|deci|def|doc)|viewcode-(?:link|back)|material-(?:icons|symbols)(?:-(?:outlined|rounded|round|sharp|two-tone))?|mat-icon)(?:\s|$)/;
/** The same for a cell, where the name alone is ambiguous. */
const GUTTER = /(?:^|\s)gutter(?:\s|$)/;

const MATHJAX = /(?:^|\s)MathJax(?:_Display|_SVG|_CHTML)?(?:\s|$)/;

/** True for MathJax's drawing of a formula: only the MathML inside it, for screen readers, is text. */
export function rendersFormula(attributes: Attributes): boolean {
  return MATHJAX.test(attributes.get('class') ?? '');
}

/** Elements whose items or rows are lines of code. */
const CODE_LINES = /(?:^|\s)(?:linenums|hljs-ln|js-file-line-container)(?:\s|$)/;

/** True for a list or a table that shows code, a line in each item or row. */
export function holdsCodeLines(attributes: Attributes): boolean {
  return CODE_LINES.test(attributes.get('class') ?? '');
}

/**
 * Boxes in which Doxygen and SyntaxHighlighter show code, a line in each box of another class. Slides use the first
 * class too, without such lines.
 */
const CODE_BOX = /(?:^|\s)(?:fragment|syntaxhighlighter)(?:\s|$)/;
const CODE_BOX_LINE = /(?:^|\s)line(?:\s|$)/;

/** True for a block whose lines, if any ({@link isCodeBoxLine}), are code. */
export function isCodeBox(attributes: Attributes): boolean {
  return CODE_BOX.test(attributes.get('class') ?? '');
}

/** True for a block that is a line of code inside a {@link isCodeBox} block. */
export function isCodeBoxLine(attributes: Attributes): boolean {
  return CODE_BOX_LINE.test(attributes.get('class') ?? '');
}

/** Check boxes that open a menu without a script, which are no content. */
const SWITCH = /(?:nav|menu|sidebar|drawer|md)[\w-]{0,20}toggle|toctree-checkbox/i;

/** True for a check box that is a switch of the page and no content. */
export function isSwitch(attributes: Attributes): boolean {
  if (/^(?:menu|nav|sidebar)$/i.test(attributes.get('id') ?? '')) return true;
  return /^button$/i.test(attributes.get('role') ?? '') || SWITCH.test(attributes.get('class') ?? '');
}

/**
 * Pictures of formulas with the formula as their description: those of MediaWiki, of WordPress and of old LaTeX
 * converters.
 */
const FORMULA_IMAGE = /(?:^|\s)(?:mwe-math-fallback-image-\w+|latex|tex)(?:\s|$)/;

/** The formula of an image, in TeX; '' without one. */
export function formulaOf(attributes: Attributes): string {
  return FORMULA_IMAGE.test(attributes.get('class') ?? '') ? plainTex(attributes.get('alt') ?? '') : '';
}

const DISPLAY_STYLE = /^\{\\(?:displaystyle|textstyle)([^]*)\}$/;

/** TeX without MediaWiki's wrapping. */
export function plainTex(tex: string): string {
  const trimmed = tex.trim();
  return (DISPLAY_STYLE.exec(trimmed)?.[1] ?? trimmed).trim();
}

/** `mso-list:l0 level2 lfo1`: the mark of a list item in Word's HTML. */
const WORD_LEVEL = /mso-list\s*:[^;:]{0,40}?\blevel([1-9])/i;

/** Level, from 0, of a paragraph that is a list item in Word's HTML; `undefined` for others. */
export function wordLevelOf(attributes: Attributes): number | undefined {
  const level = WORD_LEVEL.exec(attributes.get('style') ?? '')?.[1];
  return level === undefined ? undefined : Number(level) - 1;
}

/** True for the bullet or number before such an item. */
export function isWordMark(attributes: Attributes): boolean {
  return /mso-list\s*:\s*Ignore/i.test(attributes.get('style') ?? '');
}

/**
 * True for invisible elements: `hidden`, `display: none`, a closed dialog, a popover, which opens on a click. Not for a
 * tab that is not chosen, for `aria-hidden`, which hides visible elements from screen readers, nor for the whole page,
 * which scripts are to show.
 */
export function isHidden(name: string, attributes: Attributes): boolean {
  if (name === 'html' || name === 'body') return false;
  if (name === 'dialog' ? !attributes.has('open') : attributes.has('popover')) return true;
  const hidden = attributes.get('hidden');
  const isTab = TAB_PANEL.test(attributes.get('role') ?? '');
  if (hidden !== undefined && hidden.toLowerCase() !== 'until-found' && !isTab) return true;
  const classes = attributes.get('class') ?? '';
  if (classes !== '' && (NO_CONTENT.test(classes) || (name === 'td' && GUTTER.test(classes)))) return true;
  const style = attributes.get('style');
  return style !== undefined && HIDING_STYLE.test(style) && !isTab;
}

/** A part that is one click away, like `<details>`: of several tabs only the chosen one shows at first. */
const TAB_PANEL = /(?:^|\s)tabpanel(?:\s|$)/i;

/** A number as HTML attributes have it; 1 when absent, NaN when malformed. */
export function integerOf(value: string | undefined): number {
  return value === undefined ? 1 : Number.parseInt(value, 10);
}

/**
 * The facts of a table's start tag. A border of 0 marks a layout table in all browsers.
 *
 * @param boxed the kind of the table by the block around it
 */
export function tableOf(attributes: Attributes, boxed?: BoxedTable): TableShape {
  return {
    presentational: boxed === 'note' || roleOf(attributes) === 'presentation',
    ...(boxed === undefined || boxed === 'note' ? undefined : { list: boxed }),
    isFramed: attributes.get('border') === '0' ? false : undefined,
  };
}

function hasClass(attributes: Attributes, name: string): boolean {
  const classes = attributes.get('class');
  // Most class attributes contain none of the names.
  return classes?.includes(name) === true && classes.split(/\s+/).includes(name);
}

/** The role of the table in a box that is no real table: a note, a list of terms or of numbers in code. */
export type BoxedTable = 'note' | 'terms' | 'callouts';

/** Boxes of AsciiDoc, whose tables of one row are notes and those of two columns are lists. */
const TABLE_BOX = /(?:^|\s)(admonitionblock|hdlist|colist)(?:\s|$)/;
const BOXED: ReadonlyMap<string | undefined, BoxedTable> = new Map([
  ['admonitionblock', 'note'],
  ['hdlist', 'terms'],
  ['colist', 'callouts'],
]);

/** The role of a table directly in a block; `undefined` without a hint from the block. */
export function boxedTableOf(attributes: Attributes): BoxedTable | undefined {
  return BOXED.get(TABLE_BOX.exec(attributes.get('class') ?? '')?.[1]);
}

const WHITE_SPACE = /(?:^|;)\s*white-space\s*:\s*([a-z-]+)/i;

/** True if line ends in the text of an element are shown; `undefined` when the element does not set it. */
export function keepsLines(attributes: Attributes): boolean | undefined {
  const value = WHITE_SPACE.exec(attributes.get('style') ?? '')?.[1];
  return value === undefined ? undefined : /^(?:pre(?:-wrap|-line)?|break-spaces)$/i.test(value);
}

/** The effect of a role on an element, for the roles that matter to text. */
export type AriaRole = 'table' | 'row' | 'cell' | 'header' | 'heading' | 'presentation';

const ROLES: ReadonlyMap<string, AriaRole> = new Map([
  ['table', 'table'],
  ['grid', 'table'],
  ['treegrid', 'table'],
  ['row', 'row'],
  ['cell', 'cell'],
  ['gridcell', 'cell'],
  ['columnheader', 'header'],
  ['rowheader', 'header'],
  ['heading', 'heading'],
  ['presentation', 'presentation'],
  ['none', 'presentation'],
]);

/**
 * The role of an element (WAI-ARIA 1.2, section 5.3 and 5.4): of several the first relevant one, as browsers skip
 * unknown ones. `undefined` without one.
 */
export function roleOf(attributes: Attributes): AriaRole | undefined {
  const role = attributes.get('role');
  if (role === undefined) return undefined;
  for (const name of role.toLowerCase().split(/\s+/, MAX_ROLES)) {
    const known = ROLES.get(name);
    if (known !== undefined) return known;
  }
  return undefined;
}

/** Most roles of one element to read: the role and its fallbacks for older programs. */
const MAX_ROLES = 8;

/** Depth of an element that is a heading by its role; 2 by default, as in ARIA. */
export function headingDepthOf(attributes: Attributes): number {
  const depth = Number.parseInt(attributes.get('aria-level') ?? '', 10);
  return depth >= 1 ? depth : 2;
}

/** True for Javadoc's box in place of a table, from version 16 on: the boxes in it are cells. */
export function isGridOfBoxes(attributes: Attributes): boolean {
  return hasClass(attributes, 'summary-table');
}

/** True for a cell in such a box: its class names its column. */
export function isGridCell(attributes: Attributes): boolean {
  return /(?:^|\s)col-(?:first|second|last|(?:[a-z]+-)+name)(?:\s|$)/.test(attributes.get('class') ?? '');
}

/** True for the last cell of a row in such a box; the first one has several names. */
export function isGridRowEnd(attributes: Attributes): boolean {
  return hasClass(attributes, 'col-last');
}

/** True for a cell in such a box that names its column. */
export function isGridHeader(attributes: Attributes): boolean {
  return hasClass(attributes, 'table-header');
}

/**
 * True for a list of terms that is a table of contents, as DocBook writes them: its terms are entries without a
 * description.
 */
export function isContents(attributes: Attributes): boolean {
  return hasClass(attributes, 'toc');
}

/** True for a cell that names its column although it is no `<th>`. */
export function isColumnName(attributes: Attributes): boolean {
  return (
    /^col(?:group)?$/i.test(attributes.get('scope') ?? '') ||
    /(?:^|\s)columnheader(?:\s|$)/i.test(attributes.get('role') ?? '')
  );
}

/** True for hidden elements. A script with a formula and a visible template (a declarative shadow root) are read. */
export function isUnseen(name: string, { role }: Element, attributes: Attributes): boolean {
  if (isHidden(name, attributes)) return true;
  if (role !== 'skipped') return false;
  if (name === 'template') return !attributes.has('shadowrootmode');
  return name !== 'script' || !MATH_SCRIPT.test(attributes.get('type') ?? '');
}

const MATH_SCRIPT = /^math\/tex/i;
