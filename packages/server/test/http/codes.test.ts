// Every code of the table, brought about by a request. A code that nothing can bring about does not belong in it.
import { ChunkError, type ChunkErrorCode, type Complete } from '@grainline/core';
import { ExtractError, type ExtractErrorCode } from '@grainline/extract';
import { PaymentProblem, type Reason, REASONS } from '@grainline/x402';
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest';
import { createAdmission } from '../../src/limits/limiter.ts';
import { DownloadError, type DownloadErrorCode } from '../../src/requests/download/index.ts';
import { CODES, type ErrorCode } from '../../src/errors/codes.ts';
import { HttpError } from '../../src/errors/http-error.ts';
import { NO_LANGUAGE_MODEL } from '../../src/models/language-model.ts';
import type { ServiceDeps } from '../../src/routes/deps.ts';
import type { JobSnapshot } from '../../src/store/jobs.ts';
import { StoreError, type StoreErrorCode } from '../../src/store/store.ts';
import { type WorkerTask, WorkError, type TaskContext } from '../../src/sandbox/index.ts';
import {
  type Answered,
  type Ask,
  ask,
  fakeService,
  form,
  inlineWorkerPool,
  memoryDownloader,
  memoryStore,
  NOW,
  paragraphs,
} from './fake-service.ts';
import { jobService } from '../jobs/job-service.ts';
import { type PaymentDetails, PAYER } from '../payments/fake-chain.ts';
import { type Environment, type PaidService, paidService } from '../payments/paid-service.ts';
import { sendRaw, startTestService, type TestService } from './running-service.ts';

type Refused = Promise<Pick<Answered, 'status' | 'json'>>;

let running: TestService | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

const refusingTransfers = {
  prepare: () => Promise.reject(new HttpError('invalid_transfer')),
  send: () => Promise.reject(new HttpError('invalid_transfer')),
  find: () => Promise.reject(new HttpError('invalid_transfer')),
};
const upload: Ask = { body: form('Text.') };
const demo = (service: ServiceDeps, request: Ask = upload): Refused =>
  ask(service, 'POST /chunk/demo', request);
const text = (fields: object, service = fakeService()): Refused =>
  ask(service, 'POST /chunk', { body: JSON.stringify({ tier: 'free', text: 'Text.', ...fields }) });
const working = (error: Error): Refused =>
  demo(fakeService({}, { workerPool: { ...inlineWorkerPool, run: () => Promise.reject(error) } }));
const extracting = (code: ConstructorParameters<typeof ExtractError>[0]): Refused =>
  working(new ExtractError(code));
const downloading = (code: DownloadErrorCode): Refused => {
  const url = 'https://a.example/x';
  const service = fakeService(
    {},
    { downloader: memoryDownloader({ [url]: new DownloadError(code, 'a reason') }) },
  );
  return ask(service, 'POST /chunk', { body: JSON.stringify({ tier: 'free', url }) });
};
const storing = (code: StoreErrorCode): Refused => {
  const store = { ...memoryStore(), putResult: () => Promise.reject(new StoreError(code)) };
  return demo(fakeService({}, { store }), { body: form(paragraphs(100)) });
};
const askForResult = (job: Omit<JobSnapshot, 'id'>): Refused => {
  const store = { ...memoryStore(), jobStatus: (id: string) => Promise.resolve({ id, ...job }) };
  return ask(fakeService({}, { store }), 'GET /job/ai-pro_0123456789ab/result');
};
const raw = async (bytes: string): Refused => {
  running = await startTestService();
  return sendRaw(running.url, [bytes], { halfClose: true });
};

/** A paid request on a service that sells, with a payment that the chain has been told of. */
const paying = async (
  arrange: (service: PaidService) => string | undefined | Promise<string | undefined>,
  environment: Environment = {},
): Refused => {
  const service = paidService(environment);
  const proof = await arrange(service);
  return buy(service, proof);
};
const buy = (service: ServiceDeps, proof: string | undefined, content = 'Text.'): Refused =>
  ask(service, 'POST /chunk/structure', {
    body: form(content),
    ...(proof === undefined ? {} : { headers: { 'x-payment': proof } }),
  });
