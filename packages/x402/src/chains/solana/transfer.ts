// Transfers for wallets behind a page: preparation, and the check before the relay. Pure, without private keys.
import {
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  isAddress,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageComputeUnitPrice,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Address,
  type Blockhash,
} from '@solana/kit';
import { getTransferCheckedInstruction } from '@solana-program/token';
import type { PaymentKey } from '../../ledger/ledger.ts';
import { USDC_DECIMALS } from './usdc.ts';
import {
  COMPUTE_BUDGET_PROGRAM,
  LIGHTHOUSE_PROGRAM,
  MEMO_PROGRAM,
  MEMO_PROGRAMS,
  associatedTokenAccount,
} from './programs.ts';
import type { SolanaRule } from './verdict.ts';
import { readTransfer, readWire, type TokenTransfer, type WireTransaction } from './wire.ts';

/** The payer, the amount and the memo of a transfer. */
export interface TransferOrder {
  /** Address of the wallet that gives the money and pays the fee. */
  readonly payer: string;
  /** In the smallest unit, above 0. */
  readonly amount: bigint;
  /** Text of the memo, of at most {@link MAX_MEMO_BYTES}. */
  readonly memo?: string | undefined;
}

/** A transaction for the payer to sign. */
export interface PreparedTransfer {
  /** The unsigned transaction (version 0) in base64. */
  readonly transaction: string;
  /** Height of the last block that may include it. */
  readonly lastValidBlockHeight: bigint;
}

/** A blockhash with its validity. */
export interface Lifetime {
  readonly blockhash: string;
  readonly lastValidBlockHeight: bigint;
}

/** The input of this folder is unusable; the error lists every issue. */
export class SolanaInputError extends TypeError {
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(issues.join(' '));
    this.name = 'SolanaInputError';
    this.issues = issues;
  }
}

/** The longest memo, in bytes of UTF-8; facilitators and nodes take as many. */
export const MAX_MEMO_BYTES = 256;

// Measured with today's token and memo programs: 692 units with a memo of 51 bytes, 861 with the longest. Older
// versions on other networks take about ten times as many.
const COMPUTE_UNITS = 60_000;
/** With the units above a priority fee of 60 lamports, which is enough in quiet times. */
const MICRO_LAMPORTS_PER_UNIT = 1_000n;

/**
 * The transfer of an order to the pay-to account, unsigned.
 *
 * @throws SolanaInputError
 */
export async function buildTransfer(
  order: TransferOrder,
  rule: SolanaRule,
  lifetime: Lifetime,
): Promise<PreparedTransfer> {
  assertOrder(order, rule);
  const payer = order.payer as Address;
  const transfer = getTransferCheckedInstruction({
    source: await associatedTokenAccount(payer, rule.asset),
    mint: rule.asset as Address,
    destination: rule.account as Address,
    authority: payer,
    amount: order.amount,
    decimals: USDC_DECIMALS,
  });
  const memo = {
    programAddress: MEMO_PROGRAM,
    data: new TextEncoder().encode(order.memo),
  };
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayer(payer, draft),
    (draft) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { ...lifetime, blockhash: lifetime.blockhash as Blockhash },
        draft,
      ),
    (draft) => setTransactionMessageComputeUnitLimit(COMPUTE_UNITS, draft),
    (draft) => setTransactionMessageComputeUnitPrice(MICRO_LAMPORTS_PER_UNIT, draft),
    (draft) =>
      appendTransactionMessageInstructions(order.memo === undefined ? [transfer] : [transfer, memo], draft),
  );
  return {
    transaction: getBase64EncodedWireTransaction(compileTransaction(message)),
    lastValidBlockHeight: lifetime.lastValidBlockHeight,
  };
}

function assertOrder({ payer, amount, memo = '' }: TransferOrder, rule: SolanaRule): void {
  const issues: string[] = [];
  if (!isAddress(payer)) issues.push('payer is not an address of Solana.');
  if (payer === rule.payTo) issues.push('payer is the pay-to wallet itself.');
  if (amount <= 0n || amount >= 2n ** 64n) issues.push('amount is not between 1 and 2^64 - 1.');
  if (new TextEncoder().encode(memo).length > MAX_MEMO_BYTES)
    issues.push(`memo has more than ${MAX_MEMO_BYTES} bytes.`);
  if (issues.length > 0) throw new SolanaInputError(issues);
}

/** The check of a transaction for the relay. */
export type Relayable =
  | {
      readonly kind: 'relayable';
      /** Its key after inclusion. */
      readonly key: PaymentKey;
      readonly payer: string;
      readonly amount: bigint;
    }
  | { readonly kind: 'refused'; readonly detail: string };

