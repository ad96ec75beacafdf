// A LiteSVM with the programs of payments, and with accounts written directly into it.
import {
  AccountState as TokenState,
  findAssociatedTokenPda,
  getMintEncoder,
  getTokenEncoder,
  type Token,
} from '@solana-program/token';
import { type Address, getAddressEncoder, lamports, none, type ReadonlyUint8Array, some } from '@solana/kit';
import { LiteSVM } from 'litesvm';
import {
  LOOKUP_TABLE_PROGRAM,
  MEMO_PROGRAM,
  MEMO_PROGRAMS,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from './addresses.ts';
import { ADDRESS_BYTES, stateOf, TABLE_HEAD_BYTES } from './execution.ts';
import { type AccountState, readMint, readToken } from './tokens.ts';

/** Accounts that can be changed outside of transactions. */
export interface Accounts {
  read(key: Address): AccountState | null;
  /**
   * Changes an account. The change applies to each remembered older state of the account, as if it preceded every
   * transaction that the chain can still undo.
   */
  change(key: Address, change: (state: AccountState | null) => AccountState): void;
  /** Lamports for an account of `bytes` bytes. */
  rent(bytes: number): bigint;
}

/** A machine with the real token, associated-token and memo programs. The chain checks blockhashes and repetitions. */
export function createMachine(): LiteSVM {
  const svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n);
  const memo = stateOf(svm, MEMO_PROGRAM);
  if (memo === null) throw new Error('LiteSVM came without the memo program');
  // LiteSVM lacks the newest memo program. The previous one behaves alike: it checks signers and UTF-8.
  for (const program of MEMO_PROGRAMS)
    if (stateOf(svm, program) === null) svm.addProgram(program, new Uint8Array(memo.data));
  return svm;
}

/** Sets the state of an account; null removes it. */
export function writeState(svm: LiteSVM, key: Address, state: AccountState | null): void {
  const written = state ?? { owner: SYSTEM_PROGRAM, data: new Uint8Array(), lamports: 0n, executable: false };
  svm.setAccount({
    address: key,
    programAddress: written.owner,
    data: new Uint8Array(written.data),
    lamports: lamports(written.lamports),
    executable: written.executable,
    space: BigInt(written.data.length),
  });
}

/** Writes an account, with the lamports that its length needs. */
export function writeAccount(
  into: LiteSVM | Accounts,
  key: Address,
  account: { readonly owner: Address; readonly data: ReadonlyUint8Array },
): void {
  const accounts = accountsIn(into);
  const lamports = accounts.rent(account.data.length);
  accounts.change(key, () => ({ ...account, lamports, executable: false }));
}

/** Adds lamports to a wallet. */
export function addLamports(into: LiteSVM | Accounts, key: Address, more: bigint): void {
  accountsIn(into).change(key, (state) => ({
    owner: state?.owner ?? SYSTEM_PROGRAM,
    data: state?.data ?? new Uint8Array(),
    lamports: (state?.lamports ?? 0n) + more,
    executable: false,
  }));
}

/** Writes a mint without supply. */
export function writeMint(
  into: LiteSVM | Accounts,
  mint: Address,
  options: { readonly decimals: number; readonly authority: Address; readonly program?: Address },
): void {
  const data = getMintEncoder().encode({
    mintAuthority: some(options.authority),
    supply: 0n,
    decimals: options.decimals,
    isInitialized: true,
    freezeAuthority: some(options.authority),
  });
  writeAccount(into, mint, { owner: options.program ?? TOKEN_PROGRAM, data });
}

/**
 * Adds tokens to a wallet's associated account, which is created if necessary; the mint's supply grows by as much.
 *
 * @returns the associated account
 * @throws Error when there is no such mint
 */
export async function addTokens(
  into: LiteSVM | Accounts,
  mint: Address,
  owner: Address,
  more: bigint,
): Promise<Address> {
  const accounts = accountsIn(into);
  const program = accounts.read(mint)?.owner;
  if (program === undefined || readMint(accounts.read(mint)) === null) throw new Error(`${mint} is no mint`);
  const [account] = await findAssociatedTokenPda({ mint, owner, tokenProgram: program });
  const empty = emptyToken(mint, owner);
  accounts.change(account, (state) => {
    const token = readToken(state) ?? empty;
    const data = getTokenEncoder().encode({ ...token, amount: token.amount + more });
    const lamports = state?.lamports ?? accounts.rent(data.length);
    return { owner: program, data, lamports, executable: false };
  });
  accounts.change(mint, (state) => {
    const data = readMint(state);
    if (state === null || data === null) throw new Error(`${mint} is no mint`);
    return { ...state, data: getMintEncoder().encode({ ...data, supply: data.supply + more }) };
  });
  return account;
}

function emptyToken(mint: Address, owner: Address): Token {
  return {
    mint,
    owner,
    amount: 0n,
    delegate: none(),
    state: TokenState.Initialized,
    isNative: none(),
    delegatedAmount: 0n,
    closeAuthority: none(),
  };
}

/** Writes a lookup table that is usable at once. */
export function writeLookupTable(
  into: LiteSVM | Accounts,
  table: Address,
  addresses: readonly Address[],
): void {
  const data = new Uint8Array(TABLE_HEAD_BYTES + addresses.length * ADDRESS_BYTES);
  const view = new DataView(data.buffer);
  view.setUint32(0, 1, true); // a table, initialised
  view.setBigUint64(4, 2n ** 64n - 1n, true); // never deactivated
  for (const [place, address] of addresses.entries())
    data.set(getAddressEncoder().encode(address), TABLE_HEAD_BYTES + place * ADDRESS_BYTES);
  writeAccount(into, table, { owner: LOOKUP_TABLE_PROGRAM, data });
}

/** The accounts of a machine without a chain. */
function accountsIn(into: LiteSVM | Accounts): Accounts {
  if (!(into instanceof LiteSVM)) return into;
  return {
    read: (key) => stateOf(into, key),
    change: (key, change) => writeState(into, key, change(stateOf(into, key))),
    rent: (bytes) => into.minimumBalanceForRentExemption(BigInt(bytes)),
  };
}
