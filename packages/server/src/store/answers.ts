// Answers as the store keeps them: compressed, for an hour.
import type { PaymentKey } from '@grainline/x402';

/** A finished answer, kept until it expires. */
export interface StoredResult {
  /** `<tier>_<12 hex>`; checked by whoever takes it from a client, though any string is safe here. */
  readonly id: string;
  /** The whole answer, compressed once and sent as it is to clients that take gzip. */
  readonly gzip: Uint8Array;
  /** HTTP entity tag of `gzip`, quotes included. */
  readonly etag: string;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
  /** Milliseconds since 1970. The result is there while the clock is below this, and gone from this moment on. */
  readonly expiresMs: number;
}

/** An answer that a payment bought, as it was given: whoever sends the same request again gets it again. */
export interface PaidResponse {
  readonly status: number;
  /** Headers that belong to this answer: its type, not what every answer has. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, compressed. */
  readonly gzip: Uint8Array;
  /** Milliseconds since 1970. The answer is there while the clock is below this; then 410 stands in its place. */
  readonly expiresMs: number;
}

/** What was paid for and is to be kept: a result, the answer that a payment has bought, or both. */
export interface Bought {
  readonly result?: StoredResult;
  readonly answer?: { readonly key: PaymentKey; readonly response: PaidResponse };
}
