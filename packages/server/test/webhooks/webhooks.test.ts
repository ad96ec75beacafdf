// Webhooks of jobs: the signed request at the end, its repetitions, and attacks on sender and receivers.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fingerprint, memoOf } from '@grainline/x402';
import { memoOfUpload } from '@grainline/x402/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { findTier } from '../../src/catalog.ts';
import { canonicalRequest, uploadTemplate } from '../../src/payments/canonical-request.ts';
import type { Address } from '../../src/requests/download/connect.ts';
import { checkUploadFields, defaultOptions } from '../../src/requests/fields.ts';
import type { WebhookDelivery } from '../../src/store/webhooks.ts';
import { createWebhookSecret } from '../../src/webhooks/address.ts';
import { createWebhookSender, signWebhook, type WebhookOutcome } from '../../src/webhooks/send.ts';
import { createWebhooks, RETRIES_MS, type Webhooks } from '../../src/webhooks/webhooks.ts';
import { ask, fakeService, form, memoryStore, NOW } from '../http/fake-service.ts';
import { DAMAGED, jobService, paidJobService } from '../jobs/job-service.ts';
import { openReceiver, type Receiver } from './receiver.ts';

const PRICE = 25_000n;
const TEXT = 'One.\n\nTwo.';
const LOG = { info: () => undefined, warn: () => undefined };

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

async function opened(answer?: Parameters<typeof openReceiver>[0]): Promise<Receiver> {
  const receiver = await openReceiver(answer);
  ends.push(() => receiver.close());
  return receiver;
}

/** The function of docs/webhooks.md. */
async function documentedVerify(): Promise<
  (secret: string, headers: object, body: string, nowMs: number) => boolean
> {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/webhooks.md'), 'utf8');
  const [, code = ''] = /^```js untyped\n(.*?)^```$/ms.exec(page) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'grainline-verify-'));
  const file = join(folder, 'verify.mjs');
  writeFileSync(file, code);
  const { verify } = (await import(pathToFileURL(file).href)) as {
    verify: Awaited<ReturnType<typeof documentedVerify>>;
  };
  rmSync(folder, { recursive: true });
  return verify;
}

/** Jobs and their webhooks, begun. */
function begun<Made extends ReturnType<typeof jobService> | ReturnType<typeof paidJobService>>(
  made: Made,
): Made & { readonly webhooks: Webhooks } {
  const { service, jobs } = made;
  const sender = createWebhookSender({ settings: service.settings, now: service.now });
  const webhooks = createWebhooks({ store: service.store, sender, log: LOG });
  ends.push(
    () => jobs.close(0),
    () => webhooks.close(),
  );
  jobs.begin();
  webhooks.begin();
  return { ...made, webhooks };
}

