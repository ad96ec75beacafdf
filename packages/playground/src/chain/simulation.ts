// Simulates a transaction, and leaves the machine unchanged.
import {
  type Address,
  type Blockhash,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionEncoder,
} from '@solana/kit';
import { FailedTransactionMetadata, type LiteSVM } from 'litesvm';
import { type TransactionError, transactionError } from './errors.ts';
import { type Execution, reportOf } from './execution.ts';
import { readTransaction, type SentTransaction } from './message.ts';
import type { AccountState } from './tokens.ts';

/** Result of a simulated execution. */
export interface Simulation extends Pick<Execution, 'innerCalls' | 'logs' | 'computeUnits' | 'returned'> {
  readonly error: TransactionError | null;
  readonly keys: readonly Address[];
  /** Changed states. */
  readonly states: ReadonlyMap<Address, AccountState>;
}

/** A simulation that is rejected before it begins. */
function rejectedSimulation(sent: SentTransaction, error: TransactionError): Simulation {
  const { accountKeys: keys } = sent.message;
  return { innerCalls: [], logs: [], computeUnits: 0n, returned: null, states: new Map(), keys, error };
}

/** Runs a transaction on the machine, and restores the machine. */
export function simulate(
  svm: LiteSVM,
  sent: SentTransaction,
  { sigVerify, rejection }: { readonly sigVerify: boolean; readonly rejection: TransactionError | null },
): Simulation {
  if (rejection !== null) return rejectedSimulation(sent, rejection);
  const isSigned = Object.values(sent.transaction.signatures).every((signature) => signature !== null);
  if (sigVerify && !isSigned) return rejectedSimulation(sent, 'SignatureFailure');
  svm.withSigverify(sigVerify);
  try {
    const result = svm.simulateTransaction(sent.transaction);
    const failed = result instanceof FailedTransactionMetadata;
    return {
      ...reportOf(result.meta()),
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
export function withBlockhash(sent: SentTransaction, blockhash: Blockhash): SentTransaction {
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
