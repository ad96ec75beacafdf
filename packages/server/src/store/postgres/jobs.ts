// Jobs in PostgreSQL: how they are taken in and told of. Processes that wait are told by NOTIFY, and leases by the
// database's clock (job-leases.ts) say who has died: no queue beside the tables of the jobs themselves, which could
// disagree with them.
import {
  type JobLoad,
  type JobQueue,
  type JobStatus,
  type JobTerms,
  type NewJob,
  type Submission,
  WAITING_MESSAGE,
} from '../jobs.ts';
import { nowIn, QUICK } from './clock.ts';
import type { Database } from './database.ts';
import { CHANNEL, createJobLeases, IS_FREE, type JobLeaseParts } from './job-leases.ts';
import { keyText } from './text.ts';

/** The calls of the store, and the end of jobs that nobody is told of any more. */
export interface Jobs extends JobQueue {
  readonly dropExpiredJobs: () => Promise<void>;
}

/** What ends a transaction that has to write nothing after all, and what it then answers. */
class Nothing<Answer> extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('The transaction writes nothing.');
    this.answer = answer;
  }
}

export function createJobs(database: Database, parts: JobLeaseParts): Jobs {
  const { query } = database;
  const { clock, keepPaid } = parts;

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
        await keepPaid(run, {});
        await run(SQL.notify, [CHANNEL]);
      });
      return 'submitted';
    } catch (error) {
      if (error instanceof Nothing) return error.answer as Submission;
      throw error;
    }
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
    ...createJobLeases(database, parts),
    submitJob,
    jobStatus,
    jobOf: async (payment) => {
      const [row] = await query<{ id: string }>(SQL.jobOf, [payment]);
      return row?.id ?? null;
    },
    jobLoad,
    onJob: (listener) => database.listen(CHANNEL, listener),
    async dropExpiredJobs() {
      await query(SQL.dropExpired, [clock.parameter()]);
    },
  };
}

interface StatusRow extends Omit<JobStatus, 'code'> {
  readonly code: string | null;
}

interface LoadRow {
  readonly waiting: bigint;
  readonly running: bigint;
  readonly mean_ms: bigint | null;
}

const SQL = {
  countUnfinished: `SELECT count(*) AS count FROM grainline.jobs WHERE state = 'processing'`,
  process: `UPDATE grainline.payments SET state = 'processing', token = NULL, lease_ends_ms = NULL,
      changed_ms = ${nowIn(1)}
    WHERE key = $2 AND token = $3 AND state = 'bound' RETURNING 1`,
  insert: `INSERT INTO grainline.jobs (id, state, message, payment, created_ms, deadline_ms)
    SELECT $2, 'processing', $3, $4, now_ms, now_ms + $5::bigint FROM (SELECT ${nowIn(1)} AS now_ms) AS clock`,
  putOrder: 'INSERT INTO grainline.job_orders (id, bytes) VALUES ($1, $2)',
  notify: `SELECT pg_notify($1, '')`,
  status: `SELECT state, progress, message, code FROM grainline.jobs
    WHERE id = $2 AND (expires_ms IS NULL OR expires_ms > ${nowIn(1)})`,
  jobOf: `SELECT id FROM grainline.jobs WHERE payment = $1 AND state = 'processing'`,
  load: `SELECT count(*) FILTER (WHERE state = 'processing' AND ${IS_FREE}) AS waiting,
      count(*) FILTER (WHERE state = 'processing' AND NOT ${IS_FREE}) AS running,
      round(avg(ran_ms) FILTER (WHERE state = 'completed' AND expires_ms > ${nowIn(1)})) AS mean_ms
    FROM grainline.jobs`,
  dropExpired: `DELETE FROM grainline.jobs WHERE state <> 'processing' AND expires_ms <= ${nowIn(1)} RETURNING ${QUICK}`,
} as const;
