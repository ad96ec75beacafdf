// A fetch that pays when it is asked to:
//
// remembered? ─▶ request ─▶ 402 ─▶ offer, checked ─▶ memo ─▶ beforePayment ─▶ pay once ─▶ request + X-PAYMENT ─▶ answer
//                   ▲                                            │                          │   ▲
//                   │                                            └─▶ refused: nothing paid  │   └── 503, 402 "not yet"
//                   └── the payment is used up, and was answered before ◀───────────────────┘
//
// One call makes one payment at most. What was paid is remembered under the request until an answer has come for it.
import { acquire, type HeldPayment, type AcquireParts, findRemembered, recordAnswer } from './acquire.ts';
import { judge, type Verdict } from './answer.ts';
import { backoffMs, type Clock, machineClock, randomBytes } from './clock.ts';
import { messageOf, PayingError } from './errors.ts';
import { createPaymentMemory, type PaymentMemory } from './memory.ts';
import { type Allowance, type Offered, readOffer, USDC } from './offer.ts';
import type { BeforePayment, Pay, PaymentOrder } from './pay.ts';
import { keyOf, memoOfUpload, repeatable, type RepeatableRequest } from './request.ts';
import { EndlessAnswer, exchange, type Fetch, readJson, readOffered, send } from './sending.ts';

/** Options of {@link payingFetch}. */
export interface PayingOptions {
  /** Makes the payments: `payWithKeypair(…)`, or a wallet behind the same port. */
  readonly pay: Pay;
  /** The most that one request may cost, in the smallest unit of the asset: `10_000n` is 0.01 USDC. */
  readonly maxAmount: bigint;
  /** The networks on which may be paid, with the asset on each. Default USDC on `solana-mainnet`. */
  readonly assets?: Readonly<Record<string, string>>;
  /** The only address that may be paid. Default whichever the server names. */
  readonly payTo?: string;
  /** Where payments are remembered. Default in this process, for this function. */
  readonly remember?: PaymentMemory;
  /**
   * Called right before a payment is made, when the options allow it, to decide what only the caller can: whether the
   * request is worth its price. Not called for a payment that was made or begun earlier.
   */
  readonly beforePayment?: BeforePayment;
  /** Called when a payment has been made, before its request is sent again; not for one that was made earlier. */
  readonly onPaid?: (payment: MadePayment) => void;
  /**
   * How long to keep asking for the answer that was paid for, in milliseconds. A single try may take as long, and
   * longer by what its bytes take at 16 KiB a second. Default 180,000.
   */
  readonly patienceMs?: number;
  readonly clock?: Clock;
  /** Bytes from a cryptographic source. */
  readonly random?: (count: number) => Uint8Array;
}

/** A payment, as the caller of the request sees it. */
export interface MadePayment {
  readonly signature: string;
  readonly order: PaymentOrder;
}

/** A `fetch` whose requests may cost money. Their bodies must be of a kind that can be sent again. */
export type PayingFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

const DEFAULT_PATIENCE_MS = 180_000;
const BACKOFF = { firstMs: 500, longestMs: 15_000 };
const NONCE_BYTES = 16;
/**
 * A fault of the server's own, such as an error, a redirect, or an answer without end, is worth another try, and no
 * more than so many.
 */
const MOST_FAULTS = 4;
const PROOF_HEADER = 'X-PAYMENT';

const paymentOfResponse = new WeakMap<Response, MadePayment>();

/** The payment that bought an answer of a {@link payingFetch}; undefined when it cost nothing. */
export function paymentOf(response: Response): MadePayment | undefined {
  return paymentOfResponse.get(response);
}

/**
 * A `fetch` that pays for what it asks for, at most once a call, and at most `maxAmount`.
 *
 * An answer 402 is paid when it is an offer that the options allow; the request is sent again with the signature until
 * an answer comes. Requests that were paid for before (a lost answer, a run that died) go on with that payment. What
 * answers resolves, whatever its status, except those about the payment itself, and redirects, which are not followed.
 * Rejects with a {@link PayingError}, with the signal's reason, and, as long as nothing is paid, with whatever `fetch`
 * rejects with.
 *
 * @example
 * const fetchPaid = payingFetch(fetch, { pay: payWithKeypair({ rpcUrl, keypair }), maxAmount: 10_000n });
 * const response = await fetchPaid('https://example.org/chunk', { method: 'POST', body: form });
 */
export function payingFetch(fetch: Fetch, options: PayingOptions): PayingFetch {
  const { maxAmount, assets = { 'solana-mainnet': USDC['solana-mainnet'] }, payTo } = options;
  const parts: CallParts = {
    fetch,
    allowance: { maxAmount, assets, payTo },
    payment: {
      pay: options.pay,
      memory: options.remember ?? createPaymentMemory(),
      clock: options.clock ?? machineClock,
    },
    patienceMs: options.patienceMs ?? DEFAULT_PATIENCE_MS,
    random: options.random ?? randomBytes,
    beforePayment: options.beforePayment,
    onPaid: options.onPaid ?? (() => undefined),
    turns: new Map(),
  };
  return async (input, init) => {
    const request = repeatable(input, init);
    const key = await keyOf(request);
    return buy({ request, key, signal: request.init.signal ?? new AbortController().signal }, parts);
  };
}

/** What all calls share. */
interface CallParts {
  readonly fetch: Fetch;
  readonly allowance: Allowance;
  readonly payment: AcquireParts;
  readonly patienceMs: number;
  readonly random: (count: number) => Uint8Array;
  readonly beforePayment: BeforePayment | undefined;
  readonly onPaid: (payment: MadePayment) => void;
  /**
   * The last payment under way for a request, by key. Equal requests pay one after another: then the second need not.
   */
  readonly turns: Map<string, Promise<unknown>>;
}

