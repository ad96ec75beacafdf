// The transactions of an address, newest first, page by page.
import type { PaymentKey } from '../../ledger/ledger.ts';
import { readArray, readBase58, readCount, readObject, readOptional, readText } from './answers.ts';
import type { RpcCall } from './endpoint.ts';

/** A transaction in the history of an address. */
export interface HistoryEntry {
  readonly key: PaymentKey;
  /** Milliseconds since 1970; null when the node does not know. */
  readonly timeMs: number | null;
  readonly memos: readonly string[];
  readonly hasFailed: boolean;
}

/** The largest page that nodes serve. */
const PAGE = 1000;

/**
 * The transactions of an address that are at least confirmed, from one node.
 *
 * @param minContextSlot the node must have reached this slot
 */
export async function* historyOf(
  address: string,
  minContextSlot: number,
  call: RpcCall,
  signal: AbortSignal,
): AsyncGenerator<HistoryEntry> {
  for (let before: string | undefined; ;) {
    const options = { commitment: 'confirmed', limit: PAGE, minContextSlot, before };
    const page = readArray(
      await call('getSignaturesForAddress', [address, options], signal),
      'answer',
      readEntry,
    );
    yield* page;
    if (page.length < PAGE) return;
    before = page.at(-1)?.key;
  }
}

function readEntry(value: unknown, path: string): HistoryEntry {
  const entry = readObject(value, path);
  const seconds = readOptional(entry['blockTime'], `${path}.blockTime`, readCount);
  const memo = readOptional(entry['memo'], `${path}.memo`, readText) ?? '';
  return {
    key: readBase58(entry['signature'], `${path}.signature`, 88),
    timeMs: seconds === null ? null : seconds * 1000,
    // Each memo follows its length: `[3] one; [5] other`.
    memos: memo.split('; ').map((text) => text.replace(/^\[\d+\] /, '')),
    hasFailed: entry['err'] !== null,
  };
}