describe('the end of a job', () => {
  it.each([
    ['completed', TEXT],
    ['failed', DAMAGED],
  ] as const)(
    'is sent when it has %s, with a signature that the documented function verifies',
    async (state, text) => {
      const receiver = await opened();
      const { service, until, webhooks } = begun(jobService({ FETCH_ALLOW: receiver.address }));
      const body = form(text, 'a.txt', { webhook_url: receiver.url });
      const ticket = await ask(service, 'POST /chunk/ai-pro', { body });
      const secret = String(ticket.json['webhook_secret']);
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
      await until(state);
      webhooks.wake();
      const request = await receiver.next();
      expect(JSON.parse(request.body)).toEqual({ job_id: ticket.json['job_id'], status: state });
      expect(request).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
      expect(request.headers['webhook-id']).toMatch(/^msg_ai-pro_[0-9a-f]{12}$/);
      const verify = await documentedVerify();
      expect(verify(secret, request.headers, request.body, NOW)).toBe(true);
      expect(verify(secret, request.headers, `${request.body} `, NOW)).toBe(false);
      expect(verify(createWebhookSecret(), request.headers, request.body, NOW)).toBe(false);
      expect(verify(secret, request.headers, request.body, NOW + 301_000)).toBe(false);
    },
  );

  it('is signed as the reference implementations sign', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const headers = signWebhook(
      secret,
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330,
      '{"test": 2432232314}',
    );
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('of a paid job is sent to the first address; a repeated request gets no secret', async () => {
    const receiver = await opened();
    const { service, until, webhooks } = begun(paidJobService({ FETCH_ALLOW: receiver.address }));
    const headers = { 'x-payment': service.chain.pay(PRICE) };
    const send = (webhookUrl: string) =>
      ask(service, 'POST /chunk/ai-pro', { headers, body: form(TEXT, 'a.txt', { webhook_url: webhookUrl }) });
    const [ticket, repeated] = [await send(receiver.url), await send(`${receiver.url}/other`)];
    expect(ticket.json['webhook_secret']).toMatch(/^whsec_/);
    expect(repeated.json['job_id']).toBe(ticket.json['job_id']);
    expect(repeated.json).not.toHaveProperty('webhook_secret');
    await until('completed');
    webhooks.wake();
    expect(JSON.parse((await receiver.next()).body)).toMatchObject({ status: 'completed' });
  });

  it('has an address that is no part of the canonical request, nor of a memo', async () => {
    const service = fakeService();
    const tier = findTier(service.deployment, 'ai-pro')!;
    const given = { webhook_url: 'https://example.com/hook' };
    const { options, webhookUrl } = checkUploadFields(
      new Map(Object.entries(given)),
      service.deployment,
      tier,
    );
    expect(webhookUrl).toBe(given.webhook_url);
    const bytes = new TextEncoder().encode(TEXT);
    const source = { kind: 'upload', upload: { bytes, filename: 'a.txt', contentType: '' } } as const;
    const own = defaultOptions(tier, service.deployment);
    const request = canonicalRequest('primary', { tier, options, source });
    expect(request).toEqual(canonicalRequest('primary', { tier, options: own, source }));
    const template = uploadTemplate('primary', 'ai-pro', own);
    const memo = await memoOfUpload({ template, implied: [] }, form(TEXT, 'a.txt', given));
    expect(memo).toBe(memoOf(await fingerprint(request)));
  });
});

describe('a delivery', () => {
  it('is made five times with growing pauses, under one id, and then no more', async () => {
    const receiver = await opened((response) => void response.writeHead(503).end());
    let nowMs = NOW;
    const store = memoryStore(() => nowMs);
    const webhook = { url: receiver.url, secret: createWebhookSecret() };
    await store.submitJob({ id: 'a', payload: new Uint8Array(1), timeoutMs: 1e9, webhook }, { most: 1 });
    const claim = await store.claimJob(1e9);
    if (claim.kind !== 'claimed') throw new Error(claim.kind);
    await store.failJob(claim.job.lease, { code: 'corrupted', message: '' }, false);
    const settings = { fetchAllow: [receiver.address] };
    const sender = createWebhookSender({ settings, now: () => nowMs });
    const ids = new Set<unknown>();
    const times: number[] = [];
    for (const pauseMs of [0, ...RETRIES_MS]) {
      nowMs += pauseMs;
      const webhooks = createWebhooks({
        store,
        sender: { ...sender, close: () => Promise.resolve() },
        log: LOG,
      });
      webhooks.begin();
      const { headers } = await receiver.next();
      ids.add(headers['webhook-id']);
      times.push(Number(headers['webhook-timestamp']) * 1000);
      await settled(store, nowMs);
      await webhooks.close();
    }
    expect(ids.size).toBe(1);
    expect(times.map((ms) => ms - NOW)).toEqual([0, 5_000, 65_000, 365_000, 2_165_000]);
    expect(await store.claimWebhook(1)).toEqual({ kind: 'none', inMs: null });
    await sender.close();
  });

  it.each([204, 410])('is over after the status %i', async (status) => {
    const receiver = await opened((response) => void response.writeHead(status).end());
    expect(await sendTo(receiver.url, [receiver.address])).toBe(status === 410 ? 'gone' : 'delivered');
  });
});

/** Resolves once no attempt is under its lease: the next one is due later, or none. */
async function settled(store: ReturnType<typeof memoryStore>, nowMs: number): Promise<void> {
  for (;;) {
    const claim = await store.claimWebhook(1);
    if (claim.kind === 'claimed') throw new Error(`claimed at ${nowMs}`);
    // The lease of an attempt lasts 30 s.
    if (claim.inMs !== 30_000) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function sendTo(
  url: string,
  fetchAllow: readonly string[],
  options: Partial<Parameters<typeof createWebhookSender>[0]> = {},
): Promise<WebhookOutcome> {
  const sender = createWebhookSender({ settings: { fetchAllow }, now: () => NOW, ...options });
  const delivery: WebhookDelivery = {
    ...{ id: 'ai-pro_0123456789ab', url, secret: createWebhookSecret() },
    ...{ state: 'completed', attempt: 1, token: '' },
  };
  const outcome = await sender.send(delivery, new AbortController().signal);
  await sender.close();
  return outcome;
}

describe('an attack on the sender', () => {
  const PUBLIC: Address = { address: '93.184.215.14', family: 4 };
  const PRIVATE: Address = { address: '127.0.0.1', family: 4 };

  it.each([
    'http://example.com/hook',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://metadata.internal/',
    'https://example.com:22/',
    'https://user:password@example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'javascript:alert(1)',
    'hook',
  ])('is refused with the request: %s', async (url) => {
    const { service } = jobService();
    const { status, json } = await ask(service, 'POST /chunk', {
      body: JSON.stringify({ tier: 'ai-pro', text: TEXT, webhook_url: url }),
    });
    expect([status, json['code']]).toEqual([400, 'invalid_fields']);
    expect(json['message']).toContain('webhook_url');
    expect(await service.store.jobLoad()).toMatchObject({ waiting: 0 });
  });

  it.each([
    ['of a tier without jobs', { tier: 'demo', text: TEXT, webhook_url: 'https://example.com/' }],
    [
      'of 3,000 characters',
      { tier: 'ai-pro', text: TEXT, webhook_url: `https://example.com/${'x'.repeat(3000)}` },
    ],
    ['that is no text', { tier: 'ai-pro', text: TEXT, webhook_url: ['https://example.com/'] }],
  ])('is refused with the request: an address %s', async (_, body) => {
    const { service } = jobService();
    const { status, json } = await ask(service, 'POST /chunk', { body: JSON.stringify(body) });
    expect([status, json['code']]).toEqual([400, 'invalid_fields']);
  });

  it('by a name that leads to a private address gets no connection', async () => {
    const canary = await opened();
    const lookup = () => Promise.resolve([PRIVATE]);
    const url = `https://rebound.example.com:8443/`;
    expect(await sendTo(url, [], { lookup })).toEqual({ failure: 'url_forbidden' });
    expect(canary.connections()).toBe(0);
  });

  it('by a name whose address changes after the check gets no request', async () => {
    const answers = [PUBLIC.address];
    const twoFaced: Address = {
      family: 4,
      get address() {
        return answers.shift() ?? PRIVATE.address;
      },
    };
    const outcome = await sendTo('https://two-faced.example.com:8443/', [], {
      lookup: () => Promise.resolve([twoFaced]),
      timeoutMs: 2_000,
    });
    expect(outcome).not.toBe('delivered');
    expect(outcome).toHaveProperty('failure');
  });

  it('by a redirect leads nowhere', async () => {
    const canary = await opened();
    for (const status of [301, 302, 303, 307, 308]) {
      const receiver = await opened(
        (response) => void response.writeHead(status, { Location: canary.url }).end(),
      );
      expect(await sendTo(receiver.url, [receiver.address, canary.address])).toEqual({
        failure: `status ${status}`,
      });
    }
    expect(canary.connections()).toBe(0);
  });

  it('by silence ends after its time', async () => {
    const receiver = await opened(() => undefined);
    const outcome = await sendTo(receiver.url, [receiver.address], { timeoutMs: 100 });
    expect(outcome).toHaveProperty('failure');
  });

  it('by an answer without end is read no further than its status', async () => {
    let written = 0;
    const piece = Buffer.alloc(65_536, 'x');
    const receiver = await opened((response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(piece)) written += piece.length;
      };
      response.on('drain', more);
      more();
    });
    expect(await sendTo(receiver.url, [receiver.address])).toBe('delivered');
    expect(written).toBeLessThan(50 * 2 ** 20);
  });

  it('by 100 kB of headers fails', async () => {
    const receiver = await opened(
      (response) => void response.writeHead(200, { 'X-Long': 'x'.repeat(100_000) }).end(),
    );
    expect(await sendTo(receiver.url, [receiver.address])).toEqual({ failure: 'UND_ERR_HEADERS_OVERFLOW' });
  });
});
