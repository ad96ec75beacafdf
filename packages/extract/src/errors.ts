// The one error class of this package. Programs branch on `code`.

/** The reasons why a document cannot be read, each with its message. Details replace `{…}`. */
const MESSAGES = {
  empty_document: 'The document holds no text.',
  unsupported_type: 'This is not a document of an accepted kind: {detail}.',
  corrupted: 'The document is damaged and cannot be read: {detail}. Save or export it anew, and send that.',
  encrypted:
    'The document is protected by a password. Give the password of a PDF; save any other document without one.',
  wrong_password: 'The password does not open the document; check its capitals and blanks, and try again.',
  no_such_pages:
    'The document does not have the pages of the option pages: {detail}. Use other ones, or leave the option out.',
  no_text: 'The document has {pages} but no text layer: it is a scan. Run OCR on it first.',
  unreadable_scan:
    'OCR finds no text that it can read on the {pages} of the document: {detail}. Print is read, handwriting is not; a sharper scan may help.',
  too_many_scanned_pages:
    'The document has {pages} for OCR, and {detail}. Choose some by the option pages, or cut it into parts.',
  too_large: 'The document unpacks to more than is allowed: {detail}. Cut it into parts.',
  too_complex:
    'The document needs more memory or time than is allowed: {detail}. Cut it into parts, or save it in another format.',
} as const;

/** The kind of an error. A released code keeps its meaning. */
export type ExtractErrorCode = keyof typeof MESSAGES;

/** Values for a message that a program may act on. */
export interface ExtractErrorDetails {
  readonly detail?: string;
  readonly found?: string;
  readonly pages?: number;
  readonly cause?: unknown;
}

/**
 * The error of {@link extract} for a document that cannot be read. Its cause is always the document, never the program:
 * any other error is a defect. Messages hold no paths and no text of the document.
 */
export class ExtractError extends Error {
  readonly code: ExtractErrorCode;
  /**
   * Pages of the document with the codes `no_text` and `unreadable_scan`; those for OCR with `too_many_scanned_pages`.
   */
  declare readonly pages?: number;
  /**
   * The actual kind of the document, such as `it is binary`, when the code is `unsupported_type`: for callers that
   * accept fewer kinds.
   */
  declare readonly found?: string;

  constructor(code: ExtractErrorCode, { detail = '', found, pages, cause }: ExtractErrorDetails = {}) {
    super(messageOf(code, detail, pages ?? 0), cause === undefined ? undefined : { cause });
    this.name = 'ExtractError';
    this.code = code;
    if (pages !== undefined) this.pages = pages;
    if (found !== undefined) this.found = found;
  }
}

/** The requirement on an option's value. */
export interface OptionRule {
  readonly holds: (value: unknown) => boolean;
  /** For example `a string`. */
  readonly expected: string;
}

/**
 * Rejects unknown options, which would have no effect, and wrong values: all at once, in the words of
 * `@grainline/core`.
 * @throws TypeError, because the program and not the document has the defect
 */
export function assertOptions(
  call: string,
  options: unknown,
  rules: Readonly<Record<string, OptionRule>>,
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`Wrong options: ${call} takes them as an object.`);
  const names = Object.keys(rules).join(', ');
  const issues = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) return [`${name} must be left out, because ${call} takes only ${names}`];
    return value === undefined || rule.holds(value) ? [] : [`${name} must be ${rule.expected}`];
  });
  if (issues.length > 0) throw new TypeError(`Wrong options: ${issues.join('; ')}.`);
}

/** Functions as replacements, because `replace` would interpret patterns in a detail. */
function messageOf(code: ExtractErrorCode, detail: string, pages: number): string {
  const count = pages === 1 ? '1 page' : `${pages} pages`;
  return MESSAGES[code].replace('{detail}', () => detail).replace('{pages}', () => count);
}
