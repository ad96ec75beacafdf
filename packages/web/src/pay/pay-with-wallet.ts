// Pays by a wallet of the browser, behind the port of the paying fetch. The transaction is checked before and after the
// signature. Where the wallet leaves the sending to the page, its signature is stored first, so that no later failure
// loses the payment.
import { ClientError, type TransferQuery, type Transfers, type TransferState } from '@grainline/client';
import {
  type Attempt,
  type FindPayment,
  type Pay,
  PayingError,
  type PaymentOrder,
} from '@grainline/x402/client';
import { transferIssue } from '@grainline/x402/solana';
import { getBase58Decoder, getBase64Decoder, getBase64Encoder, getTransactionDecoder } from '@solana/kit';
import { isDeclined, type WalletAccount } from './wallet.ts';
import { REASONS } from '../texts.ts';

/** Progress of a payment. */
export type PayingStage = 'preparing' | 'signing' | 'sending' | 'confirming';

/** Pauses between polls of the network, in milliseconds; the last one repeats. */
const PAUSES_MS = [400, 800, 1500, 2500];
/**
 * Twice the lifetime of a transaction, which is included within about a minute or never, plus a wallet's delay.
 */
const LIFETIME_MS = 300_000;
/** Time of polling before the visitor gets a notice. */
const PATIENCE_MS = 120_000;

/** The way of an attempt by a code that another device follows, or not. */
export const BY_CODE = 'code';

/** Dependencies of a payment by the page. */
export interface PayingPage {
  /** The service relays to the network; the page itself reaches only the service. */
  readonly transfers: Transfers;
  readonly tier: string;
  readonly onStage: (stage: PayingStage) => void;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Pays with an account. It rejects with a PayingError when nothing was paid for certain. */
export function payWithWallet(account: WalletAccount, page: PayingPage): Pay {
  const { transfers, tier, onStage, nowMs } = page;
  const pay: Pay = async (order, { signal, record }) => {
    onStage('preparing');
    const { transaction, lastValidBlockHeight } = await notPaid(
      transfers.prepare({ payer: account.address, tier, memo: order.memo }, { signal }),
      signal,
    );
    await rejectOther(transaction, order, account.address);
    onStage('signing');
    const bytes = Uint8Array.from(getBase64Encoder().encode(transaction));
    if (account.sign === undefined) {
      // The wallet may replace the blockhash, so its block height proves nothing.
      const sent = await declinable(
        account.signAndSend?.(bytes) ?? Promise.reject(new Error(REASONS.cannotSend)),
      );
      onStage('confirming');
      return confirmed(getBase58Decoder().decode(sent), { tier, memo: order.memo }, page, signal);
    }
    const signed = getBase64Decoder().decode(await declinable(account.sign(bytes)));
    await rejectOther(signed, order, account.address);
    const signature = signatureOf(signed, account.address);
    const height = String(lastValidBlockHeight);
    await record({ beganMs: nowMs(), signature, transaction: signed, lastValidBlockHeight: height });
    onStage('sending');
    const query = { tier, memo: order.memo, lastValidBlockHeight };
    await relay(signed, { ...query, signature }, page, signal);
    onStage('confirming');
    return confirmed(signature, query, page, signal);
  };
  return Object.assign(pay, { find: findBy(page, { leavesCode: true }) });
}

/**
 * Searches for payments with an unknown outcome. A signed transaction that is missing is sent once more, and searched
 * again for as long as networks take to include it.
 *
 * @param leavesCode true for a visitor who pays in another way now, so that a code without a payment is not under way
 */
export function findBy(
  { transfers, tier, nowMs, wait }: PayingPage,
  { leavesCode = false }: { readonly leavesCode?: boolean } = {},
): FindPayment {
  return async ({ memo }, attempts, { signal, spent }) => {
    const last = attempts.at(-1);
    const height = last?.lastValidBlockHeight;
    const lastValidBlockHeight = height === undefined ? undefined : Number(height);
    const query = { tier, memo, except: spent, lastValidBlockHeight };
    for (const pauseMs of [...PAUSES_MS, undefined]) {
      // The time is read before the request: a transaction included in between is found.
      const polledMs = nowMs();
      let found: TransferState;
      try {
        found = await transfers.find(query, { signal });
      } catch (error) {
        signal.throwIfAborted();
        return { kind: 'unknown', detail: messageOf(error) };
      }
      if (found.state === 'paid') return { kind: 'paid', signature: found.signature };
      if (found.state === 'unpaid') return { kind: 'unpaid' };
      const isLeft = leavesCode && isByCode(attempts);
      if (height === undefined && (isLeft || isOver(last, polledMs))) return { kind: 'unpaid' };
      if (last?.transaction === undefined || pauseMs === undefined) break;
      await transfers.send(last.transaction, { signal }).catch(() => signal.throwIfAborted());
      await wait(pauseMs, signal);
    }
    return { kind: 'unknown', detail: REASONS.mayCome };
  };
}

/** True when the last attempt is a code for another device. */
export function isByCode(attempts: readonly Attempt[]): boolean {
  return attempts.at(-1)?.way === BY_CODE;
}

function isOver(last: Attempt | undefined, nowMs: number): boolean {
  return last === undefined || nowMs - last.beganMs > LIFETIME_MS;
}

/** @throws PayingError when it is not the ordered transfer */
async function rejectOther(transaction: string, order: PaymentOrder, payer: string): Promise<void> {
  const error = await transferIssue(transaction, { ...order, payer });
  if (error !== null)
    throw new PayingError('payment_failed', {
      detail: REASONS.notAgreed(error),
    });
}

/** Turns an error from before the signature into `payment_failed`. */
async function notPaid<Value>(step: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return step.catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new PayingError('payment_failed', { detail: messageOf(cause), cause });
  });
}

