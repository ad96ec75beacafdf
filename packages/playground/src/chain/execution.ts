// One transaction, executed on LiteSVM and recorded as a node records it: what it changed, said, cost and moved.
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
  type Message,
  readTransaction,
  type WireTransaction,
} from './message.ts';
import {
  type AccountState,
  isTokenProgram,
  readMint,
  readToken,
  uiTokenAmount,
  type UiTokenAmount,
} from './tokens.ts';

/** What an account of a token program held. */
export interface TokenBalance {
  /** Place among the transaction's keys. */
  readonly accountIndex: number;
  readonly mint: Address;
  readonly owner: Address;
  readonly programId: Address;
  readonly uiTokenAmount: UiTokenAmount;
}

/** Calls that a call of the message made itself. */
export interface InnerCalls {
  readonly index: number;
  readonly instructions: readonly (CompiledCall & { readonly stackHeight: number })[];
}

/** A transaction that is in the ledger: it was executed, or failed and paid its fee. */
export interface Execution {
  readonly signature: Signature;
  readonly sent: WireTransaction;
  /** Static keys, then loaded writable ones, then loaded ones that are only read. */
  readonly keys: readonly Address[];
  readonly loaded: { readonly writable: readonly Address[]; readonly readonly: readonly Address[] };
  readonly error: TransactionError | null;
  /** Lamports that left all of its accounts together. */
  readonly fee: bigint;
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
  readonly innerCalls: readonly InnerCalls[];
  readonly logs: readonly string[];
  readonly computeUnits: bigint;
  readonly returned: { readonly programId: Address; readonly data: Uint8Array } | null;
  /** States of the accounts that it could write, before and after it; null is an account that does not exist. */
  readonly before: ReadonlyMap<Address, AccountState | null>;
  readonly after: ReadonlyMap<Address, AccountState | null>;
}

/** A transaction that never got into the ledger and changed nothing. */
export interface Refusal {
  readonly refused: TransactionError;
  readonly logs: readonly string[];
}

/**
 * Executes a signed transaction and records it.
 *
 * Blockhashes and repetition are the chain's to check: give a machine without blockhash check and history.
 *
 * @param sent the bytes of the transaction, or what `readTransaction` made of them
 * @throws Error when the bytes are no transaction
 */
export function executeTransaction(svm: LiteSVM, sent: Uint8Array | WireTransaction): Execution | Refusal {
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
  // Whoever was not charged was not executed: nodes drop such transactions.
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
    ...sayings(meta),
    before: new Map(written.map(({ key, place }) => [key, before[place] ?? null])),
    after: new Map(written.map(({ key, place }) => [key, after[place] ?? null])),
  };
}

const NO_SIGNATURE = getBase58Decoder().decode(new Uint8Array(64));

/** The present state of an account; null when it does not exist. */
export function stateOf(svm: LiteSVM, key: Address): AccountState | null {
  const account = svm.getAccount(key);
  // An account without lamports is gone at the end of its transaction, whatever a machine still remembers of it.
  if (!account.exists || account.lamports === 0n) return null;
  const { programAddress: owner, lamports, data, executable } = account;
  return { owner, lamports, data, executable };
}

/** Keys that a version-0 message takes from lookup tables, in the order in which programs see them. */
function loadKeys(
  svm: LiteSVM,
  message: Message,
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

/** What stands before the addresses of a lookup table. */
export const TABLE_HEAD_BYTES = 56;
export const ADDRESS_BYTES = 32;

/** The addresses of a lookup table; null when the account is none. */
export function readLookupTable(account: AccountState | null): readonly Address[] | null {
  if (account?.owner !== LOOKUP_TABLE_PROGRAM || account.data.length < TABLE_HEAD_BYTES) return null;
  const count = (account.data.length - TABLE_HEAD_BYTES) / ADDRESS_BYTES;
  return Array.from({ length: count }, (_, place) =>
    getAddressDecoder().decode(account.data, TABLE_HEAD_BYTES + place * ADDRESS_BYTES),
  );
}

function tokenBalances(
  message: Message,
  keys: readonly Address[],
  states: readonly (AccountState | null)[],
  decimalsOf: (mint: Address) => number | undefined,
): TokenBalance[] {
  if (!keys.some(isTokenProgram)) return [];
  const called = new Set(message.instructions.map((call) => call.programIdIndex));
  return states.flatMap((state, accountIndex) => {
    const token = called.has(accountIndex) ? null : readToken(state);
    const decimals = token === null ? undefined : decimalsOf(token.mint);
    if (state === null || token === null || decimals === undefined) return [];
    const { mint, owner, amount } = token;
    // In the ledger a zero is not told from an amount that is missing, so nodes give null for it.
    const written = uiTokenAmount(amount, decimals);
    const held = amount === 0n ? { ...written, uiAmount: null } : written;
    return [{ accountIndex, mint, owner, programId: state.owner, uiTokenAmount: held }];
  });
}

/** What the run itself reports: logs, calls within calls, compute units, what was returned. */
export function sayings(
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
