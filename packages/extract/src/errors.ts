// The one error class of this package. Programs branch on `code`.

/** Why a document could not be read, and the sentence that says so. `{…}` is filled from the details. */
const MESSAGES = {
  empty_document: 'The document holds no text; send one that does.',
  unsupported_type: 'This is not a document of an accepted kind: {detail}.',
  corrupted: 'The document is damaged and cannot be read: {detail}. Save or export it anew, and send that.',
  encrypted: 'The document is protected by a password; remove the password and send it again.',
  no_text: 'The document has {pages} but no text layer: it is a scan. Run OCR on it first.',
  too_large: 'The document unpacks to more than is allowed: {detail}. Send it in parts.',
  too_complex:
    'The document needs more memory or time than is allowed: {detail}. Send it in parts, or in another format.',
} as const;

/** What went wrong. A code that has been released keeps its meaning. */
export type ExtractErrorCode = keyof typeof MESSAGES;

/** Values that a message needs and that a program may act on. */
export interface ExtractErrorDetails {
  readonly detail?: string;
  readonly found?: string;
  readonly pages?: number;
  readonly cause?: unknown;
}

/**
 * What {@link extract} rejects with when a document cannot be read. The fault is the document's, never the
 * program's: anything else that is thrown is a defect. Messages hold no paths and no text of the document.
 */
export class ExtractError extends Error {
  readonly code: ExtractErrorCode;
  /** Pages that the document has, when the code is `no_text`. */
  declare readonly pages?: number;
  /**
   * What the document is instead, such as `it is binary`, when the code is `unsupported_type`: for those who accept
   * fewer kinds.
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

/** What an option must be. */
export interface OptionRule {
  readonly holds: (value: unknown) => boolean;
  /** `a string` */
  readonly expected: string;
}

/**
 * Refuses options that a call does not take, which would have no effect, and values that they cannot have: all at once,
 * in the words of `@grainline/core`.
 *
 * @throws TypeError, because the fault is the program's and not the document's
 */
export function refuseOptions(
  call: string,
  options: unknown,
  rules: Readonly<Record<string, OptionRule>>,
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`Wrong options: ${call} takes them as an object.`);
  const names = Object.keys(rules).join(', ');
  const faults = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) return [`${name} must be left out, because ${call} takes only ${names}`];
    return value === undefined || rule.holds(value) ? [] : [`${name} must be ${rule.expected}`];
  });
  if (faults.length > 0) throw new TypeError(`Wrong options: ${faults.join('; ')}.`);
}

/** Filled in by functions, because a detail may hold what `replace` would take for a pattern. */
function messageOf(code: ExtractErrorCode, detail: string, pages: number): string {
  const count = pages === 1 ? '1 page' : `${pages} pages`;
  return MESSAGES[code].replace('{detail}', () => detail).replace('{pages}', () => count);
}
