// What is asked of one RPC endpoint, each in one call that gives up after a while.
import {
  type Address,
  type Base64EncodedWireTransaction,
  type BlockhashLifetimeConstraint,
  createSolanaRpc,
  type Signature,
} from '@solana/kit';

/** Where a transaction stands. `seen` is in a block that may still be dropped. */
export type TransactionStatus = 'confirmed' | 'failed' | 'seen' | 'absent';

/** A view of the chain. Every call rejects when the endpoint does not answer, or with an error. */
export interface Network {
  /** First 32 characters of the genesis hash, by which CAIP-2 names a chain. */
  genesis(signal: AbortSignal): Promise<string>;
  latestBlockhash(signal: AbortSignal): Promise<BlockhashLifetimeConstraint>;
  send(transaction: Base64EncodedWireTransaction, signal: AbortSignal): Promise<void>;
  transactionStatus(signature: Signature, signal: AbortSignal): Promise<TransactionStatus>;
  /** True when the transaction is in no block and the last one that could have it is final. */
  isGone(signature: Signature, lastValidBlockHeight: bigint, signal: AbortSignal): Promise<boolean>;
  /** What a token account holds, in the smallest unit; null when there is no such account. */
  balance(account: Address, signal: AbortSignal): Promise<bigint | null>;
  /** What a wallet holds for fees, in lamports. */
  lamports(wallet: Address, signal: AbortSignal): Promise<bigint>;
  /** Latest transactions of an account, newest first. */
  history(account: Address, before: Signature | undefined, signal: AbortSignal): Promise<readonly Entry[]>;
}

/** A transaction in the list of an account. */
export interface Entry {
  readonly signature: Signature;
  /** Seconds since 1970; null when the endpoint does not know. */
  readonly blockTime: bigint | null;
  /** Texts of its memos, each behind its length: `[3] one; [5] other`. */
  readonly memo: string | null;
  readonly err: unknown;
}

const GENESIS_CHARACTERS = 32;
/** An answer of an endpoint takes a fraction of a second; one that takes this long is not coming. */
const CALL_MS = 15_000;
const PAGE = 1000;
/** As new as what a transaction is held against before it is sent. */
const CONFIRMED = { commitment: 'confirmed' } as const;

/** @param rpcUrl http or https */
export function connect(rpcUrl: string): Network {
  const rpc = createSolanaRpc(rpcUrl);
  const within = (signal: AbortSignal) => ({
    abortSignal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
  });
  const status = async (signature: Signature, signal: AbortSignal) => {
    // Without the history an endpoint knows the last 150 blocks only, and an older payment would look unmade.
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
      // Asked after the height, and of a node that has come at least as far: behind one address there may be several.
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
    history: (account, before, signal) => {
      const options = { ...CONFIRMED, limit: PAGE };
      const page = before === undefined ? options : { ...options, before };
      return rpc.getSignaturesForAddress(account, page).send(within(signal));
    },
  };
}
