// The leases of jobs in the embedded engine: from the claim to the end, for whoever works on a job.
import type { Held, PaymentKey } from '@grainline/x402';
import type { DatabaseSync } from 'node:sqlite';
import {
  COMPLETED_MESSAGE,
  FAILED_JOB_LIFETIME_MS,
  type JobClaim,
  type JobFailure,
  type JobLease,
  type JobLeases,
  type JobStep,
  MOST_ATTEMPTS,
  STORE_FAILURES,
} from '../jobs.ts';
import type { PaidResponse, StoredResult } from '../answers.ts';
import { type Connections, settled, transaction } from './database.ts';
import type { Results } from './results.ts';

/** What leases need besides their connections. */
export interface JobLeaseParts extends Pick<Results, 'makePaidRoom' | 'keepPaid'> {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A new text that nobody can guess, for every lease. */
  readonly createToken: () => string;
  /** Tells those who wait that a job can be claimed. */
  readonly wake: () => void;
}

export function createJobLeases({ quick, durable }: Connections, parts: JobLeaseParts): JobLeases {
  const { now, createToken } = parts;
  const quickly = createStatements(quick);
  const durably = createStatements(durable);
  const quickEndings = createEndings(quickly, parts);
  const endings = createEndings(durably, parts);
  const onQuick = <Value>(run: () => Value): Promise<Value> => settled(() => transaction(quick, run));
  const onDurable = <Value>(run: () => Value): Promise<Value> => settled(() => transaction(durable, run));
  const heldIf = (row: unknown): Held => (row === undefined ? 'lost' : 'held');

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
      quickEndings.fail(id, overdue === 1 ? STORE_FAILURES.overdue : STORE_FAILURES.abandoned, false);
    }
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
    parts.makePaidRoom(order.byteLength);
    durably.putOrder.run(id, order);
    return 'held';
  }

  function failJob({ id, token }: JobLease, failure: JobFailure, counts: boolean): Held {
    if (durably.isHeld.get(id, token) === undefined) return 'lost';
    endings.fail(id, failure, counts);
    return 'held';
  }

  async function leaveJob({ id, token }: JobLease): Promise<Held> {
    const held = await onQuick(() => heldIf(quickly.leave.get(id, token)));
    parts.wake();
    return held;
  }

  return {
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
    leaveJob,
    finishJob: (lease, bought) => onDurable(() => endings.finish(lease, bought)),
    failJob: (lease, failure, counts) => onDurable(() => failJob(lease, failure, counts)),
  };
}

/** The ends of jobs, on one connection. */
function createEndings(on: Statements, { now, keepPaid }: Pick<JobLeaseParts, 'now' | 'keepPaid'>) {
  function finish(
    { id, token }: JobLease,
    { result, response }: { result: StoredResult; response: PaidResponse },
  ): 'committed' | 'lost' {
    const row = on.complete.get({
      id,
      token,
      now: now(),
      expires: result.expiresMs,
      message: COMPLETED_MESSAGE,
    });
    if (row === undefined) return 'lost';
    const { payment } = row as unknown as JobRow;
    clear(id);
    if (payment !== null && on.consume.run(now(), now(), payment).changes !== 1)
      throw new Error('The payment of an unfinished job is processing.');
    keepPaid({ result, ...(payment === null ? {} : { answer: { key: payment, response } }) });
    return 'committed';
  }

  /** Ends an unfinished job. */
  function fail(id: string, { code, message }: JobFailure, counts: boolean): void {
    const row = on.fail.get(code, message, now() + FAILED_JOB_LIFETIME_MS, id) as JobRow | undefined;
    if (row === undefined) return;
    if (row.payment !== null) on.free.run(code, counts ? 1 : 0, now(), row.payment);
    clear(id);
  }

  function clear(id: string): void {
    on.dropOrder.run(id);
    on.dropAnswers.run(id);
  }

  return { finish, fail };
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

type Statements = ReturnType<typeof createStatements>;

function createStatements(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql);
  return {
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
    isHeld: prepare('SELECT 1 FROM jobs WHERE id = ? AND token = ?'),
    putAnswer: prepare(
      `INSERT INTO job_answers (id, key, bytes)
       SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ? AND state = 'processing') ON CONFLICT DO NOTHING`,
    ),
    answers: prepare('SELECT key, bytes FROM job_answers WHERE id = ?'),
    dropAnswers: prepare('DELETE FROM job_answers WHERE id = ?'),
    gotAnswer: prepare('UPDATE jobs SET attempts = 0 WHERE id = ? AND token = ? RETURNING 1'),
    putOrder: prepare('INSERT INTO job_orders (id, bytes) VALUES (?, ?)'),
    dropOrder: prepare('DELETE FROM job_orders WHERE id = ?'),
    leave: prepare(
      `UPDATE jobs SET token = NULL, lease_ends_ms = NULL, attempts = max(0, attempts - 1)
       WHERE id = ? AND token = ? RETURNING 1`,
    ),
    complete: prepare(
      `UPDATE jobs SET state = 'completed', progress = 100, message = :message, token = NULL, lease_ends_ms = NULL,
         ran_ms = CASE WHEN :now BETWEEN claimed_ms AND deadline_ms THEN :now - claimed_ms END, expires_ms = :expires
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
  };
}
