// Both ends of a paying request, for its tests: a server on a real socket that sells answers by the 402 protocol and
// fails as it is told, and a wallet whose transactions only the two of them know.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CanonicalRequest, fingerprint, memoOf } from '../../src/binding.ts';
import type { Clock } from '../../src/client/clock.ts';
import { PayingError } from '../../src/client/errors.ts';
import { USDC } from '../../src/client/offer.ts';
import type { Pay, PaymentOrder } from '../../src/client/pay.ts';

/** What happens to one request with a payment, in the place of an honest answer. */
export type Fault =
  /** The connection ends before a byte of the answer. */
  | 'drop'
  /** The answer breaks off in its middle; the work was done. */
  | 'break off'
  | 'busy'
  | 'fault'
  | 'not found yet'
  | 'rate limit'
  /** The price has risen since the offer. */
  | 'dearer'
  /** Another address wants the money now. */
  | 'other recipient'
  /** The request can never succeed; the payment is given back. */
  | 'unreadable'
  /** And that too often. */
  | 'exhausted';

export const PAY_TO = '7Y8wTqCYGdYX4TwLBDQvVVfxR5oBVb6zqLzGQFuP7r4W';
export const THIEF = 'HN7cABqLq46Es1jh92dQQisAq662SmxELLLsHHe4YWrH';

/** What was transferred, by signature. */
export type PlainChain = Map<string, PaymentOrder>;

/** Of a transfer, what the server looks at. */
export type Transfer = Pick<PaymentOrder, 'payTo' | 'amount' | 'memo'>;

/** Where the server looks a signature up. */
export interface Lookup {
  get(signature: string): Transfer | undefined | Promise<Transfer | undefined>;
}

export interface Seller {
  readonly url: string;
  /** Requests as they came: what proof they had. */
  readonly requests: (string | null)[];
  /** Answers that were given for a payment, by signature. */
  readonly sold: Map<string, number>;
  /** Faults of the next requests with a payment, in order; then honest ones. */
  faults: Fault[];
  /** Replaces the body of the offer. */
  offer: (honest: Record<string, unknown>) => unknown;
  /** When false, an answer that was bought is not kept. */
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
    faults: [],
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
  /** Memo of the request that a payment has bought. */
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
  const refuse = (code: string, more: object = {}): void =>
    reply(402, { error: 'Payment Required', code, message: `Refused: ${code}.`, ...more });
  if (proof === null) {
    reply(402, { error: 'Payment Required', code: 'payment_required', ...offered(seller, wanted) });
    return;
  }
  const fault = seller.faults.shift();
  const replies: Record<Exclude<Fault, 'break off'>, () => void> = {
    drop: () => request.socket.destroy(),
    busy: () => reply(503, { code: 'chain_unavailable' }, { 'retry-after': '2' }),
    fault: () => reply(500, { code: 'internal' }),
    'rate limit': () => reply(429, { code: 'rate_limited' }, { 'retry-after': '1' }),
    'not found yet': () => reply(402, { code: 'payment_not_found', retryable: true }, { 'retry-after': '2' }),
    unreadable: () => reply(422, { code: 'corrupted', message: 'It is damaged.' }),
    exhausted: () => reply(409, { code: 'payment_exhausted', message: 'Tried too often.' }),
    dearer: () => refuse('amount_too_low', offered({ ...seller, price: 9000n }, wanted)),
    'other recipient': () => {
      const offer = (honest: Record<string, unknown>): object => ({ ...honest, payTo: THIEF });
      refuse('payment_required', offered({ ...seller, offer }, wanted));
    },
  };
  if (fault !== undefined && fault !== 'break off') {
    replies[fault]();
    return;
  }
  const refusal = await refusalOf(proof, wanted, shop);
  if (refusal === 'result_expired') reply(410, { code: refusal, message: 'Gone.' });
  else if (refusal !== null) refuse(refusal, { retryable: refusal === 'payment_not_found' });
  if (refusal !== null) return;
  used.set(proof, wanted.memo);
  const text = JSON.stringify({ success: true, bought: wanted.memo });
  if (fault === 'break off') {
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

/** The request as the server understands it, from the bytes on the wire. */
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

/** How one call of the wallet ends. */
export type WalletMood =
  | 'pays'
  /** The user says no. */
  | 'declines'
  /** It fails, and nothing was sent. */
  | 'fails before'
  /** It fails, and the transaction was sent. */
  | 'fails after'
  /** As before, and it lands only once the wallet is looked at again. */
  | 'fails, lands later';

export interface TestWallet {
  readonly pay: Pay;
  /** Moods of the next calls, in order; then it pays. */
  moods: WalletMood[];
  readonly orders: PaymentOrder[];
}

/** A wallet that broadcasts by itself; with `find` it can look for what it did. */
export function createWallet(chain: PlainChain, clock: Clock, canFind = true): TestWallet {
  const late: [string, PaymentOrder][] = [];
  const wallet: { moods: WalletMood[]; orders: PaymentOrder[] } = { moods: [], orders: [] };
  const pay: Pay = (order) => {
    wallet.orders.push(order);
    const mood = wallet.moods.shift() ?? 'pays';
    if (mood === 'declines')
      return Promise.reject(new PayingError('payment_failed', { detail: 'the user declined' }));
    if (mood === 'fails before') return Promise.reject(new Error('the wallet crashed'));
    const signature = `Sig${String(wallet.orders.length).padStart(61, '1')}`;
    if (mood === 'fails, lands later') late.push([signature, order]);
    else chain.set(signature, order);
    return mood === 'pays' ? Promise.resolve(signature) : Promise.reject(new Error('the wallet timed out'));
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

/** A clock that goes on by what is waited for, at once. */
export function createJumpingClock(): Clock & { skip(ms: number): void; readonly waits: number[] } {
  let now = 1_700_000_000_000;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    skip: (ms) => void (now += ms),
    sleep: async (ms, signal) => {
      waits.push(ms);
      now += ms;
      // Real turns of the loop, so that sockets get on and an abort can come in between.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return;
    },
  };
}
