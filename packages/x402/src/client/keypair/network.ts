// Calls of one RPC endpoint, each with a time limit.
import {
  type Address,
  type Base64EncodedWireTransaction,
  type BlockhashLifetimeConstraint,
  createSolanaRpc,
  type Signature,
} from '@solana/kit';

/** The state of a transaction. `seen`: in a block that may still be dropped. */
export type TransactionStatus = 'confirmed' | 'failed' | 'seen' | 'absent';

/** A view of the chain. Every call rejects when the endpoint does not answer, or with its error. */
export interface KeypairNetwork {
  /** The first 32 characters of the genesis hash, which name a chain in CAIP-2. */
  genesis(signal: AbortSignal): Promise<string>;
  latestBlockhash(signal: AbortSignal): Promise<BlockhashLifetimeConstraint>;
  send(transaction: Base64EncodedWireTransaction, signal: AbortSignal): Promise<void>;
  transactionStatus(signature: Signature, signal: AbortSignal): Promise<TransactionStatus>;
  /** True when the transaction is in no block and the last possible block is final. */
  isGone(signature: Signature, lastValidBlockHeight: bigint, signal: AbortSignal): Promise<boolean>;
  /** Balance of a token account, in the smallest unit; null without the account. */
  balance(account: Address, signal: AbortSignal): Promise<bigint | null>;
  /** Balance for fees, in lamports. */
  lamports(wallet: Address, signal: AbortSignal): Promise<bigint>;
}

const GENESIS_CHARACTERS = 32;
/** An endpoint answers in a fraction of a second, or not at all. */
const CALL_MS = 15_000;
/** The commitment that a transaction is checked against before it is sent. */
const CONFIRMED = { commitment: 'confirmed' } as const;

/** @param rpcUrl http or https */
export function connectNetwork(rpcUrl: string): KeypairNetwork {
  const rpc = createSolanaRpc(rpcUrl);
  const within = (signal: AbortSignal) => ({
    abortSignal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
  });
  const status = async (signature: Signature, signal: AbortSignal) => {
    // Without the history an endpoint knows only the last 150 blocks, and an older payment would look unmade.
    const call = rpc.getSignatureStatuses([signature], { searchTransactionHistory: true });
    const { context, value } = await call.send(within(signal));
    return { slot: context.slot, status: value[0] ?? null };
  };
  return {
    genesis: async (signal) => (await rpc.getGenesisHash().send(within(signal))).slice(0, GENESIS_CHARACTERS),
    latestBlockhash: async (signal) => (await rpc.getLatestBlockhash(CONFIRMED).send(within(signal))).value,
    send: async (transaction, signal) => {
      const options = { encoding: 'base64', preflightCommitment: 'confirmed' } as const;
      await rpc.sendTransaction(transaction, options).send(within(signal));
    },
    transactionStatus: async (signature, signal) => {
      const { status: found } = await status(signature, signal);
      if (found === null) return 'absent';
      if (found.confirmationStatus !== 'confirmed' && found.confirmationStatus !== 'finalized') return 'seen';
      return found.err === null ? 'confirmed' : 'failed';
    },
    isGone: async (signature, lastValidBlockHeight, signal) => {
      const { absoluteSlot, blockHeight } = await rpc
        .getEpochInfo({ commitment: 'finalized' })
        .send(within(signal));
      if (blockHeight <= lastValidBlockHeight) return false;
      // This call follows the height, and needs a node that has come as far: one address may hide several nodes.
      const { slot, status: found } = await status(signature, signal);
      return found === null && slot >= absoluteSlot;
    },
    balance: async (account, signal) => {
      const { value } = await rpc
        .getAccountInfo(account, { ...CONFIRMED, encoding: 'base64' })
        .send(within(signal));
      if (value === null) return null;
      const held = await rpc.getTokenAccountBalance(account, CONFIRMED).send(within(signal));
      return BigInt(held.value.amount);
    },
    lamports: async (wallet, signal) => (await rpc.getBalance(wallet, CONFIRMED).send(within(signal))).value,
  };
}
