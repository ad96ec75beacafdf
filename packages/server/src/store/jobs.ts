// The store's port for jobs: work that outlives its request, and the process that began it. A job is one row that any
// number of processes read. The holder of its lease works on it, and every step names the lease's token, so that a
// process that was thought dead writes nothing any more.
//
//   submitted → claimed → … renewed, answers recorded … → completed      the way of a job
//                  └ lease left, or run out → claimed again ┘ └→ failed   its own error, ours, or out of time
//
// The answers of a model are recorded as they arrive. A job that is claimed again begins anew with the recorded
// answers, so that no request to a model is paid for twice.
import type { LeaseStatus, Lease, PaymentKey } from '@grainline/x402';
import type { Delivery } from './responses.ts';
import type { JobWebhook } from './webhooks.ts';

/** A job to submit. */
export interface NewJob {
  /** `<tier>_<12 hex>`; its result has the same. */
  readonly id: string;
  /** Everything that the work needs, the document included. Deleted when the job ends. */
  readonly payload: Uint8Array;
  /** Milliseconds from now after which an unfinished job fails. */
  readonly timeoutMs: number;
  /** Clients take turns, one job each. Default: the empty text, one client. */
  readonly client?: string | undefined;
  readonly webhook?: JobWebhook | undefined;
}

/** The conditions of a submission. */
export interface JobTerms {
  /** Most unfinished jobs, this one included. More of them by the number of simultaneous submissions at worst. */
  readonly most: number;
  /** The bound payment of the job. */
  readonly lease?: Lease | undefined;
}

/**
 * `full`: too many jobs are unfinished. `lost`: the payment's lease is lost. `taken`: another job or result has the id.
 * All three write nothing.
 */
export type JobSubmission = 'submitted' | 'full' | 'lost' | 'taken';

/** The right to work on one job until it runs out. A job has one lease at most. */
export interface JobLease {
  readonly id: string;
  /** Random, new for every lease. */
  readonly token: string;
}

/** A job under a new lease. */
export interface ClaimedJob {
  readonly lease: JobLease;
  readonly payload: Uint8Array;
  /** True when the job has a payment. */
  readonly isPaid: boolean;
  /** Time until the job fails. */
  readonly leftMs: number;
  /** True when an earlier lease ran out: most likely its process has died. */
  readonly isTakenOver: boolean;
}

/** The reply of {@link JobQueue.claimJob}. */
export type JobClaim =
  | { readonly kind: 'claimed'; readonly job: ClaimedJob }
  /** No job is free. `inMs` until a lease or a job's time runs out; null without any unfinished job. */
  | { readonly kind: 'none'; readonly inMs: number | null };

/** The progress of a job. */
export interface JobStep {
  /** An integer from 0 to 99. */
  readonly progress: number;
  /** Names the stage, for people. */
  readonly message: string;
}

/** The reason of a failed job. */
export interface JobFailure {
  readonly code: string;
  readonly message: string;
}

/** A job as clients see it. */
export interface JobSnapshot {
  readonly id: string;
  readonly state: 'processing' | 'completed' | 'failed';
  /** An integer from 0 to 100; never less than it was, and 100 exactly when it is completed. */
  readonly progress: number;
  /** The stage, `Completed`, or the reason of the failure. */
  readonly message: string;
  /** Code of the failure of a failed job. */
  readonly code?: string;
}

/** The number of unfinished jobs and the usual duration. */
export interface JobLoad {
  /** Unfinished jobs without a lease. */
  readonly waiting: number;
  /** Unfinished jobs under a lease. */
  readonly running: number;
  /**
   * Mean duration of the work on the latest hundred jobs completed within the last hour; null without any. A job that
   * seems to have begun after its end, or to have ended after its time, is left out: the clock was set.
   */
  readonly meanRunMs: number | null;
}

