// A hundred jobs of the tier ai-pro, submitted at once to a service that has just begun, with a scripted language
// model: how long each waits for its id, whether all are completed, what memory that takes, and how quick /health stays
// meanwhile.
//
//   node --import ./packages/server/test/sandbox/from-sources.mjs packages/server/test/long/submissions.ts
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startScriptedModel } from '@grainline/testing/scripted-model/server';
import { startService } from '../../src/main/server.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { createWorkerPool } from '../../src/sandbox/index.ts';
import { endWithUs } from '@grainline/testing/processes';
import { FROM_SOURCES } from '../sandbox/tasks.ts';

const JOBS = Number(process.env['JOBS'] ?? 100);
const MOST_SUBMIT_MS = 1000;
const MOST_HEALTH_MS = 100;

// The model counts tokens, which must not hold up the service: it has a process of its own.
if (process.argv[2] === 'model') {
  const { baseUrl } = await startScriptedModel();
  process.send?.(baseUrl);
  process.on('disconnect', () => process.exit());
  await new Promise(() => undefined);
}
const child = fork(fileURLToPath(import.meta.url), ['model'], { execArgv: process.execArgv });
endWithUs(child);
const [baseUrl] = (await once(child, 'message')) as [string];
const dataDir = mkdtempSync(join(tmpdir(), 'grainline-submissions-'));
const settings = readSettings({
  ...{ PORT: '0', PAYMENTS: 'off', RATE_LIMIT: 'off', DATA_DIR: dataDir, LOG_LEVEL: 'error', WORKERS: '1' },
  ...{ AI_MODEL: 'scripted', AI_BASE_URL: baseUrl, AI_PRICE: '0,0', AI_AT_ONCE: '1' },
});
const service = await startService(settings, {
  workerPool: createWorkerPool({ ...settings, aiAtOnce: 4, startsRemotePool: true }, FROM_SOURCES),
});
await service.ready;
const text = Array.from(
  { length: 10 },
  (_, index) => `Chapter ${index}\n\n${`Observation ${index} of the tides is noted down. `.repeat(18)}`,
).join('\n\n');

let isOver = false;
const health: number[] = [];
let mostBytes = 0;
const watching = (async () => {
  while (!isOver) {
    const beganMs = performance.now();
    await (await fetch(`${service.url}/health`)).arrayBuffer();
    health.push(performance.now() - beganMs);
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
    await wait(20);
  }
})();

const began = performance.now();
const submitted: number[] = [];
const ids = await Promise.all(
  Array.from({ length: JOBS }, async () => {
    const beganMs = performance.now();
    const id = await submit();
    submitted.push(performance.now() - beganMs);
    return id;
  }),
);
let completed = 0;
for (const id of ids) if ((await finished(id)) === 'completed') completed++;
isOver = true;
await watching;
const seconds = (performance.now() - began) / 1000;
await service.stop();
child.disconnect();
rmSync(dataDir, { recursive: true });

health.sort((one, other) => one - other);
const p99 = health[Math.floor(health.length * 0.99)] ?? 0;
const slowest = Math.max(...submitted);
console.log(
  `${JOBS} jobs: slowest id after ${slowest.toFixed(0)} ms, ${completed} completed in ${seconds.toFixed(1)} s, ` +
    `/health p99 ${p99.toFixed(1)} ms of ${health.length}, at most ${(mostBytes / 2 ** 20).toFixed(0)} MiB with the client`,
);
process.exit(completed === JOBS && slowest <= MOST_SUBMIT_MS && p99 <= MOST_HEALTH_MS ? 0 : 1);

async function submit(): Promise<string> {
  const body = JSON.stringify({ tier: 'ai-pro', text });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${service.url}/chunk`, { method: 'POST', headers, body });
  return ((await answer.json()) as { job_id: string }).job_id;
}

async function finished(id: string): Promise<string> {
  for (;;) {
    const answer = await fetch(`${service.url}/job/${id}/status`);
    const { status } = (await answer.json()) as { status: string };
    if (status !== 'processing') return status;
    await wait(50);
  }
}
