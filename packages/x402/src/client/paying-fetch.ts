// A fetch that pays for answers with a price:
//
// remembered? ─▶ request ─▶ 402 ─▶ offer, checked ─▶ memo ─▶ beforePayment ─▶ pay once ─▶ request + X-PAYMENT ─▶ answer
//                   ▲                                            │                          │   ▲
//                   │                                            └─▶ refused: nothing paid  │   └── 503, 402 "not yet"
//                   └── the payment is used up, and was answered before ◀───────────────────┘
//
// One call makes one payment at most. What was paid is remembered under the request until an answer has come for it.
import { acquire, type HeldPayment, type AcquireDeps, findRemembered, recordAnswer } from './acquire.ts';
import { judgeAnswer, type ReplyVerdict } from './answer.ts';
import { type Clock, systemClock } from '../gate/clock.ts';
import { type Fetch, OversizedBody } from '../gate/http.ts';
import { backoffMs, randomBytes } from './backoff.ts';
import { messageOf, PayingError } from './errors.ts';
import { createPaymentMemory, type PaymentMemory } from './memory.ts';
import { type Allowance, type AcceptedOffer, readOffer } from './offer.ts';
import { USDC } from '../chains/solana/usdc.ts';
import type { BeforePayment, Pay, PaymentOrder } from './pay.ts';
import { hex, keyOf, memoOfUpload, toRepeatable, type RepeatableRequest } from './request.ts';
import { exchange, readJson, readOfferBody, send } from './sending.ts';

/** Options of {@link payingFetch}. */
export interface PayingOptions {
  /** Makes the payments: `payWithKeypair(…)`, or a wallet behind the same port. */
  readonly pay: Pay;
  /** The most for one request, in the smallest unit of the asset: `10_000n` is 0.01 USDC. */
  readonly maxAmount: bigint;
  /** The allowed networks, with the asset on each. Default USDC on `solana-mainnet`. */
  readonly assets?: Readonly<Record<string, string>> | undefined;
  /** The only allowed recipient. Default any that the server names. */
  readonly payTo?: string | undefined;
  /** The memory of payments. Default in this process, for this function. */
  readonly remember?: PaymentMemory | undefined;
  /**
   * Called right before a payment that the options allow, so that the caller can weigh the request against its price.
   * Not called for a payment that was made or begun earlier.
   */
  readonly beforePayment?: BeforePayment | undefined;
  /** Called after a payment, before its request is sent again; not for an earlier payment. */
  readonly onPaid?: ((payment: MadePayment) => void) | undefined;
  /**
   * Time to wait for the paid answer, in milliseconds. A single try may take as long, plus the time of its bytes at 16
   * KiB a second. Default 180,000.
   */
  readonly patienceMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Bytes from a cryptographic source. */
  readonly random?: ((count: number) => Uint8Array) | undefined;
}

/** A payment of a request. */
export interface MadePayment {
  readonly signature: string;
  readonly order: PaymentOrder;
}

/** A `fetch` whose requests may cost money. Their bodies must be repeatable. */
export type PayingFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

const DEFAULT_PATIENCE_MS = 180_000;
const BACKOFF = { firstMs: 500, longestMs: 15_000 };
const NONCE_BYTES = 16;
/** The most tries that end in a failure of the server: an error, a redirect, or an endless answer. */
const MOST_SERVER_ERRORS = 4;
const PROOF_HEADER = 'X-PAYMENT';

const paymentOfResponse = new WeakMap<Response, MadePayment>();

/** The payment behind an answer of a {@link payingFetch}; undefined for a free answer. */
export function paymentOf(response: Response): MadePayment | undefined {
  return paymentOfResponse.get(response);
}

/**
 * Creates a `fetch` that pays for its requests, at most once a call, and at most `maxAmount`.
 *
 * It pays a 402 answer whose offer the options allow, and sends the request again with the signature until an answer
 * comes. A request with an earlier payment (a lost answer, a crash) continues with that payment. Any answer resolves,
 * except answers about the payment itself, and redirects. Rejects with a {@link PayingError}, with the signal's reason,
 * and, as long as nothing is paid, with the error of `fetch`.
 *
 * @example
 * const fetchPaid = payingFetch(fetch, { pay: payWithKeypair({ rpcUrl, keypair }), maxAmount: 10_000n });
 * const response = await fetchPaid('https://example.org/chunk', { method: 'POST', body: form });
 */
export function payingFetch(fetch: Fetch, options: PayingOptions): PayingFetch {
  const { maxAmount, assets = { 'solana-mainnet': USDC['solana-mainnet'] }, payTo } = options;
  const deps: PayingDeps = {
    fetch,
    allowance: { maxAmount, assets, payTo },
    payment: {
      pay: options.pay,
      memory: options.remember ?? createPaymentMemory(),
      clock: options.clock ?? systemClock,
    },
    patienceMs: options.patienceMs ?? DEFAULT_PATIENCE_MS,
    random: options.random ?? randomBytes,
    beforePayment: options.beforePayment,
    onPaid: options.onPaid ?? (() => undefined),
    lastByKey: new Map(),
  };
  return async (input, init) => {
    const request = toRepeatable(input, init);
    const key = await keyOf(request);
    return buy({ request, key, signal: request.init.signal ?? new AbortController().signal }, deps);
  };
}

/** The dependencies of all calls. */
interface PayingDeps {
  readonly fetch: Fetch;
  readonly allowance: Allowance;
  readonly payment: AcquireDeps;
  readonly patienceMs: number;
  readonly random: (count: number) => Uint8Array;
  readonly beforePayment: BeforePayment | undefined;
  readonly onPaid: (payment: MadePayment) => void;
  /** The last payment under way for each key. Equal requests pay one after another, so that the second need not. */
  readonly lastByKey: Map<string, Promise<unknown>>;
}

