// Both ends of a paying request, for tests: a server on a real socket that sells answers by the 402 protocol with
// scheduled failures, and a wallet on a private chain.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CanonicalRequest, fingerprint, memoOf } from '../../src/gate/binding.ts';
import type { Clock } from '../../src/gate/clock.ts';
import { PayingError } from '../../src/client/errors.ts';
import { USDC } from '../../src/chains/solana/usdc.ts';
import type { Pay, PaymentOrder } from '../../src/client/pay.ts';

/** The treatment of one paid request in place of an honest answer. */
export type SellerFailure =
  /** The connection ends before a byte of the answer. */
  | 'drop'
  /** The answer breaks off in its middle, after the work was done. */
  | 'break off'
  | 'busy'
  | 'fault'
  | 'not found yet'
  | 'rate limit'
  /** The price has risen since the offer. */
  | 'dearer'
  /** The offer names another recipient. */
  | 'other recipient'
  /** The request can never succeed, and the payment is released. */
  | 'unreadable'
  /** The request has failed too often. */
  | 'exhausted';

export const PAY_TO = '7Y8wTqCYGdYX4TwLBDQvVVfxR5oBVb6zqLzGQFuP7r4W';
export const THIEF = 'HN7cABqLq46Es1jh92dQQisAq662SmxELLLsHHe4YWrH';

/** Transfers by signature. */
export type PlainChain = Map<string, PaymentOrder>;

/** The checked part of a transfer. */
export type Transfer = Pick<PaymentOrder, 'payTo' | 'amount' | 'memo'>;

/** The server's view of the chain. */
export interface Lookup {
  get(signature: string): Transfer | undefined | Promise<Transfer | undefined>;
}

export interface Seller {
  readonly url: string;
  /** The proofs of the requests, in order. */
  readonly requests: (string | null)[];
  /** Number of answers for each payment, by signature. */
  readonly sold: Map<string, number>;
  /** Failures of the next paid requests, in order; then honest answers. */
  failures: SellerFailure[];
  /** Replaces the body of the offer. */
  offer: (honest: Record<string, unknown>) => unknown;
  /** When false, the server does not keep a paid answer. */
  keeps: boolean;
  price: bigint;
  payTo: string;
  network: string;
  close(): Promise<void>;
}

const TEMPLATE = {
  deployment: 'test',
  options: { chunk_size: '1000', output_format: 'raw' },
} satisfies CanonicalRequest;

