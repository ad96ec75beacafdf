// The payment of a request: remembered, found again, or made. At most one payment is made, for any failures and any
// number of processes: an attempt replaces the entry that was read before it leaves, so only one of two processes with
// the same entry continues.
import type { Clock } from '../gate/clock.ts';
import { messageOf, PayingError } from './errors.ts';
import type { PaymentMemory, RememberedPayment } from './memory.ts';
import type { Attempt, Pay, PaymentOrder, FindResult } from './pay.ts';

/** A payment to send a request with. */
export interface HeldPayment {
  readonly order: PaymentOrder;
  readonly signature: string;
  /** True when an earlier call made it. */
  readonly isEarlier: boolean;
  /** True when an earlier answer came for it. */
  readonly answered: boolean;
}

/** The dependencies of {@link acquire}. */
export interface AcquireDeps {
  readonly pay: Pay;
  readonly memory: PaymentMemory;
  readonly clock: Clock;
}

/** Signatures are 64 bytes in base58; ids of other chains are harmless in a header as well. */
const SIGNATURE = /^[A-Za-z0-9]{32,128}$/;
/** Rounds against other writers of the same entry; in each lost round another process makes progress. */
const MOST_ROUNDS = 20;
/** The latest used up signature could be mistaken for a new payment; a few more cost little. */
const MOST_SPENT = 10;

/** The remembered payment of a request, found again when its end is unknown; null without one. */
export async function findRemembered(
  key: string,
  deps: AcquireDeps,
  signal: AbortSignal,
): Promise<HeldPayment | null> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const entry = await access(deps.memory.read(key));
    if (entry === null) return null;
    const { payment, version } = entry;
    if (payment.signature !== undefined) return toHeldPayment(payment, payment.signature);
    if (payment.attempts.length === 0) return null;
    const found = await search(payment, deps.pay, signal);
    if (found.kind === 'unknown') throw createUnknownError(payment.attempts, found.detail);
    const signature = found.kind === 'paid' ? found.signature : undefined;
    const next = { ...payment, attempts: [], signature };
    // The result is stored before its use, so that no later call searches or pays again.
    await access(deps.memory.write(key, next, version));
  }
  throw createContendedError();
}

/**
 * The remembered payment of a request, or else a new one.
 *
 * @param allow called once, before a new payment begins; its rejection prevents the payment
 */
export async function acquire(
  key: string,
  order: PaymentOrder,
  deps: AcquireDeps,
  { signal, allow }: { readonly signal: AbortSignal; readonly allow: () => Promise<void> },
): Promise<HeldPayment> {
  let isAllowed = false;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const held = await findRemembered(key, deps, signal);
    if (held !== null) return held;
    if (!isAllowed) await allow();
    isAllowed = true;
    const made = await makePayment(key, order, deps, signal);
    if (made !== null) return made;
  }
  throw createContendedError();
}

/** Makes a payment; null when another process began one for the same request first. */
async function makePayment(
  key: string,
  order: PaymentOrder,
  { pay, memory, clock }: AcquireDeps,
  signal: AbortSignal,
): Promise<HeldPayment | null> {
  const before = await access(memory.read(key));
  if (before !== null && isUnanswered(before.payment)) return null;
  const entry = { order, answered: false, spent: before?.payment.spent ?? [] };
  const log = createLog(key, entry, before?.version ?? 0, memory);
  try {
    signal.throwIfAborted();
    if (pay.recordsAttempts !== true) await log.record({ beganMs: clock.now() });
    const signature = await pay(order, { signal, record: log.record });
    if (!SIGNATURE.test(signature)) throw new Error('the wallet gave back no transaction signature');
    await log.close(signature);
    return { order, signature, isEarlier: false, answered: false };
  } catch (error) {
    if (log.state() === 'superseded') return null;
    if (log.state() === 'broken') throw new PayingError('memory_failed', detailsOf(error));
    const isUnpaid = error instanceof PayingError && error.code !== 'payment_unknown';
    if (isUnpaid && pay.recordsAttempts !== true) await log.close(null);
    if (signal.aborted || error instanceof PayingError) throw error;
    if (log.attempts().length === 0) throw new PayingError('payment_failed', detailsOf(error));
    // The wallet failed, and has perhaps paid. With `find`, search for the payment now; without it, never pay again.
    if (pay.find !== undefined) return await findAfterFailure(error, key, { pay, memory, clock }, signal);
    throw createUnknownError(log.attempts(), messageOf(error), error);
  }
}

