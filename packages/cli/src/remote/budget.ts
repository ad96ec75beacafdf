// The budget of one run: its payments, its limit, and the services that it pays no more.
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Attempt, type FindPayment, type Pay, PayingError, readKeypair } from '@grainline/x402/client';
import { counted, type Io } from '../io.ts';
import { CliError, reasonOf } from '../errors.ts';
import { usdc } from './usdc.ts';

/** The payments of a run under a limit. */
export interface RunBudget {
  /** The wallet, guarded by the limit. */
  guard(pay: Pay): Pay;
  /** The unspent amount. */
  left(): bigint;
  /** Records that a payment has brought an answer. */
  used(signature: string): void;
  /** Records the error of a request. A service that was paid in this run and gave nothing is paid no more. */
  failed(error: unknown): void;
  /** The reason for no further payment, as a sentence; undefined while the budget is open. */
  closed(): string | undefined;
  /** The payments as lines for the user; empty without any. */
  summary(): string[];
}

/** A payment of this run with an unknown outcome: its transactions may still be found, and sent again. */
interface Unsettled {
  readonly amount: bigint;
  /** True while it counts as paid. */
  isSpent: boolean;
}

/** A budget of so many millionths of a USDC. */
export function createRunBudget(maxCost: bigint): RunBudget {
  let spent = 0n;
  let closed: string | undefined;
  const made = new Set<string>();
  /** By the signatures of the transactions; one payment may have several. */
  const unsettled = new Map<string, Unsettled>();
  const used = new Set<string>();
  /** Amounts are reserved before the payment, because several files may be paid at the same time. */
  const take = (amount: bigint): void => {
    if (spent + amount > maxCost) throw new PayingError('price_too_high', { amount });
    spent += amount;
  };
  const guardPay =
    (pay: Pay): Pay =>
    async (order, context) => {
      const { amount } = order;
      take(amount);
      const begun: Attempt[] = [];
      const record = async (attempt: Attempt): Promise<void> => {
        await context.record(attempt);
        begun.push(attempt);
      };
      try {
        const signature = await pay(order, { ...context, record });
        made.add(signature);
        return signature;
      } catch (error) {
        // A payment with an unknown outcome counts as paid.
        const isUnpaid = error instanceof PayingError && error.code !== 'payment_unknown';
        const payment = { amount, isSpent: begun.length > 0 && !isUnpaid };
        if (!payment.isSpent) spent -= amount;
        for (const { signature } of begun) if (signature !== undefined) unsettled.set(signature, payment);
        throw error;
      }
    };
  /** A search sends its payment again, so a payment that did not count as paid is reserved again. */
  const guardFind =
    (find: FindPayment): FindPayment =>
    async (order, attempts, context) => {
      const ours = new Set(attempts.flatMap(({ signature = '' }) => unsettled.get(signature) ?? []));
      const [first] = ours;
      if (first !== undefined && spentOn(ours) === 0n) {
        take(first.amount);
        // The search may complete the payment even when it fails.
        first.isSpent = true;
      }
      const found = await find(order, attempts, context);
      if (found.kind === 'unknown' || first === undefined) return found;
      for (const { signature = '' } of attempts) unsettled.delete(signature);
      spent -= spentOn(ours);
      if (found.kind === 'paid') {
        spent += first.amount;
        made.add(found.signature);
      }
      return found;
    };
  return {
    guard: (pay) =>
      Object.assign(guardPay(pay), pay, pay.find === undefined ? {} : { find: guardFind(pay.find) }),
    left: () => maxCost - spent,
    used: (signature) => void used.add(signature),
    failed(error) {
      const signature = takenBy(error);
      // A lost payment of an earlier run is no evidence against the service now.
      if (signature === undefined || !made.has(signature)) return;
      closed ??= `The service was paid before, by the transaction ${signature}, and gave nothing for it, so it is paid nothing more until this is started anew. That payment is used first then.`;
    },
    closed: () => closed,
    summary() {
      const open = spentOn(new Set(unsettled.values()));
      const earlier = [...used].filter((signature) => !made.has(signature)).length;
      return [
        ...(spent === open ? [] : [`Paid ${usdc(spent - open)} in ${counted(made.size, 'payment')}.`]),
        ...(open === 0n ? [] : [`Of ${usdc(open)} it is not known whether they were paid.`]),
        ...(earlier === 0 ? [] : [`${counted(earlier, 'payment')} of earlier runs used again.`]),
      ];
    },
  };
}

/** The sum of the unsettled payments that count as paid. */
function spentOn(payments: ReadonlySet<Unsettled>): bigint {
  return [...payments].reduce((sum, { amount, isSpent }) => sum + (isSpent ? amount : 0n), 0n);
}

/**
 * The payment for which the service gave nothing, unless the document is at fault; undefined for all other errors.
 */
function takenBy(error: unknown): string | undefined {
  if (error instanceof PayingError) return error.code === 'answer_missing' ? error.signature : undefined;
  const isTaken =
    error instanceof CliError && (error.code === 'payment_refused' || error.code === 'remote_strange');
  return isTaken ? error.signature : undefined;
}

/** Mode bits that give other users access to a file. */
const OTHERS = 0o077;

/**
 * The key pair in a file that only its owner can read.
 *
 * Rejects with `keypair_unusable` or `keypair_exposed`.
 */
export async function readKeypairFile(typed: string, { cwd }: Pick<Io, 'cwd'>): Promise<Uint8Array> {
  const path = resolve(cwd, typed);
  try {
    const file = await open(path);
    try {
      await rejectExposed(file, path);
      return readKeypair(await file.readFile('utf8'));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (error instanceof PayingError)
      throw new CliError('keypair_unusable', { detail: `in ${path}: ${error.message}` });
    throw new CliError('keypair_unusable', { detail: `${path} cannot be read: ${reasonOf(error)}.` });
  }
}

/** Every reader of the file can spend the wallet. Windows has no such bits. */
async function rejectExposed(file: FileHandle, path: string): Promise<void> {
  const about = await file.stat();
  // A pipe from another program has no other readers.
  if (process.platform === 'win32' || !about.isFile() || (about.mode & OTHERS) === 0) return;
  const bits = (about.mode & 0o777).toString(8).padStart(4, '0');
  throw new CliError('keypair_exposed', {
    detail: `in ${path}, whose mode is ${bits}. Run: chmod 600 ${quoted(path)}`,
  });
}

/** A path as a word of a shell. */
function quoted(path: string): string {
  return /^[\w./~+@%:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
