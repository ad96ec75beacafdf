// The leases of jobs: from a claim to the end of the job. Every statement names the lease's token, so that a process
// that was thought dead writes nothing any more.
import { endProcessing, type LeaseStatus, type PaymentKey, type ReleaseReason } from '@grainline/x402';
import { type Engine, query, queryCount, queryOne, queryRow, type Steps } from './engine.ts';
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
} from './jobs.ts';
import type { ChangePayment } from './ledger.ts';
import type { Results } from './results.ts';
import type { Delivery } from './responses.ts';

/** The parts of the store that leases need. */
export interface JobLeaseDeps extends Pick<Results, 'writePaid'> {
  readonly changePayment: ChangePayment;
  /** Returns a new unguessable text for every lease. */
  readonly createToken: () => string;
}

/** SQL condition: the job has no lease, or it has run out. */
export const isFree = (now: string): string => `(lease_ends_ms IS NULL OR lease_ends_ms <= ${now})`;

/** Creates the leases of an engine. */
export function createJobLeases(engine: Engine, deps: JobLeaseDeps): JobLeases {
  const { keyText } = engine;
  const sql = createStatements(engine);
  const endings = createEndings(engine, sql, deps);
  const heldIf = (count: number): LeaseStatus => (count === 1 ? 'held' : 'lost');
  const keysOf = ({ id, token }: JobLease) => [keyText(id), token];

  async function claimJob(ms: number): Promise<JobClaim> {
    const expired = await engine.read(() => query<ExpiredColumns>(sql.findExpired, [engine.time()]));
    for (const { id, is_late: isLate } of expired) {
      const failure = Number(isLate) === 1 ? STORE_FAILURES.timedOut : STORE_FAILURES.abandoned;
      await engine.transaction('durable', () => endings.failExpired(id, failure));
    }
    return engine.change('quick', () => claim(ms));
  }

  /** Two processes that find the same job compete for its row; the loser searches again. */
  function* claim(ms: number): Steps<JobClaim> {
    for (;;) {
      const found = yield* queryRow<FreeColumns>(sql.findFree, [engine.time()]);
      if (found === undefined) {
        const { in_ms: inMs } = yield* queryOne<{ in_ms: bigint | null }>(sql.nextMoment, [engine.time()]);
        return { kind: 'none', inMs: inMs === null ? null : Math.max(0, Number(inMs)) };
      }
      const { id, payment } = found;
      const token = deps.createToken();
      const claimed = yield* queryRow<{ bytes: Uint8Array }>(sql.claim, [engine.time(), id, token, ms]);
      if (claimed === undefined) continue;
      const job = { lease: { id, token }, payload: claimed.bytes, isPaid: payment !== null };
      const leftMs = Number(found.left_ms);
      return { kind: 'claimed', job: { ...job, leftMs, isTakenOver: found.token !== null } };
    }
  }

  function* renewJob(lease: JobLease, ms: number, step: JobStep | undefined): Steps<LeaseStatus> {
    const text = step === undefined ? sql.renewQuickly : sql.renew;
    const { progress = null, message = null } = step ?? {};
    return heldIf(yield* queryCount(text, [engine.time(), ...keysOf(lease), ms, progress, message]));
  }

  function* setJobPayload({ id, token }: JobLease, payload: Uint8Array): Steps<LeaseStatus> {
    if ((yield* queryCount(sql.lock, [keyText(id), token])) === 0) return 'lost';
    yield* query(sql.dropPayload, [keyText(id)]);
    yield* query(sql.insertPayload, [keyText(id), payload]);
    yield* deps.writePaid({});
    return 'held';
  }

  function* recordAnswer(lease: JobLease, key: string, answer: Uint8Array): Steps<LeaseStatus> {
    yield* query(sql.insertAnswer, [keyText(lease.id), key, answer]);
    return heldIf(yield* queryCount(sql.resetAttempts, keysOf(lease)));
  }

  return {
    claimJob,
    renewJob: (lease, ms, step) => engine.change('quick', () => renewJob(lease, ms, step)),
    setJobPayload: (lease, payload) => engine.transaction('durable', () => setJobPayload(lease, payload)),
    recordAnswer: (lease, key, answer) => engine.change('durable', () => recordAnswer(lease, key, answer)),
    recordCost: async (lease, key, cost) =>
      heldIf(await engine.change('durable', () => queryCount(sql.insertCost, [...keysOf(lease), key, cost]))),
    recordedAnswers: async (id) => {
      const rows = await engine.read(() => query<AnswerColumns>(sql.findAnswers, [keyText(id)]));
      return new Map(rows.map(({ key, bytes }) => [key, bytes]));
    },
    leaveJob: async (lease) =>
      heldIf(await engine.change('quick', () => queryCount(sql.leave, keysOf(lease)))),
    finishJob: (lease, result) => engine.transaction('durable', () => endings.finish(lease, result)),
    failJob: (lease, failure, counts) =>
      engine.transaction('durable', () => endings.fail(lease, failure, counts)),
  };
}