/** Programs that may stand beside the transfer: none of them moves money. */
const HARMLESS: ReadonlySet<string> = new Set([COMPUTE_BUDGET_PROGRAM, LIGHTHOUSE_PROGRAM, ...MEMO_PROGRAMS]);

/**
 * Checks that a transaction in base64 is fully signed, and only transfers the asset to the pay-to account once. A relay
 * for other transactions would be a free access to the network. The node verifies the signatures.
 */
export function checkRelayable(transaction: string, rule: SolanaRule): Relayable {
  const refused = (detail: string): Relayable => ({ kind: 'refused', detail });
  const wire = readWire(transaction);
  if (wire === null) return refused('It is no transaction of Solana in base64.');
  if (wire.usesLookupTables) return refused('It uses address lookup tables.');
  if (wire.hasDurableNonce) return refused('It uses a durable nonce.');
  const [feePayer] = wire.signers;
  if (feePayer?.signature == null || wire.signers.some(({ signature }) => signature === null)) {
    return refused('It is not signed by all who must.');
  }
  const transfer = soleTransferIn(wire, rule);
  if (transfer === null)
    return refused('It does something else than one transfer of the asset to the pay-to account.');
  return {
    kind: 'relayable',
    key: getBase58Decoder().decode(feePayer.signature),
    payer: transfer.authority,
    amount: transfer.amount,
  };
}

/** The transfer of a transaction that does nothing else; null otherwise. */
function soleTransferIn({ instructions }: WireTransaction, rule: SolanaRule): TokenTransfer | null {
  const [first, ...others] = instructions.filter(({ program }) => !HARMLESS.has(program));
  return first === undefined || others.length > 0 ? null : readTransfer(first, rule);
}

/** The transfer that a page passes to a wallet, or from a wallet to the network. */
export interface ExpectedTransfer extends Omit<TransferOrder, 'memo'> {
  readonly memo: string;
  /** Address of the recipient's wallet. */
  readonly payTo: string;
  /** Address of the mint. */
  readonly asset: string;
}

/** The largest acceptable fee: an account's rent and excessive priority fees are above it. */
const MAX_FEE_LAMPORTS = 100_000n;
const LAMPORTS_PER_SIGNATURE = 5_000n;
/** Units of an instruction without a limit. */
const DEFAULT_COMPUTE_UNITS = 200_000n;
const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;

/**
 * The difference between a transaction in base64 and the expected transfer; null when it is that transfer, signed by
 * its payer alone, with its memo, at an acceptable fee, and nothing else. Wallets may add assertions and set the fee.
 *
 * @example
 * const issue = await transferIssue(prepared, { payer, payTo, asset, amount, memo });
 */
export async function transferIssue(transaction: string, expected: ExpectedTransfer): Promise<string | null> {
  const { payTo, asset, payer, amount, memo } = expected;
  const wire = readWire(transaction);
  if (wire === null) return 'it is no transaction of Solana';
  if (wire.usesLookupTables || wire.hasDurableNonce) return 'it is made in a way that hides what it does';
  if (wire.signers.length !== 1 || wire.signers[0]?.address !== payer)
    return 'it is not for this wallet to sign';
  const transfer = soleTransferIn(wire, {
    payTo,
    asset,
    account: await associatedTokenAccount(payTo, asset),
  });
  if (transfer === null) return 'it does something else than one transfer to the service';
  if (transfer.authority !== payer || transfer.source !== (await associatedTokenAccount(payer, asset)))
    return 'it takes the money from another account';
  if (transfer.amount !== amount) return `it transfers ${transfer.amount} instead of ${amount}`;
  const memos = wire.instructions.filter(({ program }) => MEMO_PROGRAMS.has(program));
  if (memos.length !== 1 || new TextDecoder().decode(Uint8Array.from(memos[0]?.data ?? [])) !== memo)
    return 'it does not name the request that it is for';
  return computeFee(wire) > MAX_FEE_LAMPORTS ? 'its fee is far above what the network asks for' : null;
}

/** The network's fee, in lamports. */
function computeFee({ instructions, signers }: WireTransaction): bigint {
  let units = DEFAULT_COMPUTE_UNITS * BigInt(instructions.length);
  let price = 0n;
  for (const { program, data } of instructions) {
    if (program !== COMPUTE_BUDGET_PROGRAM) continue;
    const view = new DataView(Uint8Array.from(data).buffer);
    if (data[0] === SET_COMPUTE_UNIT_LIMIT && data.length === 5) units = BigInt(view.getUint32(1, true));
    if (data[0] === SET_COMPUTE_UNIT_PRICE && data.length === 9) price = view.getBigUint64(1, true);
  }
  return LAMPORTS_PER_SIGNATURE * BigInt(signers.length) + (units * price) / 1_000_000n;
}