async function declinable<Value>(step: Promise<Value>): Promise<Value> {
  return step.catch((cause: unknown) => {
    if (isDeclined(cause)) throw new PayingError('payment_failed', { detail: REASONS.declined, cause });
    throw cause;
  });
}

/** Sends the transaction. After a rejection it searches for an earlier try that succeeded. */
async function relay(
  signed: string,
  { signature, ...query }: TransferQuery & { readonly signature: string },
  page: PayingPage,
  signal: AbortSignal,
): Promise<void> {
  for (const pauseMs of PAUSES_MS) {
    try {
      await page.transfers.send(signed, { signal });
      return;
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof ClientError) || cause.status !== 400) {
        // The service, or its node, is unreachable.
        await page.wait(pauseMs, signal);
        continue;
      }
      const poll = createPoll(signature, query, page);
      if ((await poll(signal).catch(() => null)) === 'paid') return;
      throw new PayingError('payment_failed', { detail: cause.message, cause });
    }
  }
  throw new Error(REASONS.notHanded);
}

/** Waits until the network has the payment. */
async function confirmed(
  signature: string,
  query: TransferQuery,
  page: PayingPage,
  signal: AbortSignal,
): Promise<string> {
  const { nowMs, wait } = page;
  const poll = createPoll(signature, query, page);
  const endMs = nowMs() + PATIENCE_MS;
  for (let polls = 0; nowMs() < endMs; polls++) {
    await wait(PAUSES_MS[Math.min(polls, PAUSES_MS.length - 1)] ?? 0, signal);
    const state = await poll(signal).catch(() => 'unknown' as const);
    signal.throwIfAborted();
    if (state === 'paid') return signature;
    if (state === 'unpaid') throw new PayingError('payment_failed', { detail: REASONS.late, signature });
  }
  throw new Error(REASONS.long);
}

/** A poll for one payment of known signature. Other payments with the same memo belong to earlier tries. */
function createPoll(signature: string, query: TransferQuery, { transfers }: PayingPage) {
  let except: readonly string[] = [];
  return async (signal: AbortSignal): Promise<TransferState['state']> => {
    for (;;) {
      const found = await transfers.find({ ...query, except }, { signal });
      if (found.state !== 'paid' || found.signature === signature) return found.state;
      except = [...except, found.signature];
    }
  };
}

/** The transaction's signature by its payer. */
function signatureOf(signed: string, payer: string): string {
  const { signatures } = getTransactionDecoder().decode(getBase64Encoder().encode(signed));
  const signature = Object.entries(signatures).find(([address]) => address === payer)?.[1];
  if (signature == null) throw new PayingError('payment_failed', { detail: REASONS.unsigned });
  return getBase58Decoder().decode(signature);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
