// The one error class of embedding. A code keeps its meaning once released. Aborting is not an error of ours: it rejects
// with the signal's own reason.

export type EmbedderErrorCode =
  /** Options are wrong; the message names them all. */
  | 'invalid_options'
  /** The packed table does not hold what its own count says: the installation is damaged. */
  | 'damaged_table'
  /** A package that the adapter needs is not installed; the message names it. */
  | 'package_missing'
  /** The model could not be loaded. */
  | 'model_unavailable'
  /** The service answered that it will not do this, and would say so again: a wrong key, model or text. */
  | 'refused'
  /** The service could not be reached or failed, also when asked again. */
  | 'unavailable'
  /** The service did not answer in time, also when asked again. */
  | 'timed_out'
  /** What the service or the model answered is no list of vectors for the texts. */
  | 'wrong_answer';

/** What embedders of this package reject with. */
export class EmbedderError extends Error {
  readonly code: EmbedderErrorCode;
  /** Status of the service's answer, when there was one. */
  readonly status?: number;

  constructor(code: EmbedderErrorCode, message: string, details: { status?: number; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'EmbedderError';
    this.code = code;
    if (details.status !== undefined) this.status = details.status;
  }
}
