// Stored results and responses. Both are compressed and expire.
import type { PaymentKey } from '@grainline/x402';

/** A finished result, until it expires. */
export interface StoredResult {
  /** `<tier>_<12 hex>`. Callers check ids of clients, though any string is safe here. */
  readonly id: string;
  /** The whole result, compressed once and sent as it is to clients that accept gzip. */
  readonly gzip: Uint8Array;
  /** The object that holds the body in place of `gzip`. Set in rows alone (bodies.ts), for no caller of the store. */
  readonly object?: StoredObject | undefined;
  /** HTTP entity tag of `gzip`, quotes included. */
  readonly etag: string;
  /** The signed receipt of a paid result, where the service signs receipts. */
  readonly receipt?: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
  /** Milliseconds since 1970. The result exists while the clock is below this moment. */
  readonly expiresMs: number;
}

/** A body in an object store. */
export interface StoredObject {
  readonly name: string;
  readonly bytes: number;
}

/** The response that a payment bought. A repetition of the same request receives it again. */
export interface PaidResponse {
  readonly status: number;
  /** Headers of this response, such as its type, without those of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, compressed. */
  readonly gzip: Uint8Array;
  /** Milliseconds since 1970. The response exists while the clock is below this moment; later requests get 410. */
  readonly expiresMs: number;
}

/** The product of paid work. */
export interface Delivery {
  readonly response: PaidResponse;
  /** The result that the response links to. */
  readonly result?: StoredResult;
}

/** Paid rows to write: a result, the response of a payment, or both. */
export interface PaidContent {
  readonly result?: StoredResult;
  readonly answer?: { readonly key: PaymentKey; readonly response: PaidResponse };
}
