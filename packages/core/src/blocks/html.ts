// HTML blocks in Markdown: which of the seven kinds a line begins, and which line ends it (CommonMark 0.31.2
// section 4.6). Looks at one line at a time; what the HTML means is the business of html-table.ts.
import { DASH, isDigit, isLetter, isSpace, skipSpaces } from './marks.ts';

/** 1 script and the like, 2 comment, 3 instruction, 4 declaration, 5 CDATA, 6 a block's tag, 7 any whole tag; 0 none. */
export type HtmlKind = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

const QUOTE_DOUBLE = 0x22;
const QUOTE_SINGLE = 0x27;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;

const RAW_NAMES: ReadonlySet<string> = new Set(['pre', 'script', 'style', 'textarea']);

const BLOCK_NAMES: ReadonlySet<string> = new Set(
  (
    'address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl ' +
    'dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend ' +
    'li link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td ' +
    'tfoot th thead title tr track ul'
  ).split(' '),
);

/** The kind of HTML block that `<` at `at` begins. */
export function htmlKindAt(text: string, at: number, end: number): HtmlKind {
  if (text.startsWith('<!--', at)) return 2;
  if (text.startsWith('<?', at)) return 3;
  if (text.startsWith('<![CDATA[', at)) return 5;
  if (text.startsWith('<!', at)) return at + 2 < end && isLetter(text.charCodeAt(at + 2)) ? 4 : 0;
  const closing = text.charCodeAt(at + 1) === SLASH;
  const nameStart = at + (closing ? 2 : 1);
  const nameEnd = skipName(text, nameStart, end);
  if (nameEnd === nameStart) return 0;
  const name = text.slice(nameStart, nameEnd).toLowerCase();
  if (!closing && RAW_NAMES.has(name) && endsTagName(text, nameEnd, end)) return 1;
  if (BLOCK_NAMES.has(name) && (endsTagName(text, nameEnd, end) || text.startsWith('/>', nameEnd))) return 6;
  const after = closing ? afterClosingTag(text, nameEnd, end) : afterOpenTag(text, nameEnd, end);
  return after !== -1 && skipSpaces(text, after, end) === end ? 7 : 0;
}

/** True when an HTML block of this kind ends with the line [at, end). Kinds 6 and 7 end before a blank line. */
export function endsHtml(kind: HtmlKind, text: string, at: number, end: number): boolean {
  if (kind === 1) return /<\/(?:pre|script|style|textarea)>/i.test(text.slice(at, end));
  const mark = END_MARKS[kind];
  return mark !== undefined && text.slice(at, end).includes(mark);
}

/** `<h2 id="x">` → 2; 0 for any other tag. */
export function htmlHeadingDepth(text: string, at: number): number {
  const depth = text.charCodeAt(at + 2) - 0x30;
  const isHeading = (text.charCodeAt(at + 1) | 0x20) === 0x68 && depth >= 1 && depth <= 6;
  return isHeading ? depth : 0;
}

const END_MARKS: Readonly<Partial<Record<HtmlKind, string>>> = { 2: '-->', 3: '?>', 4: '>', 5: ']]>' };

/** The offset after the tag name at `at`; `at` when there is none. */
export function skipName(text: string, at: number, end: number): number {
  if (at >= end || !isLetter(text.charCodeAt(at))) return at;
  let after = at + 1;
  while (after < end && isNameCode(text.charCodeAt(after))) after++;
  return after;
}

function isNameCode(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === DASH;
}

function endsTagName(text: string, at: number, end: number): boolean {
  return at === end || isSpace(text.charCodeAt(at)) || text.charCodeAt(at) === GREATER;
}

function afterClosingTag(text: string, at: number, end: number): number {
  const close = skipSpaces(text, at, end);
  return close < end && text.charCodeAt(close) === GREATER ? close + 1 : -1;
}

/** `<a` has been read: the offset after ` href="x" hidden/>`, -1 when this is no whole tag (section 6.6). */
function afterOpenTag(text: string, nameEnd: number, end: number): number {
  let at = nameEnd;
  for (;;) {
    const from = skipSpaces(text, at, end);
    if (from === end) return -1;
    const code = text.charCodeAt(from);
    if (code === GREATER) return from + 1;
    if (code === SLASH) return text.charCodeAt(from + 1) === GREATER && from + 1 < end ? from + 2 : -1;
    if (from === at) return -1;
    at = afterAttribute(text, from, end);
    if (at === -1) return -1;
  }
}

function afterAttribute(text: string, at: number, end: number): number {
  const first = text.charCodeAt(at);
  if (!isLetter(first) && first !== 0x5f && first !== 0x3a) return -1;
  let after = at + 1;
  while (after < end && isAttributeCode(text.charCodeAt(after))) after++;
  const equals = skipSpaces(text, after, end);
  if (equals === end || text.charCodeAt(equals) !== EQUALS) return after;
  return afterValue(text, skipSpaces(text, equals + 1, end), end);
}

function isAttributeCode(code: number): boolean {
  return isNameCode(code) || code === 0x5f || code === 0x3a || code === 0x2e;
}

function afterValue(text: string, at: number, end: number): number {
  if (at === end) return -1;
  const quote = text.charCodeAt(at);
  if (quote === QUOTE_DOUBLE || quote === QUOTE_SINGLE) {
    for (let after = at + 1; after < end; after++) if (text.charCodeAt(after) === quote) return after + 1;
    return -1;
  }
  let after = at;
  while (after < end && !endsBareValue(text.charCodeAt(after))) after++;
  return after === at ? -1 : after;
}

/** Blank, quote, `=`, `<`, `>`, backtick. */
function endsBareValue(code: number): boolean {
  if (isSpace(code) || code === QUOTE_DOUBLE || code === QUOTE_SINGLE || code === 0x60) return true;
  return code >= 0x3c && code <= 0x3e;
}
