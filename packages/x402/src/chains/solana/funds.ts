// Balances of a wallet, read before its signature is requested.
import { MalformedAnswer, readArray, readObject, readBase64, readOptional } from './answers.ts';
import type { RpcQuery } from './pool.ts';
import { associatedTokenAccount, TOKEN_PROGRAM } from './programs.ts';

/** Balances of a wallet. */
export interface WalletFunds {
  /** Balance of the asset, in its smallest unit; null without an account for it. */
  readonly asset: bigint | null;
  /** Balance for the network's fee. */
  readonly lamports: bigint;
}

/** Position of the amount in an account of the token program. */
const AMOUNT = { offset: 64, length: 8 };

/** Reads both accounts in one call. */
export function fundsQuery(owner: string, asset: string): RpcQuery<WalletFunds> {
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
  const bytes = readBase64(value, 'data');
  if (bytes.length !== AMOUNT.length) throw new MalformedAnswer('data', 'an amount of 8 bytes');
  return new DataView(bytes.buffer).getBigUint64(0, true);
}
