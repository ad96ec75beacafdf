// Jobs in PostgreSQL. Whoever claims locks the row of the job that waits for the longest time and passes by those that
// others are claiming, so that no two get the same. Processes that wait are told by NOTIFY, and leases by the
// database's clock say who has died: no queue beside the tables of the jobs themselves, which could disagree with them.
import type { Held, PaymentKey } from '@grainline/x402';
import {
  COMPLETED_MESSAGE,
  FAILED_JOB_LIFETIME_MS,
  type JobClaim,
  type JobFailure,
  type JobLease,
  type JobLoad,
  type JobQueue,
  type JobStatus,
  MOST_ATTEMPTS,
  type NewJob,
  STORE_FAILURES,
  type JobTerms,
  type Submission,
  WAITING_MESSAGE,
} from '../jobs.ts';
import type { PaidResponse, StoredResult } from '../answers.ts';
import { type Clock, nowIn, QUICK } from './clock.ts';
import type { Database, Query } from './database.ts';
import { keyText } from './text.ts';

/** What jobs need besides their database. */
export interface JobParts {
  readonly clock: Clock;
  /** A new text that nobody can guess, for every lease. */
  readonly createToken: () => string;
  /** Makes room among what was paid for, for what the transaction has written. @throws StoreError `storage_full` */
  readonly makeRoom: (run: Query) => Promise<void>;
  /** Keeps a result, and the answer that a payment has bought with it. */
  readonly keep: (
    run: Query,
    result: StoredResult,
    paid: { key: PaymentKey; response: PaidResponse } | undefined,
  ) => Promise<void>;
}

/** What processes that wait for jobs are told on. */
const CHANNEL = 'grainline_jobs';

/** What ends a transaction that has to write nothing after all, and what it then answers. */
class Nothing<Answer> extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('The transaction writes nothing.');
    this.answer = answer;
  }
}

export function createJobCalls(database: Database, parts: JobParts): JobQueue {
  const { query } = database;
  const { clock, createToken } = parts;
  const heldIf = (rows: readonly unknown[]): Held => (rows.length === 1 ? 'held' : 'lost');

  async function submitJob({ id, order, timeoutMs }: NewJob, { most, lease }: JobTerms): Promise<Submission> {
    try {
      await database.transaction(async (run) => {
        if (lease !== undefined) {
          const paid = await run(SQL.process, [clock.parameter(), lease.key, lease.token]);
          if (paid.length === 0) throw new Nothing<Submission>('lost');
        }
        await run(SQL.insert, [
          clock.parameter(),
          keyText(id),
          WAITING_MESSAGE,
          lease?.key ?? null,
          timeoutMs,
        ]);
        // Its trigger holds the row of sums: whoever else submits counts after this transaction.
        await run(SQL.putOrder, [keyText(id), order]);
        const [unfinished] = await run<{ count: bigint }>(SQL.countUnfinished, []);
        if (Number(unfinished?.count) > most) throw new Nothing<Submission>('full');
        await parts.makeRoom(run);
        await run(SQL.notify, [CHANNEL]);
      });
      return 'submitted';
    } catch (error) {
      if (error instanceof Nothing) return error.answer as Submission;
      throw error;
    }
  }

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
      if (held === 'held') await parts.makeRoom(run);
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
      await parts.keep(run, result, payment === null ? undefined : { key: payment, response });
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

  async function jobStatus(id: string): Promise<JobStatus | null> {
    const [row] = await query<StatusRow>(SQL.status, [clock.parameter(), keyText(id)]);
    if (row === undefined) return null;
    const { code, ...status } = row;
    return { ...status, id, ...(code === null ? {} : { code }) };
  }

  async function jobLoad(): Promise<JobLoad> {
    const [row] = await query<LoadRow>(SQL.load, [clock.parameter()]);
    const mean = row?.mean_ms ?? null;
    return {
      waiting: Number(row?.waiting),
      running: Number(row?.running),
      meanRunMs: mean === null ? null : Number(mean),
    };
  }

  return {
    submitJob,
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
    jobStatus,
    jobOf: async (payment) => {
      const [row] = await query<{ id: string }>(SQL.jobOf, [payment]);
      return row?.id ?? null;
    },
    jobLoad,
    onJob: (listener) => database.listen(CHANNEL, listener),
  };
}

interface ClaimRow {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly payment: PaymentKey | null;
  readonly left_ms: bigint;
  readonly taken_over: boolean;
}

interface StatusRow extends Omit<JobStatus, 'code'> {
  readonly code: string | null;
}

interface LoadRow {
  readonly waiting: bigint;
  readonly running: bigint;
  readonly mean_ms: bigint | null;
}

/** A lease that nobody has given, or that has run out, by the clock of the first parameter. */
const IS_FREE = `(lease_ends_ms IS NULL OR lease_ends_ms <= ${nowIn(1)})`;

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
  countUnfinished: `SELECT count(*) AS count FROM grainline.jobs WHERE state = 'processing'`,
  process: `UPDATE grainline.payments SET state = 'processing', token = NULL, lease_ends_ms = NULL,
      changed_ms = ${nowIn(1)}
    WHERE key = $2 AND token = $3 AND state = 'bound' RETURNING 1`,
  insert: `INSERT INTO grainline.jobs (id, state, message, payment, created_ms, deadline_ms)
    SELECT $2, 'processing', $3, $4, now_ms, now_ms + $5::bigint FROM (SELECT ${nowIn(1)} AS now_ms) AS clock`,
  putOrder: 'INSERT INTO grainline.job_orders (id, bytes) VALUES ($1, $2)',
  setOrder: `UPDATE grainline.job_orders SET bytes = $3
    WHERE id = (SELECT id FROM grainline.jobs WHERE id = $1 AND token = $2 FOR UPDATE) RETURNING 1`,
  dropOrder: 'DELETE FROM grainline.job_orders WHERE id = $1',
  notify: `SELECT pg_notify($1, '')`,
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
      lease_ends_ms = NULL, ran_ms = ${nowIn(1)} - claimed_ms, expires_ms = $4
    WHERE id = $2 AND token = $3 RETURNING payment`,
  consume: `UPDATE grainline.payments SET state = 'consumed', changed_ms = ${nowIn(1)}, finality = 'pending',
      recheck_ms = ${nowIn(1)}
    WHERE key = $2 AND state = 'processing' RETURNING 1`,
  fail: `WITH ending AS (
      SELECT id, $4 AS code, $5 AS message FROM grainline.jobs WHERE id = $2 AND token = $3 FOR UPDATE
    )${failing('$6::bigint', '$7')}`,
  status: `SELECT state, progress, message, code FROM grainline.jobs
    WHERE id = $2 AND (expires_ms IS NULL OR expires_ms > ${nowIn(1)})`,
  jobOf: `SELECT id FROM grainline.jobs WHERE payment = $1 AND state = 'processing'`,
  load: `SELECT count(*) FILTER (WHERE state = 'processing' AND ${IS_FREE}) AS waiting,
      count(*) FILTER (WHERE state = 'processing' AND NOT ${IS_FREE}) AS running,
      round(avg(ran_ms) FILTER (WHERE state = 'completed' AND expires_ms > ${nowIn(1)})) AS mean_ms
    FROM grainline.jobs`,
} as const;
