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
import { readWire, transferIn, type WireTransaction } from './wire.ts';

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

/** What an unsigned or signed transaction must be for a page to hand it to a wallet, or from one to the network. */
export interface ExpectedTransfer extends Omit<TransferOrder, 'memo'> {
  readonly memo: string;
  /** Address of the wallet that is paid. */
  readonly payTo: string;
  /** Address of the mint. */
  readonly asset: string;
}

/** The most that the network may take besides: an account's rent and a priority fee that nobody needs are above it. */
const MAX_FEE_LAMPORTS = 100_000n;
const LAMPORTS_PER_SIGNATURE = 5_000n;
/** Units that an instruction has when no limit is set. */
const DEFAULT_COMPUTE_UNITS = 200_000n;
const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;

/**
 * What is wrong with a transaction in base64 that is said to be a certain transfer; null when it is that transfer,
 * signed by its payer alone, with its memo, at a fee that is no surprise, and nothing else. Wallets may add assertions
 * to what they sign, and set the fee.
 *
 * @example
 * const fault = await transferFault(prepared, { payer, payTo, asset, amount, memo });
 */
export async function transferFault(transaction: string, expected: ExpectedTransfer): Promise<string | null> {
  const { payTo, asset, payer, amount, memo } = expected;
  const wire = readWire(transaction);
  if (wire === null) return 'it is no transaction of Solana';
  if (wire.usesLookupTables || wire.hasDurableNonce) return 'it is made in a way that hides what it does';
  if (wire.signers.length !== 1 || wire.signers[0]?.address !== payer)
    return 'it is not for this wallet to sign';
  const others = wire.instructions.filter(({ program }) => !HARMLESS.has(program));
  const rule: SolanaRule = { payTo, asset, account: await associatedTokenAccount(payTo, asset) };
  const transfer = others.length === 1 && others[0] !== undefined ? transferIn(others[0], rule) : null;
  if (transfer === null) return 'it does something else than one transfer to the service';
  if (transfer.authority !== payer || transfer.source !== (await associatedTokenAccount(payer, asset)))
    return 'it takes the money from another account';
  if (transfer.amount !== amount) return `it transfers ${transfer.amount} instead of ${amount}`;
  const memos = wire.instructions.filter(({ program }) => MEMO_PROGRAMS.has(program));
  if (memos.length !== 1 || new TextDecoder().decode(Uint8Array.from(memos[0]?.data ?? [])) !== memo)
    return 'it does not name the request that it is for';
  return feeOf(wire) > MAX_FEE_LAMPORTS ? 'its fee is far above what the network asks for' : null;
}

/** What the network takes for it, in lamports. */
function feeOf({ instructions, signers }: WireTransaction): bigint {
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
