// Reads signed transactions from their bytes, in one shape for all versions.
import {
  type Address,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  type Signature,
  type Transaction,
} from '@solana/kit';

/** A call of a program. Accounts and program are indexes in the list of keys: static ones, then loaded ones. */
export interface CompiledCall {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

/** The keys that a version-0 transaction takes from a lookup table. */
export interface TableLookup {
  readonly accountKey: Address;
  readonly writableIndexes: readonly number[];
  readonly readonlyIndexes: readonly number[];
}

/** A signed message. */
export interface TransactionMessage {
  readonly version: 'legacy' | 0 | 1;
  readonly header: {
    readonly numRequiredSignatures: number;
    readonly numReadonlySignedAccounts: number;
    readonly numReadonlyUnsignedAccounts: number;
  };
  readonly accountKeys: readonly Address[];
  readonly recentBlockhash: string;
  readonly instructions: readonly CompiledCall[];
  readonly lookups: readonly TableLookup[];
  /** Lamports that a version-1 message offers beyond the fee for its signatures. */
  readonly priorityFeeLamports?: bigint;
}

/** A transaction with its message read. */
export interface SentTransaction {
  readonly wire: Uint8Array;
  readonly transaction: Transaction;
  readonly message: TransactionMessage;
  /** The first signature, which is the transaction's id; 64 zero bytes in base58 while it is missing. */
  readonly signature: Signature;
  /** All signatures in the order of their signers. */
  readonly signatures: readonly Signature[];
}

/**
 * Reads a transaction from its bytes.
 *
 * @throws Error for bytes that are not exactly a transaction
 */
export function readTransaction(wire: Uint8Array): SentTransaction {
  const transaction = getTransactionDecoder().decode(wire);
  const message = readMessage(transaction.messageBytes);
  const signatures = message.accountKeys
    .slice(0, message.header.numRequiredSignatures)
    .map((key) => getBase58Decoder().decode(transaction.signatures[key] ?? new Uint8Array(64)) as Signature);
  const [signature] = signatures;
  if (signature === undefined) throw new Error('the transaction has no signer');
  return { wire, transaction, message, signature, signatures };
}

/** @throws Error when the bytes are not a message */
export function readMessage(
  bytes: Parameters<ReturnType<typeof getCompiledTransactionMessageDecoder>['decode']>[0],
): TransactionMessage {
  const compiled = getCompiledTransactionMessageDecoder().decode(bytes);
  // The decoder accepts missing or surplus bytes; a node does not.
  const again = getCompiledTransactionMessageEncoder().encode(compiled);
  if (again.length !== bytes.length || again.some((byte, place) => byte !== bytes[place]))
    throw new Error('the message ends too early or too late');
  const { header } = compiled;
  const common = {
    header: {
      numRequiredSignatures: header.numSignerAccounts,
      numReadonlySignedAccounts: header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
    },
    accountKeys: compiled.staticAccounts,
    recentBlockhash: compiled.lifetimeToken,
  };
  if (compiled.version === 1) {
    const instructions = compiled.instructionHeaders.map((head, index) => ({
      programIdIndex: head.programAccountIndex,
      accounts: compiled.instructionPayloads[index]?.instructionAccountIndices ?? [],
      data: new Uint8Array(compiled.instructionPayloads[index]?.instructionData ?? []),
    }));
    return { version: 1, ...common, instructions, lookups: [], ...configOf(compiled) };
  }
  const instructions = compiled.instructions.map((call) => ({
    programIdIndex: call.programAddressIndex,
    accounts: call.accountIndices ?? [],
    data: new Uint8Array(call.data ?? []),
  }));
  const lookups =
    compiled.version === 'legacy'
      ? []
      : (compiled.addressTableLookups ?? []).map((lookup) => ({
          accountKey: lookup.lookupTableAddress,
          writableIndexes: lookup.writableIndexes,
          readonlyIndexes: lookup.readonlyIndexes,
        }));
  return { version: compiled.version, ...common, instructions, lookups };
}

/** Bits 0 and 1 of the mask together announce the priority fee, which is the first value. */
function configOf(compiled: {
  readonly configMask: number;
  readonly configValues: readonly { readonly value: number | bigint }[];
}): Pick<TransactionMessage, 'priorityFeeLamports'> {
  const [first] = compiled.configValues;
  return (compiled.configMask & 0b11) === 0b11 && first !== undefined
    ? { priorityFeeLamports: BigInt(first.value) }
    : {};
}

/** True for a writable key; loaded keys follow the static ones. */
export function isWritable(message: TransactionMessage, place: number, loadedWritable: number): boolean {
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = message.header;
  const count = message.accountKeys.length;
  if (place >= count) return place < count + loadedWritable;
  return place < numRequiredSignatures
    ? place < numRequiredSignatures - numReadonlySignedAccounts
    : place < count - numReadonlyUnsignedAccounts;
}
