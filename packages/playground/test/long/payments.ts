// Payments for the long programs: made on the play chain, remembered in a store that can be looked into from outside.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Wallet } from '../../src/wallets.ts';
import { MEMO_PROGRAM } from '../../src/chain/addresses.ts';
import type { Playground } from '../../src/playground.ts';
import { rpcOf, sendAndConfirm, sign, transfer } from '../paying.ts';

export const PRICE = 2000n;

/** Pays once; resolves with the proof when it is confirmed. Without its own memo, equal transfers are one. */
export async function payOnce(
  playground: Playground,
  payer: Wallet,
  memo: string,
  price = PRICE,
): Promise<string> {
  const { chain, payTo } = playground;
  const paid = await transfer(payer.signer, payTo.address, price);
  const named = { programAddress: MEMO_PROGRAM, data: new TextEncoder().encode(memo) };
  return sendAndConfirm(chain, await sign(rpcOf(chain), payer.signer, [paid, named]));
}

/** Balance of the pay-to wallet, by the chain. */
export async function earned({ chain, payTo }: Playground): Promise<bigint> {
  const { value } = await rpcOf(chain).getTokenAccountBalance(payTo.usdcAccount).send();
  return BigInt(value.amount);
}

/** A look into the store of a running server. */
export interface Observer {
  /** How many payments stand there. */
  count(state: 'verified' | 'consumed'): number;
  close(): void;
}

export function observe(dataDir: string): Observer {
  const database = new DatabaseSync(join(dataDir, 'grainline.db'), { readOnly: true, timeout: 5000 });
  const count = database.prepare('SELECT count(*) AS count FROM payments WHERE state = ?');
  return {
    count: (state) => Number(count.get(state)?.['count']),
    close: () => database.close(),
  };
}
