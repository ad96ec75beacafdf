// A first start while another one has the new file to itself for longer than a call waits for a lock.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/sqlite/database.ts';

const CALL_TIMEOUT_MS = 5_000;
/** Locks the file as a start does that waits for its disk. */
const HOLDER = `
  const database = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
  database.exec('BEGIN IMMEDIATE');
  process.stdout.write('held');
  setTimeout(() => database.close(), ${CALL_TIMEOUT_MS + 1_000});`;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'grainline-starts-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('waits for the other start, and for other calls no longer than before', async () => {
  const holder = spawn(process.execPath, ['--eval', HOLDER, join(folder, 'grainline.db')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  const { quick, durable } = openDatabase(folder);
  for (const database of [quick, durable]) {
    expect(database.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: CALL_TIMEOUT_MS });
    database.close();
  }
});
