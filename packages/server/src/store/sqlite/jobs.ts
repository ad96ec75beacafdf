// Jobs in the embedded engine. Durable (synced before the promise resolves) is what was promised or paid for: the
// submission, the answers of a model, and how a job ended. Leases and progress are quick: what a power cut takes of
// them costs nothing, because whoever worked is gone as well.
import type { Held, PaymentKey } from '@grainline/x402';
import type { DatabaseSync } from 'node:sqlite';
import {
  COMPLETED_MESSAGE,
  FAILED_JOB_LIFETIME_MS,
  type JobClaim,
  type JobFailure,
  type JobLease,
  type JobLoad,
  type JobQueue,
  type JobStatus,
  type JobStep,
  type JobTerms,
  MOST_ATTEMPTS,
  type NewJob,
  STORE_FAILURES,
  type Submission,
  WAITING_MESSAGE,
} from '../jobs.ts';
import type { PaidResponse, StoredResult } from '../answers.ts';
import { type Connections, numberIn, settled, transaction } from './database.ts';

/** What jobs need besides their connections. */
export interface JobParts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A new text that nobody can guess, for every lease. */
  readonly createToken: () => string;
  /** Makes room among what was paid for, on the durable connection. @throws StoreError `storage_full` */
  readonly makeRoom: (bytes: number) => void;
  /** Keeps a result, and the answer that a payment has bought with it, on the durable connection. */
  readonly keep: (
    result: StoredResult,
    paid: { key: PaymentKey; response: PaidResponse } | undefined,
  ) => void;
}

