// Jobs as clients see them: tickets, states, results, and what becomes of the payment.
import { afterEach, describe, expect, it } from 'vitest';
import type { Complete, Completion } from '@grainline/core';
import type { PricedModel } from '@grainline/models/language';
import type { Deployment, TierEntry } from '../../src/catalog.ts';
import { NO_LANGUAGE_MODEL } from '../../src/models/language-model.ts';
import { FAILED_JOB_LIFETIME_MS } from '../../src/store/jobs.ts';
import { DownloadError } from '../../src/requests/download/index.ts';
import {
  ask,
  type Answered,
  form,
  inlineWorkerPool,
  memoryDownloader,
  memoryStore,
  NOW,
} from '../http/fake-service.ts';
import { completion, DAMAGED, jobService, jobsOn, paidJobService } from './job-service.ts';

const TICKET = {
  success: true,
  async: true,
  job_id: expect.stringMatching(/^ai-pro_[0-9a-f]{12}$/) as string,
  status: 'processing',
  status_url: expect.stringMatching(/^http:\/\/grainline\.test\/job\/ai-pro_[0-9a-f]{12}\/status$/) as string,
};
const PRICE = 25_000n;
const TEXT = 'One.\n\nTwo.\n\nThree.';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

/** Begun, and closed at the end of the test. */
function begun<Made extends { readonly jobs: { begin(): void; close(ms: number): Promise<void> } }>(
  made: Made,
): Made {
  ends.push(() => made.jobs.close(0));
  made.jobs.begin();
  return made;
}

/** With `ai-pro` as what it is: a tier that asks a language model. */
function modelDeployment(deployment: Deployment): Deployment {
  const asks = (tier: TierEntry): TierEntry =>
    tier.id === 'ai-pro' ? { ...tier, offer: { tier: 'ai-pro' } } : tier;
  return { ...deployment, tiers: deployment.tiers.map(asks) };
}

const idIn = ({ json }: Answered): string => String(json['job_id']);

/** A model that answers when it is told to. */
function heldModel(): { complete: Complete; answer: () => void; called: Promise<boolean> } {
  const { promise, resolve } = Promise.withResolvers<Completion>();
  const called = Promise.withResolvers<boolean>();
  return {
    complete: () => {
      called.resolve(true);
      return promise;
    },
    answer: () => resolve(completion('said')),
    called: called.promise,
  };
}

