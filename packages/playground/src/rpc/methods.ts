// All calls of the play chain, by name.
import type { PlayChain } from '../chain/chain.ts';
import type { Faucet } from '../chain/faucet.ts';
import { accountMethods, API_VERSION, withContext } from './accounts.ts';
import { BLOCK_NOT_AVAILABLE, METHOD_NOT_FOUND, MethodError } from './errors.ts';
import { bankIn, countAt, optionsAt, stringAt } from './params.ts';
import { transactionMethods } from './transactions.ts';

type Params = readonly unknown[];

/** Answers a call by name. */
export type RpcMethod = (method: string, params: Params) => unknown;

const SLOTS_IN_EPOCH = 432_000;

/** Creates the function that answers calls. It throws `MethodError` for the errors of nodes. */
export function createMethods(chain: PlayChain, faucet: Faucet): RpcMethod {
  const methods: Readonly<Record<string, (params: Params) => unknown>> = {
    ...clusterMethods(chain),
    ...accountMethods(chain),
    ...transactionMethods(chain, faucet),
  };
  return (name, params) => {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method === undefined) throw new MethodError(METHOD_NOT_FOUND, 'Method not found');
    return method(params);
  };
}

function clusterMethods(chain: PlayChain) {
  const heightAt = (params: Params, place: number) => {
    const slot = chain.slot(bankIn(chain, optionsAt(params, place)));
    return chain.block(slot)?.height ?? 0;
  };

  return {
    getHealth: () => 'ok',
    getVersion: () => ({ 'feature-set': 0, 'solana-core': API_VERSION }),
    getGenesisHash: () => chain.genesisHash,
    getSlot: (params: Params) => chain.slot(bankIn(chain, optionsAt(params, 0))),
    getBlockHeight: (params: Params) => heightAt(params, 0),
    getTransactionCount: (params: Params) => heightAt(params, 0),

    getLatestBlockhash(params: Params) {
      const bank = bankIn(chain, optionsAt(params, 0));
      const block = chain.block(chain.slot(bank));
      if (block === null) throw new MethodError(BLOCK_NOT_AVAILABLE, 'Block not available');
      const { blockhash, height } = block;
      return withContext(chain, bank, { blockhash, lastValidBlockHeight: height + chain.blockhashAge });
    },

    isBlockhashValid(params: Params) {
      const bank = bankIn(chain, optionsAt(params, 1));
      return withContext(chain, bank, chain.isBlockhashValid(stringAt(params, 0), bank));
    },

    getBlockTime(params: Params) {
      const slot = countAt(params, 0);
      const block = chain.block(slot);
      if (block === null || slot > chain.slot('confirmed'))
        throw new MethodError(BLOCK_NOT_AVAILABLE, `Block not available for slot ${slot}`);
      return block.time;
    },

    getFirstAvailableBlock: () => chain.firstSlot(),

    getEpochInfo(params: Params) {
      const bank = bankIn(chain, optionsAt(params, 0));
      const absoluteSlot = chain.slot(bank);
      return {
        absoluteSlot,
        blockHeight: chain.block(absoluteSlot)?.height ?? 0,
        epoch: Math.floor(absoluteSlot / SLOTS_IN_EPOCH),
        slotIndex: absoluteSlot % SLOTS_IN_EPOCH,
        slotsInEpoch: SLOTS_IN_EPOCH,
        transactionCount: chain.block(absoluteSlot)?.height ?? 0,
      };
    },
  };
}
