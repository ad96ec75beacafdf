// The leases of jobs in PostgreSQL: from the claim to the end, for whoever works on a job. Whoever claims locks the row
// of the job that waits for the longest time and passes by those that others are claiming, so that no two get the same.
import type { Held, PaymentKey } from '@grainline/x402';
import {
  COMPLETED_MESSAGE,
  FAILED_JOB_LIFETIME_MS,
  type JobClaim,
  type JobFailure,
  type JobLease,
  type JobLeases,
  MOST_ATTEMPTS,
  STORE_FAILURES,
} from '../jobs.ts';
import type { PaidResponse, StoredResult } from '../answers.ts';
import { type Clock, nowIn, QUICK } from './clock.ts';
import type { Database } from './database.ts';
import type { Results } from './results.ts';
import { keyText } from './text.ts';

/** What leases need besides their database. */
export interface JobLeaseParts extends Pick<Results, 'keepPaid'> {
  readonly clock: Clock;
  /** A new text that nobody can guess, for every lease. */
  readonly createToken: () => string;
}

/** What processes that wait for jobs are told on. */
export const CHANNEL = 'grainline_jobs';

/** SQL condition: nobody has the lease, or it has run out, by the clock of the first parameter. */
export const IS_FREE = `(lease_ends_ms IS NULL OR lease_ends_ms <= ${nowIn(1)})`;

export function createJobLeases(database: Database, parts: JobLeaseParts): JobLeases {
  const { query } = database;
  const { clock, createToken, keepPaid } = parts;
  const heldIf = (rows: readonly unknown[]): Held => (rows.length === 1 ? 'held' : 'lost');

  async function claimJob(ms: number): Promise<JobClaim> {
    const { overdue, abandoned } = STORE_FAILURES;
    const failures = [overdue.code, overdue.message, abandoned.code, abandoned.message];
    await query(SQL.failOverdue, [clock.parameter(), MOST_ATTEMPTS, FAILED_JOB_LIFETIME_MS, ...failures]);
    const token = createToken();
    const [row] = await query<ClaimRow>(SQL.claim, [clock.parameter(), token, ms]);
    if (row === undefined) {
      const [next] = await query<{ in_ms: bigint | null }>(SQL.nextMoment, [clock.parameter()]);
      const inMs = next?.in_ms ?? null;
      return { kind: 'none', inMs: inMs === null ? null : Math.max(0, Number(inMs)) };
    }
    const { id, bytes, payment, left_ms: leftMs, taken_over: isTakenOver } = row;
    const job = { lease: { id, token }, order: bytes, isPaid: payment !== null };
    return { kind: 'claimed', job: { ...job, leftMs: Number(leftMs), isTakenOver } };
  }

  async function recordAnswer({ id, token }: JobLease, key: string, answer: Uint8Array): Promise<Held> {
    const [row] = await query<{ held: boolean }>(SQL.recordAnswer, [keyText(id), token, key, answer]);
    return row?.held === true ? 'held' : 'lost';
  }

  async function recordCost({ id, token }: JobLease, key: string, cost: Uint8Array): Promise<Held> {
    const [row] = await query<{ held: boolean }>(SQL.recordCost, [keyText(id), token, key, cost]);
    return row?.held === true ? 'held' : 'lost';
  }

  async function answersOf(id: string): Promise<ReadonlyMap<string, Uint8Array>> {
    const rows = await query<{ key: string; bytes: Uint8Array }>(SQL.answers, [keyText(id)]);
    return new Map(rows.map(({ key, bytes }) => [key, bytes]));
  }

  function setJobOrder({ id, token }: JobLease, order: Uint8Array): Promise<Held> {
    return database.transaction(async (run) => {
      const held = heldIf(await run(SQL.setOrder, [keyText(id), token, order]));
      if (held === 'held') await keepPaid(run, {});
      return held;
    });
  }

  async function leaveJob({ id, token }: JobLease): Promise<Held> {
    return heldIf(await query(SQL.leave, [keyText(id), token, CHANNEL]));
  }

  function finishJob(
    { id, token }: JobLease,
    { result, response }: { result: StoredResult; response: PaidResponse },
  ): Promise<'committed' | 'lost'> {
    return database.transaction(async (run) => {
      const values = [clock.parameter(), keyText(id), token, result.expiresMs, COMPLETED_MESSAGE];
      const [row] = await run<{ payment: PaymentKey | null }>(SQL.complete, values);
      if (row === undefined) return 'lost';
      const { payment } = row;
      if (payment !== null && (await run(SQL.consume, [clock.parameter(), payment])).length === 0)
        throw new Error('The payment of an unfinished job is processing.');
      await run(SQL.dropOrder, [keyText(id)]);
      await run(SQL.dropAnswers, [keyText(id)]);
      await keepPaid(run, { result, ...(payment === null ? {} : { answer: { key: payment, response } }) });
      return 'committed';
    });
  }

  async function failJob(
    { id, token }: JobLease,
    { code, message }: JobFailure,
    counts: boolean,
  ): Promise<Held> {
    const tries = counts ? 1 : 0;
    const values = [clock.parameter(), keyText(id), token, code, message, tries, FAILED_JOB_LIFETIME_MS];
    return heldIf(await query(SQL.fail, values));
  }

  return {
    claimJob,
    renewJob: async ({ id, token }, ms, step) => {
      const { progress = null, message = null } = step ?? {};
      return heldIf(await query(SQL.renew, [clock.parameter(), keyText(id), token, ms, progress, message]));
    },
    setJobOrder,
    recordAnswer,
    recordCost,
    answersOf,
    leaveJob,
    finishJob,
    failJob,
  };
}

