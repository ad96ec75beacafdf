// Jobs until their end: progress, failures, time limits, aborts.
import { cases } from '@grainline/testing/cases';
import { rejectionOf } from '@grainline/testing/rejection';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JobStatus } from '../src/answers.ts';
import { createClient } from '../src/client.ts';
import { ClientError } from '../src/errors.ts';
import {
  BASE,
  chunkAnswer,
  type FakeReply,
  fakeFetch,
  jumpingClock,
  json,
  networkError,
} from './fake-service.ts';

const ID = 'ai-pro_0123456789ab';
const TICKET = {
  success: true,
  async: true,
  job_id: ID,
  status: 'processing',
  status_url: 'http://elsewhere/',
};
const status = (progress: unknown, more: object = {}): Response =>
  json({ job_id: ID, status: 'processing', progress, message: 'Reading', ...more });
const DONE = status(100, { status: 'completed', message: 'Completed' });

function open(...replies: readonly FakeReply[]) {
  const { fetch, sent } = fakeFetch(...replies);
  const clock = jumpingClock();
  const client = createClient({ url: BASE, fetch, clock });
  return { client, sent, waits: clock.waits, paths: () => sent.map(({ url }) => url.slice(BASE.length)) };
}

describe('a job', () => {
  it('is followed from its ticket to its chunks, with its progress', async () => {
    const seen: number[] = [];
    const { client, paths, waits } = open(json(TICKET), status(10), status(60), DONE, json(chunkAnswer()));
    const onProgress = ({ progress }: JobStatus): void => void seen.push(progress);
    expect(await client.chunk({ text: 'x' }, { tier: 'ai-pro' }, { onProgress })).toMatchObject({
      total_chunks: 1,
      result_id: ID,
    });
    expect(seen).toEqual([10, 60, 100]);
    expect(waits).toEqual([1500, 1500]);
    expect(paths()).toEqual(['chunk', ...Array<string>(3).fill(`job/${ID}/status`), `job/${ID}/result`]);
  });

  it('may be left to itself, and gone on with by its id', async () => {
    const { client, paths } = open(
      json(TICKET),
      DONE,
      json(chunkAnswer()),
      new Response(null, { status: 204 }),
    );
    const submission = await client.submit({ text: 'x' });
    if (submission.kind !== 'job') throw new Error(submission.kind);
    expect(paths()).toEqual(['chunk']);
    const job = client.job(submission.job.id);
    expect((await job.answer()).total_chunks).toBe(1);
    await job.delete();
    expect(paths().at(-1)).toBe(`job/${ID}/result`);
  });

  it('has the key of its webhook, whose address is a member of the request', async () => {
    const { client, sent } = open(json({ ...TICKET, webhook_secret: 'whsec_a' }), json(TICKET));
    const call = { webhookUrl: 'https://example.com/hook' };
    const submission = await client.submit({ text: 'x' }, { tier: 'ai-pro' }, call);
    expect(submission).toMatchObject({ kind: 'job', job: { id: ID, webhookSecret: 'whsec_a' } });
    expect(await new Response(sent[0]?.body as Blob).json()).toEqual({
      ...{ text: 'x', tier: 'ai-pro' },
      webhook_url: 'https://example.com/hook',
    });
    expect(await client.submit({ text: 'x' })).not.toHaveProperty('job.webhookSecret');
  });

  it('of an answer that is there at once is none', async () => {
    expect(await open(json(chunkAnswer())).client.submit({ text: 'x' })).toMatchObject({ kind: 'answer' });
  });

  it('outlives a network that is away and a service that is busy', async () => {
    const { client, waits } = open(
      networkError(),
      json({ code: 'rate_limited' }, 429, { 'Retry-After': '30' }),
      json({}, 503),
      DONE,
      json({ code: 'job_not_completed', retryable: true }, 409),
      json(chunkAnswer()),
    );
    await client.job(ID).answer();
    expect(waits).toEqual([500, 30_000, 2000, 500]);
  });

  it('that failed rejects with its code and its words', async () => {
    const failed = status(40, { status: 'failed', code: 'corrupted', message: 'It is damaged.' });
    expect(await rejectionOf(open(failed).client.job(ID).answer(), ClientError)).toMatchObject({
      code: 'corrupted',
      message: 'It is damaged.',
    });
    const silent = open(json({ status: 'failed' }));
    expect(await rejectionOf(silent.client.job(ID).answer(), ClientError)).toMatchObject({
      code: 'job_failed',
      message: 'The job has failed.',
    });
  });

  it('that is gone rejects with the words of the service', async () => {
    const gone = json({ code: 'job_not_found', message: 'No such job.' }, 404);
    expect(await rejectionOf(open(gone).client.job(ID).answer(), ClientError)).toMatchObject({
      code: 'job_not_found',
      status: 404,
    });
  });

  it('that does not end is left after the time that the call allows', async () => {
    const { client, paths } = open(status(1));
    const error = await rejectionOf(client.job(ID).answer({ pollMs: 100, timeoutMs: 450 }), ClientError);
    expect(error).toMatchObject({ code: 'still_processing', retryable: true });
    expect(paths()).toHaveLength(6);
  });

  it('yields progress that stays within its bounds and never decreases, whatever the service says', async () => {
    const reported = fc.oneof(
      fc.integer({ min: -50, max: 150 }),
      fc.double(),
      fc.constant('x'),
      fc.constant(null),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(reported, { maxLength: 12 }), async (all) => {
        const { client } = open(...all.map((progress) => status(progress)), DONE);
        const seen: number[] = [0];
        for await (const { progress } of client.job(ID).watch()) seen.push(progress);
        expect(seen).toHaveLength(all.length + 2);
        expect(seen).toEqual(seen.toSorted((a, b) => a - b));
        expect(seen.every((progress) => progress >= 0 && progress <= 100)).toBe(true);
        expect(seen.at(-1)).toBe(100);
      }),
      cases(200),
    );
  });

  it('is left with the loop over it', async () => {
    const { client, sent } = open(status(1));
    for await (const { progress } of client.job(ID).watch()) if (progress > 0) break;
    expect(sent).toHaveLength(1);
  });

  it('that is aborted at any request or wait rejects with the reason, and sends nothing more', async () => {
    const reason = new Error('enough');
    for (let abortAt = 0; abortAt < 8; abortAt++) {
      const gone = new AbortController();
      let turns = 0;
      const turn = (): void => {
        if (turns++ === abortAt) gone.abort(reason);
      };
      const next = (reply: Response) => () => {
        turn();
        return reply.clone();
      };
      const { fetch, sent } = fakeFetch(
        ...[json(TICKET), status(1), json({}, 503), status(2), status(3), DONE].map(next),
      );
      const clock = jumpingClock();
      const wait = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
        turn();
        await clock.wait(ms, signal);
      };
      const client = createClient({ url: BASE, fetch, clock: { ...clock, wait } });
      await expect(client.chunk({ text: 'x' }, {}, { signal: gone.signal })).rejects.toBe(reason);
      const after = sent.length;
      await new Promise((resolve) => setImmediate(resolve));
      expect(sent).toHaveLength(after);
    }
  });
});
