// Tesseract in the confined child process of a service.
import { afterEach, describe, expect, it } from 'vitest';
import { createWorkerPool, type TaskProgress, type WorkerPool } from '../../src/sandbox/index.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { bytesTask, FROM_SOURCES, SETTINGS } from '../sandbox/tasks.ts';
import { form } from './fake-service.ts';
import { startTestService, type TestService } from './running-service.ts';
import { LINE, OCR, pictureOfPage, scanOf } from './scans.ts';

let service: TestService | undefined;
let pool: WorkerPool | undefined;
afterEach(() => Promise.all([service?.stop(), pool?.close()]));

describe('OCR in a child process', () => {
  it('reads scans and pictures that come over a socket', async () => {
    service = await startTestService(OCR, {
      workerPool: createWorkerPool({ ...readSettings(OCR), workers: 1, ocrLanguages: 'eng' }, FROM_SOURCES),
    });
    const send = (bytes: Uint8Array, name: string) =>
      fetch(`${service?.url}/chunk/demo`, { method: 'POST', body: form(bytes, name) });
    const scan = await send(scanOf(1), 'scan.pdf');
    expect(await scan.json()).toMatchObject({ chunks: [{ text: LINE }], metadata: { filename: 'scan.pdf' } });
    const image = await send(await pictureOfPage(), 'page.png');
    expect(await image.json()).toMatchObject({
      chunks: [{ text: LINE }],
      metadata: { content_type: 'image/png', reader: 'image-1' },
    });
  }, 60_000);

  it('reports its pages, and ends with the signal', async () => {
    const restarts: string[] = [];
    const settings = { ...SETTINGS, workers: 1, workerRssMb: 1536, ocrLanguages: 'eng' };
    pool = createWorkerPool(settings, { ...FROM_SOURCES, onRestart: (cause) => restarts.push(cause) });
    const stop = new AbortController();
    const progress: TaskProgress[] = [];
    const onProgress = (step: TaskProgress): void => {
      progress.push(step);
      stop.abort('enough');
    };
    const run = pool.run(bytesTask(scanOf(30), {}, { ocr: { languages: 'eng', maxPages: 30 } }), {
      signal: stop.signal,
      onProgress,
    });
    await expect(run).rejects.toBe('enough');
    expect(progress).toEqual([{ stage: 'ocr', done: 1, total: 30 }]);
    expect(restarts).toEqual(['left']);
  }, 60_000);
});