/** Starts a server that sells an answer to any POST for `price`. */
export async function openSeller(chain: Lookup): Promise<Seller> {
  const seller: Seller = {
    url: '',
    requests: [],
    sold: new Map(),
    failures: [],
    offer: (honest) => honest,
    keeps: true,
    price: 4000n,
    payTo: PAY_TO,
    network: 'solana-mainnet',
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const used = new Map<string, string>();
  const server = createServer((request, response) => {
    void answer(request, response, { seller, chain, used });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return Object.assign(seller, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

interface Shop {
  readonly seller: Seller;
  readonly chain: Lookup;
  /** Memo of the request that each payment has bought. */
  readonly used: Map<string, string>;
}

async function answer(request: IncomingMessage, response: ServerResponse, shop: Shop): Promise<void> {
  const { seller, used } = shop;
  const bytes = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
  const proof = (request.headers['x-payment'] as string | undefined) ?? null;
  seller.requests.push(proof);
  const wanted = await bound(request, bytes);
  const reply = (status: number, body: object, headers: Record<string, string> = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
  const reject = (code: string, more: object = {}): void =>
    reply(402, { error: 'Payment Required', code, message: `Refused: ${code}.`, ...more });
  if (proof === null) {
    reply(402, { error: 'Payment Required', code: 'payment_required', ...offered(seller, wanted) });
    return;
  }
  const failure = seller.failures.shift();
  const replies: Record<Exclude<SellerFailure, 'break off'>, () => void> = {
    drop: () => request.socket.destroy(),
    busy: () => reply(503, { code: 'chain_unavailable' }, { 'retry-after': '2' }),
    fault: () => reply(500, { code: 'internal' }),
    'rate limit': () => reply(429, { code: 'rate_limited' }, { 'retry-after': '1' }),
    'not found yet': () => reply(402, { code: 'payment_not_found', retryable: true }, { 'retry-after': '2' }),
    unreadable: () => reply(422, { code: 'corrupted', message: 'It is damaged.' }),
    exhausted: () => reply(409, { code: 'payment_exhausted', message: 'Tried too often.' }),
    dearer: () => reject('amount_too_low', offered({ ...seller, price: 9000n }, wanted)),
    'other recipient': () => {
      const offer = (honest: Record<string, unknown>): object => ({ ...honest, payTo: THIEF });
      reject('payment_required', offered({ ...seller, offer }, wanted));
    },
  };
  if (failure !== undefined && failure !== 'break off') {
    replies[failure]();
    return;
  }
  const refusal = await refusalOf(proof, wanted, shop);
  if (refusal === 'result_expired') reply(410, { code: refusal, message: 'Gone.' });
  else if (refusal !== null) reject(refusal, { retryable: refusal === 'payment_not_found' });
  if (refusal !== null) return;
  used.set(proof, wanted.memo);
  const text = JSON.stringify({ success: true, bought: wanted.memo });
  if (failure === 'break off') {
    response.writeHead(200, { 'content-length': String(text.length) }).write(text.slice(0, 8), () => {
      request.socket.destroy();
    });
    return;
  }
  seller.sold.set(proof, (seller.sold.get(proof) ?? 0) + 1);
  reply(200, { success: true, bought: wanted.memo });
}

/** The honest verdict on a proof. */
async function refusalOf(
  proof: string,
  { memo }: Wanted,
  { seller, chain, used }: Shop,
): Promise<string | null> {
  const paid = await chain.get(proof);
  if (paid === undefined) return 'payment_not_found';
  if (paid.payTo !== seller.payTo || paid.amount < seller.price) return 'amount_too_low';
  if (paid.memo.startsWith('chunk:1:') && paid.memo !== memo) return 'bound_to_another_request';
  const before = used.get(proof);
  if (before === undefined) return null;
  if (before !== memo) return 'payment_already_used';
  return seller.keeps ? null : 'result_expired';
}

interface Wanted {
  readonly memo: string;
  readonly isUpload: boolean;
}

/** The canonical request, from the bytes on the wire. */
async function bound(request: IncomingMessage, bytes: Buffer<ArrayBuffer>): Promise<Wanted> {
  const type = request.headers['content-type'] ?? '';
  const isUpload = type.startsWith('multipart/form-data');
  if (!isUpload) {
    const memo = memoOf(await fingerprint({ path: request.url ?? '', body: sha256(bytes) }));
    return { memo, isUpload };
  }
  // Its bounds are those of this test's own forms, which is why it may be used here.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  const options: Record<string, string> = { ...TEMPLATE.options };
  let tier = 'structure';
  let source: CanonicalRequest = {};
  for (const [name, value] of form) {
    if (typeof value !== 'string')
      source = { file_sha256: sha256(Buffer.from(await value.arrayBuffer())), filename: value.name };
    else if (name === 'tier') tier = value;
    else options[name] = value;
  }
  return { memo: memoOf(await fingerprint({ ...TEMPLATE, tier, options, source })), isUpload };
}

function offered({ price, offer, payTo, network }: Seller, { memo, isUpload }: Wanted): object {
  const request = { ...TEMPLATE, tier: 'structure' };
  const honest = {
    x402Version: 1,
    scheme: 'exact',
    network,
    maxAmountRequired: price.toString(),
    asset: USDC['solana-mainnet'],
    payTo,
    description: 'structure',
    extra: isUpload
      ? { binding: { prefix: 'chunk:1:', algorithm: 'SHA-256 of the request as JSON', request } }
      : { memo, decimals: 6 },
  };
  return { paymentRequirements: offer(honest) };
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The end of one call of the wallet. */
export type WalletBehaviour =
  | 'pays'
  /** The user declines. */
  | 'declines'
  /** It fails before it sends. */
  | 'fails before'
  /** It fails after it sent the transaction. */
  | 'fails after'
  /** It fails after it sent the transaction, which is included only once the wallet searches. */
  | 'fails, lands later';

export interface TestWallet {
  readonly pay: Pay;
  /** Behaviours of the next calls, in order; then it pays. */
  behaviours: WalletBehaviour[];
  readonly orders: PaymentOrder[];
}

/** A wallet that broadcasts by itself; with `find` it searches its payments. */
export function createWallet(chain: PlainChain, clock: Clock, canFind = true): TestWallet {
  const late: [string, PaymentOrder][] = [];
  const wallet: { behaviours: WalletBehaviour[]; orders: PaymentOrder[] } = { behaviours: [], orders: [] };
  const pay: Pay = (order) => {
    wallet.orders.push(order);
    const behaviour = wallet.behaviours.shift() ?? 'pays';
    if (behaviour === 'declines')
      return Promise.reject(new PayingError('payment_failed', { detail: 'the user declined' }));
    if (behaviour === 'fails before') return Promise.reject(new Error('the wallet crashed'));
    const signature = `Sig${String(wallet.orders.length).padStart(61, '1')}`;
    if (behaviour === 'fails, lands later') late.push([signature, order]);
    else chain.set(signature, order);
    return behaviour === 'pays'
      ? Promise.resolve(signature)
      : Promise.reject(new Error('the wallet timed out'));
  };
  const find: Pay['find'] = ({ memo }, attempts, { spent }) => {
    const hit = [...chain].find(([signature, order]) => order.memo === memo && !spent.includes(signature));
    if (hit !== undefined) return Promise.resolve({ kind: 'paid', signature: hit[0] });
    for (const [signature, order] of late.splice(0)) chain.set(signature, order);
    const began = Math.max(...attempts.map(({ beganMs }) => beganMs));
    if (clock.now() - began > 300_000 && late.length === 0) return Promise.resolve({ kind: 'unpaid' });
    return Promise.resolve({ kind: 'unknown', detail: 'it may still come' });
  };
  return Object.assign(wallet, { pay: canFind ? Object.assign(pay, { find }) : pay });
}

/** A clock whose waits end at once and move the time. */
export function createJumpingClock(): Clock & { skip(ms: number): void; readonly waits: number[] } {
  let now = 1_700_000_000_000;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    skip: (ms) => void (now += ms),
    wait: async (ms, signal) => {
      waits.push(ms);
      now += ms;
      // A real turn of the loop, so that sockets continue and an abort can come in between.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return;
    },
  };
}
