// Executes one transaction on LiteSVM and records it as a node does: its changes, logs, cost and balances.
//
// The token balances follow the nodes' rule (`collect_balances` of Agave's svm/src/transaction_balances.rs): none
// unless a token program stands among the keys; then each account of a token program that is initialised, is not called
// as a program and whose mint exists.
import {
  type Address,
  getAddressDecoder,
  getBase58Decoder,
  type ReadonlyUint8Array,
  type Signature,
} from '@solana/kit';
import { FailedTransactionMetadata, type LiteSVM, type TransactionMetadata } from 'litesvm';
import { LOOKUP_TABLE_PROGRAM } from './addresses.ts';
import { type TransactionError, transactionError } from './errors.ts';
import {
  type CompiledCall,
  isWritable,
  type TransactionMessage,
  readTransaction,
  type SentTransaction,
} from './message.ts';
import {
  type AccountState,
  isTokenProgram,
  readMint,
  readToken,
  uiTokenAmount,
  type UiTokenAmount,
} from './tokens.ts';

/** Balance of an account of a token program. */
export interface TokenBalanceEntry {
  /** Index among the transaction's keys. */
  readonly accountIndex: number;
  readonly mint: Address;
  readonly owner: Address;
  readonly programId: Address;
  readonly uiTokenAmount: UiTokenAmount;
}

/** Calls by a call of the message. */
export interface InnerCalls {
  readonly index: number;
  readonly instructions: readonly (CompiledCall & { readonly stackHeight: number })[];
}

/** A recorded transaction: executed, or failed with its fee paid. */
export interface Execution {
  readonly signature: Signature;
  readonly sent: SentTransaction;
  /** Static keys, then loaded writable ones, then loaded readonly ones. */
  readonly keys: readonly Address[];
  readonly loaded: { readonly writable: readonly Address[]; readonly readonly: readonly Address[] };
  readonly error: TransactionError | null;
  /** Lamports that all of its accounts lost together. */
  readonly fee: bigint;
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances: readonly TokenBalanceEntry[];
  readonly postTokenBalances: readonly TokenBalanceEntry[];
  readonly innerCalls: readonly InnerCalls[];
  readonly logs: readonly string[];
  readonly computeUnits: bigint;
  readonly returned: { readonly programId: Address; readonly data: Uint8Array } | null;
  /** States of the writable accounts before and after; null for an account that does not exist. */
  readonly before: ReadonlyMap<Address, AccountState | null>;
  readonly after: ReadonlyMap<Address, AccountState | null>;
}

/** A rejected transaction, which changed nothing. */
export interface Refusal {
  readonly refused: TransactionError;
  readonly logs: readonly string[];
}

/**
 * Executes a signed transaction and records it.
 *
 * The chain checks blockhashes and repetition: the machine here has neither a blockhash check nor a history.
 *
 * @param sent the bytes of the transaction, or the result of `readTransaction`
 * @throws Error when the bytes are not a transaction
 */
export function executeTransaction(svm: LiteSVM, sent: Uint8Array | SentTransaction): Execution | Refusal {
  const read = sent instanceof Uint8Array ? readTransaction(sent) : sent;
  const loaded = loadKeys(svm, read.message);
  if ('refused' in loaded) return loaded;
  const keys = [...read.message.accountKeys, ...loaded.writable, ...loaded.readonly];
  if (read.signatures.some((signature) => signature === NO_SIGNATURE))
    return { refused: 'SignatureFailure', logs: [] };

  const before = keys.map((key) => stateOf(svm, key));
  const result = svm.sendTransaction(read.transaction);
  const failed = result instanceof FailedTransactionMetadata;
  const meta = failed ? result.meta() : result;
  const after = keys.map((key) => stateOf(svm, key));
  const fee = lamportsIn(before) - lamportsIn(after);
  // A failed transaction without a fee was not executed: nodes drop it.
  if (failed && fee === 0n) return { refused: transactionError(result), logs: meta.logs() };

  const mintDecimals = (states: readonly (AccountState | null)[]) => (mint: Address) => {
    const place = keys.indexOf(mint);
    return readMint(place < 0 ? stateOf(svm, mint) : (states[place] ?? null))?.decimals;
  };
  const written = keys.flatMap((key, place) =>
    isWritable(read.message, place, loaded.writable.length) ? [{ key, place }] : [],
  );
  return {
    signature: read.signature,
    sent: read,
    keys,
    loaded,
    error: failed ? transactionError(result) : null,
    fee,
    preBalances: before.map((state) => state?.lamports ?? 0n),
    postBalances: after.map((state) => state?.lamports ?? 0n),
    preTokenBalances: tokenBalances(read.message, keys, before, mintDecimals(before)),
    postTokenBalances: tokenBalances(read.message, keys, after, mintDecimals(after)),
    ...reportOf(meta),
    before: new Map(written.map(({ key, place }) => [key, before[place] ?? null])),
    after: new Map(written.map(({ key, place }) => [key, after[place] ?? null])),
  };
}

