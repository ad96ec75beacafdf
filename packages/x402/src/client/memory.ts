// The memory of a payer: payments by request. A run that follows a crash between payment and answer continues from it.
// Entries have versions, so that only one of two processes with the same request pays.
import type { Attempt, PaymentOrder } from './pay.ts';

/** The remembered payment of one request. */
export interface RememberedPayment {
  readonly order: PaymentOrder;
  /** Attempts with an unknown end, oldest first; the chain can still include only the last one. */
  readonly attempts: readonly Attempt[];
  /** Id of the transaction that paid. */
  readonly signature?: string | undefined;
  /** True when an answer came for it. */
  readonly answered: boolean;
  /** Signatures of the latest used up payments for the request, oldest first. */
  readonly spent: readonly string[];
}

/** Remembers payments by request. Its methods reject only when the memory cannot be read or written at all. */
export interface PaymentMemory {
  read(key: string): Promise<{ readonly payment: RememberedPayment; readonly version: number } | null>;
  /**
   * Durably replaces an entry of this version; `version` is 0 without an entry, and the new version is the next number.
   * Returns false, and writes nothing, when another process wrote in between.
   *
   * @param key letters, digits, `-` and `_`, so that it can be a file name
   */
  write(key: string, payment: RememberedPayment, version: number): Promise<boolean>;
}

/** A memory that ends with the process. */
export function createPaymentMemory(): PaymentMemory {
  const entries = new Map<string, { payment: RememberedPayment; version: number }>();
  return {
    read: (key) => Promise.resolve(entries.get(key) ?? null),
    write: (key, payment, version) => {
      if ((entries.get(key)?.version ?? 0) !== version) return Promise.resolve(false);
      entries.set(key, { payment, version: version + 1 });
      return Promise.resolve(true);
    },
  };
}

/** An entry as text, for memories that outlive the process. */
export function writeRemembered({ order, ...rest }: RememberedPayment): string {
  return `${JSON.stringify({ order: { ...order, amount: order.amount.toString() }, ...rest }, null, 2)}\n`;
}

/** The entry in a text of {@link writeRemembered}; null when it is none. */
export function readRemembered(text: string): RememberedPayment | null {
  try {
    const { order, attempts, signature, answered, spent } = JSON.parse(text) as Record<string, unknown>;
    const { payTo, asset, network, memo, decimals, amount } = order as Record<string, unknown>;
    const areTexts = [payTo, asset, network, memo, amount].every((value) => typeof value === 'string');
    if (!areTexts || typeof decimals !== 'number' || typeof answered !== 'boolean') return null;
    if (!Array.isArray(attempts) || !attempts.every(isAttempt)) return null;
    if (!Array.isArray(spent) || !spent.every((text) => typeof text === 'string')) return null;
    return {
      order: { payTo, asset, network, memo, decimals, amount: BigInt(amount as string) } as PaymentOrder,
      attempts,
      signature: typeof signature === 'string' ? signature : undefined,
      answered,
      spent,
    };
  } catch {
    return null;
  }
}

function isAttempt(value: unknown): value is Attempt {
  if (typeof value !== 'object' || value === null) return false;
  const { beganMs, ...texts } = value as Record<string, unknown>;
  return typeof beganMs === 'number' && Object.values(texts).every((text) => typeof text === 'string');
}
