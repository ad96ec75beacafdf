// Accounts and calls in the nodes' encoding `jsonParsed`. Calls of the token, system, memo and associated-token
// programs are decoded by the tables below; all others stay encoded, as on nodes.
import { AccountState as TokenState, type Mint, type Token } from '@solana-program/token';
import { type Address, getAddressDecoder, getBase58Decoder, isNone, type Option } from '@solana/kit';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  KNOWN_MEMO_PROGRAMS,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
} from './addresses.ts';
import type { CompiledCall } from './message.ts';
import { type AccountState, isTokenProgram, readMint, readToken, uiTokenAmount } from './tokens.ts';

type Info = Readonly<Record<string, unknown>>;

/** A decoded call; null for unknown ones. */
export function parseCall(call: CompiledCall, keys: readonly Address[]): Info | null {
  const programId = keys[call.programIdIndex];
  if (programId === undefined) return null;
  const accounts = call.accounts.map((place) => keys[place]);
  const parsed = parsedBy(programId, call.data, accounts);
  return parsed === null ? null : { program: parsed.program, programId, parsed: parsed.content };
}

function parsedBy(
  programId: Address,
  data: Uint8Array,
  accounts: readonly (Address | undefined)[],
): { readonly program: string; readonly content: unknown } | null {
  const called = (program: string, content: unknown) => (content === null ? null : { program, content });
  if (isTokenProgram(programId)) return called('spl-token', tokenCall(data, accounts));
  if (programId === SYSTEM_PROGRAM) return called('system', systemCall(data, accounts));
  if (programId === ASSOCIATED_TOKEN_PROGRAM)
    return called('spl-associated-token-account', associatedTokenCall(data, accounts));
  if (KNOWN_MEMO_PROGRAMS.includes(programId)) return called('spl-memo', memoText(data));
  return null;
}

function memoText(data: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return null;
  }
}

/** A kind of call: names of its accounts in order, and its decoded data. `authority` comes with its co-signers. */
interface Layout {
  readonly type: string;
  readonly accounts: readonly string[];
  /** Name of the last account, which signs; the signers of a multisig follow. */
  readonly authority?: string;
  readonly data?: (view: DataView) => Info;
}

const amount = (view: DataView) => ({ amount: view.getBigUint64(1, true).toString() });
const tokenAmount = (view: DataView) => ({
  tokenAmount: uiTokenAmount(view.getBigUint64(1, true), view.getUint8(9)),
});
const owner = (view: DataView) => ({ owner: addressAt(view, 1) });

const AUTHORITY_TYPES = ['mintTokens', 'freezeAccount', 'accountOwner', 'closeAccount'];

/** Calls of both token programs by the first byte of their data. */
const TOKEN_CALLS: Readonly<Record<number, Layout>> = {
  1: { type: 'initializeAccount', accounts: ['account', 'mint', 'owner', 'rentSysvar'] },
  3: { type: 'transfer', accounts: ['source', 'destination'], authority: 'authority', data: amount },
  4: { type: 'approve', accounts: ['source', 'delegate'], authority: 'owner', data: amount },
  5: { type: 'revoke', accounts: ['source'], authority: 'owner' },
  6: {
    type: 'setAuthority',
    accounts: ['account'],
    authority: 'authority',
    data: (view) => ({
      authorityType: AUTHORITY_TYPES[view.getUint8(1)] ?? String(view.getUint8(1)),
      newAuthority: view.getUint8(2) === 0 ? null : addressAt(view, 3),
    }),
  },
  7: { type: 'mintTo', accounts: ['mint', 'account'], authority: 'mintAuthority', data: amount },
  8: { type: 'burn', accounts: ['account', 'mint'], authority: 'authority', data: amount },
  9: { type: 'closeAccount', accounts: ['account', 'destination'], authority: 'owner' },
  10: { type: 'freezeAccount', accounts: ['account', 'mint'], authority: 'freezeAuthority' },
  11: { type: 'thawAccount', accounts: ['account', 'mint'], authority: 'freezeAuthority' },
  12: {
    type: 'transferChecked',
    accounts: ['source', 'mint', 'destination'],
    authority: 'authority',
    data: tokenAmount,
  },
  13: {
    type: 'approveChecked',
    accounts: ['source', 'mint', 'delegate'],
    authority: 'owner',
    data: tokenAmount,
  },
  14: {
    type: 'mintToChecked',
    accounts: ['mint', 'account'],
    authority: 'mintAuthority',
    data: tokenAmount,
  },
  15: { type: 'burnChecked', accounts: ['account', 'mint'], authority: 'authority', data: tokenAmount },
  16: { type: 'initializeAccount2', accounts: ['account', 'mint', 'rentSysvar'], data: owner },
  17: { type: 'syncNative', accounts: ['account'] },
  18: { type: 'initializeAccount3', accounts: ['account', 'mint'], data: owner },
  21: { type: 'getAccountDataSize', accounts: ['mint'], data: extensionTypes },
  22: { type: 'initializeImmutableOwner', accounts: ['account'] },
};

