// Transactions from wallets and x402 clients: the wire format in base64, of any version, possibly partly signed. Pure.
import {
  getBase64Decoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  type ReadonlyUint8Array,
} from '@solana/kit';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import type { SolanaRule } from './verdict.ts';

/** An instruction. */
export interface WireInstruction {
  readonly program: string;
  /** Addresses; null for accounts of a lookup table. */
  readonly accounts: readonly (string | null)[];
  readonly data: ReadonlyUint8Array;
}

/** A transaction, decoded. */
export interface WireTransaction {
  /** The signed bytes. */
  readonly message: ReadonlyUint8Array;
  /** The message in base64: equal for transactions with equal content. */
  readonly messageText: string;
  readonly version: 'legacy' | 0 | 1;
  /** The required signers, the fee payer first, with their signatures; null for a missing one. */
  readonly signers: readonly { readonly address: string; readonly signature: ReadonlyUint8Array | null }[];
  /** The recent blockhash; the transaction is valid only while it is. */
  readonly blockhash: string;
  /** True when an account of the payer replaces the blockhash: the transaction may be included at any time. */
  readonly hasDurableNonce: boolean;
  readonly usesLookupTables: boolean;
  readonly instructions: readonly WireInstruction[];
}

/** A transfer of our asset into our account. */
export interface TokenTransfer {
  readonly source: string;
  /** Address that may spend the source. */
  readonly authority: string;
  readonly amount: bigint;
}

/** The longest transaction that the network forwards, in bytes (version 1). */
const MAX_BYTES = 4096;
const MAX_TEXT = Math.ceil(MAX_BYTES / 3) * 4;

const TRANSFER = 3;
const TRANSFER_CHECKED = 12;
const ADVANCE_NONCE = 4;

/** Decodes bytes or their base64; null when they are not a transaction. */
export function readWire(bytes: string | Uint8Array): WireTransaction | null {
  if (bytes.length > MAX_TEXT) return null;
  try {
    return decode(typeof bytes === 'string' ? new Uint8Array(getBase64Encoder().encode(bytes)) : bytes);
  } catch {
    // The decoders throw many kinds of errors for other bytes.
    return null;
  }
}

function decode(bytes: Uint8Array): WireTransaction {
  const transaction = getTransactionDecoder().decode(bytes);
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  // The decoder accepts missing or surplus bytes, and other encodings of lengths; the network does not.
  const again = getCompiledTransactionMessageEncoder().encode(message);
  if (!isEqual(again, transaction.messageBytes)) throw new TypeError('Not the canonical encoding.');
  const { staticAccounts } = message;
  const accountsAt = (indexes: readonly number[]) => indexes.map((index) => staticAccounts[index] ?? null);
  const instructions: WireInstruction[] =
    message.version === 1
      ? message.instructionHeaders.map(({ programAccountIndex }, index) => ({
          program: staticAccounts[programAccountIndex] ?? '',
          accounts: accountsAt(message.instructionPayloads[index]?.instructionAccountIndices ?? []),
          data: message.instructionPayloads[index]?.instructionData ?? new Uint8Array(),
        }))
      : message.instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
          program: staticAccounts[programAddressIndex] ?? '',
          accounts: accountsAt(accountIndices),
          data,
        }));
  return {
    message: transaction.messageBytes,
    messageText: getBase64Decoder().decode(transaction.messageBytes),
    version: message.version,
    signers: Object.entries(transaction.signatures).map(([address, signature]) => ({ address, signature })),
    blockhash: message.lifetimeToken,
    hasDurableNonce: instructions[0]?.program === SYSTEM_PROGRAM && instructions[0].data[0] === ADVANCE_NONCE,
    usesLookupTables: message.version === 0 && (message.addressTableLookups ?? []).length > 0,
    instructions,
  };
}

function isEqual(one: ReadonlyUint8Array, other: ReadonlyUint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/**
 * The transfer of an instruction into our account; null for other instructions. Transfers through a lookup table are
 * ignored: no partly signed payment uses one.
 */
export function readTransfer(
  { program, accounts, data }: WireInstruction,
  rule: SolanaRule,
): TokenTransfer | null {
  if (program !== TOKEN_PROGRAM) return null;
  if (data[0] === TRANSFER_CHECKED && data.length === 10) {
    const [source, mint, destination, authority] = accounts;
    return mint === rule.asset ? transfer(source, destination, authority, data, rule) : null;
  }
  if (data[0] === TRANSFER && data.length === 9) {
    const [source, destination, authority] = accounts;
    return transfer(source, destination, authority, data, rule);
  }
  return null;
}

function transfer(
  source: string | null | undefined,
  destination: string | null | undefined,
  authority: string | null | undefined,
  data: ReadonlyUint8Array,
  rule: SolanaRule,
): TokenTransfer | null {
  if (source == null || authority == null || destination !== rule.account || source === rule.account)
    return null;
  const amount = new DataView(Uint8Array.from(data).buffer).getBigUint64(1, true);
  return amount > 0n ? { source, authority, amount } : null;
}
