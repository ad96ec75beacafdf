// Jobs before and after their leases: submission, state and load. PostgreSQL wakes waiting processes by NOTIFY. There
// is no queue beside the tables of the jobs, because it could disagree with them.
import { spendPayment } from '@grainline/x402';
import { type Engine, query, queryCount, queryOne, queryRow, Rollback, type Steps } from './engine.ts';
import { createJobLeases, isFree, type JobLeaseDeps } from './job-leases.ts';
import {
  type JobLoad,
  type JobQueue,
  type JobSnapshot,
  type JobTerms,
  type NewJob,
  type JobSubmission,
  WAITING_MESSAGE,
} from './jobs.ts';

/** The latest completed jobs whose durations count. */
const TIMED_JOBS = 100;

/** Creates the jobs of an engine. */
export function createJobs(engine: Engine, deps: JobLeaseDeps): JobQueue {
  const { keyText } = engine;
  const { changePayment, writePaid } = deps;
  const sql = createStatements(engine);

  function* submitJob({ id, payload, timeoutMs }: NewJob, { most, lease }: JobTerms): Steps<JobSubmission> {
    if (lease !== undefined) {
      const status = yield* changePayment({
        key: lease.key,
        transition: (row, { nowMs }) => spendPayment(row, lease, 'processing', nowMs),
      });
      if (status === 'lost') return 'lost';
    }
    const values = [engine.time(), keyText(id), WAITING_MESSAGE, lease?.key ?? null, timeoutMs];
    if ((yield* queryCount(sql.insert, values)) === 0) throw new Rollback<JobSubmission>('taken');
    // Its trigger locks the row of sums: other submissions count after this transaction.
    yield* query(sql.insertPayload, [keyText(id), payload]);
    const { count } = yield* queryOne<{ count: bigint }>(sql.countUnfinished);
    if (Number(count) > most) throw new Rollback<JobSubmission>('full');
    yield* writePaid({});
    yield* query(sql.notify);
    return 'submitted';
  }

  function* jobStatus(id: string): Steps<JobSnapshot | null> {
    const row = yield* queryRow<StatusColumns>(sql.status, [engine.time(), keyText(id)]);
    if (row === undefined) return null;
    const { state, progress, message, code } = row;
    return { id, state, progress: Number(progress), message, ...(code === null ? {} : { code }) };
  }

  function* jobLoad(): Steps<JobLoad> {
    const row = yield* queryOne<LoadColumns>(sql.load, [engine.time()]);
    const meanRunMs = row.mean_ms === null ? null : Number(row.mean_ms);
    return { waiting: Number(row.waiting), running: Number(row.running), meanRunMs };
  }

  return {
    ...createJobLeases(engine, deps),
    submitJob: (job, terms) => engine.transaction('durable', () => submitJob(job, terms)),
    jobStatus: (id) => engine.read(() => jobStatus(id)),
    jobOf: async (payment) =>
      (await engine.read(() => queryRow<{ id: string }>(sql.jobOf, [payment])))?.id ?? null,
    jobLoad: () => engine.read(jobLoad),
    onJob: (listener) => engine.onJob(listener),
  };
}

interface StatusColumns extends Omit<JobSnapshot, 'id' | 'progress' | 'code'> {
  readonly progress: number | bigint;
  readonly code: string | null;
}

interface LoadColumns {
  readonly waiting: bigint;
  readonly running: bigint;
  readonly mean_ms: number | bigint | null;
}

function createStatements({ dialect: { now, notifyJobs } }: Engine) {
  return {
    insert: `INSERT INTO grainline.jobs (id, state, message, payment, created_ms, deadline_ms)
      SELECT $2, 'processing', $3, $4, now_ms, now_ms + CAST($5 AS bigint) FROM (SELECT ${now} AS now_ms) AS clock
      WHERE NOT EXISTS (SELECT 1 FROM grainline.results WHERE id = $2)
      ON CONFLICT (id) DO NOTHING RETURNING 1`,
    insertPayload: 'INSERT INTO grainline.job_orders (id, bytes) VALUES ($1, $2)',
    countUnfinished: `SELECT count(*) AS count FROM grainline.jobs WHERE state = 'processing'`,
    notify: `SELECT ${notifyJobs}`,
    status: `SELECT state, progress, message, code FROM grainline.jobs
      WHERE id = $2 AND (expires_ms IS NULL OR expires_ms > ${now})`,
    jobOf: `SELECT id FROM grainline.jobs WHERE payment = $1 AND state = 'processing'`,
    load: `SELECT count(*) FILTER (WHERE ${isFree(now)}) AS waiting,
        count(*) FILTER (WHERE NOT ${isFree(now)}) AS running,
        (SELECT round(avg(ran_ms)) FROM (
          SELECT ran_ms FROM grainline.jobs
          WHERE state = 'completed' AND ran_ms IS NOT NULL AND expires_ms > ${now}
          ORDER BY expires_ms DESC LIMIT ${TIMED_JOBS}
        ) AS latest) AS mean_ms
      FROM grainline.jobs WHERE state = 'processing'`,
  } as const;
}
