// Pays by a wallet of the browser, behind the port of the paying fetch. What is signed is looked at before and after,
// and where the wallet lets the page send, its signature is written down before it leaves: then nothing that happens
// afterwards can lose it.
import {
  type Attempt,
  type FindPayment,
  type Pay,
  PayingError,
  type PaymentOrder,
} from '@grainline/x402/client';
import { transferFault } from '@grainline/x402/solana';
import { getBase58Decoder, getBase64Decoder, getBase64Encoder, getTransactionDecoder } from '@solana/kit';
import { Refusal } from '../service.ts';
import type { Found, PaymentService, Wanted } from './service.ts';
import { isDeclined, type WalletAccount } from './wallet.ts';

/** How far a payment is, for the visitor. */
export type PayingStage = 'preparing' | 'signing' | 'sending' | 'confirming';

/** Pauses between two looks at the network, in milliseconds; the last one again and again. */
const PAUSES_MS = [400, 800, 1500, 2500];
/** A transaction is included within a minute or so, or never; twice over and with a wallet's delay. */
const LIFETIME_MS = 300_000;
/** How long the network is watched before the visitor is told that it takes long. */
const PATIENCE_MS = 120_000;

/** What a payment by the page needs. */
export interface PayingPage {
  readonly service: PaymentService;
  readonly onStage: (stage: PayingStage) => void;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Pays with an account. Rejections are PayingErrors where it is known that nothing was paid. */
export function payWithWallet(account: WalletAccount, page: PayingPage): Pay {
  const { service, onStage, nowMs } = page;
  const pay: Pay = async (order, { signal, record }) => {
    onStage('preparing');
    const { transaction, lastValidBlockHeight } = await notPaid(
      service.prepare(account.address, order.memo, signal),
      signal,
    );
    await refuseOther(transaction, order, account.address);
    onStage('signing');
    const bytes = Uint8Array.from(getBase64Encoder().encode(transaction));
    if (account.sign === undefined) {
      // Whether the wallet puts another blockhash in is not known, so the height says nothing.
      const sent = await declinable(
        account.signAndSend?.(bytes) ?? Promise.reject(new Error('it cannot send')),
      );
      onStage('confirming');
      return confirmed(getBase58Decoder().decode(sent), { memo: order.memo }, page, signal);
    }
    const signed = getBase64Decoder().decode(await declinable(account.sign(bytes)));
    await refuseOther(signed, order, account.address);
    const signature = signatureOf(signed, account.address);
    await record({ beganMs: nowMs(), signature, transaction: signed, lastValidBlockHeight });
    onStage('sending');
    const wanted = { memo: order.memo, lastValidBlockHeight };
    await relay(signed, { ...wanted, signature }, page, signal);
    onStage('confirming');
    return confirmed(signature, wanted, page, signal);
  };
  return Object.assign(pay, { find: findBy(page) });
}

/**
 * Looks for payments that may have been made. A transaction that was signed and is not there yet is sent once more, and
 * looked for again in the seconds in which networks include it.
 */
export function findBy({ service, nowMs, wait }: PayingPage): FindPayment {
  return async ({ memo }, attempts, { signal, spent }) => {
    const last = attempts.at(-1);
    const height = last?.lastValidBlockHeight;
    const wanted = { memo, except: spent, ...(height === undefined ? {} : { lastValidBlockHeight: height }) };
    for (const pauseMs of [...PAUSES_MS, undefined]) {
      // Read before the network is asked: what is included in between is not missed and called impossible.
      const lookedMs = nowMs();
      let found: Found;
      try {
        found = await service.find(wanted, signal);
      } catch (error) {
        signal.throwIfAborted();
        return { kind: 'unknown', detail: messageOf(error) };
      }
      if (found.kind === 'paid') return found;
      if (found.kind === 'unpaid') return { kind: 'unpaid' };
      if (height === undefined && isOver(last, lookedMs)) return { kind: 'unpaid' };
      if (last?.transaction === undefined || pauseMs === undefined) break;
      await service.send(last.transaction, signal).catch(() => signal.throwIfAborted());
      await wait(pauseMs, signal);
    }
    return { kind: 'unknown', detail: 'it is not on the network yet, and may still come' };
  };
}

function isOver(last: Attempt | undefined, nowMs: number): boolean {
  return last === undefined || nowMs - last.beganMs > LIFETIME_MS;
}

/** @throws PayingError when it is not the transfer that was ordered */
async function refuseOther(transaction: string, order: PaymentOrder, payer: string): Promise<void> {
  const fault = await transferFault(transaction, { ...order, payer });
  if (fault !== null)
    throw new PayingError('payment_failed', {
      detail: `the transaction is not the transfer that was agreed: ${fault}`,
    });
}

/** Before anything is signed, nothing is paid. */
async function notPaid<Value>(step: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return step.catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new PayingError('payment_failed', { detail: messageOf(cause), cause });
  });
}

async function declinable<Value>(step: Promise<Value>): Promise<Value> {
  return step.catch((cause: unknown) => {
    if (isDeclined(cause))
      throw new PayingError('payment_failed', { detail: 'you declined it in the wallet', cause });
    throw cause;
  });
}

/** Sends it; where that is refused, looks whether an earlier try has come through all the same. */
async function relay(
  signed: string,
  { signature, ...wanted }: Omit<Wanted, 'except'> & { readonly signature: string },
  page: PayingPage,
  signal: AbortSignal,
): Promise<void> {
  for (const pauseMs of PAUSES_MS) {
    try {
      await page.service.send(signed, signal);
      return;
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof Refusal) || cause.status !== 400) {
        // Not reached, or the service does not reach the network.
        await page.wait(pauseMs, signal);
        continue;
      }
      const look = createLook(signature, wanted, page);
      if ((await look(signal).catch(() => null)) === 'paid') return;
      throw new PayingError('payment_failed', { detail: cause.message, cause });
    }
  }
  throw new Error('the service could not hand it to the network');
}

/** Waits until it is on the network. */
async function confirmed(
  signature: string,
  wanted: Omit<Wanted, 'except'>,
  page: PayingPage,
  signal: AbortSignal,
): Promise<string> {
  const { nowMs, wait } = page;
  const look = createLook(signature, wanted, page);
  const endMs = nowMs() + PATIENCE_MS;
  for (let looks = 0; nowMs() < endMs; looks++) {
    await wait(PAUSES_MS[Math.min(looks, PAUSES_MS.length - 1)] ?? 0, signal);
    const state = await look(signal).catch(() => 'unknown' as const);
    signal.throwIfAborted();
    if (state === 'paid') return signature;
    if (state === 'unpaid')
      throw new PayingError('payment_failed', { detail: 'the network did not take it in time', signature });
  }
  throw new Error('it takes long');
}

/** A look for one payment of known signature. Others with the same memo were made for the same request, earlier. */
function createLook(signature: string, wanted: Omit<Wanted, 'except'>, { service }: PayingPage) {
  let except: readonly string[] = [];
  return async (signal: AbortSignal): Promise<Found['kind']> => {
    for (;;) {
      const found = await service.find({ ...wanted, except }, signal);
      if (found.kind !== 'paid' || found.signature === signature) return found.kind;
      except = [...except, found.signature];
    }
  };
}

/** The transaction's name: what its payer signed it with. */
function signatureOf(signed: string, payer: string): string {
  const { signatures } = getTransactionDecoder().decode(getBase64Encoder().encode(signed));
  const signature = Object.entries(signatures).find(([address]) => address === payer)?.[1];
  if (signature == null) throw new PayingError('payment_failed', { detail: 'the wallet did not sign it' });
  return getBase58Decoder().decode(signature);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
