// For wallets that a page drives: the transfer made ready to sign, and the check of a signed one before it is relayed.
// Pure; no key is ever here.
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
import type { PaymentKey } from '../../ledger.ts';
import { USDC_DECIMALS } from './networks.ts';
import {
  COMPUTE_BUDGET_PROGRAM,
  LIGHTHOUSE_PROGRAM,
  MEMO_PROGRAM,
  MEMO_PROGRAMS,
  associatedTokenAccount,
} from './programs.ts';
import type { SolanaRule } from './verdict.ts';
import { readWire, transferIn } from './wire.ts';

/** What is to be paid, and by whom. */
export interface TransferOrder {
  /** Address of the wallet that pays, and pays the fee. */
  readonly payer: string;
  /** In the smallest unit, above 0. */
  readonly amount: bigint;
  /** Text of the memo, of at most {@link MAX_MEMO_BYTES}. */
  readonly memo?: string;
}

/** A transaction for the payer to sign. */
export interface PreparedTransfer {
  /** The unsigned transaction (version 0) in base64. */
  readonly transaction: string;
  /** After this height the chain takes it no more. */
  readonly lastValidBlockHeight: bigint;
}

/** A blockhash, and how long it is valid. */
export interface Lifetime {
  readonly blockhash: string;
  readonly lastValidBlockHeight: bigint;
}

/** What was asked of this folder cannot be done; lists everything that is wrong with it. */
export class SolanaInputError extends TypeError {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join(' '));
    this.name = 'SolanaInputError';
    this.faults = faults;
  }
}

/** Bytes of UTF-8 that a memo may have here; facilitators and nodes take as many. */
export const MAX_MEMO_BYTES = 256;

// Measured with the token and memo programs of today: 692 units with a memo of 51 bytes, 861 with the longest. Their
// elders, which other networks may still run, are known for some ten times as many; the rest is room.
const COMPUTE_UNITS = 60_000;
/** With the units above, a priority fee of 60 lamports: enough to be no worse than others in quiet times. */
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
  checkOrder(order, rule);
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

function checkOrder({ payer, amount, memo = '' }: TransferOrder, rule: SolanaRule): void {
  const faults: string[] = [];
  if (!isAddress(payer)) faults.push('payer is not an address of Solana.');
  if (payer === rule.payTo) faults.push('payer is the pay-to wallet itself.');
  if (amount <= 0n || amount >= 2n ** 64n) faults.push('amount is not between 1 and 2^64 - 1.');
  if (new TextEncoder().encode(memo).length > MAX_MEMO_BYTES)
    faults.push(`memo has more than ${MAX_MEMO_BYTES} bytes.`);
  if (faults.length > 0) throw new SolanaInputError(faults);
}

/** Whether a signed transaction may be relayed. */
export type Relayable =
  | {
      readonly kind: 'relayable';
      /** Its key, once it is included. */
      readonly key: PaymentKey;
      readonly payer: string;
      readonly amount: bigint;
    }
  | { readonly kind: 'refused'; readonly detail: string };

/** What may stand beside the transfer: none of these moves anything. */
const HARMLESS: ReadonlySet<string> = new Set([COMPUTE_BUDGET_PROGRAM, LIGHTHOUSE_PROGRAM, ...MEMO_PROGRAMS]);

/**
 * Checks that a transaction in base64 is fully signed, and does nothing but transfer the asset to the pay-to account
 * once: a relay that takes anything else would be a free door to the network. Whether its signatures are good is for
 * the node to say, which refuses it otherwise.
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
  const others = wire.instructions.filter(({ program }) => !HARMLESS.has(program));
  const transfers = others.flatMap((instruction) => transferIn(instruction, rule) ?? []);
  const [transfer] = transfers;
  if (transfer === undefined || others.length !== 1) {
    return refused('It does something else than one transfer of the asset to the pay-to account.');
  }
  return {
    kind: 'relayable',
    key: getBase58Decoder().decode(feePayer.signature),
    payer: transfer.authority,
    amount: transfer.amount,
  };
}