describe('a job', () => {
  it.each(['/chunk/ai-pro', '/chunk'])(
    'is a ticket first (%s), then a state, then a result',
    async (path) => {
      const { service, until } = begun(jobService());
      const fields = path === '/chunk' ? { tier: 'ai-pro' } : {};
      const ticket = await ask(service, `POST ${path}`, { body: form(TEXT, 'a.txt', fields) });
      expect(ticket.facts).toMatchObject({ tier: 'ai-pro', outcome: 'submitted' });
      expect(ticket.status).toBe(200);
      expect(ticket.json).toEqual(TICKET);
      await until('completed');
      const id = idIn(ticket);
      const status = await ask(service, `GET /job/${id}/status`);
      expect(status.json).toEqual({
        job_id: id,
        status: 'completed',
        progress: 100,
        message: 'Completed',
        result_id: id,
        download_url: `http://grainline.test/results/${id}`,
      });
      const result = await ask(service, `GET /job/${id}/result`);
      expect(result.json).toMatchObject({ success: true, tier: 'ai-pro', total_chunks: 3 });
      expect(result.json['chunks']).toMatchObject([
        { text: 'One.', enrichment: { summary: 'said of One.' } },
        {},
        {},
      ]);
      const same = await ask(service, `GET /results/${id}`);
      expect([same.text, same.headers['ETag']]).toEqual([result.text, result.headers['ETag']]);
    },
  );

  it.each([{ text: TEXT }, { url: 'https://a.example/x.txt' }])('takes %o as JSON', async (source) => {
    const downloader = memoryDownloader({ 'https://a.example/x.txt': TEXT });
    const { service, until } = begun(jobService({}, { downloader }));
    const ticket = await ask(service, 'POST /chunk', { body: JSON.stringify({ tier: 'ai-pro', ...source }) });
    expect(ticket.json).toEqual(TICKET);
    await until('completed');
    expect((await ask(service, `GET /job/${idIn(ticket)}/result`)).json).toMatchObject({ total_chunks: 3 });
  });

  it('fetches its link itself, so that its ticket does not wait', async () => {
    const fetched = Promise.withResolvers<never>();
    fetched.promise.catch(() => undefined);
    const downloader = { download: () => fetched.promise, close: () => Promise.resolve() };
    const { service, until } = begun(jobService({}, { downloader }));
    const body = JSON.stringify({ tier: 'ai-pro', url: 'https://a.example/x' });
    const ticket = await ask(service, 'POST /chunk', { body });
    expect(ticket.json).toEqual(TICKET);
    fetched.reject(new DownloadError('url_status', 'The host answered 404.'));
    await until('failed');
    expect((await ask(service, `GET /job/${idIn(ticket)}/status`)).json).toMatchObject({
      status: 'failed',
      code: 'url_status',
    });
  });

  it('refuses what can never succeed before it is one', async () => {
    const { service } = begun(jobService());
    const send = (fields: object) =>
      ask(service, 'POST /chunk', { body: JSON.stringify({ tier: 'ai-pro', ...fields }) });
    expect((await send({ url: 'ftp://a.example/' })).json['code']).toBe('url_invalid');
    expect((await send({ text: 'a'.repeat(4_000_001) })).json['code']).toBe('too_many_characters');
    expect((await send({ text: 'a', colour: 'red' })).json['code']).toBe('invalid_fields');
  });

  it('says how far it is, and has no result until it is completed', async () => {
    const model = heldModel();
    const { service, until } = begun(jobService({}, {}, { completeFor: () => model.complete }));
    const id = idIn(await ask(service, 'POST /chunk/ai-pro', { body: form(TEXT) }));
    await model.called;
    const status = await ask(service, `GET /job/${id}/status`);
    expect(status.json).toMatchObject({
      job_id: id,
      status: 'processing',
      message: expect.any(String) as string,
    });
    expect(status.json).not.toHaveProperty('result_id');
    for (const line of [`GET /job/${id}/result`, `DELETE /job/${id}/result`]) {
      const early = await ask(service, line);
      expect([early.status, early.json['code'], early.headers['Retry-After']]).toEqual([
        409,
        'job_not_completed',
        '2',
      ]);
    }
    expect((await ask(service, `GET /results/${id}`)).status).toBe(404);
    model.answer();
    await until('completed');
    expect((await ask(service, `GET /job/${id}/result`)).status).toBe(200);
  });

  it('that fails says why, and has no result ever', async () => {
    const { service, until } = begun(jobService());
    const id = idIn(await ask(service, 'POST /chunk/ai-pro', { body: form(DAMAGED) }));
    await until('failed');
    expect((await ask(service, `GET /job/${id}/status`)).json).toEqual({
      job_id: id,
      status: 'failed',
      progress: expect.any(Number) as number,
      message: 'The document is damaged.',
      code: 'corrupted',
    });
    const result = await ask(service, `GET /job/${id}/result`);
    expect([result.status, result.json]).toMatchObject([
      410,
      { code: 'job_failed', limit: { code: 'corrupted' } },
    ]);
  });

  it('tells nothing of what went wrong inside', async () => {
    const workerPool = {
      ...inlineWorkerPool,
      run: () => Promise.reject(new Error('/srv/secret.ts broke')),
    };
    const { service, until } = begun(jobService({}, { workerPool }));
    const id = idIn(await ask(service, 'POST /chunk/ai-pro', { body: form(TEXT) }));
    await until('failed');
    const status = await ask(service, `GET /job/${id}/status`);
    expect(status.json['code']).toBe('internal_error');
    expect(status.text).not.toContain('secret');
  });

  it('and its result are gone with either of them deleted, or after an hour', async () => {
    const clock = { now: NOW };
    const now = (): number => clock.now;
    const { service, until } = begun(jobService({}, { now, store: memoryStore(now) }));
    const ids: string[] = [];
    for (let count = 1; count <= 3; count++) {
      ids.push(idIn(await ask(service, 'POST /chunk/ai-pro', { body: form(TEXT) })));
      await until('completed', count);
    }
    const [one, other, third] = ids;
    expect((await ask(service, `DELETE /job/${one}/result`)).status).toBe(204);
    expect((await ask(service, `DELETE /results/${other}`)).status).toBe(204);
    clock.now += FAILED_JOB_LIFETIME_MS - 1;
    expect((await ask(service, `GET /job/${third}/status`)).status).toBe(200);
    clock.now++;
    for (const id of ids)
      for (const path of [`/job/${id}/status`, `/job/${id}/result`]) {
        const answer = await ask(service, `GET ${path}`);
        expect([answer.status, answer.json['code']]).toEqual([404, 'job_not_found']);
      }
  });

  it.each(['', '..', '%2e%2e', 'AI-PRO_0123456789ab', 'ai-pro_0123456789abc', "ai-pro_';--", '__proto__'])(
    'is not found by %j, and by no guess more than 60 times a minute',
    async (id) => {
      const { service } = jobService();
      const answers = [];
      for (let guess = 0; guess < 62; guess++) answers.push(await ask(service, `GET /job/${id}/status`));
      expect(answers[0]?.status).toBe(404);
      if (id !== '') expect(answers.at(-1)?.json['code']).toBe('too_many_misses');
    },
  );

  it('may be asked about every second, whatever else its client may ask', async () => {
    const { service, until } = begun(jobService());
    const id = idIn(await ask(service, 'POST /chunk/ai-pro', { body: form(TEXT) }));
    await until('completed');
    const { createRateLimit } = await import('../../src/limits/rate.ts');
    const limited = { ...service, rate: createRateLimit(5), polls: createRateLimit(50) };
    for (let poll = 0; poll < 50; poll++)
      expect((await ask(limited, `GET /job/${id}/status`)).status).toBe(200);
    expect((await ask(limited, `GET /job/${id}/status`)).status).toBe(429);
    expect((await ask(limited, `GET /job/${id}/result`)).status).toBe(200);
  });

  it('keeps what a question may cost before it goes out, and goes on with that in another process', async () => {
    const spent: (number | undefined)[] = [];
    const called = Promise.withResolvers<boolean>();
    const complete: PricedModel = async (_, { spentUsd, onCost, signal }) => {
      spent.push(spentUsd);
      await onCost?.(0.01, false);
      if (spent.length === 1) {
        called.resolve(true);
        await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
        // The cost of an aborted call is unknown.
        await onCost?.(0.01, true);
        throw signal?.reason;
      }
      await onCost?.(0.002, true);
      return completion('said');
    };
    const { service } = begun(jobService({}, {}, { completeFor: () => complete }));
    const id = idIn(await ask(service, 'POST /chunk/ai-pro', { body: form('One.') }));
    await called.promise;
    expect([...(await service.store.recordedAnswers(id)).keys()]).toEqual([
      expect.stringMatching(/ cost 0$/),
    ]);
    // Its process is given up, and the lease goes with it.
    await service.jobs.close(0);
    const other = jobsOn(service.store, service, { completeFor: () => complete });
    ends.push(() => other.jobs.close(0));
    other.jobs.begin();
    await other.until('completed');
    expect(spent).toEqual([0, 0.01]);
  });
});

