// The worth of a transaction: the change of the pay-to account's balance, by whatever instructions. Pure. Instructions
// are read for memos alone, so the verdict depends on no instruction layout.
import type { FoundPayment, PaymentRule } from '../../gate/chain.ts';
import type { PaymentKey } from '../../ledger/ledger.ts';
import { MalformedAnswer } from './answers.ts';
import { TOKEN_PROGRAM } from './programs.ts';
import type { Balances, SolanaTransaction } from './transaction.ts';

/** The recipient, the asset and the account of payments on Solana. */
export interface SolanaRule extends PaymentRule {
  /** The associated token account of `payTo` for the asset: the only account that counts. */
  readonly account: string;
}

/** The verdict on the transaction of a key. */
export type Verdict =
  | ({ readonly kind: 'found' } & Omit<FoundPayment, 'timeMs'>)
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed' };

/**
 * Judges the transaction that a node returned for a key.
 *
 * @throws MalformedAnswer when the node returns another transaction, or half of one
 */
export function judgeTransaction(key: PaymentKey, transaction: SolanaTransaction, rule: SolanaRule): Verdict {
  const { signatures, keys, slot, memos } = transaction;
  const feePayer = keys[0] ?? '';
  const payer = findPayer(transaction, rule) ?? feePayer;
  if (signatures[0] !== key) {
    if (!signatures.includes(key))
      throw new MalformedAnswer('signatures', 'those of the transaction asked for');
    // A co-signer's signature is not the transaction's id: with it, one payment would have several keys.
    return { kind: 'unknown' };
  }
  if (transaction.failed) return { kind: 'failed' };
  return {
    kind: 'found',
    payer,
    feePayer: feePayer === payer ? undefined : feePayer,
    credited: creditedAmount(transaction, rule),
    slot,
    memos,
  };
}

/**
 * The owner whose accounts of the asset lost most, and who so gave the money; another party may have signed or paid the
 * fee. Null without a loss, for example when the money was minted.
 */
function findPayer({ before, after }: SolanaTransaction, { asset, payTo }: SolanaRule): string | null {
  const losses = new Map<string, bigint>();
  for (const [side, sign] of [
    [before, 1n],
    [after, -1n],
  ] as const) {
    for (const { mint, owner, amount } of side.tokens) {
      if (mint !== asset || owner === null || owner === payTo) continue;
      losses.set(owner, (losses.get(owner) ?? 0n) + sign * amount);
    }
  }
  // Of equal losses the first address in sort order, so that every node's answer gives the same.
  let most: readonly [string | null, bigint] = [null, 0n];
  for (const [owner, loss] of [...losses].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (loss > most[1]) most = [owner, loss];
  }
  return most[0];
}

/**
 * The gain of the pay-to account, in the smallest unit; 0 or less without one.
 *
 * The balance afterwards counts only while the account is `payTo`'s account of the asset. The balance before always
 * counts, so that a handed-over account is no income.
 *
 * @throws MalformedAnswer when the node leaves the account's balance out
 */
export function creditedAmount(transaction: SolanaTransaction, rule: SolanaRule): bigint {
  const { keys, before, after, failed } = transaction;
  const index = keys.indexOf(rule.account);
  // Only the token program changes its accounts, and a transaction must name it. Nodes list no token balances without
  // it.
  if (failed || index < 0 || !keys.includes(TOKEN_PROGRAM)) return 0n;
  const held = findHolding(before, rule);
  const holds = findHolding(after, rule);
  const lamports = [before.lamports[index] ?? 0, after.lamports[index] ?? 0] as const;
  // An account exists when it has lamports, and then has an entry. Without the entry from before, an incomplete answer
  // would make the whole balance look like this payment. Lamports at the address of an account that does not exist yet
  // count towards its rent, so a rise of lamports also marks a new account.
  const isNew = lamports[0] === 0 || lamports[1] > lamports[0];
  if ((held === null && !isNew) || (holds === null && lamports[1] > 0)) {
    throw new MalformedAnswer('the pay-to account', 'among the token balances');
  }
  return (holds?.isOurs === true ? holds.amount : 0n) - (held?.amount ?? 0n);
}

function findHolding(side: Balances, rule: SolanaRule): { amount: bigint; isOurs: boolean } | null {
  const entry = side.tokens.find(({ account }) => account === rule.account);
  if (entry === undefined) return null;
  const { amount, mint, owner, program } = entry;
  if (owner === null || program === null) {
    throw new MalformedAnswer('the pay-to account', 'named with owner and program');
  }
  return { amount, isOurs: mint === rule.asset && owner === rule.payTo && program === TOKEN_PROGRAM };
}