const paid = (amount: bigint, details?: PaymentDetails) => (service: PaidService) =>
  service.chain.pay(amount, details);
const broken = (reason: Reason) => (service: PaidService) => {
  service.chain.breakDown(new PaymentProblem(reason));
  return service.chain.invent();
};

/** An embedder of the service fails so, as a child process tells of it. */
const embedding = (code: 'embedding_failed' | 'wrong_embeddings'): Refused =>
  working(new WorkError(code, 'batch 1 of 1'));

/** The tier ai of a service whose language model answers so. */
const completing = async (
  complete: Complete,
  environment: Environment = {},
  content = 'One thing. Another thing.',
): Refused => {
  const environmentAi = { PAYMENTS: 'off', AI_MODEL: 'small', AI_PRICE: '1,1', ...environment };
  const workerPool = {
    ...inlineWorkerPool,
    run: (task: WorkerTask, work: TaskContext) => inlineWorkerPool.run(task, { ...work, complete }),
  };
  const languageModel = { ...NO_LANGUAGE_MODEL, unavailableReason: () => null };
  const service = fakeService(environmentAi, { workerPool, languageModel });
  return ask(service, 'POST /chunk/ai', { body: form(content) });
};
const failing = (code: string) => (): Promise<never> => Promise.reject(Object.assign(new Error(), { code }));

