// A LiteSVM with the programs that payments meet, and accounts written into it as if they had always been there.
import {
  AccountState as TokenState,
  findAssociatedTokenPda,
  getMintEncoder,
  getTokenEncoder,
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
import { stateOf } from './execution.ts';
import { readMint, readToken } from './tokens.ts';

/**
 * A machine with the real token, associated-token and memo programs, whose blockhashes and repetitions are checked by
 * whoever feeds it.
 */
export function createMachine(): LiteSVM {
  const svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n);
  const memo = stateOf(svm, MEMO_PROGRAM);
  if (memo === null) throw new Error('LiteSVM came without the memo program');
  // The newest memo program is not in LiteSVM. What it does is what the one before does: it checks signers and UTF-8.
  for (const program of MEMO_PROGRAMS)
    if (stateOf(svm, program) === null) svm.addProgram(program, new Uint8Array(memo.data));
  return svm;
}

/** Writes an account, with what it needs to be free of rent unless told otherwise. */
export function writeAccount(
  svm: LiteSVM,
  key: Address,
  account: { readonly owner: Address; readonly data: ReadonlyUint8Array; readonly lamports?: bigint },
): void {
  const rent = svm.minimumBalanceForRentExemption(BigInt(account.data.length));
  svm.setAccount({
    address: key,
    programAddress: account.owner,
    data: new Uint8Array(account.data),
    lamports: lamports(account.lamports ?? rent),
    executable: false,
    space: BigInt(account.data.length),
  });
}

/** Gives a wallet lamports, besides those that it has. */
export function addLamports(svm: LiteSVM, key: Address, more: bigint): void {
  const state = stateOf(svm, key);
  writeAccount(svm, key, {
    owner: state?.owner ?? SYSTEM_PROGRAM,
    data: state?.data ?? new Uint8Array(),
    lamports: (state?.lamports ?? 0n) + more,
  });
}

/** Writes a mint without supply. */
export function writeMint(
  svm: LiteSVM,
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
  writeAccount(svm, mint, { owner: options.program ?? TOKEN_PROGRAM, data });
}

/**
 * Gives a wallet tokens in its associated account, which is made if need be; the mint's supply grows by as much.
 *
 * @returns the associated account
 * @throws Error when there is no such mint
 */
export async function addTokens(svm: LiteSVM, mint: Address, owner: Address, more: bigint): Promise<Address> {
  const mintState = stateOf(svm, mint);
  const mintData = readMint(mintState);
  if (mintState === null || mintData === null) throw new Error(`${mint} is no mint`);
  const [account] = await findAssociatedTokenPda({ mint, owner, tokenProgram: mintState.owner });
  const held = readToken(stateOf(svm, account));
  const token = held ?? {
    mint,
    owner,
    amount: 0n,
    delegate: none(),
    state: TokenState.Initialized,
    isNative: none(),
    delegatedAmount: 0n,
    closeAuthority: none(),
  };
  writeAccount(svm, account, {
    owner: mintState.owner,
    data: getTokenEncoder().encode({ ...token, amount: token.amount + more }),
  });
  writeAccount(svm, mint, {
    owner: mintState.owner,
    data: getMintEncoder().encode({ ...mintData, supply: mintData.supply + more }),
  });
  return account;
}

/** Writes a lookup table that can be used at once. */
export function writeLookupTable(svm: LiteSVM, table: Address, addresses: readonly Address[]): void {
  const data = new Uint8Array(56 + addresses.length * 32);
  const view = new DataView(data.buffer);
  view.setUint32(0, 1, true); // a table, initialised
  view.setBigUint64(4, 2n ** 64n - 1n, true); // never deactivated
  addresses.forEach((address, place) => data.set(getAddressEncoder().encode(address), 56 + place * 32));
  writeAccount(svm, table, { owner: LOOKUP_TABLE_PROGRAM, data });
}
