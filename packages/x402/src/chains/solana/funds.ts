// What a wallet has, so that it is not asked to sign what cannot be paid.
import { getBase64Encoder } from '@solana/kit';
import { MalformedAnswer, readArray, readObject, readOptional, readText } from './answers.ts';
import type { Question } from './pool.ts';
import { associatedTokenAccount, TOKEN_PROGRAM } from './programs.ts';

/** What a wallet has. */
export interface Funds {
  /** Of the asset, in its smallest unit; null when it has no account for it. */
  readonly asset: bigint | null;
  /** For the network's fee. */
  readonly lamports: bigint;
}

/** Where the token program keeps the amount in an account's data. */
const AMOUNT = { offset: 64, length: 8 };

/** Asks one node for both accounts in one call. */
export function fundsQuestion(owner: string, asset: string): Question<Funds> {
  return async (call, signal) => {
    const account = await associatedTokenAccount(owner, asset);
    const options = { commitment: 'confirmed', encoding: 'base64', dataSlice: AMOUNT };
    const answer = await call('getMultipleAccounts', [[account, owner], options], signal);
    const accounts = readArray(readObject(answer, 'answer')['value'], 'value', (value, path) =>
      readOptional(value, path, readObject),
    );
    if (accounts.length !== 2) throw new MalformedAnswer('value', 'two accounts');
    const [tokens, wallet] = accounts;
    const lamports = wallet?.['lamports'] ?? 0;
    if (typeof lamports !== 'number' || !Number.isInteger(lamports) || lamports < 0)
      throw new MalformedAnswer('lamports', 'an amount');
    const held = tokens?.['owner'] === TOKEN_PROGRAM ? amountIn(tokens['data']) : null;
    return { asset: held, lamports: BigInt(lamports) };
  };
}

function amountIn(value: unknown): bigint {
  const [text, encoding] = readArray(value, 'data', readText);
  if (text === undefined || encoding !== 'base64') throw new MalformedAnswer('data', 'base64');
  const bytes = Uint8Array.from(getBase64Encoder().encode(text));
  if (bytes.length !== AMOUNT.length) throw new MalformedAnswer('data', 'an amount of 8 bytes');
  return new DataView(bytes.buffer).getBigUint64(0, true);
}
