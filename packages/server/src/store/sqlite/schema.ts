// The tables in SQLite, as migration steps for each start. A released step never changes; a later version adds one.
// `PRAGMA user_version` counts the steps of a file.
import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store.ts';

/**
 * 1. Triggers keep the sum in `stored`, so that the free space is known without a walk over all results. `INSERT OR
 *    REPLACE` would not fire the delete trigger: a result is replaced by DELETE and INSERT.
 * 2. Payments. `bytes` stays the sum over everything, `paid_bytes` is its paid part. Amounts are INTEGER, 64 bits with
 *    a sign: up to 9.2 million million USDC, a hundred times the existing amount. `recheck_ms` is the moment of the
 *    last check that the chain kept a consumed payment. The checks require the columns of every state, so that a
 *    half-written row cannot be committed.
 * 3. Jobs. Large or often written columns are in tables of their own: a step of progress rewrites the row of its job.
 *    A payload counts as paid from its submission.
 * 4. The mean duration of the latest jobs is read from an index alone.
 * 5. Unfinished jobs are counted, each search of a claim has an index, and `turn` is the place of a job in the order of
 *    all clients.
 * 6. The signed receipt of a paid result.
 * 7. Webhooks; `due_ms` is null until the job ends.
 * 8. The object that holds the body of a result. Its bytes count as those of the row.
 */
