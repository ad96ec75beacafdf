// The one error class of token counting. Programs branch on `code`.

/** What went wrong. A code that has been released keeps its meaning. */
export type TokenErrorCode =
  /** There is no encoding of the name that was asked for. */
  | 'unknown_encoding'
  /** What should be counted is not a string. */
  | 'not_a_string'
  /** A range reaches outside its text or has its ends swapped, or a number of tokens is negative. */
  | 'bad_range'
  /** The function of a counter of your own is none, or answered with what is no number of tokens. */
  | 'bad_count'
  /** A vocabulary module does not hold what its own count says: the installation is damaged. */
  | 'damaged_vocabulary';

/** The error that token counting throws. */
export class TokenError extends Error {
  readonly code: TokenErrorCode;

  constructor(code: TokenErrorCode, message: string) {
    super(message);
    this.name = 'TokenError';
    this.code = code;
  }
}
