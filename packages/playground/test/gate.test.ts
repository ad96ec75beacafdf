// The gate with nothing made up around it: a chain that runs the real token program, a facilitator and clients of the
// official packages, HTTP between all of them.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createFacilitator,
  createGate,
  createMemoryLedger,
  fingerprint,
  type Gate,
  type Ledger,
  type MemoryLedger,
  PaymentProblem,
  systemClock,
} from '@grainline/x402';
import { createSolanaChain, SOLANA_NETWORKS, USDC_DECIMALS, x402NamesOf } from '@grainline/x402/solana';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAINNET_GENESIS_HASH, USDC_MINT } from '../src/chain/addresses.ts';
import type { FacilitatorFailure } from '../src/facilitator.ts';
import { type Playground, startPlayground } from '../src/playground.ts';
import { officialProof, rpcOf, sendAndConfirm, sign, transfer } from './paying.ts';

const PRICE = 4_000n;
let playground: Playground;
let ledger: MemoryLedger;
let gate: Gate;
let shop: Server;
let url: string;
let work: string[];

beforeEach(async () => {
  playground = await startPlayground({ chain: { slotMs: 20 } });
  ledger = createMemoryLedger({ now: systemClock.now, createToken: () => crypto.randomUUID() });
  gate = await open();
  work = [];
  shop = createServer((request, response) => {
    const path = request.url ?? '/';
    void serve(path, request.headers).then(({ status, headers, body }) => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    });
  });
  shop.listen(0, '127.0.0.1');
  await once(shop, 'listening');
  url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await playground.stop();
  shop.closeAllConnections();
  shop.close();
});

/** A gate as a process opens it; the ledger outlives it. */
async function open(remembers: Ledger = ledger, leaseMs = 5_000): Promise<Gate> {
  const network = SOLANA_NETWORKS['solana-localnet'];
  const chain = await createSolanaChain({
    network,
    payTo: playground.payTo.address,
    mint: USDC_MINT,
    endpoints: [playground.chain.url],
    quorum: 1,
    now: systemClock.now,
    timers: systemClock,
  });
  const facilitator = createFacilitator({ url: playground.facilitator.url, fetch: fetchUntilUnanswered });
  await facilitator.refresh(new AbortController().signal);
  return createGate({
    chain,
    ledger: remembers,
    facilitator,
    network: { name: network.id, ...x402NamesOf(MAINNET_GENESIS_HASH) },
    asset: { decimals: USDC_DECIMALS },
    policy: { waitMs: 3_000, leaseMs, maxAgeMs: 86_400_000, notBeforeMs: 0, binding: 'offer' },
  });
}

/**
 * Gives a call up when it is known that no answer comes, and not by the clock, which a busy machine does not keep to.
 */
