// The part of the store that keeps jobs: work that outlives its request, and the process that began it. A job is one
// row that any number of processes look at; whoever has its lease works on it, and every step names the lease's token,
// so that a process that was thought dead writes nothing any more.
//
//   submitted → claimed → … renewed, answers recorded … → completed      the way of a job
//                  └ lease left, or run out → claimed again ┘ └→ failed   its own fault, ours, or out of time
//
// What a model has answered is recorded as it comes. A job that is claimed again is worked on from its beginning, with
// those answers in place of questions, so that nothing is asked, and paid for, twice.
import type { Held, Lease, PaymentKey } from '@grainline/x402';
import type { PaidResponse, StoredResult } from './answers.ts';

/** A job to be kept. */
export interface NewJob {
  /** `<tier>_<12 hex>`; its result has the same. */
  readonly id: string;
  /** All that is needed to work on it, the document included. Gone once the job has ended. */
  readonly order: Uint8Array;
  /** Milliseconds from now after which the job has failed, wherever it stands. */
  readonly timeoutMs: number;
}

/** On which terms a job is taken. */
export interface JobTerms {
  /** Unfinished jobs that may be there, this one included. */
  readonly most: number;
  /** The bound payment that it is done for. */
  readonly lease?: Lease;
}

/** `full`: too many are unfinished. `lost`: the payment's lease is. In both cases nothing is written. */
export type Submission = 'submitted' | 'full' | 'lost';

/** The right to work on one job until it runs out. A job has one lease at most. */
export interface JobLease {
  readonly id: string;
  /** Random, new for every lease. */
  readonly token: string;
}

/** A job that is to be worked on. */
export interface ClaimedJob {
  readonly lease: JobLease;
  readonly order: Uint8Array;
  /** Whether it is done for a payment. */
  readonly isPaid: boolean;
  /** Time until it has failed. */
  readonly leftMs: number;
  /** Whether somebody else's lease on it ran out: most likely that process has died. */
  readonly isTakenOver: boolean;
}

/** The answer to {@link JobQueue.claimJob}. */
export type JobClaim =
  | { readonly kind: 'claimed'; readonly job: ClaimedJob }
  /** Nothing to do now. `inMs` until a lease or a job's time runs out; null while there is no such. */
  | { readonly kind: 'none'; readonly inMs: number | null };

/** How far a job is. */
export interface JobStep {
  /** An integer from 0 to 99. */
  readonly progress: number;
  /** Names the stage, for people. */
  readonly message: string;
}

/** Why a job failed. */
export interface JobFailure {
  readonly code: string;
  readonly message: string;
}

/** A job as it is told of. */
export interface JobStatus {
  readonly id: string;
  readonly state: 'processing' | 'completed' | 'failed';
  /** An integer from 0 to 100; never less than it was, and 100 exactly when it is completed. */
  readonly progress: number;
  /** Names the stage; `Completed`; or why it failed. */
  readonly message: string;
  /** Code of the failure of a failed job. */
  readonly code?: string;
}

/** How much there is to do. */
export interface JobLoad {
  /** Unfinished jobs that nobody works on. */
  readonly waiting: number;
  /** Unfinished jobs that somebody works on. */
  readonly running: number;
  /**
   * How long those that were completed within the last hour were worked on, on average; null when there were none. A
   * job that seems to have begun after its end, or to have ended after its time, is left out: the clock was set.
   */
  readonly meanRunMs: number | null;
}

/** Jobs as those see them who work on them: claimed, held by a lease, and ended. */
export interface JobLeases {
  /**
   * Takes the job that waits for the longest time, among those that nobody has or whose lease has run out. Fails those
   * whose time is over before, and those of which {@link MOST_ATTEMPTS} leases ran out without any answer.
   *
   * @param ms how long the lease lasts
   */
  claimJob(ms: number): Promise<JobClaim>;
  /**
   * Makes the lease last `ms` from now and says how far the job is; what it said before stays when that was further.
   * `lost` when another lease was given, or the job has ended.
   */
  renewJob(lease: JobLease, ms: number, step?: JobStep): Promise<Held>;
  /** Keeps the order as it is now, such as with the document that was behind a link. */
  setJobOrder(lease: JobLease, order: Uint8Array): Promise<Held>;
  /**
   * Keeps an answer for as long as the job is unfinished; one of the same key that is there already stays. It is kept
   * although the lease is lost, because it was paid for; `lost` says so all the same.
   */
  recordAnswer(lease: JobLease, key: string, answer: Uint8Array): Promise<Held>;
  /**
   * Keeps what a question costs, beside the answers, before anybody is asked. Unlike an answer it is no sign that the
   * job gets on. `lost` when the lease is, and then nothing is written.
   */
  recordCost(lease: JobLease, key: string, cost: Uint8Array): Promise<Held>;
  /** What was recorded for an unfinished job, answers and costs. */
  answersOf(id: string): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Gives the job back for another to claim at once. This was no attempt. */
  leaveJob(lease: JobLease): Promise<Held>;
  /**
   * Ends the job by what came of it, all in one transaction: the result, `completed`, and where it is paid the payment
   * consumed and the response for whoever shows it again. `lost` when the lease is, and then nothing is written.
   * Rejects with `storage_full`; the lease is held as before then.
   *
   * @param response kept only where the job is paid
   */
  finishJob(
    lease: JobLease,
    bought: { readonly result: StoredResult; readonly response: PaidResponse },
  ): Promise<'committed' | 'lost'>;
  /**
   * Ends the job without a result, and gives its payment back.
   *
   * @param counts whether it is a fault of the buyer's, and counts as a try
   */
  failJob(lease: JobLease, failure: JobFailure, counts: boolean): Promise<Held>;
}

/** Jobs of all processes that share the store. */
export interface JobQueue extends JobLeases {
  /**
   * Writes the job and, in the same transaction, makes its payment `processing`. Rejects with `storage_full` when what
   * lives leaves no room for its order.
   */
  submitJob(job: NewJob, terms: JobTerms): Promise<Submission>;
  /** The job, or null when it is unknown or expired: completed ones are there as long as their result. */
  jobStatus(id: string): Promise<JobStatus | null>;
  /** The unfinished job that is done for the payment; null when there is none. */
  jobOf(payment: PaymentKey): Promise<string | null>;
  jobLoad(): Promise<JobLoad>;
  /**
   * Calls back when there may be a job to claim, of whichever process; now and then also when there is none, and not
   * for leases that run out.
   *
   * @returns ends it
   */
  onJob(listener: () => void): () => void;
}

/**
 * Leases of one job that may run out, one after the other, without any answer recorded in between. An operator's bad
 * hour must not reach it; it ends a job that ends its process, some 7 minutes after it came.
 */
export const MOST_ATTEMPTS = 50;
/** How long a failed job is told of: as long as a completed one. */
export const FAILED_JOB_LIFETIME_MS = 60 * 60 * 1000;

/** Message of a job that nobody has begun. */
export const WAITING_MESSAGE = 'Waiting for its turn';
/** Message of a completed job. */
export const COMPLETED_MESSAGE = 'Completed';

/** Why the store itself fails jobs; both are no fault of the buyer's. */
export const STORE_FAILURES = {
  overdue: {
    code: 'job_timeout',
    message: 'The job was not done in time; its payment can be used again.',
  },
  abandoned: {
    code: 'internal_error',
    message:
      'The service ended several times while it worked on this job; the fault is ours, and its payment can be used again.',
  },
} as const satisfies Readonly<Record<string, JobFailure>>;
