// Reads a node's answer to getTransaction (encoding json). verdict.ts judges it.
import { getBase58Encoder } from '@solana/kit';
import {
  MalformedAnswer,
  readAddress,
  readAmount,
  readArray,
  readBase58,
  readCount,
  readIndex,
  readObject,
  readOptional,
  readText,
} from './answers.ts';
import type { JsonObject } from '../../gate/json.ts';
import type { PaymentKey } from '../../ledger/ledger.ts';
import type { RpcCall } from './endpoint.ts';
import { MEMO_PROGRAMS } from './programs.ts';

/** The balance of a token account before or after a transaction. */
export interface TokenBalance {
  /** Address of the token account. */
  readonly account: string;
  readonly mint: string;
  /** Address that may spend it; null when the node does not say. */
  readonly owner: string | null;
  /** The token program; null when the node does not say. */
  readonly program: string | null;
  /** In the smallest unit. */
  readonly amount: bigint;
}

/** The balances before or after a transaction. */
export interface Balances {
  /** Lamports, by the position in {@link SolanaTransaction.keys}. */
  readonly lamports: readonly number[];
  readonly tokens: readonly TokenBalance[];
}

/** A transaction that a chain includes. */
export interface SolanaTransaction {
  readonly slot: bigint;
  /** Time of its block, in milliseconds since 1970; null when the node does not know. */
  readonly timeMs: number | null;
  /** In base58; the first one is the transaction's id. */
  readonly signatures: readonly string[];
  /** Every account of the transaction, direct or through lookup tables. The first one pays the fee. */
  readonly keys: readonly string[];
  readonly failed: boolean;
  readonly before: Balances;
  readonly after: Balances;
  /** Texts of its memos in the order of execution. */
  readonly memos: readonly string[];
}

interface Instruction {
  readonly program: string;
  /** In base58. */
  readonly data: string;
}

/** The most accounts of one transaction: an index has one byte. */
const MAX_KEYS = 256;
/** The runtime allows 10 KiB of data, and base58 needs 1.37 characters a byte. */
const MAX_DATA_TEXT = 16_384;

/** The transaction of a node; null when the node knows no confirmed one. */
export async function fetchTransaction(
  key: PaymentKey,
  call: RpcCall,
  signal: AbortSignal,
): Promise<SolanaTransaction | null> {
  // Without version 1 in the options, a node rejects the call for such a transaction, and the money is stuck.
  const options = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 1 };
  const answer = await call('getTransaction', [key, options], signal);
  return answer === null ? null : readTransaction(answer);
}

/**
 * Reads an answer other than null.
 *
 * @throws MalformedAnswer when it is incomplete or contradicts itself
 */
export function readTransaction(answer: unknown): SolanaTransaction {
  const record = readObject(answer, 'answer');
  const transaction = readObject(record['transaction'], 'transaction');
  const message = readObject(transaction['message'], 'message');
  const meta = readObject(record['meta'], 'meta');
  if (meta['err'] === undefined) throw new MalformedAnswer('meta.err', 'said');
  const keys = readKeys(message, meta);
  const signatures = readArray(transaction['signatures'], 'signatures', (item, path) =>
    readBase58(item, path, 88),
  );
  if (signatures.length === 0) throw new MalformedAnswer('signatures', 'filled');
  const seconds = readOptional(record['blockTime'], 'blockTime', readCount);
  return {
    slot: BigInt(readCount(record['slot'], 'slot')),
    timeMs: seconds === null ? null : seconds * 1000,
    signatures,
    keys,
    failed: meta['err'] !== null,
    before: readBalances(meta, 'preBalances', 'preTokenBalances', keys),
    after: readBalances(meta, 'postBalances', 'postTokenBalances', keys),
    memos: readMemos(message, meta, keys),
  };
}

