// The error of a request: one class, one shape of answers. codes.ts has the codes and statuses. Errors of other
// packages and of lower parts keep their code when the table has it.
import { STATUS_CODES } from 'node:http';
import type { OptionIssue } from '@grainline/core';
import { wireNameOf } from '@grainline/core/options';
import { PaymentProblem } from '@grainline/x402';
import { CODES, type ErrorCode, isErrorCode } from './codes.ts';

/** Limits that a client can act on, in the answer's member `limit`. */
export type LimitValues = Readonly<Record<string, number | string>>;

/** The state of the request's payment. */
export interface ErrorPayment {
  readonly reusable: boolean;
  /** The payment's transaction, if known. */
  readonly transaction?: string;
}

/** Details of a {@link HttpError} besides its code. */
export interface HttpErrorDetails {
  /** Fills `{detail}` of the table's message. */
  readonly detail?: string | undefined;
  /** Replaces the table's message. */
  readonly message?: string | undefined;
  readonly limit?: LimitValues | undefined;
  readonly payment?: ErrorPayment | undefined;
  /** Further members of the answer: the offer of a 402. */
  readonly members?: Readonly<Record<string, unknown>> | undefined;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Replaces the table's value where it depends on the clock; null when the same request never succeeds. */
  readonly retryAfterS?: number | null | undefined;
  readonly cause?: unknown;
}

/** The error of a rejected request. {@link errorBody} makes its answer. */
export class HttpError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly limit: LimitValues | undefined;
  readonly payment: ErrorPayment | undefined;
  readonly members: HttpErrorDetails['members'];
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds until the same request may succeed; undefined when it never will. */
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, details: HttpErrorDetails = {}) {
    const entry = CODES[code];
    const message =
      details.message ?? (entry.message ?? entry.cause).replace('{detail}', () => details.detail ?? '');
    const { stackTraceLimit } = Error;
    // The code describes a client's error sufficiently. A stack trace costs more than the answer.
    if (entry.status < 500) Error.stackTraceLimit = 0;
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'HttpError';
    this.code = code;
    this.status = entry.status;
    this.limit = details.limit;
    this.payment = details.payment;
    this.members = details.members;
    this.headers = details.headers ?? {};
    const { retryAfterS = entry.retryAfterS } = details;
    this.retryAfterS = retryAfterS ?? undefined;
  }

  /** The same error with further details. */
  with(details: HttpErrorDetails): HttpError {
    return new HttpError(this.code, {
      message: details.message ?? this.message,
      cause: details.cause ?? this.cause,
      limit: details.limit ?? this.limit,
      payment: details.payment ?? this.payment,
      members: details.members ?? this.members,
      retryAfterS: details.retryAfterS ?? this.retryAfterS ?? null,
      headers: { ...this.headers, ...details.headers },
    });
  }
}

/** The abort reason of a request whose client has left: no answer is due. */
export class ClientGone extends Error {
  constructor() {
    super('The client closed the connection before the answer.');
    this.name = 'ClientGone';
  }
}

/** The error of a body or file over its limit. */
export function tooLargeError(maxBytes: number): HttpError {
  return new HttpError('too_large', { detail: `at most ${maxBytes} bytes`, limit: { max_bytes: maxBytes } });
}

/**
 * The HttpError of any thrown value. An error without a code of the table is a defect: its answer says nothing about
 * it.
 */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof PaymentProblem) return fromPayment(error);
  if (isCoded(error)) return fromCoded(error);
  return new HttpError('internal_error', { cause: error });
}

/** The JSON of every error answer. */
export function errorBody(error: HttpError, requestId: string): string {
  return JSON.stringify({
    error: STATUS_CODES[error.status],
    code: error.code,
    message: error.message,
    request_id: requestId,
    retryable: error.retryAfterS !== undefined,
    limit: error.limit,
    payment: error.payment,
    ...error.members,
  });
}

/** Core's issues in wire names, one text each: `an integer from 1 to chunk_size`. */
export function describeOptionIssues(issues: readonly OptionIssue[]): string[] {
  return issues.map(({ option, expected, received }) => {
    const limits = expected.replaceAll(/\b(?:to|below) (?:the )?(size|target)\b/g, (words, name: string) =>
      words.replace(name, wireNameOf(name)),
    );
    return `${wireNameOf(option)} must be ${limits}, but is ${received}`;
  });
}

function fromPayment({ reason, message, retryAfterS, reusable, cause }: PaymentProblem): HttpError {
  return new HttpError(reason, {
    message,
    retryAfterS: retryAfterS ?? null,
    // A request without a payment has no payment state.
    payment: reason === 'payment_required' ? undefined : { reusable },
    cause,
  });
}

/** An error with a code of the table, from any part or package. */
interface CodedError extends Error {
  readonly code: ErrorCode;
  readonly issues?: readonly OptionIssue[];
  readonly limit?: LimitValues;
}

function isCoded(error: unknown): error is CodedError {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && isErrorCode(error.code)
  );
}

function fromCoded(error: CodedError): HttpError {
  const { code, issues = [], limit } = error;
  const { status, message } = CODES[code];
  // Clients get the table's sentence about a failure of the operator's parts; the log has the cause.
  if (status >= 500 && message !== undefined) return new HttpError(code, { cause: error });
  if (issues.length > 0)
    return new HttpError(code, { message: `Wrong options: ${describeOptionIssues(issues).join('; ')}.` });
  return new HttpError(code, { message: error.message, limit, cause: error });
}
