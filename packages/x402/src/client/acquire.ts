// How a request comes by its payment: remembered, found again, or made. Whatever goes wrong, and however many
// processes are at it, at most one payment is made: an attempt is written down before it leaves, in the place of what
// was read, so that of two that read the same only one goes on.
import type { Clock } from './clock.ts';
import { messageOf, PayingError } from './errors.ts';
import type { PaymentMemory, RememberedPayment } from './memory.ts';
import type { Attempt, Pay, PaymentOrder, Search } from './pay.ts';

/** A payment that a request can be sent with. */
export interface HeldPayment {
  readonly order: PaymentOrder;
  readonly signature: string;
  /** Whether it was made before this call, by an earlier one. */
  readonly isEarlier: boolean;
  /** Whether an answer has come for it before. */
  readonly answered: boolean;
}

/** What the steps of this file share. */
export interface AcquireParts {
  readonly pay: Pay;
  readonly memory: PaymentMemory;
  readonly clock: Clock;
}

/** Signatures are 64 bytes in base58; other chains' ids are as harmless in a header. */
const SIGNATURE = /^[A-Za-z0-9]{32,128}$/;
/** Rounds against others that write the same entry; each lost one means that somebody else got on. */
const MOST_ROUNDS = 20;
/** Of these the latest could be mistaken for a new one; a few more do no harm. */
const MOST_SPENT = 10;

/** The payment that is remembered for a request, looked for when its end is not known; null when there is none. */
export async function findRemembered(
  key: string,
  parts: AcquireParts,
  signal: AbortSignal,
): Promise<HeldPayment | null> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const entry = await read(parts.memory, key);
    if (entry === null) return null;
    const { payment, version } = entry;
    if (payment.signature !== undefined) return heldFrom(payment, payment.signature);
    if (payment.attempts.length === 0) return null;
    const found = await search(payment, parts.pay, signal);
    if (found.kind === 'unknown') throw unknown(payment.attempts, found.detail);
    const signature = found.kind === 'paid' ? { signature: found.signature } : {};
    const next = { ...payment, attempts: [], ...signature };
    // Written before it is used, so that nobody who comes later looks or pays again.
    await write(parts.memory, key, next, version);
  }
  throw inOtherHands();
}

/**
 * The payment that is remembered for a request, or else a new one.
 *
 * @param allow asked once, before a new one is begun; when it rejects, none is
 */
export async function acquire(
  key: string,
  order: PaymentOrder,
  parts: AcquireParts,
  { signal, allow }: { readonly signal: AbortSignal; readonly allow: () => Promise<void> },
): Promise<HeldPayment> {
  let isAllowed = false;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const held = await findRemembered(key, parts, signal);
    if (held !== null) return held;
    if (!isAllowed) await allow();
    isAllowed = true;
    const made = await make(key, order, parts, signal);
    if (made !== null) return made;
  }
  throw inOtherHands();
}

/** Makes a payment; null when somebody else began one for the same request first. */
async function make(
  key: string,
  order: PaymentOrder,
  { pay, memory, clock }: AcquireParts,
  signal: AbortSignal,
): Promise<HeldPayment | null> {
  const before = await read(memory, key);
  if (before !== null && isOpen(before.payment)) return null;
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
    if (log.state() === 'broken') throw new PayingError('memory_failed', failed(error));
    const isUnpaid = error instanceof PayingError && error.code !== 'payment_unknown';
    if (isUnpaid && pay.recordsAttempts !== true) await log.close(null);
    if (signal.aborted || error instanceof PayingError) throw error;
    if (log.attempts().length === 0) throw new PayingError('payment_failed', failed(error));
    // The wallet failed, and has perhaps paid. With a way to look for the payment, look at once; without one, never pay
    // again.
    if (pay.find !== undefined) return await foundAfter(error, key, { pay, memory, clock }, signal);
    throw unknown(log.attempts(), messageOf(error), error);
  }
}

async function foundAfter(
  error: unknown,
  key: string,
  parts: AcquireParts,
  signal: AbortSignal,
): Promise<HeldPayment> {
  const held = await findRemembered(key, parts, signal);
  if (held === null) throw new PayingError('payment_failed', failed(error));
  return { ...held, isEarlier: false };
}

/** The attempts of one payment as they are written down. */
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
    /** Says how it ended. That it cannot be written costs nothing now: the attempts are, and can be looked for. */
    close: async (signature: string | null): Promise<void> => {
      const change = signature === null ? { attempts: [] } : { attempts: [], signature };
      await put(change).catch(() => undefined);
    },
  };
}

/** Says of a payment that an answer has come for it; or, with null, that it buys no more and is to be forgotten. */
export async function recordAnswer(
  key: string,
  memory: PaymentMemory,
  signature: string,
  answered: true | null,
) {
  const entry = await read(memory, key);
  if (entry?.payment.signature !== signature) return;
  const { order, spent } = entry.payment;
  const forgotten = { order, attempts: [], answered: false, spent: [...spent, signature].slice(-MOST_SPENT) };
  const next = answered === null ? forgotten : { ...entry.payment, answered };
  await memory.write(key, next, entry.version);
}

function isOpen({ attempts, signature }: RememberedPayment): boolean {
  return attempts.length > 0 || signature !== undefined;
}

function heldFrom({ order, answered }: RememberedPayment, signature: string): HeldPayment {
  return { order, signature, isEarlier: true, answered };
}

async function search(
  { order, attempts, spent }: RememberedPayment,
  pay: Pay,
  signal: AbortSignal,
): Promise<Search> {
  if (pay.find === undefined)
    return {
      kind: 'unknown',
      detail: 'an earlier attempt did not say how it ended, and the wallet cannot look',
    };
  return pay.find(order, attempts, { signal, spent });
}

async function read(memory: PaymentMemory, key: string) {
  return memory.read(key).catch((error: unknown) => {
    throw new PayingError('memory_failed', failed(error));
  });
}

async function write(memory: PaymentMemory, key: string, payment: RememberedPayment, version: number) {
  await memory.write(key, payment, version).catch((error: unknown) => {
    throw new PayingError('memory_failed', failed(error));
  });
}

function failed(cause: unknown) {
  return { detail: messageOf(cause), cause };
}

function unknown(attempts: readonly Attempt[], detail: string, cause?: unknown): PayingError {
  return new PayingError('payment_unknown', { detail, signature: attempts.at(-1)?.signature, cause });
}

function inOtherHands(): PayingError {
  return new PayingError('payment_failed', { detail: 'other processes pay for the same request just now' });
}
