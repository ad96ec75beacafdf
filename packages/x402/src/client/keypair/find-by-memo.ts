// Looks on the chain for a payment whose wallet did not say how it ended: by the memo, which no other payment has.
import type { Signature } from '@solana/kit';
import { type Clock, machineClock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { FindPayment, Search } from '../pay.ts';
import { connect, type Entry, type Network } from './network.ts';
import { tokenAccountOf } from './transfer.ts';

/** Options of {@link findByMemo}. */
export interface FindByMemoOptions {
  /** JSON-RPC endpoint of a node, http or https. */
  readonly rpcUrl: string;
  readonly clock?: Clock;
}

/** Clocks of validators and of users differ by less. */
const SKEW_MS = 120_000;
/** A transaction with a blockhash is included within about a minute or never; twice over and with a wallet's delay. */
const LIFETIME_MS = 300_000;
/** Pages of 1000 transactions that are looked through before it is given up. */
const MOST_PAGES = 20;

/**
 * Creates the `find` for a wallet that signs and broadcasts by itself and does not record its signatures. It looks
 * through the latest transactions of the account that is paid, and answers `unpaid` once five minutes have passed since
 * the last attempt.
 *
 * @example
 * const pay = Object.assign(payWithMyWallet, { find: findByMemo({ rpcUrl }) });
 */
export function findByMemo({ rpcUrl, clock = machineClock }: FindByMemoOptions): FindPayment {
  const network = connect(rpcUrl);
  return async ({ payTo, asset, memo }, attempts, { signal, spent }): Promise<Search> => {
    const begun = attempts.map(({ beganMs }) => beganMs);
    // The clock is read before the chain: what is included while we look is not missed and called impossible.
    const nowMs = clock.now();
    try {
      const account = await tokenAccountOf(payTo, asset);
      const since = Math.min(...begun) - SKEW_MS;
      const { signature, isWhole } = await search(network, account, { memo, since, spent }, signal);
      if (signature !== undefined) return { kind: 'paid', signature };
      if (!isWhole) return { kind: 'unknown', detail: 'the account has had too many payments since' };
    } catch (error) {
      signal.throwIfAborted();
      return { kind: 'unknown', detail: messageOf(error) };
    }
    if (nowMs - Math.max(...begun) > LIFETIME_MS) return { kind: 'unpaid' };
    return {
      kind: 'unknown',
      detail: 'it is not on the chain, and may still come; try again in five minutes',
    };
  };
}

async function search(
  network: Network,
  account: Awaited<ReturnType<typeof tokenAccountOf>>,
  { memo, since, spent }: { memo: string; since: number; spent: readonly string[] },
  signal: AbortSignal,
): Promise<{ readonly signature?: string; readonly isWhole: boolean }> {
  let before: Signature | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const entries = await network.history(account, before, signal);
    const hit = entries.find(
      (entry) => entry.err === null && memosOf(entry).includes(memo) && !spent.includes(entry.signature),
    );
    if (hit !== undefined) return { signature: hit.signature, isWhole: true };
    const last = entries.at(-1);
    if (last === undefined || isBefore(last, since)) return { isWhole: true };
    before = last.signature;
  }
  return { isWhole: false };
}

function isBefore({ blockTime }: Entry, ms: number): boolean {
  return blockTime !== null && Number(blockTime) * 1000 < ms;
}

function memosOf({ memo }: Entry): string[] {
  return (memo ?? '').split('; ').map((text) => text.replace(/^\[\d+\] /, ''));
}
