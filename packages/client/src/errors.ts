// The one error of this package: a rejection by the service in its own words, or a missing answer.

/** The longest quotation of a service's words, in UTF-16 units. */
const MAX_QUOTED = 1000;

/** Details of a {@link ClientError}; its properties describe them. */
export type ClientErrorDetails = Partial<
  Pick<ClientError, 'status' | 'requestId' | 'retryable' | 'retryAfterMs' | 'payment' | 'details' | 'cause'>
>;

/**
 * A call without a usable answer.
 *
 * `code` is stable. A rejection has the service's own code (docs/http-reference.md lists them: `invalid_fields`,
 * `payment_required`, `job_not_found`, …). A failed job has the code of its failure. The codes of this package:
 *
 * - `unreachable`: no answer came; `cause` is the error of `fetch`.
 * - `bad_answer`: the answer breaks the protocol, or is too long.
 * - `redirected`: the service points to another address, which the client does not follow.
 * - `invalid_receipt`: a receipt that proves nothing about the given delivery.
 * - `still_processing`: a job had not ended after `timeoutMs`.
 * - `payment_used_up`: the service gives nothing more for an earlier payment. The same call again pays anew.
 */
export class ClientError extends Error {
  /** The service's code, the code of a failed job, or one of this package. */
  readonly code: string;
  /** Status of the answer; undefined without one. */
  readonly status: number | undefined;
  /** The answer's `request_id`, by which the operator finds the request in the log. */
  readonly requestId: string | undefined;
  /** True when the same call can succeed later. */
  readonly retryable: boolean;
  /** The wait that the service requires, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The call's proof of payment: with `payingFetch` the signature of the transaction. */
  payment: string | undefined;
  /** The members of the rejection: `limit`, `paymentRequirements`, `payment`, … Empty without one. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, more: ClientErrorDetails = {}) {
    super(clipped(message), more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'ClientError';
    this.code = clipped(code);
    this.status = more.status;
    this.requestId = more.requestId;
    this.retryable = more.retryable ?? false;
    this.retryAfterMs = more.retryAfterMs;
    this.payment = more.payment;
    this.details = more.details ?? {};
  }
}

/** The error for an answer that breaks the protocol. */
export function badAnswer(detail: string, more: ClientErrorDetails = {}): ClientError {
  return new ClientError('bad_answer', `The service gives an answer that cannot be read: ${detail}.`, more);
}

function clipped(text: string): string {
  return text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED).toWellFormed()}…`;
}