/** One call. */
interface Call {
  readonly request: RepeatableRequest;
  readonly key: string;
  readonly signal: AbortSignal;
}

async function buy(call: Call, deps: PayingDeps): Promise<Response> {
  const { key, signal } = call;
  const remembered = await runInTurn(deps.lastByKey, key, () => findRemembered(key, deps.payment, signal));
  if (remembered !== null) {
    const response = await present(call, remembered, deps);
    if (response !== null) return response;
  }
  const first = await send(call, {}, deps.fetch);
  if (first.status !== 402) return first;
  const { order: offered, binding } = readOffer(await readOfferBody(first, deps.patienceMs), deps.allowance);
  const order = { ...offered, memo: await createMemo(binding, call.request, deps.random) };
  const allow = () => confirmPayment(order, call, deps);
  const held = await runInTurn(deps.lastByKey, key, () =>
    acquire(key, order, deps.payment, { signal, allow }),
  );
  if (!held.isEarlier) deps.onPaid({ signature: held.signature, order: held.order });
  // A concurrent call made an earlier payment, whose answer is still to come.
  const response = await present(call, { ...held, answered: false }, deps);
  if (response === null) throw new Error('A payment that was not answered before is never forgotten.');
  return response;
}

/** @throws PayingError `payment_aborted`, or the error of `beforePayment` */
async function confirmPayment(
  order: PaymentOrder,
  { request, signal }: Call,
  { beforePayment }: PayingDeps,
): Promise<void> {
  const { url, init, body } = request;
  const due = { order, request: { url, method: init.method ?? 'GET', body }, signal };
  const refusal = await beforePayment?.(due);
  if (refusal?.abort === true)
    throw new PayingError('payment_aborted', { detail: refusal.reason, amount: order.amount });
}

async function createMemo(
  binding: AcceptedOffer['binding'],
  { body }: RepeatableRequest,
  random: PayingDeps['random'],
): Promise<string> {
  if (binding === null) return hex(random(NONCE_BYTES));
  return 'memo' in binding ? binding.memo : memoOfUpload(binding, body);
}

/**
 * Sends the request with its payment until an answer comes; null when an earlier answer used the payment up, which is
 * then forgotten.
 */
async function present(call: Call, held: HeldPayment, deps: PayingDeps): Promise<Response | null> {
  const { memory, clock } = deps.payment;
  const { signature, order } = held;
  const endMs = clock.now() + deps.patienceMs;
  let serverErrors = 0;
  for (let tries = 0; ; tries++) {
    const { response, verdict, isServerError } = await attempt(call, signature, deps);
    if (verdict.kind === 'final' && response !== undefined) {
      // A rejection of the request leaves the payment usable, and no other payment replaces it.
      if (response.ok) await recordAnswer(call.key, memory, signature, true).catch(() => undefined);
      paymentOfResponse.set(response, { signature, order });
      return response;
    }
    if (verdict.kind === 'refused' && held.answered) {
      await recordAnswer(call.key, memory, signature, null);
      return null;
    }
    if (isServerError) serverErrors++;
    const afterMs = verdict.kind === 'again' ? waitMsBefore(verdict, tries, deps.random) : Infinity;
    if (clock.now() + afterMs > endMs || serverErrors >= MOST_SERVER_ERRORS)
      throw createFinalError(verdict, held, response);
    await clock.wait(afterMs, call.signal);
    call.signal.throwIfAborted();
  }
}

function waitMsBefore(
  { afterMs }: Extract<ReplyVerdict, { kind: 'again' }>,
  tries: number,
  random: PayingDeps['random'],
): number {
  return afterMs ?? backoffMs(tries, BACKOFF, random(1)[0] ?? 0);
}

interface AttemptResult {
  readonly response?: Response | undefined;
  readonly verdict: ReplyVerdict;
  /** True when the server reports its own failure. */
  readonly isServerError: boolean;
}

/** One try. */
async function attempt(call: Call, signature: string, deps: PayingDeps): Promise<AttemptResult> {
  const { fetch, patienceMs, payment } = deps;
  try {
    const response = await exchange(call, { [PROOF_HEADER]: signature }, fetch, patienceMs);
    const body = response.ok ? undefined : await readJson(response.clone());
    const verdict = judgeAnswer(response, body, payment.clock.now());
    return { response, verdict, isServerError: response.status >= 500 && response.status !== 503 };
  } catch (error) {
    call.signal.throwIfAborted();
    const isOversized = error instanceof OversizedBody;
    const why = isOversized ? `the answer has ${error.message}` : messageOf(error);
    const isServerError = isOversized || (error instanceof PayingError && error.code === 'redirected');
    return { verdict: { kind: 'again', afterMs: null, why }, isServerError };
  }
}

/** The error after the last try. */
function createFinalError(
  verdict: ReplyVerdict,
  { signature, order }: HeldPayment,
  response?: Response,
): PayingError {
  const { why, reason } = verdict as Exclude<ReplyVerdict, { kind: 'final' }>;
  const code = verdict.kind === 'refused' || response?.status === 402 ? 'payment_refused' : 'answer_missing';
  const detail = code === 'answer_missing' ? why.replace(/\.$/, '') : why;
  return new PayingError(code, { detail, signature, reason, amount: order.amount });
}

/** Runs after the previous work under the same key. */
async function runInTurn<Value>(
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