/** The ends of jobs, each within a transaction. */
function createEndings(
  { time, keyText }: Engine,
  sql: Statements,
  { changePayment, writePaid }: JobLeaseDeps,
) {
  function* finish(
    { id, token }: JobLease,
    { result, response }: Required<Delivery>,
  ): Steps<'committed' | 'lost'> {
    const values = [time(), keyText(id), token, result.expiresMs, COMPLETED_MESSAGE];
    const job = yield* queryRow<EndedColumns>(sql.complete, values);
    if (job === undefined) return 'lost';
    yield* end(id, job, 'consumed');
    const answer = job.payment === null ? {} : { answer: { key: job.payment, response } };
    if ((yield* writePaid({ result, ...answer })) === 'taken')
      throw new Error('The id of a job is that of its result alone.');
    return 'committed';
  }

  function* fail({ id, token }: JobLease, failure: JobFailure, counts: boolean): Steps<LeaseStatus> {
    const job = yield* queryRow<EndedColumns>(sql.fail, [...failureValues(id, failure), token]);
    if (job === undefined) return 'lost';
    yield* end(id, job, { reason: failure.code, counts });
    return 'held';
  }

  function* failExpired(id: string, failure: JobFailure): Steps<void> {
    const job = yield* queryRow<EndedColumns>(sql.failExpired, failureValues(id, failure));
    if (job !== undefined) yield* end(id, job, { reason: failure.code, counts: false });
  }

  const failureValues = (id: string, { code, message }: JobFailure) => [time(), keyText(id), code, message];

  function* end(
    id: string,
    { payment: key }: EndedColumns,
    outcome: 'consumed' | ReleaseReason,
  ): Steps<void> {
    if (key !== null) {
      const isEnded = yield* changePayment({
        key,
        transition: (row, { nowMs }) => endProcessing(row, outcome, nowMs),
      });
      if (!isEnded) throw new Error('The payment of an unfinished job is processing.');
    }
    yield* query(sql.dropPayload, [keyText(id)]);
    yield* query(sql.dropAnswers, [keyText(id)]);
  }

  return { finish, fail, failExpired };
}

interface ExpiredColumns {
  readonly id: string;
  readonly is_late: unknown;
}

/** A free job, with the token of a lease that ran out. */
interface FreeColumns {
  readonly id: string;
  readonly payment: PaymentKey | null;
  readonly token: string | null;
  readonly left_ms: bigint;
}

interface AnswerColumns {
  readonly key: string;
  readonly bytes: Uint8Array;
}

interface EndedColumns {
  readonly payment: PaymentKey | null;
}

type Statements = ReturnType<typeof createStatements>;

