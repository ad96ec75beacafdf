// A broken embedder costs nothing. A service on a socket, paid or free, requests vectors from an embedder that is down,
// slow or wrong. The answer is an error without chunks, and the same payment gets the chunks after the repair.
import { staticEmbedder } from '@grainline/models/embeddings';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WorkerPool } from '../../src/sandbox/index.ts';
import {
  type AnswerWith,
  BODY,
  type EmbeddingService,
  createEmbeddingPool,
  KEY,
  startEmbeddings,
  TEXT,
  vectors,
} from '../http/embedding-service.ts';
import { type SellingService, send, startSelling } from './selling.ts';

const PRICE = 4000n;
/** Ends the patience with the embedder, which is else not tried by the clock. */
let endPatience = (): void => undefined;

let embeddings: EmbeddingService;
let workerPool: WorkerPool;
let service: SellingService;
let answer: AnswerWith = () => undefined;

beforeAll(async () => {
  embeddings = await startEmbeddings((response, texts) => {
    answer(response, texts);
  });
  workerPool = await createEmbeddingPool(embeddings.environment, {
    timeout: () => {
      const late = new AbortController();
      endPatience = () => late.abort();
      return late.signal;
    },
  });
  service = await startSelling({ environment: embeddings.environment, workerPool });
});

afterAll(async () => {
  await service.stop();
  await workerPool.close();
  embeddings.stop();
});

beforeEach(() => {
  embeddings.requests.length = 0;
});

const soundVectors = async (texts: readonly string[]): Promise<unknown[][]> => {
  const found = await (await staticEmbedder())(texts, {});
  return found.vectors.map((vector) => Array.from(vector));
};
const sound: AnswerWith = (response, texts) =>
  void soundVectors(texts).then((list) => {
    vectors(response, list);
  });
const changed =
  (change: (list: unknown[][]) => unknown[]): AnswerWith =>
  (response, texts) =>
    void soundVectors(texts).then((list) => {
      vectors(response, change(list));
    });
const refusing =
  (status: number, retryAfter: string): AnswerWith =>
  (response) =>
    void response.writeHead(status, { 'retry-after': retryAfter }).end(`no: ${KEY}`);

interface Broken {
  readonly how: string;
  readonly answerWith: AnswerWith;
  readonly code: 'embedding_failed' | 'wrong_embeddings';
  /** How often it is asked before it is given up. */
  readonly tries: number;
}

/** Ways to be broken. */
const BROKEN: readonly Broken[] = [
  { how: 'hangs', answerWith: () => endPatience(), code: 'embedding_failed', tries: 1 },
  {
    how: 'hangs up',
    answerWith: (response) => response.destroy(),
    code: 'embedding_failed',
    tries: 4,
  },
  { how: 'fails by 500, always', answerWith: refusing(500, '0'), code: 'embedding_failed', tries: 4 },
  {
    how: 'has too many requests, always',
    answerWith: refusing(429, '0'),
    code: 'embedding_failed',
    tries: 4,
  },
  {
    how: 'asks to wait until tomorrow',
    answerWith: refusing(429, '86400'),
    code: 'embedding_failed',
    tries: 1,
  },
  { how: 'refuses the key', answerWith: refusing(401, '0'), code: 'embedding_failed', tries: 1 },
  {
    how: 'answers what is no JSON',
    answerWith: (response) => void response.end('{"data":[{"embedding":[NaN]}]}'),
    code: 'embedding_failed',
    tries: 1,
  },
  {
    how: 'answers one vector too few',
    answerWith: changed((list) => list.slice(1)),
    code: 'embedding_failed',
    tries: 1,
  },
  {
    how: 'answers a null, as JSON has NaN',
    answerWith: changed((list) => list.map((vector, at) => (at === 3 ? vector.with(7, null) : vector))),
    code: 'wrong_embeddings',
    tries: 1,
  },
  {
    how: 'answers one vector of another length',
    answerWith: changed((list) => list.map((vector, at) => (at === 3 ? vector.slice(1) : vector))),
    code: 'wrong_embeddings',
    tries: 1,
  },
  {
    how: 'answers zeros',
    answerWith: changed((list) => list.map((vector) => vector.map(() => 0))),
    code: 'wrong_embeddings',
    tries: 1,
  },
];

/** A request whose sentences no other test has, so that none of their vectors is known. */
const requestOf = (name: string, fields: object = {}): string =>
  JSON.stringify({ ...BODY, text: TEXT.replaceAll('times', `times, ${name},`), ...fields });

describe.each(BROKEN)('an embedder that $how', ({ how, answerWith, code, tries }) => {
  it(`is ${code}, and the payment buys the chunks once it is mended`, async () => {
    answer = answerWith;
    const request = requestOf(how);
    const proof = service.chain.pay(PRICE);
    const failed = await send(service, '/chunk', request, proof);
    expect([failed.status, failed.json]).toMatchObject([
      503,
      { code, retryable: true, payment: { reusable: true } },
    ]);
    expect(failed.json).not.toHaveProperty('chunks');
    expect(failed.text).not.toContain(KEY);
    expect(embeddings.requests).toHaveLength(tries);
    answer = sound;
    const bought = await send(service, '/chunk', request, proof);
    expect(bought.status).toBe(200);
    const texts = (bought.json['chunks'] as { text: string }[]).map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.join(' ')).toBe((JSON.parse(request) as typeof BODY).text);
    // And it buys nothing else.
    expect((await send(service, '/chunk', requestOf(`not ${how}`), proof)).status).toBe(402);
  });
});

it('an embedder with too many requests for a moment is asked again when it says, and the document is paid once', async () => {
  let refused = 0;
  answer = (response, texts) => {
    if (refused++ < 2) refusing(429, '0')(response, texts);
    else sound(response, texts);
  };
  const request = requestOf('for a moment', { embeddings: false });
  expect((await send(service, '/chunk', request, service.chain.pay(PRICE))).status).toBe(200);
  expect(embeddings.requests).toHaveLength(3);
  expect(new Set(embeddings.requests.map(({ texts }) => texts.join()))).toHaveLength(1);
});

it('a broken embedder is an error without payments too, and the next request is served', async () => {
  const environment = { ...embeddings.environment, PAYMENTS: 'off' };
  const free = await startSelling({ environment, workerPool });
  try {
    answer = changed((list) => list.slice(1));
    const request = requestOf('for nothing');
    const failed = await send(free, '/chunk', request);
    expect([failed.status, failed.json]).toMatchObject([503, { code: 'embedding_failed', retryable: true }]);
    expect(failed.json).not.toHaveProperty('chunks');
    answer = sound;
    expect((await send(free, '/chunk', request)).status).toBe(200);
  } finally {
    await free.stop();
  }
});
