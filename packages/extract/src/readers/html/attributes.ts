// What attributes say about an element: which of them are kept, and what they mean.

/** Attributes of one start tag by their names in lower case; only those of {@link KEPT}. */
export type Attributes = Map<string, string>;

/** Attributes that mean something here; the others are not even cut out. */
export const KEPT: ReadonlySet<string> = new Set(
  'hidden style class href src alt alttext encoding start colspan rowspan role open type checked data-lang data-language'.split(
    ' ',
  ),
);

const LANGUAGE_CLASS =
  /(?:^|\s)(?:language|lang|highlight-source|highlight|sourceCode)-([\w+#.-]{1,30})(?:\s|$)/i;

/** The language that a class or a data attribute names, in lower case; '' when none does. */
export function languageOf(attributes: Attributes): string {
  const named = attributes.get('data-lang') ?? attributes.get('data-language');
  const language = named ?? LANGUAGE_CLASS.exec(attributes.get('class') ?? '')?.[1] ?? '';
  return /^[\w+#.-]{1,30}$/.test(language) && language !== 'none' ? language.toLowerCase() : '';
}

const HIDING_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

/** KaTeX writes each formula twice, as MathML and in this as letters; MediaWiki has `[edit]` in each heading, but not in print. */
const NO_CONTENT = /(?:^|\s)(?:katex-html|mw-editsection)(?:\s|$)/;

/**
 * True for what no reader sees: `hidden`, `display: none`, a closed dialog. Not for `aria-hidden`, which hides from
 * screen readers what is on the screen, nor for the whole page, which scripts are to show.
 */
export function isHidden(name: string, attributes: Attributes): boolean {
  if (name === 'html' || name === 'body') return false;
  if (name === 'dialog' && !attributes.has('open')) return true;
  const hidden = attributes.get('hidden');
  if (hidden !== undefined && hidden.toLowerCase() !== 'until-found') return true;
  if (NO_CONTENT.test(attributes.get('class') ?? '')) return true;
  const style = attributes.get('style');
  return style !== undefined && HIDING_STYLE.test(style);
}

/** A number as HTML attributes have it; 1 when absent, NaN when it is none. */
export function integerOf(value: string | undefined): number {
  return value === undefined ? 1 : Number.parseInt(value, 10);
}
