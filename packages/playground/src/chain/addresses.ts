// Addresses that the play chain shares with the real ones.
import { type Address, address } from '@solana/kit';

/** The address of USDC's mint on the main network; the play dollar has the same address and 6 decimals. */
export const USDC_MINT: Address = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
/**
 * The genesis hash of the main network. x402 clients recognise a network by its first 32 characters, and by default pay
 * only on known networks.
 */
export const MAINNET_GENESIS_HASH = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
/** Decimals of USDC: one dollar is 10 ** 6 units. */
export const USDC_DECIMALS = 6;

export const SYSTEM_PROGRAM: Address = address('11111111111111111111111111111111');
export const TOKEN_PROGRAM: Address = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
export const TOKEN_2022_PROGRAM: Address = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
export const ASSOCIATED_TOKEN_PROGRAM: Address = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
export const COMPUTE_BUDGET_PROGRAM: Address = address('ComputeBudget111111111111111111111111111111');
export const LOOKUP_TABLE_PROGRAM: Address = address('AddressLookupTab1e1111111111111111111111111');
export const CLOCK_SYSVAR: Address = address('SysvarC1ock11111111111111111111111111111111');

/** The memo programs in the order of their age; all three are alive. */
export const MEMO_PROGRAMS: readonly Address[] = [
  address('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'),
  address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
  address('Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH'),
];

/** The memo programs that nodes decode and list with a signature; memos of the newest stay encoded. */
export const KNOWN_MEMO_PROGRAMS = MEMO_PROGRAMS.slice(0, 2);

/** The memo program of wallets and facilitators. */
export const MEMO_PROGRAM: Address = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
