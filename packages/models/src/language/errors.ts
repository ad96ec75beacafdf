// The one error class of language models. Programs branch on `code`. Aborting is not an error of ours: it
// rejects with the signal's own reason.
import type { CompletionErrorCode, TokenUsage } from '@grainline/core';

/** What went wrong. A code that has been released keeps its meaning. */
export type LanguageModelErrorCode =
  | CompletionErrorCode
  /** Options are wrong; the message names them all. */
  | 'invalid_options';

/** The error that language models of this package reject with. */
export class LanguageModelError extends Error {
  readonly code: LanguageModelErrorCode;
  /** Status of the service's answer, when that was the reason. */
  readonly status?: number;
  /** Tokens of the answers that came nevertheless and cost money. */
  readonly usage?: TokenUsage;

  constructor(
    code: LanguageModelErrorCode,
    message: string,
    details: { status?: number; usage?: TokenUsage; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'LanguageModelError';
    this.code = code;
    if (details.status !== undefined) this.status = details.status;
    if (details.usage !== undefined) this.usage = details.usage;
  }
}
