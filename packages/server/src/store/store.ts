// The port of all state: the daily quota, results, payments and the responses that they bought, and jobs (jobs.ts).
// create-store.ts implements it on two engines, SQLite and PostgreSQL, and one conformance suite runs on both. Every
// call is one atomic step: when its promise resolves the change is visible to every process.
import type {
  Finality,
  Lease,
  Ledger,
  PaymentKey,
  PaymentRecord,
  PaymentState,
  VerifiedPayment,
} from '@grainline/x402';
import type { JobQueue } from './jobs.ts';
import type { Delivery, PaidResponse, StoredResult } from './responses.ts';
import type { WebhookQueue } from './webhooks.ts';

/** A client's claim on pages. */
export interface QuotaClaim {
  /** The client's address, or its network for IPv6. */
  readonly client: string;
  /** The day in UTC, `2026-01-31`: its first moment starts a new count. */
  readonly day: string;
  /** Pages to take, an integer from 0. */
  readonly pages: number;
  /** Pages of a client on one day. */
  readonly limit: number;
}

/** The reply to a claim. */
export interface QuotaAnswer {
  readonly granted: boolean;
  /** Remaining pages of the client on that day, from 0. */
  readonly left: number;
}

/** A consumed payment that the chain might still lose. */
export interface UnsettledPayment extends VerifiedPayment {
  readonly key: PaymentKey;
  /** Milliseconds since 1970. */
  readonly consumedMs: number;
}

/** A payer whose payments are refused. */
export interface BlockedPayer {
  readonly payer: string;
  /** Milliseconds since 1970. */
  readonly blockedMs: number;
}

/** A payment as the operator sees it. */
export interface PaymentEntry extends PaymentRecord {
  /** Certainty of a consumed payment at its last check. */
  readonly finality?: Finality;
  /** The operator's note that the money was returned. */
  readonly refund?: { readonly atMs: number; readonly note: string };
}

