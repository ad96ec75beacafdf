// The marks that begin a Markdown block. Each is recognised in one line [at, end) by looking at its characters. All
// functions take the offset of the first character that is not a space, and none allocates. Sections are CommonMark
// 0.31.2's.

// UTF-16 codes of characters, by name.
export const TAB = 0x09;
export const FEED = 0x0a;
export const RETURN = 0x0d;
export const SPACE = 0x20;
export const HASH = 0x23;
export const DOLLAR = 0x24;
export const PAREN_CLOSE = 0x29;
export const ASTERISK = 0x2a;
export const PLUS = 0x2b;
export const DASH = 0x2d;
export const DOT = 0x2e;
export const COLON = 0x3a;
export const LESS = 0x3c;
export const EQUALS = 0x3d;
export const GREATER = 0x3e;
export const BRACKET_OPEN = 0x5b;
export const BACKSLASH = 0x5c;
const BRACKET_CLOSE = 0x5d;
const CARET = 0x5e;
export const UNDERSCORE = 0x5f;
export const BACKTICK = 0x60;
export const PIPE = 0x7c;
export const TILDE = 0x7e;

/** Space or tab, all that Markdown indents with. */
export function isSpace(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** ASCII digit. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** ASCII letter. */
export function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** The offset after the run of `mark` at `at`. */
export function skipRun(text: string, at: number, end: number, mark: number): number {
  let after = at;
  while (after < end && text.charCodeAt(after) === mark) after++;
  return after;
}

/** The offset of the first character of [at, end) that is neither space nor tab, or `end`. */
export function skipSpaces(text: string, at: number, end: number): number {
  let after = at;
  while (after < end && isSpace(text.charCodeAt(after))) after++;
  return after;
}

/** `## Title` → 2; 0 when the line is no ATX heading (section 4.2). */
export function headingDepth(text: string, at: number, end: number): number {
  const after = skipRun(text, at, end, HASH);
  const depth = after - at;
  return depth <= 6 && (after === end || isSpace(text.charCodeAt(after))) ? depth : 0;
}

/** `=====` → 1, `---` → 2, anything else 0 (setext underline, section 4.3). */
export function underlineDepth(text: string, at: number, end: number): number {
  const mark = text.charCodeAt(at);
  if (mark !== EQUALS && mark !== DASH) return 0;
  const after = skipRun(text, at, end, mark);
  if (skipSpaces(text, after, end) !== end) return 0;
  return mark === EQUALS ? 1 : 2;
}

/**
 * The offset at which the line stops being a thematic break (section 4.1); `end` when it is one. Of `* * a` that is the
 * offset of `a`, so that the nested items of such a line need not look at it all again.
 */
export function breakUntil(text: string, at: number, end: number): number {
  const mark = text.charCodeAt(at);
  let count = 0;
  let after = at;
  for (; after < end; after++) {
    const code = text.charCodeAt(after);
    if (code === mark) count++;
    else if (!isSpace(code)) return after;
  }
  return count >= 3 ? end : at;
}

/**
 * Length of the run of marks that opens a fence (section 4.5); 0 when there is none. A backtick in the info string
 * makes it no fence.
 */
export function fenceLength(text: string, at: number, end: number): number {
  const mark = text.charCodeAt(at);
  const after = skipRun(text, at, end, mark);
  if (after - at < 3) return 0;
  if (mark === BACKTICK) {
    for (let inside = after; inside < end; inside++) {
      if (text.charCodeAt(inside) === BACKTICK) return 0;
    }
  }
  return after - at;
}

/** True when [at, end) closes a fence of `length` times `mark`. */
export function closesFence(text: string, at: number, end: number, mark: number, length: number): boolean {
  const after = skipRun(text, at, end, mark);
  return after - at >= length && skipSpaces(text, after, end) === end;
}

/** The first word of a fence's info string, in lower case: ```` ```TS title="x" ```` → `ts`. */
export function fenceLanguage(text: string, at: number, end: number): string {
  const from = skipSpaces(text, at, end);
  let to = from;
  while (to < end && !isSpace(text.charCodeAt(to))) to++;
  return text.slice(from, to).toLowerCase();
}

/** Length of a list marker (section 5.2), `-` → 1, `12.` → 3; 0 when there is none. A blank or the end must follow. */
export function listMarkerLength(text: string, at: number, end: number): number {
  let after = at;
  while (after < end && isDigit(text.charCodeAt(after))) after++;
  const digits = after - at;
  const mark = after < end ? text.charCodeAt(after) : 0;
  const isMark =
    digits === 0
      ? mark === DASH || mark === ASTERISK || mark === PLUS
      : digits <= 9 && (mark === DOT || mark === PAREN_CLOSE);
  if (!isMark) return 0;
  after++;
  return after === end || isSpace(text.charCodeAt(after)) ? after - at : 0;
}

/** The offset after `[^label]:`, -1 when the line defines no footnote (GFM). */
export function footnoteMarkEnd(text: string, at: number, end: number): number {
  if (text.charCodeAt(at + 1) !== CARET) return -1;
  let after = at + 2;
  for (; after < end; after++) {
    const code = text.charCodeAt(after);
    if (code === BRACKET_CLOSE) break;
    if (code === BRACKET_OPEN || isSpace(code)) return -1;
    if (code === BACKSLASH && isBracketOrBackslash(text.charCodeAt(after + 1))) after++;
  }
  const size = after - at - 2;
  return size > 0 && size <= 999 && text.charCodeAt(after + 1) === COLON && after + 1 < end ? after + 2 : -1;
}

function isBracketOrBackslash(code: number): boolean {
  return code === BRACKET_OPEN || code === BRACKET_CLOSE || code === BACKSLASH;
}
