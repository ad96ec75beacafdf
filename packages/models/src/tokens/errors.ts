// The one error class of token counting. A code keeps its meaning once released.

export type TokenErrorCode =
  /** There is no encoding of the name that was asked for. */
  | 'unknown_encoding'
  /** What should be counted is not a string. */
  | 'not_a_string'
  /** A range reaches outside its text or is turned round, or a number of tokens is negative. */
  | 'bad_range'
  /** A vocabulary module does not hold what its own count says: the installation is damaged. */
  | 'damaged_vocabulary';

/** What this package throws when it cannot count. */
export class TokenError extends Error {
  readonly code: TokenErrorCode;

  constructor(code: TokenErrorCode, message: string) {
    super(message);
    this.name = 'TokenError';
    this.code = code;
  }
}