describe('the queue', () => {
  it('that is full takes no more, and nothing is paid for it', async () => {
    const model = heldModel();
    const { service } = begun(
      paidJobService({ JOB_QUEUE: '2', JOB_CONCURRENCY: '1' }, {}, { completeFor: () => model.complete }),
    );
    const send = (text: string, headers: Record<string, string> = {}) =>
      ask(service, 'POST /chunk/ai-pro', { body: form(text), headers });
    const pay = () => ({ 'x-payment': service.chain.pay(PRICE) });
    const first = pay();
    const ticket = await send('One.', first);
    expect(ticket.json).toEqual(TICKET);
    expect((await send('Two.', pay())).json).toEqual(TICKET);
    // A request without a payment gets no offer.
    const unpaid = await send('Three.');
    expect([unpaid.status, unpaid.json['code']]).toEqual([503, 'queue_full']);
    expect(Number(unpaid.headers['Retry-After'])).toBeGreaterThan(0);
    expect(unpaid.bodyWasRead).toBe(false);
    const third = pay();
    const refused = await send('Three.', third);
    expect([refused.status, refused.json]).toMatchObject([
      503,
      { code: 'queue_full', payment: { reusable: true } },
    ]);
    expect(await service.store.get(third['x-payment'])).toMatchObject({ state: 'released', tries: 0 });
    // A repeated request gets the same ticket.
    expect((await send('One.', first)).text).toBe(ticket.text);
    model.answer();
  });

  it('takes no job that would not be done in time, by how long others took', async () => {
    const clock = { now: NOW };
    const now = (): number => clock.now;
    const store = memoryStore(now);
    await store.submitJob({ id: 'a', payload: new Uint8Array(), timeoutMs: 60_000 }, { most: 1 });
    const claim = await store.claimJob(60_000);
    if (claim.kind !== 'claimed') throw new Error('There is one.');
    clock.now += 20_000;
    await store.finishJob(claim.job.lease, {
      result: { id: 'a', gzip: new Uint8Array(), etag: '""', createdMs: NOW, expiresMs: clock.now + 1000 },
      response: { status: 200, headers: {}, gzip: new Uint8Array(), expiresMs: clock.now + 1000 },
    });
    // 20 s each: a job that starts now ends in time, a job that waits for it does not. No process works on them.
    const { service } = jobService({ JOB_TIMEOUT_MS: '30000', JOB_CONCURRENCY: '1' }, { now, store });
    const send = () => ask(service, 'POST /chunk/ai-pro', { body: form('One.') });
    expect((await send()).status).toBe(200);
    const late = await send();
    expect([late.status, late.json['code'], late.headers['Retry-After']]).toEqual([503, 'queue_full', '20']);
  });
});

