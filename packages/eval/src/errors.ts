// The one error class of this package. Programs branch on `code`, people read `message`.

/** The kind of an error. A released code keeps its meaning. */
export type EvalErrorCode =
  /** Options are wrong; `issues` names them all. */
  | 'invalid_options'
  /** A file of questions is wrong; `issues` names each line. */
  | 'invalid_questions'
  /** There is no question to measure with, and the documents give none. */
  | 'no_questions'
  /** A splitter to compare with is not installed; the message says how to install it. */
  | 'peer_missing';

/** The error that this package throws or rejects with. */
export class EvalError extends Error {
  readonly code: EvalErrorCode;
  /** Every issue, one sentence each. */
  readonly issues: readonly string[];

  constructor(
    code: EvalErrorCode,
    message: string,
    details: { readonly issues?: readonly string[]; readonly cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'EvalError';
    this.code = code;
    this.issues = details.issues ?? [];
  }
}