/** One call. */
interface Call {
  readonly request: RepeatableRequest;
  readonly key: string;
  readonly signal: AbortSignal;
}

async function buy(call: Call, parts: CallParts): Promise<Response> {
  const { key, signal } = call;
  const remembered = await inTurn(parts.turns, key, () => findRemembered(key, parts.payment, signal));
  if (remembered !== null) {
    const response = await present(call, remembered, parts);
    if (response !== null) return response;
  }
  const first = await send(call, {}, parts.fetch);
  if (first.status !== 402) return first;
  const { order: offered, binding } = readOffer(await readOffered(first, parts.patienceMs), parts.allowance);
  const order = { ...offered, memo: await memoFor(binding, call.request, parts.random) };
  const allow = () => refuseAborted(order, call, parts);
  const held = await inTurn(parts.turns, key, () => acquire(key, order, parts.payment, { signal, allow }));
  if (!held.isEarlier) parts.onPaid({ signature: held.signature, order: held.order });
  // Earlier ones were made by a call at the same time: nothing of it was answered before this one began.
  const response = await present(call, { ...held, answered: false }, parts);
  if (response === null) throw new Error('A payment that was not answered before is never forgotten.');
  return response;
}

/** @throws PayingError `payment_aborted`; and whatever the caller's own question throws */
async function refuseAborted(
  order: PaymentOrder,
  { request, signal }: Call,
  { beforePayment }: CallParts,
): Promise<void> {
  const { url, init, body } = request;
  const asked = { order, request: { url, method: init.method ?? 'GET', body }, signal };
  const refusal = await beforePayment?.(asked);
  if (refusal?.abort === true)
    throw new PayingError('payment_aborted', { detail: refusal.reason, amount: order.amount });
}

async function memoFor(
  binding: Offered['binding'],
  { body }: RepeatableRequest,
  random: CallParts['random'],
): Promise<string> {
  if (binding === null)
    return [...random(NONCE_BYTES)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return 'memo' in binding ? binding.memo : memoOfUpload(binding, body);
}

/**
 * Sends the request with its payment until an answer comes; null when the payment was answered before and buys no
 * more, and has been forgotten.
 */
async function present(call: Call, held: HeldPayment, parts: CallParts): Promise<Response | null> {
  const { memory, clock } = parts.payment;
  const { signature, order } = held;
  const endMs = clock.now() + parts.patienceMs;
  let faults = 0;
  for (let tries = 0; ; tries++) {
    const { response, verdict, isFault } = await attempt(call, signature, parts);
    if (verdict.kind === 'final' && response !== undefined) {
      // A refusal of the request leaves the payment as it was: it has bought nothing, and no other one is made in its
      // place.
      if (response.ok) await recordAnswer(call.key, memory, signature, true).catch(() => undefined);
      paymentOfResponse.set(response, { signature, order });
      return response;
    }
    if (verdict.kind === 'refused' && held.answered) {
      await recordAnswer(call.key, memory, signature, null);
      return null;
    }
    if (isFault) faults++;
    const afterMs = verdict.kind === 'again' ? waitFor(verdict, tries, parts.random) : Infinity;
    if (clock.now() + afterMs > endMs || faults >= MOST_FAULTS) throw given(verdict, held, response);
    await clock.sleep(afterMs, call.signal);
    call.signal.throwIfAborted();
  }
}

function waitFor(
  { afterMs }: Extract<Verdict, { kind: 'again' }>,
  tries: number,
  random: CallParts['random'],
): number {
  return afterMs ?? backoffMs(tries, BACKOFF, random(1)[0] ?? 0);
}

interface Attempted {
  readonly response?: Response;
  readonly verdict: Verdict;
  /** The server says that it failed. */
  readonly isFault: boolean;
}

/** One try. */
async function attempt(call: Call, signature: string, parts: CallParts): Promise<Attempted> {
  const { fetch, patienceMs, payment } = parts;
  try {
    const response = await exchange(call, { [PROOF_HEADER]: signature }, fetch, patienceMs);
    const body = response.ok ? undefined : await readJson(response.clone());
    const verdict = judge(response, body, payment.clock.now());
    return { response, verdict, isFault: response.status >= 500 && response.status !== 503 };
  } catch (error) {
    call.signal.throwIfAborted();
    const isEndless = error instanceof EndlessAnswer;
    const why = isEndless ? `the answer has ${error.message}` : messageOf(error);
    const isFault = isEndless || (error instanceof PayingError && error.code === 'redirected');
    return { verdict: { kind: 'again', afterMs: null, why }, isFault };
  }
}

/** What to say when there is no point in going on. */
function given(verdict: Verdict, { signature, order }: HeldPayment, response?: Response): PayingError {
  const { why, reason } = verdict as Exclude<Verdict, { kind: 'final' }>;
  const code = verdict.kind === 'refused' || response?.status === 402 ? 'payment_refused' : 'answer_missing';
  const detail = code === 'answer_missing' ? why.replace(/\.$/, '') : why;
  return new PayingError(code, { detail, signature, reason, amount: order.amount });
}

/** Runs after whatever runs under the same key. */
async function inTurn<Value>(
  turns: Map<string, Promise<unknown>>,
  key: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const before = turns.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  turns.set(key, mine);
  try {
    return await mine;
  } finally {
    if (turns.get(key) === mine) turns.delete(key);
  }
}