async function findAfterFailure(
  error: unknown,
  key: string,
  deps: AcquireDeps,
  signal: AbortSignal,
): Promise<HeldPayment> {
  const held = await findRemembered(key, deps, signal);
  if (held === null) throw new PayingError('payment_failed', detailsOf(error));
  return { ...held, isEarlier: false };
}

/** The stored attempts of one payment. */
function createLog(
  key: string,
  entry: Omit<RememberedPayment, 'attempts' | 'signature'>,
  version: number,
  memory: PaymentMemory,
) {
  let attempts: readonly Attempt[] = [];
  let state: 'good' | 'superseded' | 'broken' = 'good';
  const put = async (change: Pick<RememberedPayment, 'attempts' | 'signature'>): Promise<void> => {
    try {
      if (await memory.write(key, { ...entry, ...change }, version)) version++;
      else state = 'superseded';
    } catch (error) {
      state = 'broken';
      throw error;
    }
    if (state === 'superseded') throw new Error('Another process pays for the same request.');
  };
  return {
    state: () => state,
    attempts: () => attempts,
    record: async (attempt: Attempt): Promise<void> => {
      await put({ attempts: [...attempts, attempt] });
      attempts = [...attempts, attempt];
    },
    /** Stores the end. A failure to store costs nothing now: the attempts are stored and can be found. */
    close: async (signature: string | null): Promise<void> => {
      await put({ attempts: [], signature: signature ?? undefined }).catch(() => undefined);
    },
  };
}

/** Stores that an answer came for the payment; null forgets a used up payment. */
export async function recordAnswer(
  key: string,
  memory: PaymentMemory,
  signature: string,
  answered: true | null,
) {
  const entry = await access(memory.read(key));
  if (entry?.payment.signature !== signature) return;
  const { order, spent } = entry.payment;
  const forgotten = { order, attempts: [], answered: false, spent: [...spent, signature].slice(-MOST_SPENT) };
  const next = answered === null ? forgotten : { ...entry.payment, answered };
  await memory.write(key, next, entry.version);
}

function isUnanswered({ attempts, signature }: RememberedPayment): boolean {
  return attempts.length > 0 || signature !== undefined;
}

function toHeldPayment({ order, answered }: RememberedPayment, signature: string): HeldPayment {
  return { order, signature, isEarlier: true, answered };
}

async function search(
  { order, attempts, spent }: RememberedPayment,
  pay: Pay,
  signal: AbortSignal,
): Promise<FindResult> {
  if (pay.find === undefined)
    return {
      kind: 'unknown',
      detail: 'an earlier attempt did not say how it ended, and the wallet cannot look',
    };
  return pay.find(order, attempts, { signal, spent });
}

/** Runs a step on the memory. @throws PayingError `memory_failed` */
async function access<Value>(step: Promise<Value>): Promise<Value> {
  return step.catch((error: unknown) => {
    throw new PayingError('memory_failed', detailsOf(error));
  });
}

function detailsOf(cause: unknown) {
  return { detail: messageOf(cause), cause };
}

function createUnknownError(attempts: readonly Attempt[], detail: string, cause?: unknown): PayingError {
  return new PayingError('payment_unknown', { detail, signature: attempts.at(-1)?.signature, cause });
}

function createContendedError(): PayingError {
  return new PayingError('payment_failed', { detail: 'other processes pay for the same request just now' });
}
