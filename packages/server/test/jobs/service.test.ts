// The tier ai-pro in a whole service: over a socket, in child processes, with a scripted language model, and a restart
// in the middle of a job.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { startScriptedModel } from '@grainline/testing/scripted-model/server';
import { type RunningService, startService } from '../../src/main/server.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { createWorkerPool } from '../../src/sandbox/index.ts';
import { form } from '../http/fake-service.ts';
import { FROM_SOURCES } from '../sandbox/tasks.ts';
import { openReceiver } from '../webhooks/receiver.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Status {
  readonly status: string;
  readonly progress: number;
  readonly message: string;
}

/** Forty chapters with words of their own. */
const TEXT = Array.from(
  { length: 40 },
  (_, index) =>
    `# Chapter ${index}\n\n${`Observation ${index} of the tides is noted down. `.repeat(18).trim()}`,
).join('\n\n');

async function fetchStatus(service: RunningService, id: string): Promise<Status> {
  return (await (await fetch(`${service.url}/job/${id}/status`)).json()) as Status;
}

describe('the tier ai-pro', () => {
  it('describes every chunk in a job that goes on after a restart, asks nothing twice, and notifies', async () => {
    const model = await startScriptedModel();
    const receiver = await openReceiver();
    const dataDir = mkdtempSync(join(tmpdir(), 'grainline-job-service-'));
    ends.push(
      () => {
        rmSync(dataDir, { recursive: true });
        return Promise.resolve();
      },
      () => model.stop(),
      () => receiver.close(),
    );
    const settings = readSettings({
      ...{
        PORT: '0',
        PAYMENTS: 'off',
        RATE_LIMIT: 'off',
        WORKERS: '1',
        JOB_CONCURRENCY: '1',
        AI_AT_ONCE: '1',
        FETCH_ALLOW: receiver.address,
      },
      ...{ AI_MODEL: model.model, AI_BASE_URL: model.baseUrl, AI_PRICE: '0,0', SHUTDOWN_MS: '2000' },
    });
    const start = async (): Promise<RunningService> => {
      const service = await startService(settings, {
        store: openSqliteStore({ dataDir, maxStoredBytes: 1e9, now: Date.now }),
        workerPool: createWorkerPool(settings, FROM_SOURCES),
        log: { write: () => undefined },
      });
      ends.push(() => service.stop());
      await service.ready;
      return service;
    };
    let service = await start();
    const response = await fetch(`${service.url}/chunk/ai-pro`, {
      method: 'POST',
      body: form(TEXT, 'tides.txt', { webhook_url: receiver.url }),
    });
    const { job_id: id } = (await response.json()) as { job_id: string };
    // Until the model has been asked about the chunks, of which it is asked for some at a time.
    let status = await fetchStatus(service, id);
    while (status.progress < 31 && status.status === 'processing') {
      await wait(5);
      status = await fetchStatus(service, id);
    }
    await service.stop();
    service = await start();
    while (status.status === 'processing') {
      await wait(20);
      const next = await fetchStatus(service, id);
      expect(next.progress).toBeGreaterThanOrEqual(status.progress);
      status = next;
    }
    expect(status).toMatchObject({ status: 'completed', progress: 100, message: 'Completed' });
    expect(JSON.parse((await receiver.next()).body)).toEqual({ job_id: id, status: 'completed' });
    const result = (await (await fetch(`${service.url}/job/${id}/result`)).json()) as {
      readonly tier: string;
      readonly chunks: readonly Readonly<Record<string, unknown>>[];
    };
    expect(result.tier).toBe('ai-pro');
    expect(result.chunks.length).toBeGreaterThanOrEqual(30);
    expect(result.chunks.every((chunk) => 'enrichment' in chunk)).toBe(true);
    // All but the small ones with which each start tries the model.
    const questions = model.calls.map(({ texts }) => texts.join('\n')).filter((text) => text.length > 1000);
    expect(new Set(questions).size).toBe(questions.length);
  }, 120_000);
});
