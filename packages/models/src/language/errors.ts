// The one error class of language models. A code keeps its meaning once released. Aborting is not an error of ours: it
// rejects with the signal's own reason.
import type { CompletionErrorCode, TokenUsage } from '@grainline/core';

export type LanguageModelErrorCode =
  | CompletionErrorCode
  /** Options are wrong; the message names them all. */
  | 'invalid_options';

/** What language models of this package reject with. */
export class LanguageModelError extends Error {
  readonly code: LanguageModelErrorCode;
  /** Status of the service's answer, when that was the reason. */
  readonly status?: number;
  /** What the answers took that came nevertheless. */
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
