// Addresses of programs and accounts.
import { type Address, assertIsAddress } from '@solana/kit';
import { findAssociatedTokenPda } from '@solana-program/token';

export const SYSTEM_PROGRAM = '11111111111111111111111111111111' as Address;
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address;
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111' as Address;
export const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111' as Address;

/** Wallets add assertions of this program to the transactions that they sign; it moves no money. */
export const LIGHTHOUSE_PROGRAM = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95' as Address;

/** The memo program of facilitators and test chains; prepared transfers use it. */
export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;

/** Every memo program that wallets use: versions 1, 3 and 4. Their data is the text, in UTF-8. */
export const MEMO_PROGRAMS: ReadonlySet<string> = new Set([
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  MEMO_PROGRAM,
  'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH',
]);

/** The account of a wallet for the tokens of one mint. @throws Error when one of them is not an address */
export async function associatedTokenAccount(owner: string, mint: string): Promise<Address> {
  assertIsAddress(owner);
  assertIsAddress(mint);
  const [account] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM });
  return account;
}
