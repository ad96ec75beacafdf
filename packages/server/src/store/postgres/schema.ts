// The tables in PostgreSQL, as migration steps for a start or `grainline-server migrate`. A released step never
// changes; a later version adds one. The table `grainline.steps` lists the steps of a database.
import { StoreError } from '../store.ts';
import type { Database, Query } from './database.ts';

/** Parts of the sums. More than transactions that usually end at the same moment; all are read for each sum. */
const PARTS = 128;

/**
 * 1. Everything is in a schema of its own, so that the database may be shared. Compared texts are in collation "C": by
 *    bytes, the same on every machine. Triggers keep the sum in `stored`; they lock its one row as late as a statement
 *    can. Amounts are bigint, and the checks require the columns of every state, as in SQLite.
 * 2. Jobs, with their payloads and answers in tables of their own, as in SQLite. The row of a running job is written
 *    every second or two: half of each page is left free, so that a new version of a row fits beside the old one and no
 *    index changes.
 * 3. Deleted results and responses are counted once for a statement: a row for each would make a sweep's batch write
 *    the row of sums thousands of times, under a lock that paid answers wait for. The mean duration of the latest jobs
 *    is read from an index alone.
 * 4. The sums are kept in parts, one for some of the connections, so that transactions do not wait for each other's
 *    commit; `stored` is a view that adds them up. Unfinished jobs are counted there too. Each search of a claim has an
 *    index of its own. Their columns keep their values while a lease is renewed, so that a renewal writes no index.
 *    `turn` is the place of a job in the order of all clients. `idle_workers` is lost in a crash without harm.
 * 5. The signed receipt of a paid result.
 * 6. Webhooks; `due_ms` is null until the job ends.
 * 7. A connection whose part is locked by another one takes a free part.
 * 8. The object that holds the body of a result. Its bytes count as those of the row.
 */
