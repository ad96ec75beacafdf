// Nodes that are down, slow, busy, broken or lying, on real sockets: the pool's answers, and the payer's errors.
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/gate/chain.ts';
import { createRpcEndpoint, type Timers } from '../../src/chains/solana/endpoint.ts';
import { createSolanaChain, SOLANA_NETWORKS, SolanaInputError } from '../../src/chains/solana/index.ts';
import { PaymentProblem } from '../../src/gate/reasons.ts';
import { KEY, PAYER, PAY_TO, ours, payment, signature, theirs, type Payment } from './answers.ts';
import {
  LIMITS,
  breaksOff,
  fails,
  floods,
  hangs,
  refuses,
  says,
  startNode,
  testTime,
  writes,
  type Behaviour,
  type TestNode,
  type TestTime,
} from './nodes.ts';

const NEVER = new AbortController().signal;
const FOUND: Finding = {
  kind: 'found',
  payer: PAYER,
  credited: 5_000n,
  slot: 300n,
  memos: [],
  timeMs: 1_700_000_000_000,
};

const honest = says({ getTransaction: payment() });
const ignorant = says({ getTransaction: null });
const answering = (changes: Payment): Behaviour => says({ getTransaction: payment(changes) });
const richer = answering({ after: [ours(99_000_000n), theirs(0n)] });

async function chainOver(nodes: readonly TestNode[], quorum: number, time: TestTime = testTime()) {
  return createSolanaChain({
    network: SOLANA_NETWORKS['solana-mainnet'],
    payTo: PAY_TO,
    endpoints: nodes.map(({ url }) => url),
    quorum,
    now: time.now,
    timers: time.timers,
    limits: LIMITS,
  });
}

const start = (...behaviours: readonly Behaviour[]) => Promise.all(behaviours.map(startNode));