/** A selection of payments. Without members it selects all. */
export interface PaymentFilter {
  readonly state?: PaymentState | undefined;
  /** Selects payments first seen at this moment or later, in milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
}

/** One page of a list of payments. */
export interface PaymentPage {
  /** The latest first, by the moment of their first reservation. */
  readonly payments: readonly PaymentEntry[];
  /** Cursor of the next page; null on the last one. */
  readonly next: string | null;
}

/** Sums over the payments of one kind, in the smallest unit of the asset. */
export interface PaymentTotal {
  readonly state: PaymentState;
  /** True for payments whose money was returned. */
  readonly refunded: boolean;
  /** Their product, or that of their last binding; null without any. */
  readonly product: string | null;
  readonly count: number;
  /** Sum of the credited amounts; 0 for unverified payments. */
  readonly credited: bigint;
  /** Sum of the prices; 0 unless the payments are consumed or processing. */
  readonly price: bigint;
  /** Sum of the amounts above the price; 0 unless the payments are consumed or processing. */
  readonly surplus: bigint;
}

/**
 * The reply of {@link PaymentBook.markRefunded}. `in_use` while a request or a job works with the payment, `unverified`
 * when the chain's facts are unknown.
 */
export type Refund = 'refunded' | 'already_refunded' | 'in_use' | 'unverified' | 'unknown';

/** Payments beside the ledger: the operator's calls, and the re-check of consumed payments. */
export interface PaymentBook {
  /** Makes further payments of this payer unusable; they are still recorded. Consumed payments stay consumed. */
  blockPayer(payer: string): Promise<void>;
  /** Accepts the payments of this payer again, those recorded meanwhile too; false without a block. */
  unblockPayer(payer: string): Promise<boolean>;
  /** All blocked payers, the latest first. */
  blockedPayers(): Promise<readonly BlockedPayer[]>;
  /** Consumed payments that are not final yet, at most `limit`, the longest unchecked first. */
  unsettledConsumed(limit: number): Promise<readonly UnsettledPayment[]>;
  /** Records the finality of a consumed payment. Only `pending` ones are checked again. */
  markFinal(key: PaymentKey, finality: Finality): Promise<void>;
  /** The payments that pass the filter, at most `limit`, from `cursor` on: the `next` of an earlier page. */
  listPayments(
    options: PaymentFilter & { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<PaymentPage>;
  /** One payment with the facts of {@link listPayments}, or null. */
  paymentEntry(key: PaymentKey): Promise<PaymentEntry | null>;
  /** Sums over the payments that pass the filter, one for each state, product and refund status. */
  paymentTotals(filter?: PaymentFilter): Promise<readonly PaymentTotal[]>;
  /** Records that the operator returned the money. The payment is exhausted from then on. */
  markRefunded(key: PaymentKey, note: string): Promise<Refund>;
}

/**
 * All state of the service. Every method rejects with a {@link StoreError} when the engine fails.
 *
 * {@link Ledger.reserve} replies `exhausted` for a refunded payment.
 */
export interface Store extends Ledger, JobQueue, WebhookQueue, PaymentBook {
  /**
   * Takes all the pages or none. Exact under any concurrency, also between processes: granted pages never exceed the
   * limit.
   */
  takeQuota(claim: QuotaClaim): Promise<QuotaAnswer>;
  /** Pages that the client has left, without taking any. */
  quotaLeft(claim: Omit<QuotaClaim, 'pages'>): Promise<number>;
  /**
   * Writes a free result. `taken` when another result has its id, until that one is deleted: then nothing is written.
   * Rejects with `storage_full` when live free results leave no room for it.
   */
  putResult(result: StoredResult): Promise<'written' | 'taken'>;
  /** The result, or null when it is unknown or expired. */
  getResult(id: string): Promise<StoredResult | null>;
  /** True for an expired result that no sweep has deleted yet. */
  hasExpired(id: string): Promise<boolean>;
  /** Deletes a result, and its job; false for an unknown or expired one. */
  deleteResult(id: string): Promise<boolean>;
  /**
   * Consumes a bound payment and writes its response and result, all of it or nothing. `lost` when the lease is lost,
   * `taken` when another result has the result's id; then nothing is written. Rejects with `storage_full` when live
   * paid rows leave no room; free results never do. Both keep the lease.
   */
  commit(lease: Lease, delivery: Delivery): Promise<'committed' | 'lost' | 'taken'>;
  /** The response that the payment bought; null when it is unknown or expired. `consumed` lasts for ever. */
  paidResponse(key: PaymentKey): Promise<PaidResponse | null>;
  /**
   * Free bytes for paid rows, from 0: without room the service offers no payment. Rejects with `disk_full` when the
   * engine sees a full disk.
   */
  paidRoom(): Promise<number>;
  /**
   * Deletes expired results, responses and jobs, and quota counts of earlier days, in batches between which other calls
   * run. A call during a sweep joins it. In PostgreSQL a call while another server sweeps may delete nothing.
   */
  sweep(): Promise<void>;
  /** Resolves when the store can be written to; rejects with `disk_full` without room. */
  ping(): Promise<void>;
  /**
   * Releases all connections; further calls reject with `unavailable`. Closing twice is harmless.
   */
  close(): Promise<void>;
}

/** Messages of the errors. */
const MESSAGES = {
  storage_full:
    'The service keeps as many results as it may at the moment; try again in some minutes, or ask for larger chunks.',
  disk_full: 'The service cannot write at the moment: its disk is full. Try again later.',
  unavailable: 'The service cannot reach its store at the moment. Try again shortly.',
  data_dir_unusable:
    'The data folder cannot be used: {detail}. Set DATA_DIR to a folder that this user may write to.',
  data_dir_damaged:
    'The data folder cannot be used: its file is damaged, or no database ({detail}). Restore it from a backup; without it the service forgets which payments were used.',
  data_dir_newer:
    'The data folder was written by a newer version ({detail}). Use that version, or set DATA_DIR to another folder.',
  database_unusable:
    'The database of DATABASE_URL cannot be used: {detail}. Look whether it runs, and whether the address is right.',
  database_behind:
    'The tables in the database of DATABASE_URL are missing or those of an older version ({detail}). Run grainline-server migrate.',
  bucket_unusable:
    'The bucket of OBJECT_STORE cannot be used: {detail}. Look whether it exists, and whether AWS_REGION, AWS_ENDPOINT_URL and the credentials are right.',
  database_newer:
    'The tables in the database of DATABASE_URL are those of a newer version ({detail}). Use that version, or another database.',
} as const;

/** `storage_full`, `disk_full` and `unavailable` are temporary; the others end a start. */
export type StoreErrorCode = keyof typeof MESSAGES;

/** The error of a {@link Store}. Only messages of a failed start hold paths; none holds SQL. */
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
