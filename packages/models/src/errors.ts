// The one error class of this package. Programs branch on `code`, people read `message`. An aborted call rejects with
// the signal's own reason instead.
import type { CompletionErrorCode, TokenUsage } from '@grainline/core';

/** The kind of an error. A released code keeps its meaning. */
export type ModelErrorCode =
  | CompletionErrorCode
  /** Options are wrong; the message names them all. */
  | 'invalid_options'
  /** The packed table of the built-in embedder does not match its own count: the installation is damaged. */
  | 'damaged_table'
  /** A package that the adapter needs is not installed; the message names it. */
  | 'package_missing'
  /** The model could not be loaded. */
  | 'model_unavailable'
  /** The embedding service rejected the request and would reject it again: a wrong key, model or text. */
  | 'refused'
  /** No encoding has the given name. */
  | 'unknown_encoding'
  /** The value to count is not a string. */
  | 'not_a_string'
  /** A range exceeds its text or has its ends swapped, or a number of tokens is negative. */
  | 'bad_range'
  /** The function of a caller's own counter is no function, or returned no number of tokens. */
  | 'bad_count'
  /** A vocabulary module does not match its own count: the installation is damaged. */
  | 'damaged_vocabulary';

/** The error that counters, embedders and language models of this package throw or reject with. */
export class ModelError extends Error {
  readonly code: ModelErrorCode;
  /** Status of the service's answer, when that was the reason. */
  readonly status?: number;
  /** Tokens of unusable answers, which cost money too. */
  readonly usage?: TokenUsage;

  constructor(
    code: ModelErrorCode,
    message: string,
    details: { status?: number; usage?: TokenUsage; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ModelError';
    this.code = code;
    if (details.status !== undefined) this.status = details.status;
    if (details.usage !== undefined) this.usage = details.usage;
  }
}
