// The port behind which all state lives: what was used of the daily quota, and results waiting to be fetched.
// Two engines stand behind it (an embedded one now, PostgreSQL later) and one conformance suite runs on both.
// Every call is one transaction: when its promise resolves the change is visible to every process.

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

/** Pages that a client asks for. */
export interface QuotaClaim {
  /** Who: an address, or a network for IPv6. */
  readonly client: string;
  /** The day in UTC, `2026-01-31`: its first moment starts a new count. */
  readonly day: string;
  /** Pages to take, an integer from 0. */
  readonly pages: number;
  /** Pages that a client has on one day. */
  readonly limit: number;
}

/** Whether the pages were taken, and how many the client has left on that day; 0 is the least. */
export interface QuotaAnswer {
  readonly granted: boolean;
  readonly left: number;
}

/** All state of the service. Every method rejects with a {@link StoreError} when the store cannot do its work. */
export interface Store {
  /** Takes all the pages or none. Exact under any concurrency, also between processes: granted pages never exceed the limit. */
  takeQuota(claim: QuotaClaim): Promise<QuotaAnswer>;
  /** Pages that the client has left, without taking any. */
  quotaLeft(claim: Omit<QuotaClaim, 'pages'>): Promise<number>;
  /** Keeps a result, in place of one with the same id. Rejects with `storage_full` when live results leave no room for it. */
  putResult(result: StoredResult): Promise<void>;
  /** The result, or null when it is unknown or expired: the two cannot be told apart. */
  getResult(id: string): Promise<StoredResult | null>;
  /** Removes a result; false when there was none, or an expired one. */
  deleteResult(id: string): Promise<boolean>;
  /** Drops expired results and quota counts of days gone by. */
  sweep(): Promise<void>;
  /** Resolves when the store answers and can be written to; rejects with `disk_full` when there is no room. */
  ping(): Promise<void>;
  /** Waits for nothing and gives up everything it holds; further calls reject with `unavailable`. Closing twice is fine. */
  close(): Promise<void>;
}

/** Why the store refuses, and the sentence that says so. */
const MESSAGES = {
  storage_full:
    'The service keeps as many results as it may at the moment; try again in some minutes, or ask for larger chunks.',
  disk_full: 'The service cannot write at the moment: its disk is full. Try again later.',
  unavailable: 'The service cannot reach its store at the moment. Try again shortly.',
  data_dir_unusable:
    'The data folder cannot be used: {detail}. Set DATA_DIR to a folder that this user may write to.',
  data_dir_newer:
    'The data folder was written by a newer version ({detail}). Use that version, or set DATA_DIR to another folder.',
} as const;

/** `storage_full`, `disk_full` and `unavailable` pass by themselves; the others end a start. */
export type StoreErrorCode = keyof typeof MESSAGES;

/** What a {@link Store} rejects with. Messages hold no paths and no SQL, save those that only a start can meet. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(
    code: StoreErrorCode,
    { detail = '', cause }: { readonly detail?: string; readonly cause?: unknown } = {},
  ) {
    super(
      MESSAGES[code].replace('{detail}', () => detail),
      cause === undefined ? undefined : { cause },
    );
    this.name = 'StoreError';
    this.code = code;
  }
}
