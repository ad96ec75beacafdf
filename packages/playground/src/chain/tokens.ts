// Reads accounts of the two token programs, as nodes do for token balances.
import { getMintDecoder, getTokenDecoder, type Mint, type Token } from '@solana-program/token';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';

/** An account's state at one moment. */
export interface AccountState {
  readonly owner: Address;
  readonly lamports: bigint;
  readonly data: ReadonlyUint8Array;
  readonly executable: boolean;
}

const TOKEN_LENGTH = 165;
const MINT_LENGTH = 82;
const STATE_OFFSET = 108;
const MINT_INITIALIZED_OFFSET = 45;
/** Token-2022 writes the kind of an account with extensions after the length of a plain token account. */
const KIND_OFFSET = TOKEN_LENGTH;
const KIND_MINT = 1;
const KIND_TOKEN = 2;

export function isTokenProgram(program: Address): boolean {
  return program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;
}

/** The token account in a state; null for other or uninitialised ones. */
export function readToken(account: AccountState | null): Token | null {
  if (account === null || !isTokenProgram(account.owner)) return null;
  const { data, owner } = account;
  const fits =
    data.length === TOKEN_LENGTH ||
    (owner === TOKEN_2022_PROGRAM && data.length > TOKEN_LENGTH && data[KIND_OFFSET] === KIND_TOKEN);
  return fits && data[STATE_OFFSET] !== 0 ? getTokenDecoder().decode(data.slice(0, TOKEN_LENGTH)) : null;
}

/** The mint in a state; null for other or uninitialised ones. */
export function readMint(account: AccountState | null): Mint | null {
  if (account === null || !isTokenProgram(account.owner)) return null;
  const { data, owner } = account;
  const fits =
    data.length === MINT_LENGTH ||
    (owner === TOKEN_2022_PROGRAM && data.length > TOKEN_LENGTH && data[KIND_OFFSET] === KIND_MINT);
  return fits && data[MINT_INITIALIZED_OFFSET] === 1
    ? getMintDecoder().decode(data.slice(0, MINT_LENGTH))
    : null;
}

/** An amount of tokens in nodes' JSON. */
export interface UiTokenAmount {
  readonly amount: string;
  readonly decimals: number;
  readonly uiAmount: number | null;
  readonly uiAmountString: string;
}

/** 1500000n at 6 decimals is '1.5': no zeros at the end, no point without a fraction. */
export function uiTokenAmount(amount: bigint, decimals: number): UiTokenAmount {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, '');
  const uiAmountString = fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}
