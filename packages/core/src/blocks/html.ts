// HTML blocks in Markdown: which of the seven kinds a line begins, and which line ends it (CommonMark 0.31.2 section
// 4.6). Looks at one line at a time; html-table.ts reads what the HTML means.

/**
 * The kinds of HTML blocks: 1 script and the like, 2 comment, 3 instruction, 4 declaration, 5 CDATA, 6 tag of a block,
 * 7 any whole tag; 0 none.
 */
export type HtmlKind = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

const RAW_NAMES = 'pre|script|style|textarea';

const BLOCK_NAMES =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|' +
  'dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|' +
  'li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|' +
  'tfoot|th|thead|title|tr|track|ul';

const TAG_NAME = '[a-z][a-z\\d-]*';

/**
 * Matches an attribute, ` href = "x"` (section 6.6). No two neighbouring parts of the pattern can match the same
 * characters, so it fails in linear time.
 */
const ATTRIBUTE = `[ \\t]+[a-z_:][\\w.:-]*(?:[ \\t]*=[ \\t]*(?:"[^"]*"|'[^']*'|[^ \\t"'<->\`]+))?`;

/** Most attributes of a tag: a pattern that repeats without a bound would overflow its stack. */
const MOST_ATTRIBUTES = 999;

let starts: RegExp | undefined;

/** The kind of HTML block that `<` at `at` begins. */
export function htmlKindAt(text: string, at: number, end: number): HtmlKind {
  // One group for each kind.
  starts ??= new RegExp(
    `^<(?:((?:${RAW_NAMES})(?![^ \\t>]))|(!--)|(\\?)|(![a-z])|(!\\[CDATA\\[)|` +
      `(\\/?(?:${BLOCK_NAMES})(?:\\/>|(?![^ \\t>])))|` +
      `((?:\\/${TAG_NAME}[ \\t]*|${TAG_NAME}(?:${ATTRIBUTE}){0,${MOST_ATTRIBUTES}}[ \\t]*\\/?)>[ \\t]*$))`,
    'i',
  );
  const groups = starts.exec(text.slice(at, end));
  return groups === null ? 0 : (groups.indexOf(groups[0].slice(1), 1) as HtmlKind);
}

/** True when an HTML block of this kind ends with the line [at, end). Kinds 6 and 7 end before a blank line. */
export function endsHtml(kind: HtmlKind, text: string, at: number, end: number): boolean {
  const line = text.slice(at, end);
  if (kind === 1) return new RegExp(`</(?:${RAW_NAMES})>`, 'i').test(line);
  const mark = ['-->', '?>', '>', ']]>'][kind - 2];
  return mark !== undefined && line.includes(mark);
}

/** `<h2 id="x">` → 2; 0 for any other tag. */
export function htmlHeadingDepth(text: string, at: number): number {
  return Number(/^<h([1-6])/i.exec(text.slice(at, at + 3))?.[1] ?? 0);
}