interface ClaimRow {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly payment: PaymentKey | null;
  readonly left_ms: bigint;
  readonly taken_over: boolean;
}

/**
 * Fails the jobs that a part of the statement named `ending` finds, with what each is told: their payments are free
 * again, and orders and answers are gone.
 */
const failing = (tries: string, lifetimeMs: string): string => `, failed AS (
    UPDATE grainline.jobs AS j SET state = 'failed', code = ending.code, message = ending.message,
      token = NULL, lease_ends_ms = NULL, expires_ms = ${nowIn(1)} + ${lifetimeMs}::bigint
    FROM ending WHERE j.id = ending.id RETURNING j.id, j.payment, j.code
  ), freed AS (
    UPDATE grainline.payments AS p SET state = 'released', reason = failed.code, tries = tries + ${tries},
      changed_ms = ${nowIn(1)}
    FROM failed WHERE p.key = failed.payment AND p.state = 'processing'
  ), ordered AS (
    DELETE FROM grainline.job_orders AS o USING failed WHERE o.id = failed.id
  ), answered AS (
    DELETE FROM grainline.job_answers AS a USING failed WHERE a.id = failed.id
  ) SELECT id FROM failed`;

const SQL = {
  setOrder: `UPDATE grainline.job_orders SET bytes = $3
    WHERE id = (SELECT id FROM grainline.jobs WHERE id = $1 AND token = $2 FOR UPDATE) RETURNING 1`,
  dropOrder: 'DELETE FROM grainline.job_orders WHERE id = $1',
  // Locked before they are changed, so that two processes never wait for one another's rows.
  failOverdue: `WITH ending AS (
      SELECT id, CASE WHEN deadline_ms <= ${nowIn(1)} THEN $4 ELSE $6 END AS code,
        CASE WHEN deadline_ms <= ${nowIn(1)} THEN $5 ELSE $7 END AS message
      FROM grainline.jobs
      WHERE state = 'processing' AND (deadline_ms <= ${nowIn(1)} OR (attempts >= $2::bigint AND ${IS_FREE}))
      FOR UPDATE SKIP LOCKED
    )${failing('0', '$3')}`,
  claim: `WITH free AS (
      SELECT id, token IS NOT NULL AS taken_over FROM grainline.jobs
      WHERE state = 'processing' AND deadline_ms > ${nowIn(1)} AND ${IS_FREE}
      ORDER BY created_ms, id LIMIT 1 FOR UPDATE SKIP LOCKED
    ), claimed AS (
      UPDATE grainline.jobs AS j SET token = $2, lease_ends_ms = ${nowIn(1)} + $3::bigint, claimed_ms = ${nowIn(1)},
        attempts = attempts + 1
      FROM free WHERE j.id = free.id
      RETURNING j.id, j.payment, j.deadline_ms - ${nowIn(1)} AS left_ms, taken_over, ${QUICK}
    ) SELECT id, payment, left_ms, taken_over, bytes FROM claimed JOIN grainline.job_orders USING (id)`,
  nextMoment: `SELECT min(least(deadline_ms, coalesce(lease_ends_ms, deadline_ms))) - ${nowIn(1)} AS in_ms
    FROM grainline.jobs WHERE state = 'processing'`,
  renew: `UPDATE grainline.jobs SET lease_ends_ms = ${nowIn(1)} + $4::bigint,
      message = CASE WHEN $5::integer >= progress THEN $6 ELSE message END,
      progress = greatest(progress, coalesce($5::integer, 0))
    WHERE id = $2 AND token = $3 RETURNING CASE WHEN $5::integer IS NULL THEN ${QUICK} END`,
  leave: `UPDATE grainline.jobs SET token = NULL, lease_ends_ms = NULL, attempts = greatest(0, attempts - 1)
    WHERE id = $1 AND token = $2 RETURNING pg_notify($3, '')`,
  // Two parts of a statement do not see what the other writes; the row of the job is locked by the second.
  recordAnswer: `WITH kept AS (
      INSERT INTO grainline.job_answers (id, key, bytes)
      SELECT id, $3, $4 FROM grainline.jobs WHERE id = $1 AND state = 'processing' ON CONFLICT DO NOTHING
    ) UPDATE grainline.jobs SET attempts = 0 WHERE id = $1 AND token = $2 RETURNING true AS held`,
  recordCost: `WITH kept AS (
      INSERT INTO grainline.job_answers (id, key, bytes)
      SELECT id, $3, $4 FROM grainline.jobs WHERE id = $1 AND token = $2 ON CONFLICT DO NOTHING
    ) SELECT true AS held FROM grainline.jobs WHERE id = $1 AND token = $2`,
  answers: 'SELECT key, bytes FROM grainline.job_answers WHERE id = $1',
  dropAnswers: 'DELETE FROM grainline.job_answers WHERE id = $1',
  complete: `UPDATE grainline.jobs SET state = 'completed', progress = 100, message = $5, token = NULL,
      lease_ends_ms = NULL, expires_ms = $4,
      ran_ms = CASE WHEN ${nowIn(1)} BETWEEN claimed_ms AND deadline_ms THEN ${nowIn(1)} - claimed_ms END
    WHERE id = $2 AND token = $3 RETURNING payment`,
  consume: `UPDATE grainline.payments SET state = 'consumed', changed_ms = ${nowIn(1)}, finality = 'pending',
      recheck_ms = ${nowIn(1)}
    WHERE key = $2 AND state = 'processing' RETURNING 1`,
  fail: `WITH ending AS (
      SELECT id, $4 AS code, $5 AS message FROM grainline.jobs WHERE id = $2 AND token = $3 FOR UPDATE
    )${failing('$6::bigint', '$7')}`,
} as const;
