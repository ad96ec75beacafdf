// What a transaction is worth to us: the change of the pay-to account's balance, whatever instructions brought it
// about. Pure. Instructions are looked at for memos alone, so that no layout has to be foreseen, and none can deceive.
import type { FoundPayment, PaymentRule } from '../../chain.ts';
import type { PaymentKey } from '../../ledger.ts';
import { MalformedAnswer } from './answers.ts';
import { TOKEN_PROGRAM } from './programs.ts';
import type { Balances, SolanaTransaction } from './transaction.ts';

/** What a payment must do to count on Solana. */
export interface SolanaRule extends PaymentRule {
  /** The associated token account of `payTo` for the asset: the only account that counts. */
  readonly account: string;
}

/** What a transaction says of a key. */
export type Verdict =
  | ({ readonly kind: 'found' } & Omit<FoundPayment, 'timeMs'>)
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed' };

/**
 * The verdict on the transaction that a node gives for a key.
 *
 * @throws MalformedAnswer when the node gives another transaction, or half of one
 */
export function verdictOn(key: PaymentKey, transaction: SolanaTransaction, rule: SolanaRule): Verdict {
  const { signatures, keys, slot, memos } = transaction;
  const feePayer = keys[0] ?? '';
  const payer = giverOf(transaction, rule) ?? feePayer;
  if (signatures[0] !== key) {
    if (!signatures.includes(key))
      throw new MalformedAnswer('signatures', 'those of the transaction asked for');
    // A co-signer's signature is no name of the transaction: with it, one payment would have several keys.
    return { kind: 'unknown' };
  }
  if (transaction.failed) return { kind: 'failed' };
  return {
    kind: 'found',
    payer,
    ...(payer !== feePayer && { feePayer }),
    credited: creditedAmount(transaction, rule),
    slot,
    memos,
  };
}

/**
 * Whose accounts of the asset lost most: whoever gave the money, though somebody else may have signed for it or paid
 * the fee. Null when nobody lost any, as when it was minted.
 */
function giverOf({ before, after }: SolanaTransaction, { asset, payTo }: SolanaRule): string | null {
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
  // Of equal losses the address that sorts first, so that every node's answer gives the same.
  let most: readonly [string | null, bigint] = [null, 0n];
  for (const [owner, loss] of [...losses].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (loss > most[1]) most = [owner, loss];
  }
  return most[0];
}

/**
 * By how much the pay-to account's balance grew, in the smallest unit; 0 or less when it did not.
 *
 * What it holds afterwards counts only while it is `payTo`'s account of the asset; what it held before counts always,
 * so that a handed-over account is never taken for money that came in.
 *
 * @throws MalformedAnswer when the node leaves out what the account held
 */
export function creditedAmount(transaction: SolanaTransaction, rule: SolanaRule): bigint {
  const { keys, before, after, failed } = transaction;
  const index = keys.indexOf(rule.account);
  // Only the token program changes its accounts, and it must be named to run. Nodes list no token balances without it.
  if (failed || index < 0 || !keys.includes(TOKEN_PROGRAM)) return 0n;
  const held = heldIn(before, rule);
  const holds = heldIn(after, rule);
  const lamports = [before.lamports[index] ?? 0, after.lamports[index] ?? 0] as const;
  // An account without lamports does not exist; one that has some has an entry. Without the one from before, a node
  // that answers by half would make the whole balance look like this payment. Lamports that were sent to the address
  // before the account was made are no account: making it adds what they lack of its rent.
  const isNew = lamports[0] === 0 || lamports[1] > lamports[0];
  if ((held === null && !isNew) || (holds === null && lamports[1] > 0)) {
    throw new MalformedAnswer('the pay-to account', 'among the token balances');
  }
  return (holds?.isOurs === true ? holds.amount : 0n) - (held?.amount ?? 0n);
}

function heldIn(side: Balances, rule: SolanaRule): { amount: bigint; isOurs: boolean } | null {
  const entry = side.tokens.find(({ account }) => account === rule.account);
  if (entry === undefined) return null;
  const { amount, mint, owner, program } = entry;
  if (owner === null || program === null) {
    throw new MalformedAnswer('the pay-to account', 'named with owner and program');
  }
  return { amount, isOurs: mint === rule.asset && owner === rule.payTo && program === TOKEN_PROGRAM };
}