/** The calls of workers: claim, hold and end jobs. */
export interface JobLeases {
  /**
   * Claims a job without a running lease: first those whose lease ran out, then those that have not begun, one of each
   * client in turn and the oldest of each first. Before, it fails some jobs whose time is over, and jobs of which
   * {@link MOST_ATTEMPTS} leases ran out without any answer.
   *
   * @param ms duration of the lease
   */
  claimJob(ms: number): Promise<JobClaim>;
  /**
   * Extends the lease to `ms` from now and records progress; an earlier step stays when it was further. `lost` when
   * another lease was given, or the job has ended.
   */
  renewJob(lease: JobLease, ms: number, step?: JobStep): Promise<LeaseStatus>;
  /** Replaces the payload, for example by one with the downloaded document of a link. */
  setJobPayload(lease: JobLease, payload: Uint8Array): Promise<LeaseStatus>;
  /**
   * Records a model's answer until the job ends; an earlier answer of the same key stays. The answer is recorded even
   * when the lease is lost, because it was paid for; the reply is `lost` all the same.
   */
  recordAnswer(lease: JobLease, key: string, answer: Uint8Array): Promise<LeaseStatus>;
  /**
   * Records the cost of a request to a model before the request. Unlike an answer it does not reset the attempts.
   * `lost` when the lease is lost; then nothing is written.
   */
  recordCost(lease: JobLease, key: string, cost: Uint8Array): Promise<LeaseStatus>;
  /** The recorded answers and costs of an unfinished job. */
  recordedAnswers(id: string): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Ends the lease, so that the job can be claimed at once. Does not count as an attempt. */
  leaveJob(lease: JobLease): Promise<LeaseStatus>;
  /**
   * Completes the job in one transaction: writes the result, consumes the payment of a paid job, and writes its
   * response. `lost` when the lease is lost; then nothing is written. Rejects with `storage_full` and keeps the lease.
   *
   * @param delivery its response is written only for a paid job
   */
  finishJob(lease: JobLease, delivery: Required<Delivery>): Promise<'committed' | 'lost'>;
  /**
   * Fails the job and releases its payment.
   *
   * @param counts true for an error of the buyer's request, which counts as a try
   */
  failJob(lease: JobLease, failure: JobFailure, counts: boolean): Promise<LeaseStatus>;
}

/** Jobs of all processes that share the store. */
export interface JobQueue extends JobLeases {
  /**
   * Writes the job and, in the same transaction, makes its payment `processing`. Rejects with `storage_full` when live
   * paid rows leave no room for the payload.
   */
  submitJob(job: NewJob, terms: JobTerms): Promise<JobSubmission>;
  /** The job, or null when it is unknown or expired. A completed job lasts as long as its result. */
  jobStatus(id: string): Promise<JobSnapshot | null>;
  /** The unfinished job of the payment; null without one. */
  jobOf(payment: PaymentKey): Promise<string | null>;
  jobLoad(): Promise<JobLoad>;
  /**
   * Calls back when any process has freed or submitted a job for this one, which found none at its last claim;
   * sometimes also without cause, and not for leases that run out.
   *
   * @returns function that ends the subscription
   */
  onJob(listener: () => void): () => void;
}

/**
 * Leases of one job that may run out in a row without any recorded answer. High enough for an hour of restarts; it ends
 * a job that crashes its process some 7 minutes after its submission.
 */
export const MOST_ATTEMPTS = 50;
/** Lifetime of a failed job: that of a completed one. */
export const FAILED_JOB_LIFETIME_MS = 60 * 60 * 1000;

/** Message of a job before its first lease. */
export const WAITING_MESSAGE = 'Waiting for its turn';
/** Message of a completed job. */
export const COMPLETED_MESSAGE = 'Completed';

/** Failures that the store itself causes; neither counts as a try of the buyer. */
export const STORE_FAILURES = {
  timedOut: {
    code: 'job_timeout',
    message: 'The job was not done in time; its payment can be used again.',
  },
  abandoned: {
    code: 'internal_error',
    message:
      'The service ended several times while it worked on this job; the fault is ours, and its payment can be used again.',
  },
} as const satisfies Readonly<Record<string, JobFailure>>;
