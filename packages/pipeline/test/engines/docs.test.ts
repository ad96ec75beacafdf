// The programs of docs/scale.md for each engine, run as they stand, but for the name of the queue and the database.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDatabase, hasPostgres } from '@grainline/testing/postgres-server';
import { hasQueues, hasRedis, loadBullMq } from '@grainline/testing/queues';

const ROOT = join(import.meta.dirname, '../../../..');
/** Programs there find the queues, and the packages of the workspace. */
const PEERS = join(import.meta.dirname, '../../peers');
const BUILT = ['pipeline/dist/steps.js', 'stores/dist/index.js', 'models/dist/index.js'].every((file) =>
  existsSync(join(ROOT, 'packages', file)),
);
if (!BUILT) console.warn('SKIPPED: the programs of docs/scale.md; run `npm run build`');

const READY = BUILT && hasQueues();
const REDIS = READY && (await hasRedis('127.0.0.1', 6379));
const POSTGRES = READY && (await hasPostgres());

/** The block below a heading of the page. */
function programOf(heading: string): string {
  const page = readFileSync(join(ROOT, 'docs/scale.md'), 'utf8');
  const [, code] = new RegExp(`^## ${heading}\n\n\`\`\`js syntax\n(.*?)^\`\`\``, 'ms').exec(page) ?? [];
  return code ?? '';
}

/** Runs a program until it has printed a line, and ends it. */
async function firstLineOf(program: string): Promise<string> {
  const name = `example-${crypto.randomUUID()}`;
  const file = join(PEERS, `${name}.mjs`);
  writeFileSync(file, program.replace("createBlobFolder('blobs')", `createBlobFolder('${name}')`));
  const child = spawn(process.execPath, [file], { cwd: PEERS, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    for await (const line of createInterface({ input: child.stdout })) return line;
    return '';
  } finally {
    child.kill('SIGKILL');
    rmSync(file, { force: true });
    rmSync(join(PEERS, name), { recursive: true, force: true });
  }
}

describe.skipIf(!READY)('the program of docs/scale.md', () => {
  it.skipIf(!REDIS)('for BullMQ loads its document', async () => {
    const queueName = `grainline-test-${crypto.randomUUID()}`;
    const program = programOf('BullMQ').replaceAll("'documents'", `'${queueName}'`);
    const { Queue } = await loadBullMq();
    const queue = new Queue(queueName, { connection: { host: '127.0.0.1', port: 6379 }, prefix: 'bull' });
    try {
      expect(await firstLineOf(program)).toBe('tides.md written');
    } finally {
      await queue.obliterate({ force: true });
      await queue.close();
    }
  });

  it.skipIf(!POSTGRES)('for pg-boss loads its document', async () => {
    const database = await createDatabase();
    try {
      const program = programOf('pg-boss').replace(/'postgresql:[^']*'/, `'${database.url}'`);
      expect(await firstLineOf(program)).toBe('tides.md written');
    } finally {
      await database.drop();
    }
  });
});
