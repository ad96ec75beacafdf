// The password of a document on the service: it opens the document and leaves no trace, and no payment depends on it.
import { fingerprint, memoOf } from '@grainline/x402';
import { memoOfUpload } from '@grainline/x402/testing';
import { describe, expect, it } from 'vitest';
import { writePdf } from '@grainline/testing/pdf-writer';
import { canonicalRequest, uploadTemplate } from '../../src/payments/canonical-request.ts';
import { findTier } from '../../src/catalog.ts';
import type { Downloader } from '../../src/requests/download/index.ts';
import { checkUploadFields, defaultOptions } from '../../src/requests/fields.ts';
import { NO_LANGUAGE_MODEL } from '../../src/models/language-model.ts';
import type { WorkerPool } from '../../src/sandbox/index.ts';
import {
  type Answered,
  ask,
  fakeService,
  form,
  inlineWorkerPool,
  memoryStore,
} from '../http/fake-service.ts';
import { type PaidService, paidService } from './paid-service.ts';

const PASSWORD = 'tide-table-1887';
const WRONG = 'hunter2-and-wrong';
const PDF = writePdf({
  pages: ['first', 'second', 'third'].map((word) => ({ lines: [`The ${word} page tells of harbours.`] })),
  password: { user: PASSWORD, owner: 'master' },
});
const PRICE = 2000n;
const URL = 'https://example.org/locked.pdf';

const fieldsOf = (password: string | undefined) => (password === undefined ? {} : { password });
const upload = (service: PaidService, proof: string, password?: string): Promise<Answered> =>
  ask(service, 'POST /chunk/structure', {
    body: form(PDF, 'a.pdf', fieldsOf(password)),
    headers: { 'x-payment': proof },
  });
const link = (service: PaidService, proof: string, password?: string): Promise<Answered> =>
  ask(service, 'POST /chunk', {
    body: JSON.stringify({ url: URL, ...fieldsOf(password) }),
    headers: { 'x-payment': proof, 'content-type': 'application/json' },
  });
const downloader: Downloader = {
  download: (url) =>
    Promise.resolve({ bytes: PDF, filename: 'locked.pdf', contentType: 'application/pdf', url }),
  close: () => Promise.resolve(),
};

describe.each([
  ['an upload', upload],
  ['a link', link],
] as const)('the password of %s', (_, send) => {
  const create = (): PaidService => paidService({}, { downloader });

  it('that is wrong or missing never uses up the payment', async () => {
    const service = create();
    const proof = service.chain.pay(PRICE);
    for (let tries = 0; tries < 4; tries++) {
      const wrong = await send(service, proof, WRONG);
      expect([wrong.status, wrong.json['code']]).toEqual([400, 'wrong_password']);
      expect(wrong.json['payment']).toMatchObject({ reusable: true });
      const missing = await send(service, proof);
      expect([missing.status, missing.json['code']]).toEqual([400, 'encrypted']);
      expect(missing.json['payment']).toMatchObject({ reusable: true });
    }
    const right = await send(service, proof, PASSWORD);
    expect([right.status, right.facts.outcome]).toEqual([200, 'sold']);
  });

  it('is needed again to get the answer again, as the transaction is public', async () => {
    const service = create();
    const proof = service.chain.pay(PRICE);
    const first = await send(service, proof, PASSWORD);
    for (const [password, code] of [
      [WRONG, 'wrong_password'],
      [undefined, 'encrypted'],
    ] as const) {
      const { status, json, text, headers } = await send(service, proof, password);
      expect([status, json['code']]).toEqual([400, code]);
      expect(json['payment']).toMatchObject({ reusable: false });
      expect(text).not.toContain('harbours');
      expect(headers).not.toHaveProperty('Content-Location');
    }
    const again = await send(service, proof, PASSWORD);
    expect([again.status, again.facts.outcome, again.text]).toEqual([200, 'replayed', first.text]);
    expect(again.headers).not.toHaveProperty('X-Protected');
  });
});

describe('seconds of work on a protected document', () => {
  /** Requests that are left of 60 a minute when each document takes seven seconds. */
  async function leftAfter(passwords: readonly (string | undefined)[]): Promise<string | undefined> {
    const workerPool: WorkerPool = {
      ...inlineWorkerPool,
      run(task, context) {
        context.onStart?.();
        service.clock.now += 7000;
        return inlineWorkerPool.run(task, context);
      },
    };
    const service: PaidService = paidService({ RATE_LIMIT: '60' }, { workerPool });
    const proof = service.chain.pay(PRICE);
    for (const password of passwords) await upload(service, proof, password);
    const { headers } = await ask(service, 'GET /');
    return /r=(\d+)/.exec(headers['RateLimit'] ?? '')?.[1];
  }

  it('count as requests where no payment pays for them: a wrong password, and an answer repeated', async () => {
    expect(await leftAfter([PASSWORD])).toBe('59');
    expect(await leftAfter([WRONG])).toBe(String(60 - 7 - 1));
    expect(await leftAfter([undefined])).toBe(String(60 - 7 - 1));
    expect(await leftAfter([PASSWORD, PASSWORD])).toBe(String(60 - 7 - 1));
  });
});

