// Jobs before and after their leases: submission, state and load. PostgreSQL wakes one idle process by NOTIFY. There is
// no queue beside the tables of the jobs, because it could disagree with them.
//
// The order of jobs is fair queueing by start times (Goyal, Vin, Cheng: Start-time Fair Queueing, 1996) with the same
// weight for all clients and jobs: the first job of a client has the turn of those that begin at the moment, and each
// further one the turn after the client's last. So the first job waits for one job of each other client at most.
import { spendPayment } from '@grainline/x402';
import { type Engine, query, queryCount, queryOne, queryRow, Rollback, type Steps } from './engine.ts';
import { createJobLeases, type JobLeaseDeps } from './job-leases.ts';
import { insertWebhook } from './webhooks.ts';
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
/** With fewer free places, submissions count one after the other. At least the connections of all servers. */
const LAST_PLACES = 256;

/** Creates the jobs of an engine. */
export function createJobQueue(engine: Engine, deps: Omit<JobLeaseDeps, 'wakeWorker'>): JobQueue {
  const { keyText } = engine;
  const { changePayment, writePaid } = deps;
  const sql = createStatements(engine);
  // Without it the job is found by a poll.
  const wakeWorker = (): void =>
    void engine
      .change('quick', () => query(engine.dialect.wakeWorker, [engine.time()]))
      .catch(() => undefined);

  function* submitJob(
    { id, payload, timeoutMs, client = '', webhook }: NewJob,
    { most, lease }: JobTerms,
  ): Steps<JobSubmission> {
    if (lease !== undefined) {
      const status = yield* changePayment({
        key: lease.key,
        expected: 'written',
        transition: (row, { nowMs }) => spendPayment(row, lease, 'processing', nowMs),
      });
      if (status === 'lost') return 'lost';
    }
    // Two jobs of a client have different turns.
    yield* query(sql.lockClient, [keyText(client)]);
    const values = [engine.time(), keyText(id), WAITING_MESSAGE, lease?.key ?? null, timeoutMs];
    if ((yield* queryCount(sql.insert, [...values, keyText(client)])) === 0)
      throw new Rollback<JobSubmission>('taken');
    yield* query(sql.insertPayload, [keyText(id), payload]);
    if (webhook !== undefined) yield* insertWebhook(keyText(id), webhook);
    if (most - (yield* countUnfinished()) < LAST_PLACES) {
      yield* query(sql.lockJobs);
      if ((yield* countUnfinished()) > most) throw new Rollback<JobSubmission>('full');
    }
    yield* writePaid({});
    return 'submitted';
  }

  function* countUnfinished(): Steps<number> {
    return Number((yield* queryOne<{ unfinished: bigint }>(sql.unfinished)).unfinished);
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
    const running = Number(row.running);
    return { waiting: Math.max(0, Number(row.unfinished) - running), running, meanRunMs };
  }

  return {
    ...createJobLeases(engine, { ...deps, wakeWorker }),
    async submitJob(job, terms) {
      const submission = await engine.transaction('durable', () => submitJob(job, terms));
      if (submission === 'submitted') wakeWorker();
      return submission;
    },
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
  readonly unfinished: bigint;
  readonly running: bigint;
  readonly mean_ms: number | bigint | null;
}

function createStatements({ dialect: { now, lock } }: Engine) {
  const isUnfinished = `state = 'processing'`;
  // A job without a lease has at least the turn of those with one, apart from jobs that were left.
  const turn = `SELECT max(turn) FROM (
      SELECT max(turn) + 1 AS turn FROM grainline.jobs WHERE client = $6 AND ${isUnfinished}
      UNION ALL SELECT min(turn) FROM grainline.jobs WHERE ${isUnfinished} AND token IS NULL
      UNION ALL SELECT max(turn) FROM grainline.jobs WHERE token IS NOT NULL
      UNION ALL SELECT 0
    ) AS turns`;
  return {
    lockClient: `SELECT ${lock('client', '$1')}`,
    lockJobs: `SELECT ${lock('jobs', `''`)}`,
    insert: `INSERT INTO grainline.jobs (id, state, message, payment, created_ms, deadline_ms, client, turn)
      SELECT $2, 'processing', $3, $4, now_ms, now_ms + CAST($5 AS bigint), $6, (${turn})
      FROM (SELECT ${now} AS now_ms) AS clock
      WHERE NOT EXISTS (SELECT 1 FROM grainline.results WHERE id = $2)
      ON CONFLICT (id) DO NOTHING RETURNING 1`,
    insertPayload: 'INSERT INTO grainline.job_orders (id, bytes) VALUES ($1, $2)',
    unfinished: 'SELECT unfinished FROM grainline.stored',
    status: `SELECT state, progress, message, code FROM grainline.jobs
      WHERE id = $2 AND (expires_ms IS NULL OR expires_ms > ${now})`,
    jobOf: `SELECT id FROM grainline.jobs WHERE payment = $1 AND state = 'processing'`,
    load: `SELECT unfinished,
        (SELECT count(*) FROM grainline.jobs WHERE token IS NOT NULL AND lease_ends_ms > ${now}) AS running,
        (SELECT round(avg(ran_ms)) FROM (
          SELECT ran_ms FROM grainline.jobs
          WHERE state = 'completed' AND ran_ms IS NOT NULL AND expires_ms > ${now}
          ORDER BY expires_ms DESC LIMIT ${TIMED_JOBS}
        ) AS latest) AS mean_ms
      FROM grainline.stored`,
  } as const;
}
