// The port behind which all state lives: what was used of the daily quota, results waiting to be fetched, payments and
// what they bought, and jobs (jobs.ts). Two engines stand behind it (an embedded one, and PostgreSQL) and one
// conformance suite runs on both. Every call is one transaction: when its promise resolves the change is visible to
// every process.
import type {
  Finality,
  Lease,
  Ledger,
  PaymentKey,
  PaymentRecord,
  PaymentState,
  VerifiedPayment,
} from '@grainline/x402';
import type { PaidResponse, StoredResult } from './answers.ts';
import type { JobQueue } from './jobs.ts';

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

/** Everything that is written when paid work is done. */
export interface Sale {
  readonly response: PaidResponse;
  /** The result that the response links to. */
  readonly result?: StoredResult;
}

/** A consumed payment that the chain might still lose. */
export interface UnsettledPayment extends VerifiedPayment {
  readonly key: PaymentKey;
  /** Milliseconds since 1970. */
  readonly consumedMs: number;
}

/** Somebody whose payments are not taken. */
export interface BlockedPayer {
  readonly payer: string;
  /** Milliseconds since 1970. */
  readonly blockedMs: number;
}

/** A payment as the operator sees it. */
export interface PaymentEntry extends PaymentRecord {
  /** How certain the chain was of a consumed payment at the last look. */
  readonly finality?: Finality;
  /** Present once the operator has said that the money was given back. */
  readonly refund?: { readonly atMs: number; readonly note: string };
}

/** Which payments: all of them when nothing is said. */
export interface PaymentFilter {
  readonly state?: PaymentState;
  /** Only payments first seen at this moment or later, in milliseconds since 1970. */
  readonly sinceMs?: number;
}

/** A part of the list of payments. */
export interface PaymentPage {
  /** The latest first, by the moment at which they were first seen. */
  readonly payments: readonly PaymentEntry[];
  /** Where the next part begins; null when there is none. */
  readonly next: string | null;
}

/** Sums over the payments of one kind, in the smallest unit of the asset. */
export interface PaymentTotal {
  readonly state: PaymentState;
  /** Whether they were given back. */
  readonly refunded: boolean;
  /** What they bought, or were last meant for; null when nobody said. */
  readonly product: string | null;
  readonly count: number;
  /** What was paid; 0 for payments that were never verified. */
  readonly credited: bigint;
  /** What was sold for it: 0 unless they are consumed or processing. */
  readonly price: bigint;
  /** What was paid beyond the price of what was sold. 0 unless they are consumed or processing. */
  readonly surplus: bigint;
}

/**
 * The answer to {@link PaymentBook.markRefunded}. `in_use` when a request or a job works with the payment at this
 * moment, `unverified` when it is not known that anything was paid.
 */
export type Refund = 'refunded' | 'already_refunded' | 'in_use' | 'unverified' | 'unknown';

/** Payments beside the ledger: what the operator does and reads, and the second look at those that are consumed. */
export interface PaymentBook {
  /** Makes the payments of this payer unusable from now on; they are still recorded. What was sold stays sold. */
  blockPayer(payer: string): Promise<void>;
  /** Takes the payments of this payer again, those recorded meanwhile too; false when there was no block. */
  unblockPayer(payer: string): Promise<boolean>;
  /** Everybody whose payments are not taken, the latest first. */
  blockedPayers(): Promise<readonly BlockedPayer[]>;
  /** Consumed payments that are not final yet, at most `limit`: those that nobody looked at for the longest time. */
  unsettledConsumed(limit: number): Promise<readonly UnsettledPayment[]>;
  /** Records what the chain says of a consumed payment. Only while it is `pending` is it looked at again. */
  markFinal(key: PaymentKey, finality: Finality): Promise<void>;
  /** The payments that pass the filter, at most `limit` of them, from `cursor` on: the `next` of an earlier part. */
  listPayments(
    options: PaymentFilter & { readonly limit: number; readonly cursor?: string },
  ): Promise<PaymentPage>;
  /** One payment as {@link listPayments} has it, or null. */
  paymentEntry(key: PaymentKey): Promise<PaymentEntry | null>;
  /** Sums over the payments that pass the filter, one for each state, product, and whether they were refunded. */
  paymentTotals(filter?: PaymentFilter): Promise<readonly PaymentTotal[]>;
  /** Records that the money was given back by hand. The payment buys nothing from then on. */
  markRefunded(key: PaymentKey, note: string): Promise<Refund>;
}

/**
 * All state of the service. Every method rejects with a {@link StoreError} when the store cannot do its work.
 *
 * A payment that was refunded answers `exhausted` to {@link Ledger.reserve}: it buys nothing any more.
 */
export interface Store extends Ledger, JobQueue, PaymentBook {
  /**
   * Takes all the pages or none. Exact under any concurrency, also between processes: granted pages never exceed the
   * limit.
   */
  takeQuota(claim: QuotaClaim): Promise<QuotaAnswer>;
  /** Pages that the client has left, without taking any. */
  quotaLeft(claim: Omit<QuotaClaim, 'pages'>): Promise<number>;
  /**
   * Keeps a result, in place of one with the same id. Rejects with `storage_full` when live results that nobody paid
   * for leave no room for it.
   */
  putResult(result: StoredResult): Promise<void>;
  /** The result, or null when it is unknown or expired: the two cannot be told apart. */
  getResult(id: string): Promise<StoredResult | null>;
  /** Removes a result, and the job that it came of; false when there was none, or an expired one. */
  deleteResult(id: string): Promise<boolean>;
  /**
   * Ends a bound payment by what it bought: writes the response, the result if there is one, and `consumed`, all of it
   * or nothing. `lost` when the lease is, and then nothing is written. Rejects with `storage_full` when answers that
   * were paid for leave no room for it; free results never do. The lease is held as before then.
   */
  commit(lease: Lease, sale: Sale): Promise<'committed' | 'lost'>;
  /** What the payment bought; null when it is unknown or expired. That it was consumed stays known for ever. */
  paidResponse(key: PaymentKey): Promise<PaidResponse | null>;
  /**
   * Bytes that are left for what is going to be paid for, from 0: so that nobody is asked to pay for what has no room.
   * Rejects with `disk_full` when the disk has none, as far as the store can see it.
   */
  paidRoom(): Promise<number>;
  /** Drops expired results and jobs, expired answers that were paid for, and quota counts of days gone by. */
  sweep(): Promise<void>;
  /** Resolves when the store answers and can be written to; rejects with `disk_full` when there is no room. */
  ping(): Promise<void>;
  /**
   * Waits for nothing and gives up everything it holds; further calls reject with `unavailable`. Closing twice is fine.
   */
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
  data_dir_damaged:
    'The data folder cannot be used: its file is damaged, or no database ({detail}). Restore it from a backup; whoever moves it away forgets which payments were used.',
  data_dir_newer:
    'The data folder was written by a newer version ({detail}). Use that version, or set DATA_DIR to another folder.',
  database_unusable:
    'The database of DATABASE_URL cannot be used: {detail}. Look whether it runs, and whether the address is right.',
  database_behind:
    'The tables in the database of DATABASE_URL are missing or those of an older version ({detail}). Run grainline-server migrate.',
  database_newer:
    'The tables in the database of DATABASE_URL are those of a newer version ({detail}). Use that version, or another database.',
} as const;

/** `storage_full`, `disk_full` and `unavailable` pass by themselves; the others end a start. */
export type StoreErrorCode = keyof typeof MESSAGES;

/**
 * The error that a {@link Store} rejects with. Messages hold no paths and no SQL, except those that only a start can
 * meet.
 */
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
