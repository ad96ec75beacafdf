// Everything that can go wrong with a request: one class, one answer shape. The codes and their statuses are those of
// codes.ts; what the packages below throw (extraction, chunking, payments, download, store) passes through.
import { STATUS_CODES } from 'node:http';
import { ChunkError, type OptionFault } from '@grainline/core';
import { ExtractError } from '@grainline/extract';
import { PaymentProblem } from '@grainline/x402';
import { CODES, type FaultCode, isFaultCode } from './codes.ts';
import { DownloadError } from './download/index.ts';
import { StoreError } from './store/store.ts';
import { WorkError } from './workplace/index.ts';

/** Values that a client can act on, in the answer's member `limit`. */
export type LimitValues = Readonly<Record<string, number | string>>;

/** Details of a {@link Fault} besides its code. */
export interface FaultDetails {
  /** Fills `{detail}` of the table's message. */
  readonly detail?: string;
  /** Takes the place of the table's message. */
  readonly message?: string;
  readonly limit?: LimitValues;
  /** Says of a payment that came with the request whether it may pay for another one. */
  readonly payment?: {
    readonly reusable: boolean;
    /** The payment's transaction, once it is known. */
    readonly transaction?: string;
  };
  /** Members of the answer beyond those of every error: what to pay, and how. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Headers that the answer needs besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the table's value, where it depends on the clock. */
  readonly retryAfterS?: number;
  readonly cause?: unknown;
}

/** Why a request is refused; becomes the answer of {@link errorBody}. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly status: number;
  readonly limit: LimitValues | undefined;
  readonly payment: FaultDetails['payment'];
  readonly members: FaultDetails['members'];
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds until the same request may succeed; undefined when it never will. */
  readonly retryAfterS: number | undefined;

  constructor(code: FaultCode, details: FaultDetails = {}) {
    const entry = CODES[code];
    const message =
      details.message ?? (entry.message ?? entry.cause).replace('{detail}', () => details.detail ?? '');
    const { stackTraceLimit } = Error;
    // What the client did is told by the code; where that was noticed costs more to find out than to answer.
    if (entry.status < 500) Error.stackTraceLimit = 0;
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'Fault';
    this.code = code;
    this.status = entry.status;
    this.limit = details.limit;
    this.payment = details.payment;
    this.members = details.members;
    this.headers = details.headers ?? {};
    this.retryAfterS = details.retryAfterS ?? entry.retryAfterS;
  }

  /** The same fault with further details. */
  with(details: FaultDetails): Fault {
    const { message, limit, payment, members, retryAfterS, cause } = this;
    return new Fault(this.code, {
      message,
      cause,
      ...(limit === undefined ? undefined : { limit }),
      ...(payment === undefined ? undefined : { payment }),
      ...(members === undefined ? undefined : { members }),
      ...(retryAfterS === undefined ? undefined : { retryAfterS }),
      ...details,
      headers: { ...this.headers, ...details.headers },
    });
  }
}

/** The reason with which a request's signal is aborted when its client has gone: nobody is left to answer. */
export class ClientGone extends Error {
  constructor() {
    super('The client closed the connection before the answer.');
    this.name = 'ClientGone';
  }
}

/** The fault of a body or file over its limit. */
export function tooLarge(maxBytes: number): Fault {
  return new Fault('too_large', { detail: `at most ${maxBytes} bytes`, limit: { max_bytes: maxBytes } });
}

/** Whatever was thrown, as a fault. What no table knows is a defect of ours and tells the client nothing. */
export function faultFrom(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof PaymentProblem) return fromPayment(error);
  if (error instanceof WorkError && isFaultCode(error.code)) return fromWork(error, error.code);
  if (isPassed(error) && isFaultCode(error.code))
    return new Fault(error.code, { message: error.message, cause: error });
  return new Fault('internal_error', { cause: error });
}

/** The one shape of every answer that is not a success. */
export function errorBody(fault: Fault, requestId: string): string {
  return JSON.stringify({
    error: STATUS_CODES[fault.status],
    code: fault.code,
    message: fault.message,
    request_id: requestId,
    retryable: fault.retryAfterS !== undefined,
    ...(fault.limit === undefined ? undefined : { limit: fault.limit }),
    ...(fault.payment === undefined ? undefined : { payment: fault.payment }),
    ...fault.members,
  });
}

/** How the fields of a request are called outside; option faults come back under the inner names. */
export const WIRE_NAMES: Readonly<Record<string, string>> = {
  size: 'chunk_size',
  overlap: 'chunk_overlap',
  target: 'chunk_target',
  min: 'chunk_min',
  textField: 'text_field',
  documentId: 'document_id',
};

/** Faults of core's options, one text each, under the names of the wire: `an integer from 1 to chunk_size`. */
export function optionFaults(faults: readonly OptionFault[]): string[] {
  return faults.map(({ option, expected, received }) => {
    const limits = expected.replaceAll(/\b(?:to|below) (?:the )?(size|target)\b/g, (words, name: string) =>
      words.replace(name, WIRE_NAMES[name] ?? name),
    );
    return `${WIRE_NAMES[option] ?? option} must be ${limits}, but is ${received}`;
  });
}

function fromPayment({ reason, message, retryAfterS, reusable, cause }: PaymentProblem): Fault {
  return new Fault(reason, {
    message,
    ...(retryAfterS === undefined ? undefined : { retryAfterS }),
    // Without a payment in the request there is nothing to say of it.
    ...(reason === 'payment_required' ? undefined : { payment: { reusable } }),
    cause,
  });
}

function fromWork(error: WorkError, code: FaultCode): Fault {
  const { faults, limit } = error;
  // What is the operator's to mend is told to the log; an embedder's own words are nobody else's business.
  if (CODES[code].status >= 500) return new Fault(code, { cause: error });
  if (faults !== undefined && faults.length > 0)
    return new Fault(code, { message: `Wrong options: ${optionFaults(faults).join('; ')}.` });
  return new Fault(code, {
    message: error.message,
    ...(limit === undefined ? undefined : { limit }),
  });
}

function isPassed(error: unknown): error is ChunkError | ExtractError | DownloadError | StoreError {
  return (
    error instanceof ChunkError ||
    error instanceof ExtractError ||
    error instanceof DownloadError ||
    error instanceof StoreError
  );
}