const STEPS: readonly string[] = [
  `CREATE TABLE grainline.quota (
     day text COLLATE "C" NOT NULL,
     client text COLLATE "C" NOT NULL,
     pages bigint NOT NULL,
     PRIMARY KEY (day, client)
   );
   CREATE TABLE grainline.results (
     id text COLLATE "C" PRIMARY KEY,
     etag text NOT NULL,
     created_ms bigint NOT NULL,
     expires_ms bigint NOT NULL,
     paid boolean NOT NULL,
     gzip bytea NOT NULL
   );
   CREATE INDEX results_by_expiry ON grainline.results (expires_ms);
   CREATE TABLE grainline.payments (
     key text COLLATE "C" PRIMARY KEY,
     state text NOT NULL CHECK (state IN ('reserved', 'verified', 'bound', 'processing', 'consumed', 'released')),
     token text,
     lease_ends_ms bigint,
     payer text COLLATE "C",
     credited bigint,
     slot bigint,
     memo text,
     fingerprint text,
     price bigint,
     product text COLLATE "C",
     tries bigint NOT NULL DEFAULT 0,
     reason text,
     created_ms bigint NOT NULL,
     changed_ms bigint NOT NULL,
     finality text CHECK (finality IN ('pending', 'finalized', 'vanished')),
     recheck_ms bigint,
     refunded_ms bigint,
     refund_note text,
     CHECK ((token IS NOT NULL) = (state IN ('reserved', 'verified', 'bound'))),
     CHECK ((token IS NULL) = (lease_ends_ms IS NULL)),
     CHECK ((payer IS NULL) = (credited IS NULL) AND (payer IS NULL) = (slot IS NULL)),
     CHECK ((fingerprint IS NULL) = (price IS NULL) AND (fingerprint IS NULL) = (product IS NULL)),
     CHECK (payer IS NOT NULL OR state = 'reserved'),
     CHECK (fingerprint IS NOT NULL OR state IN ('reserved', 'verified', 'released')),
     CHECK ((finality IS NOT NULL) = (state = 'consumed') AND (finality IS NULL) = (recheck_ms IS NULL)),
     CHECK ((refunded_ms IS NULL) = (refund_note IS NULL))
   );
   CREATE INDEX payments_by_time ON grainline.payments (created_ms, key);
   CREATE INDEX payments_unsettled ON grainline.payments (recheck_ms) WHERE finality = 'pending';
   CREATE TABLE grainline.intents (
     key text COLLATE "C" PRIMARY KEY,
     token text,
     lease_ends_ms bigint,
     since_ms bigint NOT NULL,
     settled_as text,
     CHECK ((token IS NULL) = (lease_ends_ms IS NULL) AND (token IS NULL) = (settled_as IS NOT NULL))
   );
   CREATE TABLE grainline.blocked_payers (
     payer text COLLATE "C" PRIMARY KEY,
     blocked_ms bigint NOT NULL
   );
   CREATE TABLE grainline.responses (
     key text COLLATE "C" PRIMARY KEY REFERENCES grainline.payments (key),
     status integer NOT NULL,
     headers text NOT NULL,
     expires_ms bigint NOT NULL,
     gzip bytea NOT NULL
   );
   CREATE INDEX responses_by_expiry ON grainline.responses (expires_ms);
   -- Both are compressed already.
   ALTER TABLE grainline.results ALTER COLUMN gzip SET STORAGE EXTERNAL;
   ALTER TABLE grainline.responses ALTER COLUMN gzip SET STORAGE EXTERNAL;
   CREATE TABLE grainline.stored (bytes bigint NOT NULL, paid_bytes bigint NOT NULL);
   INSERT INTO grainline.stored VALUES (0, 0);
   CREATE TABLE grainline.pinged (at_ms bigint NOT NULL);
   INSERT INTO grainline.pinged VALUES (0);
   CREATE FUNCTION grainline.count_result() RETURNS trigger LANGUAGE plpgsql AS $body$
   BEGIN
     UPDATE grainline.stored SET
       bytes = bytes + coalesce(octet_length(NEW.gzip), 0) - coalesce(octet_length(OLD.gzip), 0),
       paid_bytes = paid_bytes + CASE WHEN NEW.paid THEN octet_length(NEW.gzip) ELSE 0 END
         - CASE WHEN OLD.paid THEN octet_length(OLD.gzip) ELSE 0 END;
     RETURN NULL;
   END $body$;
   CREATE FUNCTION grainline.count_response() RETURNS trigger LANGUAGE plpgsql AS $body$
   DECLARE
     change bigint := coalesce(octet_length(NEW.gzip), 0) - coalesce(octet_length(OLD.gzip), 0);
   BEGIN
     UPDATE grainline.stored SET bytes = bytes + change, paid_bytes = paid_bytes + change;
     RETURN NULL;
   END $body$;
   CREATE TRIGGER counted AFTER INSERT OR UPDATE OR DELETE ON grainline.results
     FOR EACH ROW EXECUTE FUNCTION grainline.count_result();
   CREATE TRIGGER counted AFTER INSERT OR UPDATE OR DELETE ON grainline.responses
     FOR EACH ROW EXECUTE FUNCTION grainline.count_response();`,
  `CREATE TABLE grainline.jobs (
     id text COLLATE "C" PRIMARY KEY,
     state text NOT NULL CHECK (state IN ('processing', 'completed', 'failed')),
     progress integer NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
     message text NOT NULL,
     code text,
     payment text COLLATE "C" REFERENCES grainline.payments (key),
     token text,
     lease_ends_ms bigint,
     claimed_ms bigint,
     ran_ms bigint,
     attempts bigint NOT NULL DEFAULT 0,
     created_ms bigint NOT NULL,
     deadline_ms bigint NOT NULL,
     expires_ms bigint,
     CHECK ((token IS NULL) = (lease_ends_ms IS NULL)),
     CHECK (token IS NULL OR state = 'processing'),
     CHECK ((progress = 100) = (state = 'completed')),
     CHECK ((code IS NOT NULL) = (state = 'failed')),
     CHECK ((expires_ms IS NULL) = (state = 'processing'))
   ) WITH (fillfactor = 50);
   CREATE INDEX jobs_unfinished ON grainline.jobs (created_ms, id) WHERE state = 'processing';
   CREATE UNIQUE INDEX jobs_by_payment ON grainline.jobs (payment) WHERE state = 'processing';
   CREATE INDEX jobs_by_expiry ON grainline.jobs (expires_ms) WHERE state <> 'processing';
   CREATE TABLE grainline.job_orders (
     id text COLLATE "C" PRIMARY KEY REFERENCES grainline.jobs (id) ON DELETE CASCADE,
     bytes bytea NOT NULL
   );
   CREATE TABLE grainline.job_answers (
     id text COLLATE "C" NOT NULL REFERENCES grainline.jobs (id) ON DELETE CASCADE,
     key text COLLATE "C" NOT NULL,
     bytes bytea NOT NULL,
     PRIMARY KEY (id, key)
   );
   ALTER TABLE grainline.job_orders ALTER COLUMN bytes SET STORAGE EXTERNAL;
   CREATE FUNCTION grainline.count_order() RETURNS trigger LANGUAGE plpgsql AS $body$
   DECLARE
     change bigint := coalesce(octet_length(NEW.bytes), 0) - coalesce(octet_length(OLD.bytes), 0);
   BEGIN
     UPDATE grainline.stored SET bytes = bytes + change, paid_bytes = paid_bytes + change;
     RETURN NULL;
   END $body$;
   CREATE TRIGGER counted AFTER INSERT OR UPDATE OR DELETE ON grainline.job_orders
     FOR EACH ROW EXECUTE FUNCTION grainline.count_order();`,
  `DROP TRIGGER counted ON grainline.results;
   DROP TRIGGER counted ON grainline.responses;
   CREATE TRIGGER counted AFTER INSERT OR UPDATE ON grainline.results
     FOR EACH ROW EXECUTE FUNCTION grainline.count_result();
   CREATE TRIGGER counted AFTER INSERT OR UPDATE ON grainline.responses
     FOR EACH ROW EXECUTE FUNCTION grainline.count_response();
   CREATE FUNCTION grainline.count_dropped_results() RETURNS trigger LANGUAGE plpgsql AS $body$
   BEGIN
     UPDATE grainline.stored SET bytes = bytes - sums.lost, paid_bytes = paid_bytes - sums.lost_paid
       FROM (SELECT sum(octet_length(gzip)) AS lost,
           coalesce(sum(octet_length(gzip)) FILTER (WHERE paid), 0) AS lost_paid FROM dropped) AS sums
       WHERE sums.lost > 0;
     RETURN NULL;
   END $body$;
   CREATE FUNCTION grainline.count_dropped_responses() RETURNS trigger LANGUAGE plpgsql AS $body$
   BEGIN
     UPDATE grainline.stored SET bytes = bytes - sums.lost, paid_bytes = paid_bytes - sums.lost
       FROM (SELECT sum(octet_length(gzip)) AS lost FROM dropped) AS sums
       WHERE sums.lost > 0;
     RETURN NULL;
   END $body$;
   CREATE TRIGGER counted_dropped AFTER DELETE ON grainline.results REFERENCING OLD TABLE AS dropped
     FOR EACH STATEMENT EXECUTE FUNCTION grainline.count_dropped_results();
   CREATE TRIGGER counted_dropped AFTER DELETE ON grainline.responses REFERENCING OLD TABLE AS dropped
     FOR EACH STATEMENT EXECUTE FUNCTION grainline.count_dropped_responses();
   CREATE INDEX jobs_timed ON grainline.jobs (expires_ms) INCLUDE (ran_ms)
     WHERE state = 'completed' AND ran_ms IS NOT NULL;`,
  `LOCK TABLE grainline.jobs, grainline.responses, grainline.results, grainline.job_orders, grainline.stored;
   ALTER TABLE grainline.stored RENAME TO stored_parts;
   ALTER TABLE grainline.stored_parts ADD COLUMN part integer NOT NULL DEFAULT 0,
     ADD COLUMN unfinished bigint NOT NULL DEFAULT 0;
   ALTER TABLE grainline.stored_parts ADD PRIMARY KEY (part);
   ALTER TABLE grainline.stored_parts SET (fillfactor = 10);
   UPDATE grainline.stored_parts
     SET unfinished = (SELECT count(*) FROM grainline.jobs WHERE state = 'processing');
   INSERT INTO grainline.stored_parts (part, bytes, paid_bytes)
     SELECT n, 0, 0 FROM generate_series(1, ${PARTS - 1}) AS n;
   CREATE VIEW grainline.stored AS SELECT sum(bytes)::bigint AS bytes, sum(paid_bytes)::bigint AS paid_bytes,
     sum(unfinished)::bigint AS unfinished FROM grainline.stored_parts;
   CREATE FUNCTION grainline.add_stored(more bigint, more_paid bigint, more_unfinished bigint) RETURNS void
   LANGUAGE plpgsql AS $body$
   BEGIN
     UPDATE grainline.stored_parts SET bytes = bytes + more, paid_bytes = paid_bytes + more_paid,
       unfinished = unfinished + more_unfinished WHERE part = pg_backend_pid() % ${PARTS};
   END $body$;
   CREATE OR REPLACE FUNCTION grainline.count_result() RETURNS trigger LANGUAGE plpgsql AS $body$
   BEGIN
     PERFORM grainline.add_stored(coalesce(octet_length(NEW.gzip), 0) - coalesce(octet_length(OLD.gzip), 0),
       CASE WHEN NEW.paid THEN octet_length(NEW.gzip) ELSE 0 END
         - CASE WHEN OLD.paid THEN octet_length(OLD.gzip) ELSE 0 END, 0);
     RETURN NULL;
   END $body$;
   CREATE OR REPLACE FUNCTION grainline.count_response() RETURNS trigger LANGUAGE plpgsql AS $body$
   DECLARE
     change bigint := coalesce(octet_length(NEW.gzip), 0) - coalesce(octet_length(OLD.gzip), 0);
   BEGIN
     PERFORM grainline.add_stored(change, change, 0);
     RETURN NULL;
   END $body$;
   CREATE OR REPLACE FUNCTION grainline.count_order() RETURNS trigger LANGUAGE plpgsql AS $body$
   DECLARE
     change bigint := coalesce(octet_length(NEW.bytes), 0) - coalesce(octet_length(OLD.bytes), 0);
   BEGIN
     PERFORM grainline.add_stored(change, change, 0);
     RETURN NULL;
   END $body$;
   CREATE OR REPLACE FUNCTION grainline.count_dropped_results() RETURNS trigger LANGUAGE plpgsql AS $body$
   BEGIN
     PERFORM grainline.add_stored(-sum(octet_length(gzip)),
       -coalesce(sum(octet_length(gzip)) FILTER (WHERE paid), 0)::bigint, 0) FROM dropped HAVING count(*) > 0;
     RETURN NULL;
   END $body$;
   CREATE OR REPLACE FUNCTION grainline.count_dropped_responses() RETURNS trigger LANGUAGE plpgsql AS $body$
   BEGIN
     PERFORM grainline.add_stored(-sum(octet_length(gzip)), -sum(octet_length(gzip)), 0)
       FROM dropped HAVING count(*) > 0;
     RETURN NULL;
   END $body$;
   CREATE FUNCTION grainline.count_job() RETURNS trigger LANGUAGE plpgsql AS $body$
   DECLARE
     change bigint := coalesce((NEW.state = 'processing')::integer, 0) - coalesce((OLD.state = 'processing')::integer, 0);
   BEGIN
     IF change <> 0 THEN PERFORM grainline.add_stored(0, 0, change); END IF;
     RETURN NULL;
   END $body$;
   CREATE TRIGGER counted AFTER INSERT OR UPDATE OF state ON grainline.jobs
     FOR EACH ROW EXECUTE FUNCTION grainline.count_job();
   CREATE TRIGGER counted_dropped AFTER DELETE ON grainline.jobs
     FOR EACH ROW WHEN (OLD.state = 'processing') EXECUTE FUNCTION grainline.count_job();
   ALTER TABLE grainline.jobs ADD COLUMN client text COLLATE "C" NOT NULL DEFAULT '',
     ADD COLUMN turn bigint NOT NULL DEFAULT 0;
   CREATE INDEX jobs_waiting ON grainline.jobs (turn, created_ms, id, deadline_ms)
     WHERE state = 'processing' AND token IS NULL;
   CREATE INDEX jobs_by_client ON grainline.jobs (client, turn) WHERE state = 'processing';
   CREATE INDEX jobs_by_deadline ON grainline.jobs (deadline_ms) WHERE state = 'processing';
   CREATE INDEX jobs_leased ON grainline.jobs (turn) WHERE token IS NOT NULL;
   DROP INDEX grainline.jobs_unfinished;
   CREATE UNLOGGED TABLE grainline.idle_workers (
     worker text COLLATE "C" PRIMARY KEY,
     since_ms bigint NOT NULL
   );`,
  `ALTER TABLE grainline.results ADD COLUMN receipt text;`,
  `CREATE TABLE grainline.webhooks (
     id text COLLATE "C" PRIMARY KEY REFERENCES grainline.jobs (id) ON DELETE CASCADE,
     url text NOT NULL,
     secret text NOT NULL,
     attempts integer NOT NULL DEFAULT 0,
     token text,
     due_ms bigint
   );
   CREATE INDEX webhooks_due ON grainline.webhooks (due_ms) WHERE due_ms IS NOT NULL;`,
  `CREATE OR REPLACE FUNCTION grainline.add_stored(more bigint, more_paid bigint, more_unfinished bigint) RETURNS void
   LANGUAGE plpgsql AS $body$
   DECLARE
     own integer := pg_backend_pid() % ${PARTS};
   BEGIN
     UPDATE grainline.stored_parts SET bytes = bytes + more, paid_bytes = paid_bytes + more_paid,
       unfinished = unfinished + more_unfinished
     WHERE part = coalesce(
       (SELECT part FROM grainline.stored_parts WHERE part = own FOR UPDATE SKIP LOCKED),
       (SELECT part FROM grainline.stored_parts LIMIT 1 FOR UPDATE SKIP LOCKED),
       own);
   END $body$;`,
  `ALTER TABLE grainline.results ADD COLUMN object text, ADD COLUMN object_bytes bigint NOT NULL DEFAULT 0;
   CREATE OR REPLACE FUNCTION grainline.count_result() RETURNS trigger LANGUAGE plpgsql AS $body$
   DECLARE
     before bigint := coalesce(octet_length(OLD.gzip) + OLD.object_bytes, 0);
     after bigint := octet_length(NEW.gzip) + NEW.object_bytes;
   BEGIN
     PERFORM grainline.add_stored(after - before,
       CASE WHEN NEW.paid THEN after ELSE 0 END - CASE WHEN OLD.paid THEN before ELSE 0 END, 0);
     RETURN NULL;
   END $body$;
   CREATE OR REPLACE FUNCTION grainline.count_dropped_results() RETURNS trigger LANGUAGE plpgsql AS $body$
   BEGIN
     PERFORM grainline.add_stored(-sum(octet_length(gzip) + object_bytes)::bigint,
       -coalesce(sum(octet_length(gzip) + object_bytes) FILTER (WHERE paid), 0)::bigint, 0)
       FROM dropped HAVING count(*) > 0;
     RETURN NULL;
   END $body$;`,
];