export function createJobCalls({ quick, durable }: Connections, parts: JobParts): JobQueue {
  const { now, createToken } = parts;
  const quickly = createStatements(quick);
  const durably = createStatements(durable);
  const listeners = new Set<() => void>();
  const onQuick = <Value>(run: () => Value): Promise<Value> => settled(() => transaction(quick, run));
  const onDurable = <Value>(run: () => Value): Promise<Value> => settled(() => transaction(durable, run));
  const heldIf = (row: unknown): Held => (row === undefined ? 'lost' : 'held');
  const wake = (): void => listeners.forEach((listener) => listener());

  function submitJob({ id, order, timeoutMs }: NewJob, { most, lease }: JobTerms): Submission {
    if (numberIn(durably.countUnfinished.get(), 'count') >= most) return 'full';
    if (lease !== undefined && durably.process.run(now(), lease.key, lease.token).changes === 0)
      return 'lost';
    parts.makeRoom(order.byteLength);
    durably.insert.run(id, WAITING_MESSAGE, lease?.key ?? null, now(), now() + timeoutMs);
    durably.putOrder.run(id, order);
    return 'submitted';
  }

  function claimJob(ms: number): JobClaim {
    failOverdue();
    // The columns are NOT NULL and of these types, here and below, but for those that are said to be null.
    const row = quickly.findFree.get(now()) as FreeRow | undefined;
    if (row === undefined) {
      const next = quickly.nextMoment.get()?.['at'] as number | null;
      return { kind: 'none', inMs: next === null ? null : Math.max(0, next - now()) };
    }
    const { id, order, payment, deadlineMs, token: before } = row;
    const token = createToken();
    quickly.claim.run(token, now() + ms, now(), id);
    return {
      kind: 'claimed',
      job: {
        lease: { id, token },
        order,
        isPaid: payment !== null,
        leftMs: deadlineMs - now(),
        isTakenOver: before !== null,
      },
    };
  }

  function failOverdue(): void {
    for (const { id, overdue } of quickly.overdue.all({ now: now(), most: MOST_ATTEMPTS }) as unknown as {
      id: string;
      overdue: 0 | 1;
    }[]) {
      fail(quickly, id, overdue === 1 ? STORE_FAILURES.overdue : STORE_FAILURES.abandoned, false);
    }
  }

  /** Ends an unfinished job. */
  function fail(on: Statements, id: string, { code, message }: JobFailure, counts: boolean): void {
    const row = on.fail.get(code, message, now() + FAILED_JOB_LIFETIME_MS, id) as JobRow | undefined;
    if (row === undefined) return;
    if (row.payment !== null) on.free.run(code, counts ? 1 : 0, now(), row.payment);
    clear(on, id);
  }

  function clear(on: Statements, id: string): void {
    on.dropOrder.run(id);
    on.dropAnswers.run(id);
  }

  function renewJob({ id, token }: JobLease, ms: number, step?: JobStep): Held {
    const { progress = null, message = null } = step ?? {};
    return heldIf(quickly.renew.get({ ends: now() + ms, progress, message, id, token }));
  }

  function recordAnswer({ id, token }: JobLease, key: string, answer: Uint8Array): Held {
    durably.putAnswer.run(id, key, answer, id);
    return heldIf(durably.gotAnswer.get(id, token));
  }

  function recordCost({ id, token }: JobLease, key: string, cost: Uint8Array): Held {
    if (durably.isHeld.get(id, token) === undefined) return 'lost';
    durably.putAnswer.run(id, key, cost, id);
    return 'held';
  }

  function setJobOrder({ id, token }: JobLease, order: Uint8Array): Held {
    if (durably.isHeld.get(id, token) === undefined) return 'lost';
    durably.dropOrder.run(id);
    parts.makeRoom(order.byteLength);
    durably.putOrder.run(id, order);
    return 'held';
  }

  function finishJob(
    { id, token }: JobLease,
    { result, response }: { result: StoredResult; response: PaidResponse },
  ): 'committed' | 'lost' {
    const row = durably.complete.get({
      id,
      token,
      now: now(),
      expires: result.expiresMs,
      message: COMPLETED_MESSAGE,
    });
    if (row === undefined) return 'lost';
    const { payment } = row as unknown as JobRow;
    clear(durably, id);
    if (payment !== null && durably.consume.run(now(), now(), payment).changes !== 1)
      throw new Error('The payment of an unfinished job is processing.');
    parts.keep(result, payment === null ? undefined : { key: payment, response });
    return 'committed';
  }

  function failJob({ id, token }: JobLease, failure: JobFailure, counts: boolean): Held {
    if (durably.isHeld.get(id, token) === undefined) return 'lost';
    fail(durably, id, failure, counts);
    return 'held';
  }

  function jobStatus(id: string): JobStatus | null {
    const row = quickly.status.get(id, now()) as StatusRow | undefined;
    if (row === undefined) return null;
    const { code, ...status } = row;
    return { ...status, ...(code === null ? {} : { code }) };
  }

  function jobLoad(): JobLoad {
    // One row of counts, whatever there is.
    return { ...quickly.load.get({ now: now() }) } as unknown as JobLoad;
  }

  /** What may have made a job claimable: those who wait are told once it is written. */
  async function waking<Value>(written: Promise<Value>): Promise<Value> {
    const value = await written;
    wake();
    return value;
  }

  return {
    submitJob: (job, terms) => waking(onDurable(() => submitJob(job, terms))),
    claimJob: (ms) => onQuick(() => claimJob(ms)),
    renewJob: (lease, ms, step) => onQuick(() => renewJob(lease, ms, step)),
    setJobOrder: (lease, order) => onDurable(() => setJobOrder(lease, order)),
    recordAnswer: (lease, key, answer) => onDurable(() => recordAnswer(lease, key, answer)),
    recordCost: (lease, key, cost) => onDurable(() => recordCost(lease, key, cost)),
    answersOf: (id) =>
      settled(() => {
        const rows = quickly.answers.all(id) as unknown as { key: string; bytes: Uint8Array }[];
        return new Map(rows.map(({ key, bytes }) => [key, bytes]));
      }),
    leaveJob: ({ id, token }) => waking(onQuick(() => heldIf(quickly.leave.get(id, token)))),
    finishJob: (lease, bought) => onDurable(() => finishJob(lease, bought)),
    failJob: (lease, failure, counts) => onDurable(() => failJob(lease, failure, counts)),
    jobStatus: (id) => settled(() => jobStatus(id)),
    jobOf: (payment) => settled(() => (quickly.jobOf.get(payment)?.['id'] as string | undefined) ?? null),
    jobLoad: () => settled(jobLoad),
    onJob(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

interface JobRow {
  readonly payment: PaymentKey | null;
}

/** A job's row, with the lease that ran out, if one did. */
interface FreeRow extends JobRow {
  readonly id: string;
  readonly token: string | null;
  readonly deadlineMs: number;
  readonly order: Uint8Array;
}

interface StatusRow extends Omit<JobStatus, 'code'> {
  readonly code: string | null;
}

type Statements = ReturnType<typeof createStatements>;

function createStatements(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql);
  return {
    countUnfinished: prepare(`SELECT count(*) AS count FROM jobs WHERE state = 'processing'`),
    process: prepare(
      `UPDATE payments SET state = 'processing', token = NULL, lease_ends_ms = NULL, changed_ms = ?
       WHERE key = ? AND token = ? AND state = 'bound'`,
    ),
    insert: prepare(
      `INSERT INTO jobs (id, state, message, payment, created_ms, deadline_ms) VALUES (?, 'processing', ?, ?, ?, ?)`,
    ),
    putOrder: prepare('INSERT INTO job_orders (id, bytes) VALUES (?, ?)'),
    dropOrder: prepare('DELETE FROM job_orders WHERE id = ?'),
    putAnswer: prepare(
      `INSERT INTO job_answers (id, key, bytes)
       SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ? AND state = 'processing') ON CONFLICT DO NOTHING`,
    ),
    answers: prepare('SELECT key, bytes FROM job_answers WHERE id = ?'),
    dropAnswers: prepare('DELETE FROM job_answers WHERE id = ?'),
    gotAnswer: prepare('UPDATE jobs SET attempts = 0 WHERE id = ? AND token = ? RETURNING 1'),
    isHeld: prepare('SELECT 1 FROM jobs WHERE id = ? AND token = ?'),
    findFree: prepare(
      `SELECT id, payment, token, deadline_ms AS "deadlineMs", bytes AS "order" FROM jobs JOIN job_orders USING (id)
       WHERE state = 'processing' AND (lease_ends_ms IS NULL OR lease_ends_ms <= ?)
       ORDER BY created_ms, id LIMIT 1`,
    ),
    claim: prepare(
      `UPDATE jobs SET token = ?, lease_ends_ms = ?, claimed_ms = ?, attempts = attempts + 1 WHERE id = ?`,
    ),
    nextMoment: prepare(
      `SELECT min(min(deadline_ms, coalesce(lease_ends_ms, deadline_ms))) AS at FROM jobs WHERE state = 'processing'`,
    ),
    overdue: prepare(
      `SELECT id, deadline_ms <= :now AS overdue FROM jobs WHERE state = 'processing' AND (deadline_ms <= :now
         OR (attempts >= :most AND (lease_ends_ms IS NULL OR lease_ends_ms <= :now)))`,
    ),
    renew: prepare(
      `UPDATE jobs SET lease_ends_ms = :ends,
         message = CASE WHEN :progress >= progress THEN :message ELSE message END,
         progress = max(progress, coalesce(:progress, 0))
       WHERE id = :id AND token = :token RETURNING 1`,
    ),
    leave: prepare(
      `UPDATE jobs SET token = NULL, lease_ends_ms = NULL, attempts = max(0, attempts - 1)
       WHERE id = ? AND token = ? RETURNING 1`,
    ),
    complete: prepare(
      `UPDATE jobs SET state = 'completed', progress = 100, message = :message, token = NULL, lease_ends_ms = NULL,
         ran_ms = :now - claimed_ms, expires_ms = :expires
       WHERE id = :id AND token = :token RETURNING payment`,
    ),
    consume: prepare(
      `UPDATE payments SET state = 'consumed', changed_ms = ?, finality = 'pending', recheck_ms = ?
       WHERE key = ? AND state = 'processing'`,
    ),
    fail: prepare(
      `UPDATE jobs SET state = 'failed', code = ?, message = ?, expires_ms = ?, token = NULL, lease_ends_ms = NULL
       WHERE id = ? AND state = 'processing' RETURNING payment`,
    ),
    free: prepare(
      `UPDATE payments SET state = 'released', reason = ?, tries = tries + ?, changed_ms = ?
       WHERE key = ? AND state = 'processing'`,
    ),
    status: prepare(
      `SELECT id, state, progress, message, code FROM jobs
       WHERE id = ? AND (expires_ms IS NULL OR expires_ms > ?)`,
    ),
    jobOf: prepare(`SELECT id FROM jobs WHERE payment = ? AND state = 'processing'`),
    load: prepare(
      `SELECT count(*) FILTER (WHERE state = 'processing' AND (lease_ends_ms IS NULL OR lease_ends_ms <= :now)) AS waiting,
         count(*) FILTER (WHERE state = 'processing' AND lease_ends_ms > :now) AS running,
         avg(ran_ms) FILTER (WHERE state = 'completed' AND expires_ms > :now) AS "meanRunMs" FROM jobs`,
    ),
  };
}