const CASES: Readonly<Record<ErrorCode, () => Refused>> = {
  invalid_http: () => raw('nonsense\r\n\r\n'),
  invalid_json: () => ask(fakeService(), 'POST /chunk', { body: '{' }),
  invalid_fields: () => text({ colour: 'red' }),
  invalid_multipart: () =>
    demo(fakeService(), { body: 'x', headers: { 'content-type': 'multipart/form-data' } }),
  missing_file: () => demo(fakeService(), { body: new FormData() }),
  too_many_files: () => {
    const two = form('One.');
    two.append('file', new Blob(['Two.']), 'b.txt');
    return demo(fakeService(), { body: two });
  },
  embedding_failed: () => embedding('embedding_failed'),
  wrong_embeddings: () => embedding('wrong_embeddings'),
  completion_failed: () => completing(failing('rejected')),
  too_many_fallbacks: () => completing(failing('refusal')),
  too_expensive: () =>
    working(new WorkError('too_expensive', 'a reason', { limit: { max_cost_usd: 0.008 } })),
  model_timeout: () =>
    completing(
      (_, { signal }) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error))),
      {
        AI_TIMEOUT_MS: '1',
      },
    ),
  forbidden_origin: () =>
    ask(fakeService(), 'POST /mcp', { body: '{}', headers: { host: 'rebound.example' } }),
  not_found: () => ask(fakeService(), 'GET /nothing'),
  result_not_found: () => ask(fakeService(), 'GET /results/free_0123456789ab'),
  result_gone: async () => {
    let now = NOW;
    const service = fakeService({}, { now: () => now });
    const { json } = await demo(service, { body: form(paragraphs(100)) });
    const id = String(json['download_url']).replace(/.*\//u, '');
    now += 60 * 60 * 1000;
    return ask(service, 'POST /cite', { body: JSON.stringify({ result_id: id, quote: 'its words' }) });
  },
  job_not_found: () => ask(fakeService(), 'GET /job/ai-pro_0123456789ab/status'),
  job_not_completed: () => askForResult({ state: 'processing', progress: 7, message: 'Reading' }),
  job_failed: () => askForResult({ state: 'failed', progress: 7, message: 'Damaged.', code: 'corrupted' }),
  queue_full: () => {
    const { service } = jobService({ JOB_QUEUE: '1' });
    const order = () => ask(service, 'POST /chunk/ai-pro', { body: form('One.') });
    return order().then(order);
  },
  method_not_allowed: () => ask(fakeService(), 'PUT /chunk'),
  request_timeout: async () => {
    running = await startTestService(
      {},
      { connection: { headersTimeout: 20, connectionsCheckingInterval: 10 } },
    );
    return sendRaw(running.url, ['GET /health HTTP/1.1\r\nHost: a\r\n']);
  },
  over_daily_limit: () => demo(fakeService({ FREE_PAGES_PER_DAY: '1' }), { body: form('x'.repeat(5000)) }),
  too_many_characters: () =>
    ask(fakeService({ PAYMENTS: 'off' }), 'POST /chunk/structure', { body: form('a'.repeat(4_000_001)) }),
  answer_too_large: () => demo(fakeService({ MAX_ANSWER_BYTES: '1KiB' }), { body: form(paragraphs(100)) }),
  range_not_satisfiable: async () => {
    const service = fakeService();
    const { json } = await demo(service, { body: form(paragraphs(100)) });
    const path = new URL(String(json['download_url'])).pathname;
    return ask(service, `GET ${path}`, { headers: { 'accept-encoding': 'gzip', range: 'bytes=99999999-' } });
  },
  unsupported_media_type: () => demo(fakeService(), { body: '{}' }),
  rate_limited: async () => {
    const service = fakeService({ RATE_LIMIT: '1' });
    await demo(service);
    return demo(service);
  },
  quota_exceeded: async () => {
    const service = fakeService({ FREE_PAGES_PER_DAY: '1' });
    await demo(service);
    return demo(service);
  },
  too_many_misses: async () => {
    const service = fakeService();
    for (let guess = 0; guess < 60; guess++) await ask(service, 'GET /results/free_0123456789ab');
    return ask(service, 'GET /results/free_0123456789ab');
  },
  invalid_transfer: () => {
    const service = paidService();
    const payments = { ...service.payments, transfers: () => refusingTransfers };
    return ask({ ...service, payments }, 'POST /payment/send', { body: '{"transaction":"AA=="}' });
  },
  payment_required: () => paying(() => undefined),
  payment_malformed: () => paying(() => 'nonsense'),
  payment_not_found: () => paying(({ chain }) => chain.invent()),
  transaction_failed: () =>
    paying(({ chain }) => {
      const key = chain.invent();
      chain.say(key, { kind: 'failed' });
      return key;
    }),
  amount_too_low: () => paying(paid(1999n)),
  payment_too_old: () => paying(paid(2000n, { timeMs: NOW - 90_000_000 })),
  payment_already_used: () =>
    paying(async (service) => {
      const proof = service.chain.pay(2000n);
      await buy(service, proof, 'Another text.');
      return proof;
    }),
  bound_to_another_request: () => paying(paid(2000n, { boundTo: 'x'.repeat(43) })),
  binding_required: () => paying(paid(2000n), { PAYMENT_BINDING: 'require' }),
  identifier_already_used: () => paying(broken('identifier_already_used')),
  payment_refused: () => paying(broken('payment_refused')),
  payer_blocked: () =>
    paying(async ({ store, chain }) => {
      await store.blockPayer(PAYER);
      return chain.pay(2000n);
    }),
  payment_exhausted: () =>
    paying(async (service) => {
      const proof = service.chain.pay(2000n);
      for (let bad = 0; bad < 5; bad++) await buy(service, proof, '');
      return proof;
    }),
  result_expired: () =>
    paying(async (service) => {
      const proof = service.chain.pay(2000n);
      await buy(service, proof);
      service.clock.now += 60 * 60_000;
      return proof;
    }),
  payment_in_progress: () =>
    paying(async ({ store, chain }) => {
      const proof = chain.pay(2000n);
      await store.reserve(proof, 60_000);
      return proof;
    }),
  chain_unavailable: () => paying(broken('chain_unavailable')),
  facilitator_unavailable: () => paying(broken('facilitator_unavailable')),
  settlement_unknown: () => paying(broken('settlement_unknown')),
  payments_busy: () => paying(broken('payments_busy')),
  headers_too_large: () => raw(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
  internal_error: () => working(new Error('a defect')),
  busy: () =>
    demo(fakeService({}, { admission: createAdmission({ places: 0, bytes: 1, queue: 0, waitMs: 1 }) })),
  tier_unavailable: () => ask(fakeService(), 'POST /chunk/structure', upload),
  shutting_down: () => demo(fakeService({}, { phase: () => 'refusing' })),
  not_ready: () =>
    ask(
      fakeService(
        {},
        { store: { ...memoryStore(), ping: () => Promise.reject(new StoreError('unavailable')) } },
      ),
      'GET /ready',
    ),
  empty_document: () => demo(fakeService(), { body: form('') }),
  unsupported_type: () => extracting('unsupported_type'),
  corrupted: () => extracting('corrupted'),
  encrypted: () => extracting('encrypted'),
  wrong_password: () => extracting('wrong_password'),
  no_such_pages: () => extracting('no_such_pages'),
  no_text: () => working(new WorkError('no_text', 'A scan.', { limit: { pages: 3 } })),
  unreadable_scan: () =>
    working(new WorkError('unreadable_scan', 'Send a sharper scan.', { limit: { pages: 3 } })),
  too_many_scanned_pages: () => extracting('too_many_scanned_pages'),
  too_complex: () => working(new WorkError('too_complex', 'It took too long.')),
  too_large: () => demo(fakeService(), { ...upload, headers: { 'content-length': '100000000' } }),
  invalid_options: () =>
    working(
      new WorkError('invalid_options', 'x', {
        issues: [{ option: 'size', expected: 'an integer', received: 'x' }],
      }),
    ),
  ill_formed_text: () => working(new ChunkError('ill_formed_text', 'A lone surrogate.')),
  url_invalid: () => downloading('url_invalid'),
  url_forbidden: () => downloading('url_forbidden'),
  url_unreachable: () => downloading('url_unreachable'),
  url_status: () => downloading('url_status'),
  url_interrupted: () => downloading('url_interrupted'),
  url_too_large: () => downloading('url_too_large'),
  url_timeout: () => downloading('url_timeout'),
  url_redirects: () => downloading('url_redirects'),
  storage_full: () => storing('storage_full'),
  disk_full: () => storing('disk_full'),
  unavailable: () => storing('unavailable'),
};

/** Words that tell somebody what to do, or what would be right. */
const WAY_OUT =
  /\b(?:send|cut|choose|use|try|ask|wait|remove|run|check|pay|save|split|tell|lists|must be|accepted|can be used again)\b|\(.+ are\)/i;
/** Their messages are made up above, or x402's, which come with an offer. */
const OTHERS = [
  ...Object.keys(REASONS),
  ...[
    'invalid_transfer',
    'no_text',
    'too_complex',
    'ill_formed_text',
    'too_expensive',
    'completion_failed',
    'too_many_fallbacks',
  ],
];

// Codes of the packages below that no request can cause; one that comes nevertheless is a defect.
type Unreachable =
  'tier_needs_promise' | 'record_too_large' | 'not_covered' | 'grammar_unavailable' | 'wrong_decisions';

it('has a row for every code of the packages below', () => {
  expectTypeOf<ExtractErrorCode | Exclude<ChunkErrorCode, Unreachable>>().toExtend<ErrorCode>();
  expectTypeOf<
    Exclude<StoreErrorCode, `data_dir_${string}` | `database_${string}` | 'bucket_unusable'>
  >().toExtend<ErrorCode>();
});

describe('the code', () => {
  it.each(Object.entries(CASES))('%s has its status and the one shape', async (code, bringAbout) => {
    const { status, json } = await bringAbout();
    expect([json['code'], status]).toEqual([code, CODES[code as ErrorCode].status]);
    expect(json).toMatchObject({
      error: expect.any(String) as string,
      message: expect.any(String) as string,
      request_id: expect.any(String) as string,
    });
    expect(json['retryable']).toBe(CODES[code as ErrorCode].retryAfterS !== undefined);
    if (!OTHERS.includes(code)) expect(json['message']).toMatch(WAY_OUT);
  });

  it('invalid_options calls options as the wire does', async () => {
    expect((await CASES.invalid_options()).json['message']).toContain('chunk_size must be an integer');
  });

  it('no_text says how many pages the scan has', async () => {
    expect((await CASES.no_text()).json['limit']).toEqual({ pages: 3 });
  });

  it.each(['tier_needs_promise', 'toString'])(
    '%s of a part below is a defect, and tells the client nothing',
    async (code) => {
      const { status, json } = await working(new WorkError(code, 'inner words'));
      expect([status, json['code']]).toEqual([500, 'internal_error']);
      expect(json['message']).not.toContain('inner');
    },
  );
});
