// Transactions as wallets and x402 clients hand them over: base64 of the wire format, any of its versions, perhaps not
// fully signed. Pure.
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

/** An instruction whose accounts are named by their place in the list of the message. */
export interface WireInstruction {
  readonly program: string;
  /** Addresses; null for those that a lookup table holds. */
  readonly accounts: readonly (string | null)[];
  readonly data: ReadonlyUint8Array;
}

/** A transaction, decoded. */
export interface WireTransaction {
  /** What is signed. */
  readonly message: ReadonlyUint8Array;
  /** The same in base64: two transactions that are signed alike have it in common. */
  readonly messageText: string;
  readonly version: 'legacy' | 0 | 1;
  /** Those who must sign, the fee payer first, with their signatures; null where one is missing. */
  readonly signers: readonly { readonly address: string; readonly signature: ReadonlyUint8Array | null }[];
  /** The recent blockhash that it names; it is valid only while that one is. */
  readonly blockhash: string;
  /** True when its life does not depend on a blockhash but on an account of the payer's: it may land at any time. */
  readonly hasDurableNonce: boolean;
  readonly usesLookupTables: boolean;
  readonly instructions: readonly WireInstruction[];
}

/** A transfer of our asset into our account. */
export interface Transfer {
  readonly source: string;
  /** Whoever may spend the source. */
  readonly authority: string;
  readonly amount: bigint;
}

/** The most that the network forwards, in bytes: version 1 may be longer than its elders. */
const MAX_BYTES = 4096;
const MAX_TEXT = Math.ceil(MAX_BYTES / 3) * 4;

const TRANSFER = 3;
const TRANSFER_CHECKED = 12;
const ADVANCE_NONCE = 4;

/** Decodes base64; null when it is no transaction. */
export function readWire(base64: string): WireTransaction | null {
  if (base64.length > MAX_TEXT) return null;
  try {
    return decode(new Uint8Array(getBase64Encoder().encode(base64)));
  } catch {
    // The decoders throw many kinds of errors for bytes that are none; all of them mean the same here.
    return null;
  }
}

function decode(bytes: Uint8Array): WireTransaction {
  const transaction = getTransactionDecoder().decode(bytes);
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  // The decoder forgives bytes that are missing or too many, and other spellings of lengths; the network does not.
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
 * What an instruction transfers into our account; null when it does not. Transfers whose accounts a lookup table
 * holds are not seen: nothing that pays by a partly signed transaction is made so.
 */
export function transferIn({ program, accounts, data }: WireInstruction, rule: SolanaRule): Transfer | null {
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
): Transfer | null {
  if (source == null || authority == null || destination !== rule.account || source === rule.account)
    return null;
  const amount = new DataView(Uint8Array.from(data).buffer).getBigUint64(1, true);
  return amount > 0n ? { source, authority, amount } : null;
}