/** The runtime's order: the message's accounts, then loaded writable, then loaded readonly. */
function readKeys(message: JsonObject, meta: JsonObject): readonly string[] {
  const loaded = readOptional(meta['loadedAddresses'], 'loadedAddresses', readObject);
  const named = readArray(message['accountKeys'], 'accountKeys', readAddress);
  const keys = [
    ...named,
    ...(loaded === null ? [] : readArray(loaded['writable'], 'loadedAddresses.writable', readAddress)),
    ...(loaded === null ? [] : readArray(loaded['readonly'], 'loadedAddresses.readonly', readAddress)),
  ];
  if (keys.length - named.length !== countLoaded(message))
    throw new MalformedAnswer('loadedAddresses', 'complete');
  if (keys.length === 0 || keys.length > MAX_KEYS)
    throw new MalformedAnswer('accountKeys', 'of 1 to 256 accounts');
  if (new Set(keys).size !== keys.length) throw new MalformedAnswer('accountKeys', 'without repetition');
  return keys;
}

/** The number of accounts from the message's lookup tables. */
function countLoaded(message: JsonObject): number {
  const countOf = (value: unknown, path: string): number => {
    const lookup = readObject(value, path);
    const writable = readArray(lookup['writableIndexes'], `${path}.writableIndexes`, readCount);
    return (
      writable.length + readArray(lookup['readonlyIndexes'], `${path}.readonlyIndexes`, readCount).length
    );
  };
  const counts = readOptional(message['addressTableLookups'], 'addressTableLookups', (value, path) =>
    readArray(value, path, countOf),
  );
  return (counts ?? []).reduce((sum, count) => sum + count, 0);
}

function readBalances(
  meta: JsonObject,
  lamportsName: string,
  tokensName: string,
  keys: readonly string[],
): Balances {
  const lamports = readArray(meta[lamportsName], lamportsName, readLamports);
  if (lamports.length !== keys.length) throw new MalformedAnswer(lamportsName, 'one for each account');
  const tokens = readArray(meta[tokensName], tokensName, (item, path) => readTokenBalance(item, path, keys));
  if (new Set(tokens.map(({ account }) => account)).size !== tokens.length) {
    throw new MalformedAnswer(tokensName, 'without repetition');
  }
  return { lamports, tokens };
}

/** Lamports may exceed the exact range of JSON numbers; callers only compare them. */
function readLamports(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw new MalformedAnswer(path, 'a number of lamports');
  }
  return value;
}

function readTokenBalance(value: unknown, path: string, keys: readonly string[]): TokenBalance {
  const entry = readObject(value, path);
  const index = readIndex(entry['accountIndex'], `${path}.accountIndex`, keys.length);
  return {
    account: keys[index] ?? '',
    mint: readAddress(entry['mint'], `${path}.mint`),
    owner: readOptional(entry['owner'], `${path}.owner`, readAddress),
    program: readOptional(entry['programId'], `${path}.programId`, readAddress),
    amount: readAmount(readObject(entry['uiTokenAmount'], path)['amount'], `${path}.uiTokenAmount.amount`),
  };
}

function readMemos(message: JsonObject, meta: JsonObject, keys: readonly string[]): readonly string[] {
  const readAll = (value: unknown, path: string) =>
    readArray(value, path, (item, itemPath) => readInstruction(item, itemPath, keys));
  const outer = readAll(message['instructions'], 'instructions');
  // Some nodes record no inner instructions and report null. Their memos are then missing; the balances are not.
  const groups = readOptional(meta['innerInstructions'], 'innerInstructions', (value, path) =>
    readArray(value, path, (item, groupPath) => {
      const group = readObject(item, groupPath);
      return {
        index: readIndex(group['index'], `${groupPath}.index`, outer.length),
        instructions: readAll(group['instructions'], `${groupPath}.instructions`),
      };
    }),
  );
  return outer
    .flatMap((instruction, index) => [
      instruction,
      ...(groups ?? []).filter((group) => group.index === index).flatMap((group) => group.instructions),
    ])
    .filter(({ program }) => MEMO_PROGRAMS.has(program))
    .map(({ data }) => new TextDecoder().decode(new Uint8Array(getBase58Encoder().encode(data))));
}

function readInstruction(value: unknown, path: string, keys: readonly string[]): Instruction {
  const instruction = readObject(value, path);
  const program = keys[readIndex(instruction['programIdIndex'], `${path}.programIdIndex`, keys.length)] ?? '';
  const data = readText(instruction['data'], `${path}.data`);
  return MEMO_PROGRAMS.has(program)
    ? { program, data: readBase58(data, `${path}.data`, MAX_DATA_TEXT) }
    : { program, data };
}
