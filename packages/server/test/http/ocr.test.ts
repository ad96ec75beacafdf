// The bounds of OCR in a service, with a stand-in for Tesseract; ocr.slow.test.ts has Tesseract itself.
import type { Ocr } from '@grainline/extract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { descriptionText } from '../../src/api/openapi.ts';
import { assertOcrInstalled } from '../../src/models/ocr.ts';
import type { ServiceDeps } from '../../src/routes/deps.ts';
import type { WorkerPool } from '../../src/sandbox/index.ts';
import { runPipeline } from '../../src/sandbox/run-pipeline.ts';
import { createTaskLimits } from '../../src/sandbox/task-limits.ts';
import { paidService } from '../payments/paid-service.ts';
import { ask, fakeService, form, inlineWorkerPool } from './fake-service.ts';
import { startTestService } from './running-service.ts';
import { LINE, OCR, pictureOfPage, scanOf } from './scans.ts';

/** Reads one line of each picture, at once. */
const standIn: Ocr = () =>
  Promise.resolve(
    LINE.split(' ').map((text, at) => ({
      ...{ text, left: 100 + 90 * at, right: 180 + 90 * at, top: 100, bottom: 130 },
      ...{ confidence: 0.95, line: 0 },
    })),
  );
const standInPool: WorkerPool = {
  ...inlineWorkerPool,
  run: (task, work) => runPipeline(task, { ...work, ocr: standIn }),
};

describe('a service with OCR', () => {
  it('takes pictures and names its bounds; without OCR it answers scans and pictures as ever', async () => {
    const picture = await pictureOfPage();
    const own = { ...OCR, PAYMENTS: 'off' };
    const [withOcr, without] = [
      fakeService(own, { workerPool: standInPool }),
      fakeService({ PAYMENTS: 'off' }, { workerPool: standInPool }),
    ];
    const send = async (to: ServiceDeps, bytes: Uint8Array, name: string) => {
      const { status, json } = await ask(to, 'POST /chunk/demo', { body: form(bytes, name) });
      return [status, json['code']];
    };
    expect(await send(withOcr, picture, 'page.png')).toEqual([200, undefined]);
    expect(await send(withOcr, scanOf(2), 'scan.pdf')).toEqual([200, undefined]);
    expect(await send(without, picture, 'page.png')).toEqual([400, 'unsupported_type']);
    expect(await send(without, scanOf(2), 'scan.pdf')).toEqual([400, 'no_text']);
    const { json } = await ask(withOcr, 'GET /');
    expect(json['ocr']).toEqual({ engine: 'tesseract', languages: 'eng' });
    expect(json['upload_types']).toContain('image');
    expect(json['tiers']).toContainEqual(expect.objectContaining({ id: 'free', max_scanned_pages: 2 }));
    expect(json['tiers']).toContainEqual(expect.objectContaining({ id: 'ai-pro', max_scanned_pages: 4 }));
    expect((await ask(without, 'GET /')).json['ocr']).toBeNull();
    expect(descriptionText(withOcr.deployment, '1', '')).toContain('2 on `free`');
    expect(descriptionText(without.deployment, '1', '')).not.toContain('2 on `free`');
  });

  it('rejects more scanned pages before it reads one, and the payment stays usable', async () => {
    const shop = paidService(OCR, { workerPool: standInPool });
    const headers = { 'x-payment': shop.chain.pay(2000n) };
    const buy = (pages: number) =>
      ask(shop, 'POST /chunk/structure', { headers, body: form(scanOf(pages), 'scan.pdf') });
    expect(await buy(3)).toMatchObject({
      status: 413,
      json: {
        code: 'too_many_scanned_pages',
        limit: { max_scanned_pages: 2, scanned_pages: 3 },
        payment: { reusable: true },
      },
    });
    expect((await buy(2)).status).toBe(200);
  });

  it('does not start without its package, or the data of a language', async () => {
    const missing = Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(assertOcrInstalled('eng', () => Promise.reject(missing))).rejects.toThrow(
      'OCR=tesseract requires the package @grainline/ocr. Run: npm install @grainline/ocr',
    );
    await expect(startTestService({ ...OCR, OCR_LANGUAGES: 'eng+xyz' })).rejects.toThrow(
      'npm install @tesseract.js-data/xyz',
    );
  });
});

describe('the time of a document', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('grows by a fifth with each page that OCR reads, up to the bound', () => {
    const settings = { workTimeoutMs: 1000, workerRssMb: 768 };
    const limits = createTaskLimits(settings, new AbortController().signal, () => () => undefined);
    limits.onMessage({ started: true, pid: 1, tasks: 1 });
    vi.advanceTimersByTime(999);
    for (let page = 0; page < 5; page++) limits.extendClock(3);
    vi.advanceTimersByTime(600);
    expect(limits.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(limits.signal.reason).toMatchObject({ code: 'too_complex' });
    limits.end();
  });
});