/** The system program's calls that move lamports or make accounts, by the first four bytes of their data. */
const SYSTEM_CALLS: Readonly<Record<number, Layout>> = {
  0: {
    type: 'createAccount',
    accounts: ['source', 'newAccount'],
    data: (view) => ({
      lamports: view.getBigUint64(4, true),
      space: view.getBigUint64(12, true),
      owner: addressAt(view, 20),
    }),
  },
  1: { type: 'assign', accounts: ['account'], data: (view) => ({ owner: addressAt(view, 4) }) },
  2: {
    type: 'transfer',
    accounts: ['source', 'destination'],
    data: (view) => ({ lamports: view.getBigUint64(4, true) }),
  },
  8: {
    type: 'allocate',
    accounts: ['account'],
    data: (view) => ({ space: view.getBigUint64(4, true) }),
  },
};

const ASSOCIATED_TOKEN_ACCOUNTS = ['source', 'account', 'wallet', 'mint', 'systemProgram', 'tokenProgram'];

function tokenCall(data: Uint8Array, accounts: readonly (Address | undefined)[]): Info | null {
  return laidOut(TOKEN_CALLS[data[0] ?? -1], data, accounts);
}

function systemCall(data: Uint8Array, accounts: readonly (Address | undefined)[]): Info | null {
  if (data.length < 4) return null;
  return laidOut(SYSTEM_CALLS[viewOf(data).getUint32(0, true)], data, accounts);
}

function associatedTokenCall(data: Uint8Array, accounts: readonly (Address | undefined)[]): Info | null {
  const type = ['create', 'createIdempotent'][data[0] ?? 0];
  return type === undefined ? null : laidOut({ type, accounts: ASSOCIATED_TOKEN_ACCOUNTS }, data, accounts);
}

function laidOut(
  layout: Layout | undefined,
  data: Uint8Array,
  accounts: readonly (Address | undefined)[],
): Info | null {
  const { accounts: names = [], authority } = layout ?? {};
  const needed = names.length + (authority === undefined ? 0 : 1);
  if (layout === undefined || accounts.length < needed) return null;
  const named = Object.fromEntries(names.map((name, place) => [name, accounts[place]]));
  try {
    const info = {
      ...named,
      ...(authority === undefined ? {} : signedBy(authority, accounts.slice(names.length))),
      ...layout.data?.(viewOf(data)),
    };
    return { type: layout.type, info };
  } catch (error) {
    // Nodes leave a call encoded when its data is too short for its kind.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function signedBy(name: string, [authority, ...signers]: readonly (Address | undefined)[]): Info {
  if (signers.length === 0) return { [name]: authority };
  return { [`multisig${name.charAt(0).toUpperCase()}${name.slice(1)}`]: authority, signers };
}

/** Names of the extensions that associated accounts require; the common one suffices here. */
function extensionTypes(view: DataView): Info {
  const types = Array.from({ length: (view.byteLength - 1) >> 1 }, (_, place) =>
    view.getUint16(1 + place * 2, true),
  );
  return types.length === 0
    ? {}
    : { extensionTypes: types.map((type) => (type === 7 ? 'immutableOwner' : String(type))) };
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

/** @throws RangeError when the data ends before the address does */
function addressAt(view: DataView, offset: number): Address {
  return getAddressDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + offset, 32));
}

/**
 * An account's data in the encoding `jsonParsed`; null for unknown kinds.
 *
 * @param decimalsOf decimals of a mint; undefined when there is no such mint
 */
export function parseAccount(
  account: AccountState,
  decimalsOf: (mint: Address) => number | undefined,
): Info | null {
  const program = account.owner === TOKEN_2022_PROGRAM ? 'spl-token-2022' : 'spl-token';
  const space = account.data.length;
  const token = readToken(account);
  const decimals = token === null ? undefined : decimalsOf(token.mint);
  if (token !== null && decimals !== undefined)
    return { program, parsed: { type: 'account', info: tokenInfo(token, decimals) }, space };
  const mint = readMint(account);
  return mint === null ? null : { program, parsed: { type: 'mint', info: mintInfo(mint) }, space };
}

function tokenInfo(token: Token, decimals: number): Info {
  const delegate = valueOf(token.delegate);
  const reserve = valueOf(token.isNative);
  const closeAuthority = valueOf(token.closeAuthority);
  return {
    mint: token.mint,
    owner: token.owner,
    tokenAmount: uiTokenAmount(token.amount, decimals),
    ...(delegate === null
      ? {}
      : { delegate, delegatedAmount: uiTokenAmount(token.delegatedAmount, decimals) }),
    state: token.state === TokenState.Frozen ? 'frozen' : 'initialized',
    isNative: reserve !== null,
    ...(reserve === null ? {} : { rentExemptReserve: uiTokenAmount(reserve, decimals) }),
    ...(closeAuthority === null ? {} : { closeAuthority }),
  };
}

function mintInfo(mint: Mint): Info {
  return {
    mintAuthority: valueOf(mint.mintAuthority),
    supply: mint.supply.toString(),
    decimals: mint.decimals,
    isInitialized: mint.isInitialized,
    freezeAuthority: valueOf(mint.freezeAuthority),
  };
}

function valueOf<T>(option: Option<T>): T | null {
  return isNone(option) ? null : option.value;
}

/** A call in its encoded form, with its accounts by address. */
export function encodedCall(call: CompiledCall, keys: readonly Address[]): Info {
  return {
    programId: keys[call.programIdIndex],
    accounts: call.accounts.map((place) => keys[place]),
    data: getBase58Decoder().decode(call.data),
  };
}
