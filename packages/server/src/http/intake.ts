// A request and its answer as values, between the edge that speaks node:http and the routes that do the work.
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Fault } from '../errors.ts';

/** A request. */
export interface Intake {
  readonly method: string;
  /** Path as it was sent, without query; never decoded, because no path of ours needs it. */
  readonly path: string;
  /** What followed the `?`, as it was sent; empty when there was none. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The client that pays with quota: an IPv4 address or an IPv6 network. */
  readonly client: string;
  readonly requestId: string;
  /** Begin of links in the answer, without a slash at its end. */
  readonly origin: string;
  /** Aborted when the client goes away, its body is broken or too slow, or the service stops at last. */
  readonly signal: AbortSignal;
  /** The body. A client that waits for `100 Continue` gets it now; until then nothing is read. Call it once. */
  readonly openBody: () => Readable;
}

/** An answer. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Readable;
  /** The bytes of a body that is a stream, when all of them are in memory. */
  readonly source?: Uint8Array;
  /** Why the request was refused, for the log. */
  readonly fault?: Fault;
}
