// The one error class of this package. Programs branch on `code`.

/** The reasons for an error, each with its message. `{detail}` is replaced. */
const MESSAGES = {
  corrupted: 'The picture cannot be decoded.',
  too_complex: 'The picture takes more memory than is allowed: {detail}.',
  language_missing: '{detail}',
  invalid_options: 'Wrong options: {detail}.',
} as const;

/** The kind of an error: the first two are the picture's, the others those of the program. */
export type OcrErrorCode = keyof typeof MESSAGES;

/** An error of OCR. Any other error is a defect. */
export class OcrError extends Error {
  readonly code: OcrErrorCode;

  constructor(code: OcrErrorCode, detail = '', cause?: unknown) {
    super(
      MESSAGES[code].replace('{detail}', () => detail),
      cause === undefined ? undefined : { cause },
    );
    this.name = 'OcrError';
    this.code = code;
  }
}
