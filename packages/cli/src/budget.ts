// The money of one run: what may be spent, what was, and on what it is spent no longer.
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Attempt, type FindPayment, type Pay, PayingError, readKeypair } from '@grainline/x402/client';
import { CliError, reasonOf } from './errors.ts';
import { USDC_DECIMALS } from './request.ts';
import { counted, type Io } from './terminal.ts';

/** What a run has paid, and may still. */
export interface Budget {
  /** The wallet, held back where the run would cost more than it may. */
  guard(pay: Pay): Pay;
  /** What the run may still pay. */
  left(): bigint;
  /** A payment has bought an answer. */
  used(signature: string): void;
  /** An order ended in an error: a service that was paid in this run and gives nothing for it is not paid again. */
  failed(error: unknown): void;
  /** Why nothing more is paid, in a sentence; undefined while it is. */
  closed(): string | undefined;
  /** What was paid, in lines for people; none when nothing was. */
  summary(): string[];
}

/** A payment of this run that is not known to have been made: its transactions may still be found, and sent again. */
interface Unsettled {
  readonly amount: bigint;
  /** Whether it counts as paid until then. */
  isSpent: boolean;
}

/** A budget of so many millionths of a USDC. */
export function createBudget(maxCost: bigint): Budget {
  let spent = 0n;
  let closed: string | undefined;
  const made = new Set<string>();
  /** By the signatures of their transactions: one may have been signed anew. */
  const unsettled = new Map<string, Unsettled>();
  const used = new Set<string>();
  /** Taken off before it is paid: several files may be paid for at the same time. */
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
        // What may have been paid counts as paid.
        const isUnpaid = error instanceof PayingError && error.code !== 'payment_unknown';
        const payment = { amount, isSpent: begun.length > 0 && !isUnpaid };
        if (!payment.isSpent) spent -= amount;
        for (const { signature } of begun) if (signature !== undefined) unsettled.set(signature, payment);
        throw error;
      }
    };
  /** To look for a payment sends it again: one of this run that did not count as paid is paid with that. */
  const guardFind =
    (find: FindPayment): FindPayment =>
    async (order, attempts, context) => {
      const ours = new Set(attempts.flatMap(({ signature = '' }) => unsettled.get(signature) ?? []));
      const [first] = ours;
      if (first !== undefined && spentOn(ours) === 0n) {
        take(first.amount);
        // From here on it may have been paid, whatever becomes of the search.
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
      // What an earlier run paid, and the service has forgotten since, says nothing of the service now.
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

/** What payments that are not settled take of what may be spent. */
function spentOn(payments: ReadonlySet<Unsettled>): bigint {
  return [...payments].reduce((sum, { amount, isSpent }) => sum + (isSpent ? amount : 0n), 0n);
}

/** The payment for which a service gave nothing, through no fault of the document; undefined for all other errors. */
function takenBy(error: unknown): string | undefined {
  if (error instanceof PayingError) return error.code === 'answer_missing' ? error.signature : undefined;
  const isTaken =
    error instanceof CliError && (error.code === 'payment_refused' || error.code === 'remote_strange');
  return isTaken ? error.signature : undefined;
}

/** Millionths as people write them: 4000n is `0.004 USDC`. */
export function usdc(micro: bigint): string {
  const digits = micro.toString().padStart(USDC_DECIMALS + 1, '0');
  const [whole, part] = [digits.slice(0, -USDC_DECIMALS), digits.slice(-USDC_DECIMALS)];
  return `${`${whole}.${part}`.replace(/\.?0+$/, '')} USDC`;
}

/** Bits of a file's mode by which others than its owner may do something with it. */
const OTHERS = 0o077;

/**
 * The key pair in a file that is its owner's alone.
 *
 * Rejects with `keypair_unusable` or `keypair_exposed`.
 */
export async function readKeypairFile(typed: string, { cwd }: Pick<Io, 'cwd'>): Promise<Uint8Array> {
  const path = resolve(cwd, typed);
  try {
    const file = await open(path);
    try {
      await refuseExposed(file, path);
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

/** Whoever can read the file can spend what is in the wallet. Windows has no such bits. */
async function refuseExposed(file: FileHandle, path: string): Promise<void> {
  const about = await file.stat();
  // What comes from another program through a pipe is nobody else's.
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
