// Looks for a payment of which only the memo is known: its wallet did not say how it ended, or it was made on another
// device. Among ours, since whoever paid is not known either.
import type { PaymentKey } from '../../ledger.ts';
import { readArray, readBase58, readCount, readObject, readOptional, readText } from './answers.ts';
import type { Call } from './endpoint.ts';
import { CLOCKS_APART_MS } from './partial.ts';
import type { Question } from './pool.ts';
import { fetchTransaction } from './transaction.ts';
import { type SolanaRule, verdictOn } from './verdict.ts';

/** What is looked for. */
export interface WantedPayment {
  /** Text of its memo. */
  readonly memo: string;
  /** What it pays at least, in the smallest unit. */
  readonly amount: bigint;
  /** When it may have been made at the earliest, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** After this height the chain takes it no more; absent when nobody knows. */
  readonly lastValidBlockHeight?: bigint;
  /** Payments with the same memo that are used up. */
  readonly except?: readonly PaymentKey[];
}

/** `unpaid` when it was not made and no longer can be; `unknown` when it may still come. */
export type SearchResult =
  { readonly kind: 'paid'; readonly key: PaymentKey } | { readonly kind: 'unknown' | 'unpaid' };

/** Signatures of one page: the most that nodes give. */
const PAGE = 1000;
/** Pages that are looked through before it is given up. */
const MOST_PAGES = 5;
/** Payments with that memo that are read at most: too small ones, of whoever wants to hide the right one. */
const MOST_CANDIDATES = 8;

/**
 * Looks for the payment among the latest transactions of the pay-to account, on one node. `unpaid` needs a node whose
 * last finalized block is beyond the last that could hold it; the search comes after that and on a state no earlier, so
 * that nothing can be included in between.
 */
export function searchQuestion(wanted: WantedPayment, rule: SolanaRule): Question<SearchResult> {
  return async (call, signal) => {
    const { slot, height } = await finalized(call, signal);
    const { keys, isWhole } = await candidates(wanted, { rule, slot }, call, signal);
    for (const key of keys) {
      if (await isEnough(key, wanted, rule, call, signal)) return { kind: 'paid', key };
    }
    const { lastValidBlockHeight } = wanted;
    const isOver = lastValidBlockHeight !== undefined && height > lastValidBlockHeight;
    return { kind: isOver && isWhole ? 'unpaid' : 'unknown' };
  };
}

async function finalized(call: Call, signal: AbortSignal): Promise<{ slot: number; height: bigint }> {
  const answer = readObject(await call('getEpochInfo', [{ commitment: 'finalized' }], signal), 'answer');
  return {
    slot: readCount(answer['absoluteSlot'], 'absoluteSlot'),
    height: BigInt(readCount(answer['blockHeight'], 'blockHeight')),
  };
}

/** Payments with the memo that did not fail, newest first. */
async function candidates(
  { memo, sinceMs, except = [] }: WantedPayment,
  { rule, slot }: { readonly rule: SolanaRule; readonly slot: number },
  call: Call,
  signal: AbortSignal,
): Promise<{ readonly keys: readonly PaymentKey[]; readonly isWhole: boolean }> {
  const keys: PaymentKey[] = [];
  let before: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const options = {
      commitment: 'confirmed',
      limit: PAGE,
      minContextSlot: slot,
      ...(before !== undefined && { before }),
    };
    const answer = await call('getSignaturesForAddress', [rule.account, options], signal);
    const page = readArray(answer, 'answer', readEntry);
    for (const entry of page) {
      const isWanted = entry.memos.includes(memo) && !except.includes(entry.key);
      if (isWanted && !entry.hasFailed) keys.push(entry.key);
      if (keys.length === MOST_CANDIDATES) return { keys, isWhole: false };
    }
    const last = page.at(-1);
    const isPast = last?.timeMs != null && last.timeMs < sinceMs - CLOCKS_APART_MS;
    if (page.length < PAGE || isPast) return { keys, isWhole: true };
    before = last?.key;
  }
  return { keys, isWhole: false };
}

interface Entry {
  readonly key: PaymentKey;
  readonly timeMs: number | null;
  readonly memos: readonly string[];
  readonly hasFailed: boolean;
}

function readEntry(value: unknown, path: string): Entry {
  const entry = readObject(value, path);
  const seconds = readOptional(entry['blockTime'], `${path}.blockTime`, readCount);
  const memo = readOptional(entry['memo'], `${path}.memo`, readText) ?? '';
  return {
    key: readBase58(entry['signature'], `${path}.signature`, 88),
    timeMs: seconds === null ? null : seconds * 1000,
    // Each behind its length: `[3] one; [5] other`.
    memos: memo.split('; ').map((text) => text.replace(/^\[\d+\] /, '')),
    hasFailed: entry['err'] !== null,
  };
}

async function isEnough(
  key: PaymentKey,
  { amount }: WantedPayment,
  rule: SolanaRule,
  call: Call,
  signal: AbortSignal,
): Promise<boolean> {
  const transaction = await fetchTransaction(key, call, signal);
  if (transaction === null) return false;
  const verdict = verdictOn(key, transaction, rule);
  return verdict.kind === 'found' && verdict.credited >= amount;
}