/** The URL of a closed port. */
async function closedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/?api-key=secret`;
}

async function problemOf(query: Promise<unknown>): Promise<PaymentProblem> {
  const error: unknown = await query.catch((thrown: unknown) => thrown);
  if (!(error instanceof PaymentProblem)) throw new Error(`No problem: ${JSON.stringify(error)}`);
  expect(error.message).not.toMatch(/127|secret/);
  expect(String((error.cause as Error | undefined)?.message)).not.toMatch(/127|secret/);
  return error;
}

describe('one endpoint', () => {
  it('answers an honest claim in one call, and in two when it knows no block time yet', async () => {
    const [node] = await start(honest);
    const chain = await chainOver([node!], 1);
    expect(await chain.find(KEY, { waitMs: 2_000, signal: NEVER })).toEqual(FOUND);
    expect(node!.calls).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'getTransaction',
        params: [KEY, { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 1 }],
      },
    ]);

    node!.behave(says({ getTransaction: payment({ blockTime: null }), getBlockTime: 1_700_000_001 }));
    expect(await chain.find(KEY, { waitMs: 0, signal: NEVER })).toEqual({
      ...FOUND,
      timeMs: 1_700_000_001_000,
    });
    expect(node!.calls.map(({ method }) => method)).toEqual([
      'getTransaction',
      'getTransaction',
      'getBlockTime',
    ]);
  });

  it.each<[string, Behaviour]>([
    ['answers 500', refuses(500)],
    ['redirects', refuses(302, { location: 'http://127.0.0.1:1/' })],
    ['answers 429', refuses(429)],
    ['says that it is busy', fails(-32_005)],
    ['does not give the version', fails(-32_015)],
    ['writes no JSON', writes('<html>Bad gateway</html>')],
    ['writes nothing', writes('')],
    ['writes a list', writes('[1]')],
    ['writes neither result nor error', writes('{"jsonrpc":"2.0","id":1}')],
    ['breaks off', breaksOff],
    ['closes the connection', (_, response) => response.destroy()],
    ['floods', floods],
    ['gives no meta', says({ getTransaction: { ...payment(), meta: null } })],
    ['gives half of the balances', answering({ before: [theirs(10_000n)] })],
    ['gives another transaction', answering({ signatures: ['5'.repeat(87)] })],
    ['knows no block time', says({ getTransaction: payment({ blockTime: null }), getBlockTime: null })],
  ])('is not believed, and nothing is refused, when it %s', async (_, behaviour) => {
    const [node] = await start(behaviour);
    const chain = await chainOver([node!], 1);
    const problem = await problemOf(chain.find(KEY, { waitMs: 0, signal: NEVER }));
    expect(problem).toMatchObject({ reason: 'chain_unavailable', status: 503, reusable: true });
    expect(problem.retryAfterS).toBeGreaterThan(0);
    expect(node!.calls.filter(({ method }) => method === 'getTransaction')).toHaveLength(LIMITS.tries);
  });

  it('is read up to the limit of bytes, and not one further', async () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: payment() });
    const [node] = await start(writes(text.padEnd(LIMITS.answerBytes)));
    const chain = await chainOver([node!], 1);
    expect(await chain.find(KEY, { waitMs: 0, signal: NEVER })).toEqual(FOUND);
    node!.behave(writes(text.padEnd(LIMITS.answerBytes + 1)));
    const problem = await problemOf(chain.find(KEY, { waitMs: 0, signal: NEVER }));
    expect((problem.cause as Error).message).toContain('oversized');
  });

  it('that is down is unavailable', async () => {
    const chain = await createSolanaChain({
      network: SOLANA_NETWORKS['solana-mainnet'],
      payTo: PAY_TO,
      endpoints: [await closedUrl()],
      quorum: 1,
      ...testTime(),
      limits: LIMITS,
    });
    expect(await problemOf(chain.find(KEY, { waitMs: 0, signal: NEVER }))).toMatchObject({ status: 503 });
  });

  it('that never answers is given up after its time', async () => {
    const [node] = await start(hangs);
    const chain = await chainOver([node!], 1, testTime({ callsTimeOut: true }));
    const problem = await problemOf(chain.find(KEY, { waitMs: 0, signal: NEVER }));
    expect((problem.cause as Error).message).toContain('timeout');
  });

  it('that recovers answers a later try', async () => {
    const [node] = await start(refuses(503));
    const time = testTime();
    const chain = await chainOver([node!], 1, time);
    const finding = chain.find(KEY, { waitMs: 0, signal: NEVER });
    node!.behave((call, response) => (node!.calls.length < 2 ? refuses(503) : honest)(call, response));
    expect(await finding).toEqual(FOUND);
  });

  it('is asked again while the payment is unknown, ever less often, until the time is over', async () => {
    const [node] = await start(ignorant);
    const time = testTime();
    const chain = await chainOver([node!], 1, time);
    expect(await chain.find(KEY, { waitMs: 0, signal: NEVER })).toEqual({ kind: 'unknown' });
    expect(node!.calls).toHaveLength(1);
    expect(await chain.find(KEY, { waitMs: 2_000, signal: NEVER })).toEqual({ kind: 'unknown' });
    expect(time.waits).toEqual([60, 120, 240, 480, 500, 500, 100]);

    const finding = chain.find(KEY, { waitMs: 2_000, signal: NEVER });
    node!.behave(honest);
    expect(await finding).toEqual(FOUND);
  });

  it('is no longer asked once the client is gone', async () => {
    const [node] = await start(hangs);
    const chain = await chainOver([node!], 1);
    const gone = new AbortController();
    const finding = chain.find(KEY, { waitMs: 2_000, signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(finding).rejects.toThrow('gone');
    await expect(chain.find(KEY, { waitMs: 0, signal: gone.signal })).rejects.toThrow('gone');
  });
});

describe('the pause of an endpoint', () => {
  it('follows repeated failures, and lasts until it answers', async () => {
    const [node] = await start(refuses(500));
    const time = testTime();
    const chain = await chainOver([node!], 1, time);
    const ask = () => chain.find(KEY, { waitMs: 0, signal: NEVER });
    await problemOf(ask());
    expect(node!.calls).toHaveLength(LIMITS.failures);
    // No endpoint is called, and the cause is known nevertheless.
    const spared = await problemOf(ask());
    expect((spared.cause as Error).message).toBe('RpcError: Endpoint 1: status (500).');
    expect(node!.calls).toHaveLength(LIMITS.failures);

    time.advance(LIMITS.coolMs);
    await problemOf(ask());
    time.advance(LIMITS.coolMs);
    await problemOf(ask());
    expect(node!.calls).toHaveLength(LIMITS.failures + 2);

    node!.behave(honest);
    time.advance(LIMITS.coolMs);
    expect(await ask()).toEqual(FOUND);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([FOUND, FOUND, FOUND]);
  });

  it('waits as long as a busy endpoint says, and tells the payer so', async () => {
    const [node] = await start(refuses(429, { 'retry-after': '30' }));
    const time = testTime();
    const chain = await chainOver([node!], 1, time);
    const problem = await problemOf(chain.find(KEY, { waitMs: 0, signal: NEVER }));
    expect(problem.retryAfterS).toBe(30);
    expect((problem.cause as Error).message).toContain('limited');
    expect(node!.calls).toHaveLength(1);
    node!.behave(honest);
    time.advance(30_000);
    expect(await chain.find(KEY, { waitMs: 0, signal: NEVER })).toEqual(FOUND);
  });

  it.each([401, 403])('names the cause of status %d', async (status) => {
    const [node] = await start(refuses(status));
    const chain = await chainOver([node!], 1);
    const problem = await problemOf(chain.find(KEY, { waitMs: 0, signal: NEVER }));
    expect(problem).toMatchObject({ reason: 'chain_unavailable', status: 503, reusable: true });
    expect((problem.cause as Error).message).toBe(
      `RpcError: Endpoint 1: denied (${status} for ${node!.calls[0]?.method}: the key in its URL is missing, wrong or used up, or it does not serve this method or this machine).`,
    );
  });

  it('names those that are spared where too few are left to agree', async () => {
    const nodes = await start(refuses(500), honest);
    const chain = await chainOver(nodes, 2);
    const causes: unknown[] = [];
    for (let times = 0; times < LIMITS.failures + 1; times++)
      causes.push((await problemOf(chain.find(KEY, { waitMs: 0, signal: NEVER }))).cause);
    expect(causes.map(String)).toEqual(
      causes.map(() => 'AggregateError: RpcError: Endpoint 1: status (500).'),
    );
  });

  it('is not begun by a method that is denied', async () => {
    const [node] = await start(refuses(403));
    const time = testTime();
    const endpoint = createRpcEndpoint(1, node!.url, { fetch, limits: LIMITS, ...time });
    for (let times = 0; times <= LIMITS.failures; times++)
      await expect(endpoint.call('getHealth', [], NEVER)).rejects.toThrow('denied (403 for getHealth: ');
    expect(endpoint.pause()).toBeNull();
  });

  it('asks another endpoint in place of one that denies us', async () => {
    const nodes = await start(refuses(403), honest);
    const chain = await chainOver(nodes, 1);
    expect(await chain.find(KEY, { waitMs: 0, signal: NEVER })).toEqual(FOUND);
    expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 1]);
  });

  it('is not begun by odd questions', async () => {
    const [node] = await start(fails(-32_015));
    const chain = await chainOver([node!], 1);
    for (let times = 0; times < 3; times++) await problemOf(chain.find(KEY, { waitMs: 0, signal: NEVER }));
    node!.behave(honest);
    expect(await chain.find(KEY, { waitMs: 0, signal: NEVER })).toEqual(FOUND);
  });
});

describe('several endpoints', () => {
  it('are asked one after another as they fail, the first one first', async () => {
    const nodes = await start(refuses(500), breaksOff, honest);
    const chain = await chainOver(nodes, 1);
    expect(await chain.find(KEY, { waitMs: 0, signal: NEVER })).toEqual(FOUND);
    expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 1, 1]);
  });

  it('are asked no more than needed', async () => {
    const nodes = await start(honest, honest, honest);
    await (await chainOver(nodes, 1)).find(KEY, { waitMs: 0, signal: NEVER });
    expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 0, 0]);
    await (await chainOver(nodes, 2)).find(KEY, { waitMs: 0, signal: NEVER });
    expect(nodes.map(({ calls }) => calls.length)).toEqual([2, 1, 0]);
  });

  it('stand in for one that never answers', async () => {
    const nodes = await start(hangs, honest);
    const time = testTime();
    let calls = 0;
    // The first call times out at once, the others never do.
    const wait: Timers['wait'] = (ms, signal) =>
      ms === LIMITS.callMs && calls++ === 0 ? Promise.resolve() : time.timers.wait(ms, signal);
    const chain = await chainOver(nodes, 1, { ...time, timers: { wait } });
    expect(await chain.find(KEY, { waitMs: 0, signal: NEVER })).toEqual(FOUND);
  });

  it('know a payment that the first one does not know yet', async () => {
    const chain = await chainOver(await start(ignorant, honest), 1);
    expect(await chain.find(KEY, { waitMs: 2_000, signal: NEVER })).toEqual(FOUND);
  });

  it('know a payment that the first one does not know yet, in a crowd too', async () => {
    const knowing = (known: boolean): Behaviour =>
      says({
        getTransaction: (key: string) => (known && key === KEY ? payment() : null),
        getSignatureStatuses: (keys: string[]) => ({
          value: keys.map((key) => (known && key === KEY ? { confirmationStatus: 'confirmed' } : null)),
        }),
      });
    const chain = await chainOver(await start(knowing(false), knowing(true)), 1);
    const strangers = Array.from({ length: 20 }, (_, index) => signature(100 + index));
    // The waits of each one move the clock of all.
    const waitMs = 2_000 * strangers.length;
    const findings = [...strangers, KEY].map((key) => chain.find(key, { waitMs, signal: NEVER }));
    expect((await Promise.all(findings)).at(-1)).toEqual(FOUND);
  });

  it.each<[string, Behaviour]>([
    ['invents a payment', richer],
    ['hides a payment', ignorant],
    ['calls it failed', answering({ err: 'AccountInUse' })],
    [
      'names another payer',
      answering({ keys: ['7'.repeat(44), ...payment().transaction.message.accountKeys.slice(1)] }),
    ],
    ['moves it in time', answering({ blockTime: 1_800_000_000 })],
    ['adds a memo', answering({ memos: ['chunk:1:'] })],
  ])('outvote a single one that %s, wherever it stands', async (_, lying) => {
    for (let place = 0; place < 3; place++) {
      const nodes = await start(...[0, 1, 2].map((index) => (index === place ? lying : honest)));
      const chain = await chainOver(nodes, 2);
      expect(await chain.find(KEY, { waitMs: 0, signal: NEVER })).toEqual(FOUND);
    }
  });

  it('outvote a single one that knows a payment that does not exist', async () => {
    for (let place = 0; place < 3; place++) {
      const nodes = await start(...[0, 1, 2].map((index) => (index === place ? richer : ignorant)));
      const chain = await chainOver(nodes, 2);
      expect(await chain.find(KEY, { waitMs: 0, signal: NEVER })).toEqual({ kind: 'unknown' });
    }
  });

  it('pass nothing when one lies and another is down', async () => {
    for (const others of [
      [richer, ignorant, hangs],
      [richer, refuses(500), honest],
      [richer, fails(-32_000), writes('{')],
    ]) {
      const chain = await chainOver(await start(...others), 2, testTime({ callsTimeOut: true }));
      expect(await problemOf(chain.find(KEY, { waitMs: 0, signal: NEVER }))).toMatchObject({ status: 503 });
    }
  });

  it('that contradict each other are not believed', async () => {
    const chain = await chainOver(await start(honest, richer), 2);
    const problem = await problemOf(chain.find(KEY, { waitMs: 1_000, signal: NEVER }));
    expect(problem.message).toContain('not the same');
  });

  it('that do not know it alike yet are asked until they do', async () => {
    const nodes = await start(honest, ignorant);
    nodes[1]!.behave((call, response) => (nodes[1]!.calls.length < 4 ? ignorant : honest)(call, response));
    expect(await (await chainOver(nodes, 2)).find(KEY, { waitMs: 2_000, signal: NEVER })).toEqual(FOUND);
  });
});

describe('settings', () => {
  it('are refused with everything that is wrong with them, and without the secrets in URLs', async () => {
    const settings = {
      network: SOLANA_NETWORKS['solana-devnet'],
      payTo: 'me',
      mint: 'gold',
      endpoints: ['ftp://x/?api-key=secret', 'secret'],
      quorum: 3,
      ...testTime(),
    };
    const error: unknown = await createSolanaChain(settings).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SolanaInputError);
    expect((error as SolanaInputError).issues).toHaveLength(5);
    expect((error as Error).message).not.toContain('secret');
    const twice = ['http://one', 'http://one'];
    await expect(
      createSolanaChain({ ...settings, payTo: PAY_TO, mint: PAYER, endpoints: twice, quorum: 2 }),
    ).rejects.toThrow('twice');
  });
});
