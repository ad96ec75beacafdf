// A transaction as it would run now: the machine is left as it was.
import {
  type Address,
  type Blockhash,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionEncoder,
} from '@solana/kit';
import { FailedTransactionMetadata, type LiteSVM } from 'litesvm';
import { type TransactionError, transactionError } from './errors.ts';
import { type Execution, sayings } from './execution.ts';
import { readTransaction, type WireTransaction } from './message.ts';
import type { AccountState } from './tokens.ts';

/** What a run would do. */
export interface Simulation extends Pick<Execution, 'innerCalls' | 'logs' | 'computeUnits' | 'returned'> {
  readonly error: TransactionError | null;
  readonly keys: readonly Address[];
  /** States that differ afterwards. */
  readonly states: ReadonlyMap<Address, AccountState>;
}

/** A run that never begins. */
export function refusedRun(sent: WireTransaction, error: TransactionError): Simulation {
  const { accountKeys: keys } = sent.message;
  return { innerCalls: [], logs: [], computeUnits: 0n, returned: null, states: new Map(), keys, error };
}

/** Runs a transaction on the machine and leaves the machine as it was. */
export function simulate(svm: LiteSVM, sent: WireTransaction, sigVerify: boolean): Simulation {
  const isSigned = Object.values(sent.transaction.signatures).every((signature) => signature !== null);
  if (sigVerify && !isSigned) return refusedRun(sent, 'SignatureFailure');
  svm.withSigverify(sigVerify);
  try {
    const result = svm.simulateTransaction(sent.transaction);
    const failed = result instanceof FailedTransactionMetadata;
    return {
      ...sayings(result.meta()),
      error: failed ? transactionError(result) : null,
      keys: sent.message.accountKeys,
      states: new Map(failed ? [] : result.postAccounts().map(stateOfAccount)),
    };
  } finally {
    svm.withSigverify(true);
  }
}

type PostAccount = ReturnType<
  Exclude<ReturnType<LiteSVM['simulateTransaction']>, FailedTransactionMetadata>['postAccounts']
>[number];

function stateOfAccount({
  address,
  programAddress: owner,
  lamports,
  data,
  executable,
}: PostAccount): [Address, AccountState] {
  return [address, { owner, lamports, data, executable }];
}

/** The same transaction with another blockhash; its signatures no longer fit. */
export function withBlockhash(sent: WireTransaction, blockhash: Blockhash): WireTransaction {
  const compiled = getCompiledTransactionMessageDecoder().decode(sent.transaction.messageBytes);
  const messageBytes = getCompiledTransactionMessageEncoder().encode({
    ...compiled,
    lifetimeToken: blockhash,
  });
  const transaction = {
    ...sent.transaction,
    messageBytes: messageBytes as typeof sent.transaction.messageBytes,
  };
  return readTransaction(new Uint8Array(getTransactionEncoder().encode(transaction)));
}
