// A job of the tier ai-pro, from the button to the enriched chunks, with a reload in between. A small service of this
// flow answers the API before the files of the real one.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chunkSync } from '@grainline/core';
import { toRecords } from '@grainline/core/formats';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BuiltService,
  isLeftOut,
  openBrowser,
  openSample,
  openWatched,
  startBuiltService,
} from './browser.ts';

const ID = 'ai-pro_0123456789ab';

describe.skipIf(isLeftOut)('a job', () => {
  let browser: Browser;
  let service: BuiltService;
  let front: Server;
  let url: string;
  /** Progress of the job's next status; the last value repeats. */
  let progress = 0;
  let sent: { text: string; filename: string } | undefined;

  beforeAll(async () => {
    [browser, service] = await Promise.all([openBrowser(), startBuiltService()]);
    front = createServer((request, response) => {
      answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser.close();
    front.closeAllConnections();
    front.close();
    await service.stop();
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const json = (body: unknown): void => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(body));
    };
    const path = request.url ?? '/';
    if (path === `/job/${ID}/status`) {
      json(statusAt(progress));
      return;
    }
    if (path === `/job/${ID}/result`) {
      json(enriched());
      return;
    }
    if (path === '/chunk') {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      sent = JSON.parse(Buffer.concat(parts).toString()) as typeof sent;
      json({
        success: true,
        async: true,
        job_id: ID,
        status: 'processing',
        status_url: `${url}/job/${ID}/status`,
      });
      return;
    }
    const passed = await fetch(service.url + path, { headers: { accept: request.headers.accept ?? '*/*' } });
    if (path === '/' && passed.headers.get('content-type')?.startsWith('application/json') === true) {
      const overview = (await passed.json()) as { tiers: { id: string; available: boolean }[] };
      for (const tier of overview.tiers) if (tier.id === 'ai-pro') tier.available = true;
      json(overview);
      return;
    }
    for (const name of ['content-type', 'content-security-policy']) {
      const value = passed.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(passed.status).end(Buffer.from(await passed.arrayBuffer()));
  }

  function statusAt(percent: number): object {
    if (percent < 100)
      return { job_id: ID, status: 'processing', progress: percent, message: 'Cutting part 2 of 5' };
    const download_url = `${url}/results/${ID}`;
    return {
      job_id: ID,
      status: 'completed',
      progress: 100,
      message: 'Completed',
      result_id: ID,
      download_url,
    };
  }

  function enriched(): object {
    const chunks = toRecords(chunkSync(sent?.text ?? '', { tier: 'structure', size: 600 }), 'raw', {
      documentId: 'x',
    });
    const enrichment = {
      title: 'A deeper basin',
      summary: 'The eastern basin was below its declared depth until the second week of May.',
      keywords: ['basin', 'depth'],
      questions: ['How deep?'],
      entities: [],
    };
    return {
      success: true,
      tier: 'ai-pro',
      total_chunks: chunks.length,
      metadata: {
        filename: sent?.filename,
        content_type: 'text/markdown',
        size_bytes: 1,
        estimated_pages: 3,
      },
      chunks: chunks.map((chunk) => ({ ...chunk, enrichment })),
      payment: { amount: 0, asset: 'USDC', network: 'solana-mainnet' },
    };
  }

  it('is followed over a reload, and its result is shown with what the model wrote', async () => {
    const { page, errors, strangers } = await openWatched(browser, url);
    await openSample(page, /A report/);
    await page.getByRole('radio', { name: /^ai-pro/ }).check();
    await page.getByRole('button', { name: /Send to ai-pro/ }).click();
    const job = page.getByRole('region', { name: 'Job: ai-pro' });
    progress = 40;
    await job.getByText('40% Cutting part 2 of 5').waitFor();
    await page.reload();
    progress = 60;
    await job.getByText('60% Cutting part 2 of 5').waitFor();
    await expect.poll(() => job.getByRole('progressbar').getAttribute('value')).toBe('60');
    progress = 100;
    await page.locator('.mark').first().waitFor();
    await job.waitFor({ state: 'detached' });
    await page.locator('.document', { hasText: 'harbour-report.md' }).waitFor();
    // Without a click: in the text at each chunk, and of the first one in the details.
    expect(await page.locator('.enriched-title', { hasText: 'A deeper basin' }).count()).toBeGreaterThan(2);
    const details = page.getByRole('region', { name: 'Chunk' });
    await details.getByText(/^Chunk 1 of/).waitFor();
    await details.getByText('basin · depth').waitFor();
    expect(await details.getByText('entities').count()).toBe(0);
    expect(await page.getByText('It takes a minute').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByText('Point at a chunk').waitFor();
    // In a narrow window the details are a tall sheet, and a step reveals its chunk above that.
    await page.setViewportSize({ width: 390, height: 844 });
    for (const next of [1, 2, 3, 4]) {
      await page.locator('.text').press('ArrowDown');
      await details.getByText(new RegExp(`^Chunk ${next} of`)).waitFor();
      const sheet = await details.boundingBox();
      const mark = page.locator(`.mark[data-first="${next}"]`);
      await expect.poll(async () => (await mark.boundingBox())?.y).toBeLessThan(sheet!.y);
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(() => localStorage.length)).toBe(0);
    expect([...errors, ...strangers]).toEqual([]);
  });
});