it('is no part of the canonical request, nor of a client that completes its template', async () => {
  const service = fakeService();
  const tier = findTier(service.deployment, 'structure')!;
  const { options } = checkUploadFields(new Map([['password', PASSWORD]]), service.deployment, tier);
  expect(options.password).toBe(PASSWORD);
  const source = { kind: 'upload', upload: { bytes: PDF, filename: 'a.pdf', contentType: '' } } as const;
  const [given, none] = [options, defaultOptions(tier, service.deployment)].map((own) =>
    canonicalRequest('primary', { tier, options: own, source }),
  );
  expect(given).toEqual(none);
  expect(JSON.stringify(given)).not.toContain('password');
  const template = uploadTemplate('primary', 'structure', defaultOptions(tier, service.deployment));
  const memo = memoOf(await fingerprint(given!));
  expect(await memoOfUpload({ template, implied: [] }, form(PDF, 'a.pdf', { password: PASSWORD }))).toBe(
    memo,
  );
});

it('is refused by a tier that runs as a job, which would store it', async () => {
  const environment = { PAYMENTS: 'off', AI_MODEL: 'small', AI_PRICE: '1,1' };
  const languageModel = { ...NO_LANGUAGE_MODEL, unavailableReason: () => null };
  const service = fakeService(environment, { languageModel });
  const { status, json } = await ask(service, 'POST /chunk/ai-pro', {
    body: form(PDF, 'a.pdf', { password: PASSWORD }),
  });
  expect([status, json['code']]).toEqual([400, 'invalid_fields']);
  expect(json['message']).toMatch(/password does not go with the tier ai-pro, .*send the document without/);
  expect(json['message']).not.toContain(PASSWORD);
});

it.each([`${PASSWORD}\n`, PASSWORD.repeat(40), ''])(
  'is in no error when it is refused: %j',
  async (password) => {
    const { status, text } = await ask(fakeService(), 'POST /chunk', {
      body: JSON.stringify({ tier: 'free', text: 'One.', password }),
    });
    expect(status).toBe(400);
    expect(text).toContain('password must be');
    expect(text).not.toContain('tide');
  },
);

it('is in no answer and nowhere in the store', async () => {
  const written: unknown[] = [];
  const store = memoryStore();
  const watched = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        written.push(...given);
        return Reflect.apply(member, target, given) as unknown;
      };
    },
  });
  const service = paidService({}, { downloader, store: watched });
  const proof = service.chain.pay(PRICE);
  const answers = [await upload(service, proof, WRONG), await upload(service, proof, PASSWORD)];
  answers.push(await ask(service, 'POST /chunk/free', { body: form(PDF, 'a.pdf', { password: PASSWORD }) }));
  expect(answers.map(({ status }) => status)).toEqual([400, 200, 200]);
  const kept = written.map((value) =>
    JSON.stringify([value], (_, member: unknown) => (typeof member === 'bigint' ? `${member}` : member)),
  );
  for (const text of [
    ...kept,
    ...answers.map(({ text, headers, facts }) => JSON.stringify([text, headers, facts])),
  ])
    for (const secret of [PASSWORD, WRONG]) expect(text).not.toContain(secret);
  expect(kept.length).toBeGreaterThan(3);
});

it('is ignored by documents that need none', async () => {
  const { status, json } = await ask(fakeService(), 'POST /chunk', {
    body: JSON.stringify({ tier: 'free', text: 'One.', password: PASSWORD }),
  });
  expect([status, json['total_chunks']]).toEqual([200, 1]);
});

describe('chosen pages', () => {
  const open = writePdf({
    pages: ['first', 'second', 'third'].map((word) => ({ lines: [`The ${word} page.`] })),
  });
  const send = (pages: string, content: string | Uint8Array = open, name = 'a.pdf') =>
    ask(fakeService({ FREE_PAGES_PER_DAY: '2' }), 'POST /chunk/free', {
      body: form(content, name, { pages }),
    });

  it('alone are charged, and keep their numbers', async () => {
    const { status, json, headers } = await send('2');
    expect(status).toBe(200);
    expect(json['metadata']).toMatchObject({ estimated_pages: 1 });
    expect(headers['RateLimit']).toMatch(/^"free-pages";r=1;/);
    const [chunk] = json['chunks'] as { text: string; metadata: object }[];
    expect(chunk).toMatchObject({ text: 'The second page.', metadata: { page_start: 2, page_end: 2 } });
  });

  it('of another request are not had by the same payment', async () => {
    const service = paidService();
    const proof = service.chain.pay(PRICE);
    const buy = (wanted: Record<string, string>) =>
      ask(service, 'POST /chunk/structure', {
        body: form(open, 'a.pdf', wanted),
        headers: { 'x-payment': proof },
      });
    expect((await buy({ pages: '4-9' })).json).toMatchObject({
      code: 'no_such_pages',
      payment: { reusable: true },
    });
    expect((await buy({ pages: '3-1' })).json).toMatchObject({
      code: 'invalid_fields',
      payment: { reusable: true },
    });
    const [first, again] = [await buy({ pages: '2' }), await buy({ pages: '2' })];
    expect([first.status, again.text]).toEqual([200, first.text]);
    for (const wanted of [{ pages: '1-3' }, {}, { pages: '2', furniture: 'keep' }])
      expect((await buy(wanted)).json['code']).toBe('payment_already_used');
  });

  it('that are not there, or of a kind without pages, are a coded error', async () => {
    for (const answer of [await send('4-9'), await send('1', 'One.', 'a.txt')])
      expect([answer.status, answer.json['code']]).toEqual([400, 'no_such_pages']);
  });

  it('in another syntax are a wrong field', async () => {
    for (const pages of ['7 to 9', '3-1']) {
      const { status, json } = await send(pages);
      expect([status, json['code']]).toEqual([400, 'invalid_fields']);
      expect(json['message']).toContain(
        `pages must be page numbers and ascending ranges from 1, as 3-7 or 1,4-6 or 9-, but is "${pages}"`,
      );
    }
  });
});