describe('a job that is paid for', () => {
  const setUp = (parts: Parameters<typeof paidJobService>[2] = {}) => {
    const made = begun(paidJobService({}, {}, parts));
    const proof = made.service.chain.pay(PRICE);
    const send = (text = TEXT, headers: Record<string, string> = { 'x-payment': proof }) =>
      ask(made.service, 'POST /chunk/ai-pro', { body: form(text), headers });
    return { ...made, proof, send };
  };

  it('is asked its price for before its document is read', async () => {
    const { send } = setUp();
    const unpaid = await send(TEXT, {});
    expect([unpaid.status, unpaid.bodyWasRead]).toEqual([402, false]);
    expect(unpaid.json['paymentRequirements']).toMatchObject({ maxAmountRequired: '25000' });
  });

  it('has one ticket while it lives, the link to its result afterwards, and then nothing', async () => {
    const model = heldModel();
    const { service, send, until, proof } = setUp({ completeFor: () => model.complete });
    const ticket = await send();
    expect(ticket.json).toEqual(TICKET);
    expect(ticket.headers['X-PAYMENT-RESPONSE'] ?? ticket.headers['PAYMENT-RESPONSE']).toBeDefined();
    await model.called;
    expect((await send()).text).toBe(ticket.text);
    expect(await service.store.get(proof)).toMatchObject({ state: 'processing' });
    model.answer();
    await until('completed');
    const id = idIn(ticket);
    const link = await send();
    expect(link.json).toMatchObject({
      success: true,
      async: true,
      job_id: id,
      status: 'completed',
      result_id: id,
      total_chunks: 3,
      download_url: `http://grainline.test/results/${id}`,
      expires_in: '60 minutes',
      payment: { amount: 25_000, transaction: proof },
    });
    expect((await send()).text).toBe(link.text);
    expect(await service.store.get(proof)).toMatchObject({ state: 'consumed' });
    expect((await ask(service, `GET /results/${id}`)).json['payment']).toMatchObject({ transaction: proof });
    service.clock.now += 3_600_000;
    expect((await send()).json['code']).toBe('result_expired');
  });

  it('gets 410 in place of a dead link once its result is deleted', async () => {
    const { service, send, until } = setUp();
    const id = idIn(await send());
    await until('completed');
    expect((await send()).json['download_url']).toBe(`http://grainline.test/results/${id}`);
    expect((await ask(service, `DELETE /job/${id}/result`)).status).toBe(204);
    const late = await send();
    expect([late.status, late.json['code']]).toEqual([410, 'result_expired']);
  });

  it('answers requests with its payment while the language model is down, and no others', async () => {
    const down: { reason: string | null } = { reason: null };
    const languageModel = { ...NO_LANGUAGE_MODEL, unavailableReason: () => down.reason };
    const model = heldModel();
    const made = begun(paidJobService({}, { languageModel }, { completeFor: () => model.complete }));
    // The stand-in for the tier asks no language model by its own description.
    const service = { ...made.service, deployment: modelDeployment(made.service.deployment) };
    const pay = () => service.chain.pay(PRICE);
    const send = (proof: string, text = TEXT) =>
      ask(service, 'POST /chunk/ai-pro', { body: form(text), headers: { 'x-payment': proof } });
    const sendJson = (proof: string) =>
      ask(service, 'POST /chunk', {
        body: JSON.stringify({ tier: 'ai-pro', text: 'Another one.' }),
        headers: { 'content-type': 'application/json', 'x-payment': proof },
      });
    const [proof, other] = [pay(), pay()];
    const [ticket, otherTicket] = [await send(proof), await sendJson(other)];
    expect([ticket.json, otherTicket.json]).toEqual([TICKET, TICKET]);
    down.reason = 'It does not answer.';
    expect((await send(proof)).text).toBe(ticket.text);
    expect((await sendJson(other)).text).toBe(otherTicket.text);
    expect((await send(proof, 'Another text.')).json['code']).toBe('payment_already_used');
    model.answer();
    await made.until('completed', 2);
    expect((await send(proof)).json).toMatchObject({ status: 'completed', job_id: idIn(ticket) });
    // A payment that has bought nothing is not looked at.
    const fresh = pay();
    for (const answered of [await send(fresh), await sendJson(fresh), await send('nonsense')]) {
      expect([answered.status, answered.json['code']]).toEqual([503, 'tier_unavailable']);
      expect(answered.headers['Retry-After']).toBeDefined();
    }
    expect(await service.store.get(fresh)).toBeNull();
    expect((await send(fresh)).bodyWasRead).toBe(false);
  });

  it('that failed while the language model is down is not begun again', async () => {
    const down: { reason: string | null } = { reason: null };
    const languageModel = { ...NO_LANGUAGE_MODEL, unavailableReason: () => down.reason };
    const made = begun(paidJobService({}, { languageModel }));
    const service = { ...made.service, deployment: modelDeployment(made.service.deployment) };
    const proof = service.chain.pay(PRICE);
    const send = () =>
      ask(service, 'POST /chunk/ai-pro', { body: form(DAMAGED), headers: { 'x-payment': proof } });
    expect((await send()).json).toEqual(TICKET);
    await made.until('failed');
    down.reason = 'It does not answer.';
    expect((await send()).json['code']).toBe('tier_unavailable');
    expect(await service.store.get(proof)).toMatchObject({ state: 'released' });
  });

  it('is one job, however often it is sent at once', async () => {
    const { service, send } = setUp();
    const answers = await Promise.all(Array.from({ length: 12 }, () => send()));
    const ids = new Set(answers.filter(({ status }) => status === 200).map(idIn));
    expect(ids.size).toBe(1);
    expect((await service.store.jobLoad()).waiting).toBeLessThanOrEqual(1);
  });

  it('buys nothing else, neither while it works nor afterwards', async () => {
    const { send, until } = setUp();
    await send();
    expect((await send('Another text.')).json['code']).toBe('payment_already_used');
    await until('completed');
    expect((await send('Another text.')).json['code']).toBe('payment_already_used');
  });

  it('gives its payment back when it fails, and may be tried anew, counted when the document is at fault', async () => {
    const { service, send, until, proof } = setUp();
    const ticket = await send(DAMAGED);
    await until('failed');
    expect(await service.store.get(proof)).toMatchObject({
      state: 'released',
      tries: 1,
      reason: 'corrupted',
    });
    const again = await send(TEXT);
    expect(again.json).toEqual(TICKET);
    expect(idIn(again)).not.toBe(idIn(ticket));
    await until('completed');
  });

  it('whose model cannot be asked gives its payment back, and counts no try', async () => {
    const failed = Object.assign(new Error('It is down.'), { code: 'unavailable' });
    const { service, send, until, proof } = setUp({ completeFor: () => () => Promise.reject(failed) });
    await send();
    await until('failed');
    expect(await service.store.get(proof)).toMatchObject({ state: 'released', tries: 0 });
  });

  it('is a free job where payments are off, whatever its proof', async () => {
    const { service, until } = begun(jobService());
    const headers = { 'x-payment': 'nonsense' };
    expect((await ask(service, 'POST /chunk/ai-pro', { body: form(TEXT), headers })).json).toEqual(TICKET);
    await until('completed');
  });
});