const STEPS: readonly string[] = [
  `CREATE TABLE quota (
     day TEXT NOT NULL,
     client TEXT NOT NULL,
     pages INTEGER NOT NULL,
     PRIMARY KEY (day, client)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE results (
     id TEXT NOT NULL PRIMARY KEY,
     etag TEXT NOT NULL,
     created_ms INTEGER NOT NULL,
     expires_ms INTEGER NOT NULL,
     gzip BLOB NOT NULL
   ) STRICT;
   CREATE INDEX results_by_expiry ON results (expires_ms);
   CREATE TABLE stored (bytes INTEGER NOT NULL) STRICT;
   INSERT INTO stored VALUES (0);
   CREATE TRIGGER result_put AFTER INSERT ON results
     BEGIN UPDATE stored SET bytes = bytes + length(NEW.gzip); END;
   CREATE TRIGGER result_dropped AFTER DELETE ON results
     BEGIN UPDATE stored SET bytes = bytes - length(OLD.gzip); END;`,
  `CREATE TABLE payments (
     key TEXT NOT NULL PRIMARY KEY,
     state TEXT NOT NULL CHECK (state IN ('reserved', 'verified', 'bound', 'processing', 'consumed', 'released')),
     token TEXT,
     lease_ends_ms INTEGER,
     payer TEXT,
     credited INTEGER,
     slot INTEGER,
     memo TEXT,
     fingerprint TEXT,
     price INTEGER,
     product TEXT,
     tries INTEGER NOT NULL DEFAULT 0,
     reason TEXT,
     created_ms INTEGER NOT NULL,
     changed_ms INTEGER NOT NULL,
     finality TEXT CHECK (finality IN ('pending', 'finalized', 'vanished')),
     recheck_ms INTEGER,
     refunded_ms INTEGER,
     refund_note TEXT,
     CHECK ((token IS NOT NULL) = (state IN ('reserved', 'verified', 'bound'))),
     CHECK ((token IS NULL) = (lease_ends_ms IS NULL)),
     CHECK ((payer IS NULL) = (credited IS NULL) AND (payer IS NULL) = (slot IS NULL)),
     CHECK ((fingerprint IS NULL) = (price IS NULL) AND (fingerprint IS NULL) = (product IS NULL)),
     CHECK (payer IS NOT NULL OR state = 'reserved'),
     CHECK (fingerprint IS NOT NULL OR state IN ('reserved', 'verified', 'released')),
     CHECK ((finality IS NOT NULL) = (state = 'consumed') AND (finality IS NULL) = (recheck_ms IS NULL)),
     CHECK ((refunded_ms IS NULL) = (refund_note IS NULL))
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX payments_by_time ON payments (created_ms, key);
   CREATE INDEX payments_unsettled ON payments (recheck_ms) WHERE finality = 'pending';
   CREATE TABLE intents (
     key TEXT NOT NULL PRIMARY KEY,
     token TEXT,
     lease_ends_ms INTEGER,
     since_ms INTEGER NOT NULL,
     settled_as TEXT,
     CHECK ((token IS NULL) = (lease_ends_ms IS NULL) AND (token IS NULL) = (settled_as IS NOT NULL))
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE blocked_payers (
     payer TEXT NOT NULL PRIMARY KEY,
     blocked_ms INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE responses (
     key TEXT NOT NULL PRIMARY KEY REFERENCES payments (key),
     status INTEGER NOT NULL,
     headers TEXT NOT NULL,
     expires_ms INTEGER NOT NULL,
     gzip BLOB NOT NULL
   ) STRICT;
   CREATE INDEX responses_by_expiry ON responses (expires_ms);
   ALTER TABLE results ADD COLUMN paid INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE stored ADD COLUMN paid_bytes INTEGER NOT NULL DEFAULT 0;
   DROP TRIGGER result_put;
   DROP TRIGGER result_dropped;
   CREATE TRIGGER result_put AFTER INSERT ON results BEGIN
     UPDATE stored SET bytes = bytes + length(NEW.gzip), paid_bytes = paid_bytes + NEW.paid * length(NEW.gzip);
   END;
   CREATE TRIGGER result_dropped AFTER DELETE ON results BEGIN
     UPDATE stored SET bytes = bytes - length(OLD.gzip), paid_bytes = paid_bytes - OLD.paid * length(OLD.gzip);
   END;
   CREATE TRIGGER response_put AFTER INSERT ON responses BEGIN
     UPDATE stored SET bytes = bytes + length(NEW.gzip), paid_bytes = paid_bytes + length(NEW.gzip);
   END;
   CREATE TRIGGER response_dropped AFTER DELETE ON responses BEGIN
     UPDATE stored SET bytes = bytes - length(OLD.gzip), paid_bytes = paid_bytes - length(OLD.gzip);
   END;`,
  `CREATE TABLE jobs (
     id TEXT NOT NULL PRIMARY KEY,
     state TEXT NOT NULL CHECK (state IN ('processing', 'completed', 'failed')),
     progress INTEGER NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
     message TEXT NOT NULL,
     code TEXT,
     payment TEXT REFERENCES payments (key),
     token TEXT,
     lease_ends_ms INTEGER,
     claimed_ms INTEGER,
     ran_ms INTEGER,
     attempts INTEGER NOT NULL DEFAULT 0,
     created_ms INTEGER NOT NULL,
     deadline_ms INTEGER NOT NULL,
     expires_ms INTEGER,
     CHECK ((token IS NULL) = (lease_ends_ms IS NULL)),
     CHECK (token IS NULL OR state = 'processing'),
     CHECK ((progress = 100) = (state = 'completed')),
     CHECK ((code IS NOT NULL) = (state = 'failed')),
     CHECK ((expires_ms IS NULL) = (state = 'processing'))
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX jobs_unfinished ON jobs (created_ms, id) WHERE state = 'processing';
   CREATE UNIQUE INDEX jobs_by_payment ON jobs (payment) WHERE state = 'processing';
   CREATE INDEX jobs_by_expiry ON jobs (expires_ms) WHERE state <> 'processing';
   CREATE TABLE job_orders (
     id TEXT NOT NULL PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
     bytes BLOB NOT NULL
   ) STRICT;
   CREATE TABLE job_answers (
     id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
     key TEXT NOT NULL,
     bytes BLOB NOT NULL,
     PRIMARY KEY (id, key)
   ) STRICT;
   CREATE TRIGGER order_put AFTER INSERT ON job_orders BEGIN
     UPDATE stored SET bytes = bytes + length(NEW.bytes), paid_bytes = paid_bytes + length(NEW.bytes);
   END;
   CREATE TRIGGER order_dropped AFTER DELETE ON job_orders BEGIN
     UPDATE stored SET bytes = bytes - length(OLD.bytes), paid_bytes = paid_bytes - length(OLD.bytes);
   END;`,
  `CREATE INDEX jobs_timed ON jobs (expires_ms, ran_ms) WHERE state = 'completed' AND ran_ms IS NOT NULL;`,
  `ALTER TABLE stored ADD COLUMN unfinished INTEGER NOT NULL DEFAULT 0;
   UPDATE stored SET unfinished = (SELECT count(*) FROM jobs WHERE state = 'processing');
   CREATE TRIGGER job_begun AFTER INSERT ON jobs WHEN NEW.state = 'processing'
     BEGIN UPDATE stored SET unfinished = unfinished + 1; END;
   CREATE TRIGGER job_ended AFTER UPDATE OF state ON jobs WHEN OLD.state = 'processing' AND NEW.state <> 'processing'
     BEGIN UPDATE stored SET unfinished = unfinished - 1; END;
   CREATE TRIGGER job_dropped AFTER DELETE ON jobs WHEN OLD.state = 'processing'
     BEGIN UPDATE stored SET unfinished = unfinished - 1; END;
   ALTER TABLE jobs ADD COLUMN client TEXT NOT NULL DEFAULT '';
   ALTER TABLE jobs ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
   CREATE INDEX jobs_waiting ON jobs (turn, created_ms, id, deadline_ms) WHERE state = 'processing' AND token IS NULL;
   CREATE INDEX jobs_by_client ON jobs (client, turn) WHERE state = 'processing';
   CREATE INDEX jobs_by_deadline ON jobs (deadline_ms) WHERE state = 'processing';
   CREATE INDEX jobs_leased ON jobs (turn) WHERE token IS NOT NULL;
   DROP INDEX jobs_unfinished;`,
  `ALTER TABLE results ADD COLUMN receipt TEXT;`,
  `CREATE TABLE webhooks (
     id TEXT NOT NULL PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
     url TEXT NOT NULL,
     secret TEXT NOT NULL,
     attempts INTEGER NOT NULL DEFAULT 0,
     token TEXT,
     due_ms INTEGER
   ) STRICT;
   CREATE INDEX webhooks_due ON webhooks (due_ms) WHERE due_ms IS NOT NULL;`,
  `ALTER TABLE results ADD COLUMN object TEXT;
   ALTER TABLE results ADD COLUMN object_bytes INTEGER NOT NULL DEFAULT 0;
   DROP TRIGGER result_put;
   DROP TRIGGER result_dropped;
   CREATE TRIGGER result_put AFTER INSERT ON results BEGIN
     UPDATE stored SET bytes = bytes + length(NEW.gzip) + NEW.object_bytes,
       paid_bytes = paid_bytes + NEW.paid * (length(NEW.gzip) + NEW.object_bytes);
   END;
   CREATE TRIGGER result_dropped AFTER DELETE ON results BEGIN
     UPDATE stored SET bytes = bytes - length(OLD.gzip) - OLD.object_bytes,
       paid_bytes = paid_bytes - OLD.paid * (length(OLD.gzip) + OLD.object_bytes);
   END;`,
];

/** Updates a file to this version. Two processes may start at once: each step reads the version under the lock. */
export function migrate(database: DatabaseSync): void {
  while (versionOf(database) < STEPS.length) {
    database.exec('BEGIN IMMEDIATE');
    const version = versionOf(database);
    const step = STEPS[version];
    if (step !== undefined) database.exec(`${step} PRAGMA user_version = ${version + 1};`);
    database.exec('COMMIT');
  }
  const version = versionOf(database);
  if (version > STEPS.length) {
    throw new StoreError('data_dir_newer', {
      detail: `its tables are at step ${version}, this version knows ${STEPS.length}`,
    });
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}
