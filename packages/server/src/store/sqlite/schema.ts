// The tables of the embedded engine, as steps that each start brings up to date. A step once released never
// changes: a later version adds one. `PRAGMA user_version` counts the steps that a file has.
import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store.ts';

/**
 * The sum in `stored` is kept by triggers, so that the room left is known without a walk over all results.
 * `INSERT OR REPLACE` would pass the delete trigger by: a result is replaced by DELETE and INSERT.
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
];

/** Brings a file up to this version. Two processes may start at once: each step looks again once it holds the lock. */
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
