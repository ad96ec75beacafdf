// Deletion of expired rows, in batches that are transactions of their own: no statement and no lock grows with the
// number of expired rows, and each batch returns its connection to the pool.
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { type Engine, query, queryOne, type Steps, type Value } from './engine.ts';

/** The deletion of expired rows. */
export interface Sweeper {
  /** Deletes all expired rows, unless another server does so. A call during a sweep of this process joins it. */
  readonly sweep: () => Promise<void>;
  /** Deletes a batch of expired results and a batch of expired responses, and counts both. */
  readonly dropContent: () => Promise<number>;
}

/** Most bytes of the results or responses of a batch, apart from its last one. */
const BATCH_BYTES = 16 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The deletion of one batch of a kind. */
interface Batch {
  readonly text: string;
  readonly values: () => Value[];
}

/** Creates the sweeper of an engine. */
export function createSweeper(engine: Engine): Sweeper {
  const { quota, results, responses, jobs } = createBatches(engine);
  const tryLock = `SELECT ${engine.dialect.trySweepLock} AS is_locked, ${engine.dialect.quick} AS quick`;

  /** True unless another server sweeps: the lock ends with the transaction. The commit is quick. */
  function* lock(): Steps<boolean> {
    return Number((yield* queryOne<{ is_locked: unknown }>(tryLock)).is_locked) === 1;
  }

  function* drop({ text, values }: Batch): Steps<number> {
    const rows = yield* query<{ count: bigint }>(text, values());
    return rows.reduce((sum, { count }) => sum + Number(count), 0);
  }

  function* dropLocked(batch: Batch): Steps<number> {
    return (yield* lock()) ? yield* drop(batch) : 0;
  }

  return {
    sweep: joinRunning(async () => {
      for (const batch of [quota, results, responses, jobs])
        while ((await engine.transaction('quick', () => dropLocked(batch))) > 0)
          await wait(engine.dialect.sweepPauseMs);
    }),
    async dropContent() {
      const count = await engine.transaction('quick', function* () {
        return (yield* drop(results)) + (yield* drop(responses));
      });
      // SQLite replies within the turn.
      await nextTurn();
      return count;
    },
  };
}

function createBatches({ dialect, now, time }: Engine) {
  const { now: nowMs, lockFree, deleteRows, sweepRows } = dialect;
  const isExpired = `expires_ms <= ${nowMs}`;
  const found = (selected: string, table: string, condition: string, order: string): string =>
    `SELECT ${selected} FROM grainline.${table} WHERE ${condition} ORDER BY ${order} LIMIT ${sweepRows} ${lockFree}`;
  const droppingContent = (table: string, key: string): string =>
    deleteRows(
      table,
      key,
      (row) => `SELECT ${row} FROM (
        SELECT ${row}, sum(bytes) OVER (ORDER BY expires_ms, ${row}) - bytes AS bytes_before
        FROM (${found(`${row}, expires_ms, length(gzip) AS bytes`, table, isExpired, 'expires_ms')}) AS expired
      ) AS summed WHERE bytes_before < ${BATCH_BYTES}`,
    );
  const quota = deleteRows('quota', 'day, client', (row) => found(row, 'quota', 'day < $1', 'day, client'));
  const jobs = deleteRows('jobs', 'id', (row) =>
    found(row, 'jobs', `state <> 'processing' AND ${isExpired}`, 'expires_ms'),
  );
  const values = () => [time()];
  return {
    // Yesterday's counts stay: a request may still hold yesterday's date after midnight.
    quota: { text: quota, values: () => [new Date(now() - DAY_MS).toISOString().slice(0, 10)] },
    results: { text: droppingContent('results', 'id'), values },
    responses: { text: droppingContent('responses', 'key'), values },
    jobs: { text: jobs, values },
  } as const satisfies Record<string, Batch>;
}

/** Creates a function whose calls during a run join the run. */
export function joinRunning<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => (running ??= run().finally(() => (running = undefined)));
}