function createStatements({ dialect: { now, quick, notifyJobs } }: Engine) {
  const free = isFree(now);
  const isLate = `deadline_ms <= ${now}`;
  const isExpired = `state = 'processing' AND (${isLate} OR (attempts >= ${MOST_ATTEMPTS} AND ${free}))`;
  const isClaimable = `state = 'processing' AND NOT (${isLate}) AND ${free}`;
  const failing = (condition: string): string =>
    `UPDATE grainline.jobs SET state = 'failed', code = $3, message = $4, token = NULL, lease_ends_ms = NULL,
       expires_ms = ${now} + ${FAILED_JOB_LIFETIME_MS}
     WHERE id = $2 AND ${condition} RETURNING payment`;
  const renewing = (returning: string): string =>
    `UPDATE grainline.jobs SET lease_ends_ms = ${now} + CAST($4 AS bigint),
       message = CASE WHEN CAST($5 AS integer) >= progress THEN $6 ELSE message END,
       progress = CASE WHEN CAST($5 AS integer) > progress THEN CAST($5 AS integer) ELSE progress END
     WHERE id = $2 AND token = $3 RETURNING ${returning}`;
  return {
    findExpired: `SELECT id, ${isLate} AS is_late FROM grainline.jobs WHERE ${isExpired}`,
    findFree: `SELECT id, payment, token, deadline_ms - ${now} AS left_ms FROM grainline.jobs
      WHERE ${isClaimable} ORDER BY created_ms, id LIMIT 1`,
    claim: `UPDATE grainline.jobs SET token = $3, lease_ends_ms = ${now} + CAST($4 AS bigint), claimed_ms = ${now},
        attempts = attempts + 1
      WHERE id = $2 AND ${isClaimable}
      RETURNING (SELECT o.bytes FROM grainline.job_orders AS o WHERE o.id = $2) AS bytes, ${quick}`,
    nextMoment: `SELECT min(CASE WHEN lease_ends_ms < deadline_ms THEN lease_ends_ms ELSE deadline_ms END) - ${now}
        AS in_ms
      FROM grainline.jobs WHERE state = 'processing'`,
    renew: renewing('1'),
    renewQuickly: renewing(quick),
    leave: `UPDATE grainline.jobs SET token = NULL, lease_ends_ms = NULL,
        attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END
      WHERE id = $1 AND token = $2 RETURNING ${notifyJobs}`,
    lock: 'UPDATE grainline.jobs SET token = token WHERE id = $1 AND token = $2 RETURNING 1',
    insertPayload: 'INSERT INTO grainline.job_orders (id, bytes) VALUES ($1, $2)',
    dropPayload: 'DELETE FROM grainline.job_orders WHERE id = $1',
    insertAnswer: `INSERT INTO grainline.job_answers (id, key, bytes)
      SELECT id, $2, $3 FROM grainline.jobs WHERE id = $1 AND state = 'processing' ON CONFLICT DO NOTHING`,
    resetAttempts: 'UPDATE grainline.jobs SET attempts = 0 WHERE id = $1 AND token = $2 RETURNING 1',
    // The update changes nothing: it makes the statement return a row for a cost that was recorded before.
    insertCost: `INSERT INTO grainline.job_answers AS a (id, key, bytes)
      SELECT id, $3, $4 FROM grainline.jobs WHERE id = $1 AND token = $2
      ON CONFLICT (id, key) DO UPDATE SET bytes = a.bytes RETURNING 1`,
    findAnswers: 'SELECT key, bytes FROM grainline.job_answers WHERE id = $1',
    dropAnswers: 'DELETE FROM grainline.job_answers WHERE id = $1',
    complete: `UPDATE grainline.jobs SET state = 'completed', progress = 100, message = $5, token = NULL,
        lease_ends_ms = NULL, expires_ms = $4,
        ran_ms = CASE WHEN ${now} BETWEEN claimed_ms AND deadline_ms THEN ${now} - claimed_ms END
      WHERE id = $2 AND token = $3 RETURNING payment`,
    fail: failing('token = $5'),
    failExpired: failing(isExpired),
  } as const;
}
