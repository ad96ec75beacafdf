// Answers of nodes: one honest payment, and changes to it.
import { getBase58Decoder } from '@solana/kit';
import type { SolanaRule } from '../../src/chains/solana/verdict.ts';

export const address = (fill: number): string => getBase58Decoder().decode(new Uint8Array(32).fill(fill));
/** A well-formed signature: a small second half, and any first half. */
export const signature = (fill: number): string =>
  getBase58Decoder().decode(new Uint8Array(64).fill(9).fill(fill, 0, 32));

export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

export const PAYER = address(1);
export const PAY_TO = address(2);
export const THIEF = address(3);
export const SOURCE = address(4);
export const OTHER_MINT = address(5);
export const KEY = signature(9);
/** `associatedTokenAccount(PAY_TO, USDC)`; the test of keys checks that. */
export const ACCOUNT = '8Ae4vjYTZ5Z8mq2GJMUXpU2LDKMsqDaA7Tg7sZ85Gz9T';

export const RULE: SolanaRule = { payTo: PAY_TO, asset: USDC, account: ACCOUNT };

/** A token account's balance, before or after a transaction. */
export interface Entry {
  readonly account: string;
  readonly amount: unknown;
  readonly mint?: string;
  readonly owner?: string | null;
  readonly program?: string | null;
}

export interface Payment {
  readonly signatures?: readonly string[];
  readonly keys?: readonly string[];
  readonly loaded?: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
  readonly err?: unknown;
  readonly before?: readonly Entry[];
  readonly after?: readonly Entry[];
  /** Lamports before and after, by account; 2,039,280 each unless given. */
  readonly lamports?: Readonly<Record<string, readonly [number, number]>>;
  readonly memos?: readonly string[];
  readonly innerMemos?: readonly string[];
  readonly version?: 'legacy' | 0 | 1;
  readonly blockTime?: number | null;
}

const KEYS = [PAYER, SOURCE, ACCOUNT, TOKEN, MEMO] as const;
const RENT = [2_039_280, 2_039_280] as const;

/** The answer to `getTransaction` (encoding json) for a payment of 5,000 units to an account with 70,000. */
export function payment({
  signatures = [KEY],
  keys = KEYS,
  loaded = { writable: [], readonly: [] },
  err = null,
  before = [ours(70_000n), theirs(10_000n)],
  after = [ours(75_000n), theirs(5_000n)],
  lamports = {},
  memos = [],
  innerMemos = [],
  version = 0,
  blockTime = 1_700_000_000,
}: Payment = {}) {
  const all = [...keys, ...loaded.writable, ...loaded.readonly];
  const balances = (entries: readonly Entry[]) =>
    entries.map(({ account, amount, mint = USDC, owner = PAY_TO, program = TOKEN }) => ({
      accountIndex: all.indexOf(account),
      mint,
      ...(owner !== null && { owner }),
      ...(program !== null && { programId: program }),
      uiTokenAmount: {
        amount: typeof amount === 'bigint' ? amount.toString() : amount,
        decimals: 6,
        uiAmount: 0,
        uiAmountString: '0',
      },
    }));
  const memo = (text: string) => ({
    programIdIndex: all.indexOf(MEMO),
    accounts: [],
    data: getBase58Decoder().decode(new TextEncoder().encode(text)),
    stackHeight: 1,
  });
  const transfer = {
    programIdIndex: Math.max(0, all.indexOf(TOKEN)),
    accounts: [1, 2, 0],
    data: '3DcCptZte3oM',
    stackHeight: 1,
  };
  return {
    slot: 300,
    blockTime,
    version,
    transaction: {
      signatures,
      message: {
        header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 2 },
        accountKeys: keys,
        recentBlockhash: address(8),
        instructions: [transfer, ...memos.map(memo)],
        ...(version === 0 && {
          addressTableLookups: [
            {
              accountKey: address(7),
              writableIndexes: loaded.writable.map((_, index) => index),
              readonlyIndexes: loaded.readonly.map((_, index) => index),
            },
          ],
        }),
      },
    },
    meta: {
      err,
      fee: 5000,
      preBalances: all.map((key) => (lamports[key] ?? RENT)[0]),
      postBalances: all.map((key) => (lamports[key] ?? RENT)[1]),
      preTokenBalances: balances(before),
      postTokenBalances: balances(after),
      innerInstructions: innerMemos.length === 0 ? [] : [{ index: 0, instructions: innerMemos.map(memo) }],
      loadedAddresses: loaded,
      logMessages: [],
    },
  };
}

export function ours(amount: unknown, changes: Partial<Entry> = {}): Entry {
  return { account: ACCOUNT, amount, ...changes };
}

export function theirs(amount: unknown): Entry {
  return { account: SOURCE, amount, owner: PAYER };
}
