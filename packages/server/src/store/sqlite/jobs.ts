// Jobs in the embedded engine: how they are taken in and told of. Durable (synced before the promise resolves) is what
// was promised or paid for: the submission, the answers of a model, and how a job ended. Leases and progress are quick:
// what a power cut takes of them costs nothing, because whoever worked is gone as well.
import {
  type JobLoad,
  type JobQueue,
  type JobStatus,
  type JobTerms,
  type NewJob,
  type Submission,
  WAITING_MESSAGE,
} from '../jobs.ts';
import { type Connections, numberIn, settled, transaction } from './database.ts';
import { createJobLeases, type JobLeaseParts } from './job-leases.ts';

/** The calls of the store, and the end of jobs that nobody is told of any more. */
export interface Jobs extends JobQueue {
  readonly dropExpiredJobs: () => Promise<void>;
}

export function createJobs(connections: Connections, parts: Omit<JobLeaseParts, 'wake'>): Jobs {
  const { now, makePaidRoom } = parts;
  const { quick, durable } = connections;
  const statement = createStatements(connections);
  const listeners = new Set<() => void>();
  const wake = (): void => listeners.forEach((listener) => listener());

  function submitJob({ id, order, timeoutMs }: NewJob, { most, lease }: JobTerms): Submission {
    if (numberIn(statement.countUnfinished.get(), 'count') >= most) return 'full';
    if (lease !== undefined && statement.process.run(now(), lease.key, lease.token).changes === 0)
      return 'lost';
    makePaidRoom(order.byteLength);
    statement.insert.run(id, WAITING_MESSAGE, lease?.key ?? null, now(), now() + timeoutMs);
    statement.putOrder.run(id, order);
    return 'submitted';
  }

  function jobStatus(id: string): JobStatus | null {
    const row = statement.status.get(id, now()) as StatusRow | undefined;
    if (row === undefined) return null;
    const { code, ...status } = row;
    return { ...status, ...(code === null ? {} : { code }) };
  }

  return {
    ...createJobLeases(connections, { ...parts, wake }),
    async submitJob(job, terms) {
      const submission = await settled(() => transaction(durable, () => submitJob(job, terms)));
      wake();
      return submission;
    },
    jobStatus: (id) => settled(() => jobStatus(id)),
    jobOf: (payment) => settled(() => (statement.jobOf.get(payment)?.['id'] as string | undefined) ?? null),
    // One row of counts, whatever there is.
    jobLoad: () => settled(() => ({ ...statement.load.get({ now: now() }) }) as unknown as JobLoad),
    onJob(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async dropExpiredJobs() {
      await settled(() => transaction(quick, () => statement.dropExpired.run(now())));
    },
  };
}

interface StatusRow extends Omit<JobStatus, 'code'> {
  readonly code: string | null;
}

function createStatements({ quick, durable }: Connections) {
  return {
    countUnfinished: durable.prepare(`SELECT count(*) AS count FROM jobs WHERE state = 'processing'`),
    process: durable.prepare(
      `UPDATE payments SET state = 'processing', token = NULL, lease_ends_ms = NULL, changed_ms = ?
       WHERE key = ? AND token = ? AND state = 'bound'`,
    ),
    insert: durable.prepare(
      `INSERT INTO jobs (id, state, message, payment, created_ms, deadline_ms) VALUES (?, 'processing', ?, ?, ?, ?)`,
    ),
    putOrder: durable.prepare('INSERT INTO job_orders (id, bytes) VALUES (?, ?)'),
    status: quick.prepare(
      `SELECT id, state, progress, message, code FROM jobs
       WHERE id = ? AND (expires_ms IS NULL OR expires_ms > ?)`,
    ),
    jobOf: quick.prepare(`SELECT id FROM jobs WHERE payment = ? AND state = 'processing'`),
    load: quick.prepare(
      `SELECT count(*) FILTER (WHERE state = 'processing' AND (lease_ends_ms IS NULL OR lease_ends_ms <= :now)) AS waiting,
         count(*) FILTER (WHERE state = 'processing' AND lease_ends_ms > :now) AS running,
         avg(ran_ms) FILTER (WHERE state = 'completed' AND expires_ms > :now) AS "meanRunMs" FROM jobs`,
    ),
    dropExpired: quick.prepare(`DELETE FROM jobs WHERE state <> 'processing' AND expires_ms <= ?`),
  };
}