/** Number of the advisory lock of migrations; the same in every version. */
const LOCK = 4_021_766_113;

/** Number of steps in this version. */
export const STEP_COUNT = STEPS.length;

/**
 * Updates the tables, one start at a time: the others wait, and then find nothing to do.
 *
 * @returns the step before
 * @throws StoreError `database_newer`, `database_unusable` when its texts are not in UTF-8
 */
export async function migrate(database: Database): Promise<number> {
  // Most starts find everything in place, and need no right to create tables.
  const found = await stepIn(database);
  if (found === STEP_COUNT) return found;
  // A step over large tables takes long, and so does the wait for another start's migration.
  return database.transaction((query) => migrateIn(query), { areTimed: false });
}

/** Updates the tables in a transaction and returns the step before. Other migrations wait for its end. */
async function migrateIn(query: Query): Promise<number> {
  await query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
  const [encoding] = await query<{ server_encoding: string }>('SHOW server_encoding');
  if (encoding?.server_encoding !== 'UTF8') {
    const detail = `its encoding is ${encoding?.server_encoding ?? 'unknown'}, and must be UTF8`;
    throw new StoreError('database_unusable', { detail });
  }
  const before = await stepNow(query);
  rejectNewer(before);
  if (before === 0) {
    await query('CREATE SCHEMA IF NOT EXISTS grainline');
    await query(
      'CREATE TABLE grainline.steps (step bigint PRIMARY KEY, done_at timestamptz NOT NULL DEFAULT now())',
    );
  }
  for (const [index, step] of STEPS.entries()) {
    if (index < before) continue;
    await query(step);
    await query('INSERT INTO grainline.steps (step) VALUES ($1)', [index + 1]);
  }
  return before;
}

/**
 * Checks that the tables are those of this version.
 *
 * @throws StoreError `database_behind`, `database_newer`
 */
export async function requireMigrated(database: Database): Promise<void> {
  const step = await stepIn(database);
  if (step < STEP_COUNT) throw new StoreError('database_behind', { detail: stepDetail(step) });
}

/** The last step of the database; 0 without any. */
async function stepIn(database: Database): Promise<number> {
  const step = await stepNow((text, values) => database.query(text, values));
  rejectNewer(step);
  return step;
}

async function stepNow(query: Query): Promise<number> {
  // Not to_regclass: it reads a cache of the connection, which misses tables created while the lock was awaited.
  const tables = await query(
    `SELECT 1 FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
     WHERE n.nspname = 'grainline' AND c.relname = 'steps'`,
  );
  if (tables.length === 0) return 0;
  const [row] = await query<{ step: bigint | null }>('SELECT max(step) AS step FROM grainline.steps');
  return Number(row?.step ?? 0);
}

function rejectNewer(step: number): void {
  if (step > STEP_COUNT) throw new StoreError('database_newer', { detail: stepDetail(step) });
}

function stepDetail(step: number): string {
  return `its tables are at step ${step}, this version knows ${STEP_COUNT}`;
}