function fetchUntilUnanswered(...[url, init = {}]: Parameters<typeof fetch>): Promise<Response> {
  const given = new AbortController();
  void playground.facilitator.nextUnanswered().then(() => given.abort());
  const signals = [given.signal, ...(init.signal == null ? [] : [init.signal])];
  return fetch(url, { ...init, signal: AbortSignal.any(signals) });
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

async function serve(
  path: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Promise<Answer> {
  const { signal } = new AbortController();
  const wanted = { product: 'saying', price: PRICE, fingerprint: await fingerprint({ path }) };
  try {
    const proof = gate.parse(headers);
    if (proof === null) throw new PaymentProblem('payment_required');
    const claim = await gate.verify(await gate.reserve(proof, [PRICE], signal), PRICE, signal);
    const bound = await gate.bind(claim, wanted);
    const key = bound.kind === 'run' ? bound.leased.key : bound.key;
    if (bound.kind === 'run') {
      work.push(path);
      await ledger.spend(bound.leased.lease, 'consumed');
    }
    const payer = (await ledger.get(key))?.payment?.payer ?? '';
    return { status: 200, headers: gate.receipt(key, payer), body: { bought: path, payer, key } };
  } catch (problem) {
    if (!(problem instanceof PaymentProblem)) throw problem;
    const offer = gate.offer(
      { ...wanted, description: 'A saying' },
      { resource: `${url}${path}`, mimeType: 'application/json', binding: wanted },
    );
    const body = {
      error: 'Payment Required',
      code: problem.reason,
      message: problem.message,
      ...offer.members,
    };
    return { status: problem.status, headers: offer.headers, body };
  }
}

async function received(): Promise<bigint> {
  const account = rpcOf(playground.chain).getTokenAccountBalance(playground.payTo.usdcAccount, {
    commitment: 'confirmed',
  });
  return BigInt((await account.send()).value.amount);
}

const NONE: Readonly<Record<string, string>> = {};
const get = async (
  path: string,
  headers = NONE,
): Promise<{ status: number; body: Record<string, unknown> }> => {
  const response = await fetch(`${url}${path}`, { headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

/** The header with which the official client answers a 402. */
async function officialHeaders(path: string, version: 1 | 2): Promise<Record<string, string>> {
  return officialProof(playground, playground.payers[0]!, await fetch(`${url}${path}`), version);
}

describe('a gate on the play chain', () => {
  it.each([1, 2] as const)('is paid by the official client of version %d', async (version) => {
    const headers = await officialHeaders('/a', version);
    const first = await get('/a', headers);
    expect(first).toMatchObject({
      status: 200,
      body: { bought: '/a', payer: playground.payers[0]!.address },
    });
    expect(await get('/a', headers)).toMatchObject({ status: 200 });
    expect(await get('/b', headers)).toMatchObject({ status: 402, body: { code: 'payment_already_used' } });
    expect(await get('/a', { 'x-payment': first.body['key'] as string })).toMatchObject({ status: 200 });
    expect(work).toEqual(['/a']);
    expect(await received()).toBe(PRICE);
  });

  it('is paid by a signature', async () => {
    const { signer } = playground.payers[0]!;
    const transaction = await sign(rpcOf(playground.chain), signer, [
      await transfer(signer, playground.payTo.address, PRICE),
    ]);
    const key = await sendAndConfirm(playground.chain, transaction);
    expect(await get('/a', { 'x-payment': key })).toMatchObject({ status: 200 });
    expect(await get('/a', { 'x-payment': ` ${key} ` })).toMatchObject({ status: 200 });
    expect(await get('/b', { 'x-payment': key })).toMatchObject({
      status: 402,
      body: { code: 'payment_already_used' },
    });
    expect(work).toEqual(['/a']);
  });

  const after: FacilitatorFailure['kind'][] = [
    'dies-after-broadcast',
    'hangs-after-broadcast',
    'broken-after-broadcast',
  ];
  it.each(after)('loses nothing when the facilitator %s', async (kind) => {
    const headers = await officialHeaders('/a', 2);
    playground.facilitator.fail({ kind, on: 'settle' });
    let answer = await get('/a', headers);
    for (let tries = 0; answer.status === 503 && tries < 5; tries++) answer = await get('/a', headers);
    expect(answer).toMatchObject({ status: 200 });
    expect(work).toEqual(['/a']);
    expect(await received()).toBe(PRICE);
  });

  it.each(['refuses', 'down', 'broken', 'hangs'] as const)(
    'takes nothing when the facilitator %s',
    async (kind) => {
      const headers = await officialHeaders('/a', 2);
      playground.facilitator.fail({ kind, on: 'verify' });
      const status = kind === 'refuses' ? 402 : 503;
      const code = kind === 'refuses' ? 'payment_refused' : 'facilitator_unavailable';
      expect(await get('/a', headers)).toMatchObject({ status, body: { code } });
      expect(await received()).toBe(0n);
      playground.facilitator.fail(null);
      expect(await get('/a', headers)).toMatchObject({ status: 200 });
      expect(await received()).toBe(PRICE);
    },
  );

  it('finds what was settled before a crash', async () => {
    const headers = await officialHeaders('/a', 1);
    // Dies when everything is settled and nothing of it is written.
    const dead = await open({ ...ledger, endIntent: () => new Promise<never>(() => undefined) }, 300);
    const proof = dead.parse({ 'x-payment': headers['X-PAYMENT'] });
    if (proof === null) throw new Error('no proof');
    // It may still ask when the chain has ended.
    dead.reserve(proof, [PRICE], new AbortController().signal).catch(() => undefined);
    await expect.poll(received).toBe(PRICE);
    expect(await get('/a', headers)).toMatchObject({ status: 200 });
    expect(await received()).toBe(PRICE);
    expect(playground.facilitator.calls).toMatchObject({ settle: 1 });
  });
});
