// The leases of jobs: from a claim to the end of the job. Every statement names the lease's token, so that a process
// that was thought dead writes nothing any more.
import { endProcessing, type LeaseStatus, type PaymentKey, type ReleaseReason } from '@grainline/x402';
import { type Engine, query, queryCount, queryOne, queryRow, type Steps } from './engine.ts';
import {
  type ClaimedJob,
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
import { releaseWebhook } from './webhooks.ts';

/** The parts of the store that leases need. */
export interface JobLeaseDeps extends Pick<Results, 'writePaid'> {
  readonly changePayment: ChangePayment;
  /** Returns a new unguessable text for every lease. */
  readonly createToken: () => string;
  /** Notifies an idle process of a job that can be claimed. */
  readonly wakeWorker: () => void;
}

/** Creates the leases of an engine. */
export function createJobLeases(engine: Engine, deps: JobLeaseDeps): JobLeases {
  const { keyText } = engine;
  const sql = createStatements(engine);
  const endings = createEndings(engine, sql, deps);
  const heldIf = (count: number): LeaseStatus => (count === 1 ? 'held' : 'lost');
  const keysOf = ({ id, token }: JobLease) => [keyText(id), token];

  async function claimJob(ms: number): Promise<JobClaim> {
    const expired = await engine.read(() => query<ExpiredColumns>(sql.findExpired, [engine.time()]));
    for (const { id, reason } of expired) {
      if (reason !== 'dead')
        await engine.transaction('durable', () => endings.failExpired(id, STORE_FAILURES[reason]));
    }
    const hasDead = expired.some(({ reason }) => reason === 'dead');
    const job =
      (hasDead ? await claim(sql.claimDead, ms, true) : undefined) ??
      (await claim(sql.claimWaiting, ms, false)) ??
      // A job that was submitted before the mark wakes no process here.
      ((await engine.markIdle()) ? await claim(sql.claimWaiting, ms, false) : undefined);
    if (job !== undefined) return { kind: 'claimed', job };
    const { in_ms: inMs } = await engine.read(() =>
      queryOne<{ in_ms: bigint | null }>(sql.nextMoment, [engine.time()]),
    );
    return { kind: 'none', inMs: inMs === null ? null : Math.max(0, Number(inMs)) };
  }

  /** Claims a job in one statement, which leaves out the rows of other claims that have not ended. */
  async function claim(text: string, ms: number, isTakenOver: boolean): Promise<ClaimedJob | undefined> {
    const token = deps.createToken();
    const row = await engine.change('quick', () =>
      queryRow<ClaimedColumns>(text, [engine.time(), token, ms]),
    );
    if (row === undefined) return undefined;
    const { id, bytes, payment, left_ms: leftMs } = row;
    const lease = { id, token };
    return { lease, payload: bytes, isPaid: payment !== null, leftMs: Number(leftMs), isTakenOver };
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
    async leaveJob(lease) {
      const status = heldIf(await engine.change('quick', () => queryCount(sql.leave, keysOf(lease))));
      deps.wakeWorker();
      return status;
    },
    finishJob: (lease, result) => engine.transaction('durable', () => endings.finish(lease, result)),
    failJob: (lease, failure, counts) =>
      engine.transaction('durable', () => endings.fail(lease, failure, counts)),
  };
}

/** The ends of jobs, each within a transaction. */
function createEndings(engine: Engine, sql: Statements, { changePayment, writePaid }: JobLeaseDeps) {
  const { time, keyText } = engine;

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
    yield* releaseWebhook(engine, keyText(id));
  }

  return { finish, fail, failExpired };
}

/** A job to fail, or `dead`: its lease ran out. */
interface ExpiredColumns {
  readonly id: string;
  readonly reason: keyof typeof STORE_FAILURES | 'dead';
}

/** A job under its new lease. */
interface ClaimedColumns {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly payment: PaymentKey | null;
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

/** Most expired jobs that fail before a claim, so that a claim takes a bounded time. */
const MOST_EXPIRED = 4;

function createStatements({ dialect: { now, quick, lockFree } }: Engine) {
  const isLate = `deadline_ms <= ${now}`;
  const isWaiting = `state = 'processing' AND token IS NULL`;
  const isDead = `token IS NOT NULL AND lease_ends_ms <= ${now}`;
  const isExpired = `state = 'processing' AND (${isLate} OR (attempts >= ${MOST_ATTEMPTS} AND ${isDead}))`;
  const claiming = (condition: string, order: string): string =>
    `UPDATE grainline.jobs SET token = $2, lease_ends_ms = ${now} + CAST($3 AS bigint), claimed_ms = ${now},
       attempts = attempts + 1
     WHERE id = (
       SELECT id FROM grainline.jobs WHERE ${condition} AND deadline_ms > ${now} ORDER BY ${order} LIMIT 1 ${lockFree}
     ) RETURNING id, payment, deadline_ms - ${now} AS left_ms,
       (SELECT o.bytes FROM grainline.job_orders AS o WHERE o.id = jobs.id) AS bytes, ${quick}`;
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
    findExpired: `SELECT id, 'timedOut' AS reason FROM (
        SELECT id FROM grainline.jobs WHERE state = 'processing' AND ${isLate} ORDER BY deadline_ms LIMIT ${MOST_EXPIRED}
      ) AS late
      UNION ALL
      SELECT id, CASE WHEN attempts >= ${MOST_ATTEMPTS} THEN 'abandoned' ELSE 'dead' END
      FROM grainline.jobs WHERE ${isDead} AND NOT (${isLate})`,
    // Jobs that have begun come before those that have not.
    claimDead: claiming(`${isDead} AND attempts < ${MOST_ATTEMPTS}`, 'lease_ends_ms'),
    claimWaiting: claiming(isWaiting, 'turn, created_ms, id'),
    nextMoment: `SELECT min(at_ms) - ${now} AS in_ms FROM (
        SELECT min(lease_ends_ms) AS at_ms FROM grainline.jobs WHERE token IS NOT NULL
        UNION ALL SELECT min(deadline_ms) FROM grainline.jobs WHERE state = 'processing'
      ) AS moments`,
    renew: renewing('1'),
    renewQuickly: renewing(quick),
    leave: `UPDATE grainline.jobs SET token = NULL, lease_ends_ms = NULL,
        attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END
      WHERE id = $1 AND token = $2 RETURNING ${quick}`,
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
