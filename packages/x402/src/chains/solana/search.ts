// Searches a payment by its memo: its wallet did not report the end, or it was made on another device. The search reads
// the transactions of the pay-to account, since the payer is unknown as well.
import type { PaymentKey } from '../../ledger/ledger.ts';
import { readCount, readObject } from './answers.ts';
import type { RpcCall } from './endpoint.ts';
import { historyOf } from './history.ts';
import { CLOCKS_APART_MS } from './partial.ts';
import type { RpcQuery } from './pool.ts';
import { fetchTransaction } from './transaction.ts';
import { type SolanaRule, judgeTransaction } from './verdict.ts';

/** The wanted payment. */
export interface WantedPayment {
  /** Text of its memo. */
  readonly memo: string;
  /** The least amount, in the smallest unit. */
  readonly amount: bigint;
  /** The earliest time of the payment, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** Height of the last block that may include it; absent when unknown. */
  readonly lastValidBlockHeight?: bigint | undefined;
  /** Used up payments with the same memo. */
  readonly except?: readonly PaymentKey[] | undefined;
}

/** `unpaid` when it was not made and no longer can be; `unknown` when it may still come. */
export type SearchResult =
  { readonly kind: 'paid'; readonly key: PaymentKey } | { readonly kind: 'unknown' | 'unpaid' };

/** Transactions of the pay-to account that are read before the search gives up. */
const MOST_ENTRIES = 5000;
/** The most payments with the memo that are read. An attacker could hide the right one behind small ones. */
const MOST_CANDIDATES = 8;

/**
 * Searches the latest transactions of the pay-to account, on one node. `unpaid` needs a node whose last finalized block
 * is beyond the last one that may include the payment. The search follows on a state that is no earlier, so that no
 * transaction is included in between.
 */
export function searchQuery(wanted: WantedPayment, rule: SolanaRule): RpcQuery<SearchResult> {
  return async (call, signal) => {
    const { slot, height } = await readFinalized(call, signal);
    const { keys, isWhole } = await findCandidates(wanted, { rule, slot }, call, signal);
    for (const key of keys) {
      if (await paysEnough(key, wanted, rule, call, signal)) return { kind: 'paid', key };
    }
    const { lastValidBlockHeight } = wanted;
    const isOver = lastValidBlockHeight !== undefined && height > lastValidBlockHeight;
    return { kind: isOver && isWhole ? 'unpaid' : 'unknown' };
  };
}

async function readFinalized(call: RpcCall, signal: AbortSignal): Promise<{ slot: number; height: bigint }> {
  const answer = readObject(await call('getEpochInfo', [{ commitment: 'finalized' }], signal), 'answer');
  return {
    slot: readCount(answer['absoluteSlot'], 'absoluteSlot'),
    height: BigInt(readCount(answer['blockHeight'], 'blockHeight')),
  };
}

/** Payments with the memo that did not fail, newest first. `isWhole` is true when the search reached `sinceMs`. */
async function findCandidates(
  { memo, sinceMs, except = [] }: WantedPayment,
  { rule, slot }: { readonly rule: SolanaRule; readonly slot: number },
  call: RpcCall,
  signal: AbortSignal,
): Promise<{ readonly keys: readonly PaymentKey[]; readonly isWhole: boolean }> {
  const keys: PaymentKey[] = [];
  let entries = 0;
  for await (const entry of historyOf(rule.account, slot, call, signal)) {
    if (entry.timeMs !== null && entry.timeMs < sinceMs - CLOCKS_APART_MS) break;
    const isWanted = entry.memos.includes(memo) && !except.includes(entry.key);
    if (isWanted && !entry.hasFailed) keys.push(entry.key);
    if (keys.length === MOST_CANDIDATES || ++entries === MOST_ENTRIES) return { keys, isWhole: false };
  }
  return { keys, isWhole: true };
}

async function paysEnough(
  key: PaymentKey,
  { amount }: WantedPayment,
  rule: SolanaRule,
  call: RpcCall,
  signal: AbortSignal,
): Promise<boolean> {
  const transaction = await fetchTransaction(key, call, signal);
  if (transaction === null) return false;
  const verdict = judgeTransaction(key, transaction, rule);
  return verdict.kind === 'found' && verdict.credited >= amount;
}
