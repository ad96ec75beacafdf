// Requests and answers as values, between the edge and the routes.
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { HttpError } from '../errors/http-error.ts';

/** Facts of a request for its line of the log. They hold no text, name, link, address or payment. */
export interface LoggedFacts {
  readonly tier?: string;
  /** Counted pages of the document. */
  readonly pages?: number;
  /** Bytes of the document. */
  readonly bytes?: number;
  /** Chunks of the answer, or of the result behind its link. */
  readonly chunks?: number;
  /** `sold`: the answer was paid, by this request; `replayed`: by an earlier one; `submitted`: it is a job's ticket. */
  readonly outcome?: 'sold' | 'replayed' | 'submitted';
}

/** A request. */
export interface HttpRequest {
  readonly method: string;
  /** The path as it was sent, without query. It is never decoded: no path of the service needs that. */
  readonly path: string;
  /** The query as it was sent; empty without one. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The client, for quotas: an IPv4 address or an IPv6 network. */
  readonly client: string;
  readonly requestId: string;
  /** Begin of links in the answer, without a slash at its end. */
  readonly origin: string;
  /** Aborted when the client leaves, its body is broken or too slow, or the service stops. */
  readonly signal: AbortSignal;
  /** Opens the body. A client that waits for `100 Continue` gets it now; until then nothing is read. Called once. */
  readonly openBody: () => Readable;
  /** Adds facts to the request's line of the log. */
  readonly note: (facts: LoggedFacts) => void;
}

/** An answer. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Readable;
  /** The bytes behind a stream, when all of them are in memory. */
  readonly source?: Uint8Array;
  /** The error of a rejected request, for the log. */
  readonly error?: HttpError;
}