const NO_SIGNATURE = getBase58Decoder().decode(new Uint8Array(64));

/** The present state of an account; null when it does not exist. */
export function stateOf(svm: LiteSVM, key: Address): AccountState | null {
  const account = svm.getAccount(key);
  // An account without lamports is gone at the end of its transaction, even when the machine still has it.
  if (!account.exists || account.lamports === 0n) return null;
  const { programAddress: owner, lamports, data, executable } = account;
  return { owner, lamports, data, executable };
}

/** Keys that a version-0 message takes from lookup tables, in the order in which programs see them. */
function loadKeys(
  svm: LiteSVM,
  message: TransactionMessage,
): { readonly writable: readonly Address[]; readonly readonly: readonly Address[] } | Refusal {
  const writable: Address[] = [];
  const readonly: Address[] = [];
  for (const lookup of message.lookups) {
    const table = readLookupTable(stateOf(svm, lookup.accountKey));
    if (table === null) return { refused: 'AddressLookupTableNotFound', logs: [] };
    for (const [into, places] of [
      [writable, lookup.writableIndexes],
      [readonly, lookup.readonlyIndexes],
    ] as const) {
      for (const place of places) {
        const key = table[place];
        if (key === undefined) return { refused: 'InvalidAddressLookupTableIndex', logs: [] };
        into.push(key);
      }
    }
  }
  return { writable, readonly };
}

/** Bytes before the addresses of a lookup table. */
export const TABLE_HEAD_BYTES = 56;
export const ADDRESS_BYTES = 32;

/** The addresses of a lookup table; null for other accounts. */
export function readLookupTable(account: AccountState | null): readonly Address[] | null {
  if (account?.owner !== LOOKUP_TABLE_PROGRAM || account.data.length < TABLE_HEAD_BYTES) return null;
  const count = (account.data.length - TABLE_HEAD_BYTES) / ADDRESS_BYTES;
  return Array.from({ length: count }, (_, place) =>
    getAddressDecoder().decode(account.data, TABLE_HEAD_BYTES + place * ADDRESS_BYTES),
  );
}

function tokenBalances(
  message: TransactionMessage,
  keys: readonly Address[],
  states: readonly (AccountState | null)[],
  decimalsOf: (mint: Address) => number | undefined,
): TokenBalanceEntry[] {
  if (!keys.some(isTokenProgram)) return [];
  const called = new Set(message.instructions.map((call) => call.programIdIndex));
  return states.flatMap((state, accountIndex) => {
    const token = called.has(accountIndex) ? null : readToken(state);
    const decimals = token === null ? undefined : decimalsOf(token.mint);
    if (state === null || token === null || decimals === undefined) return [];
    const { mint, owner, amount } = token;
    // Nodes report null for a zero, because their ledger does not distinguish it from a missing amount.
    const written = uiTokenAmount(amount, decimals);
    const held = amount === 0n ? { ...written, uiAmount: null } : written;
    return [{ accountIndex, mint, owner, programId: state.owner, uiTokenAmount: held }];
  });
}

/** The report of an execution: logs, inner calls, compute units, return data. */
export function reportOf(
  meta: TransactionMetadata,
): Pick<Execution, 'innerCalls' | 'logs' | 'computeUnits' | 'returned'> {
  const innerCalls = meta.innerInstructions().map((calls, index) => ({
    index,
    instructions: calls.map((inner) => {
      const call = inner.instruction();
      return {
        programIdIndex: call.programIdIndex(),
        accounts: [...call.accounts()],
        data: call.data(),
        stackHeight: inner.stackHeight(),
      };
    }),
  }));
  const returned = meta.returnData();
  const data = returned.data();
  return {
    innerCalls: innerCalls.filter(({ instructions }) => instructions.length > 0),
    logs: meta.logs(),
    computeUnits: meta.computeUnitsConsumed(),
    returned: data.length === 0 ? null : { programId: addressOf(returned.programId()), data },
  };
}

function addressOf(bytes: ReadonlyUint8Array): Address {
  return getAddressDecoder().decode(bytes);
}

function lamportsIn(states: readonly (AccountState | null)[]): bigint {
  return states.reduce((sum, state) => sum + (state?.lamports ?? 0n), 0n);
}
