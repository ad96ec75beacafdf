// The history of a play chain: runs transactions on its machine, reads its older states, and undoes a fork.
//
// Every transaction that is not finalized yet keeps the earlier states of the accounts that it wrote. They give the
// older states for reads at `confirmed` and `finalized`, and undo a fork.
import type { Address } from '@solana/kit';
import type { LiteSVM } from 'litesvm';
import { CLOCK_SYSVAR } from './addresses.ts';
import type { TransactionError } from './errors.ts';
import { executeTransaction, type Refusal, stateOf } from './execution.ts';
import type { TransactionLog, RecordedTransaction } from './transaction-log.ts';
import { writeState } from './machine.ts';
import type { SentTransaction } from './message.ts';
import type { Commitment, Slots } from './slots.ts';
import type { Sysvars } from './sysvars.ts';
import type { AccountState } from './tokens.ts';

/** The dependencies of {@link createHistory}. */
export interface HistoryDeps {
  readonly svm: LiteSVM;
  readonly slots: Slots;
  readonly ledger: TransactionLog;
  readonly sysvars: Sysvars;
}

/** Transactions of a chain, and the resulting accounts. */
export interface History {
  /**
   * The reason why a transaction cannot run; null when it can.
   *
   * @param at the commitment at which its blockhash must be valid; null for any
   */
  refusalOf(sent: SentTransaction, at: Commitment | null): TransactionError | null;
  /** Executes a transaction in a slot, and records it unless it is rejected. */
  execute(sent: SentTransaction, slot: number): RecordedTransaction | Refusal;
  /** An account at a commitment; null when it does not exist there. */
  stateAt(key: Address, commitment: Commitment): AccountState | null;
  /** Accounts of a program at a commitment. */
  accountsOf(program: Address, commitment: Commitment): ReadonlyMap<Address, AccountState>;
  /**
   * Undoes these transactions and all after them, and executes the others again in their order.
   *
   * @returns false when there was nothing to undo
   * @throws Error when one of them is finalized or unknown; nothing is dropped then
   */
  drop(signatures: ReadonlySet<string>): boolean;
}

/** Creates the history of a new chain. */
export function createHistory({ svm, slots, ledger, sysvars }: HistoryDeps): History {
  function refusalOf(sent: SentTransaction, at: Commitment | null): TransactionError | null {
    if (ledger.has(sent)) return 'AlreadyProcessed';
    if (at === null || slots.isBlockhashValid(sent.message.recentBlockhash, at)) return null;
    return 'BlockhashNotFound';
  }

  function execute(sent: SentTransaction, slot: number): RecordedTransaction | Refusal {
    sysvars.showClock(slot);
    sysvars.showHashes(slot);
    const execution = executeTransaction(svm, sent);
    if ('refused' in execution) return execution;
    const entry = { execution, slot, blockTime: slots.timeOf(slot) };
    ledger.add(entry);
    return entry;
  }

  function stateAt(key: Address, commitment: Commitment): AccountState | null {
    const seen = slots.at(commitment);
    if (key === CLOCK_SYSVAR) sysvars.showClock(seen);
    const before = ledger.stateBefore(key, seen);
    return before === undefined ? stateOf(svm, key) : before;
  }

  function accountsOf(program: Address, commitment: Commitment): ReadonlyMap<Address, AccountState> {
    const keys = new Set<Address>(svm.getProgramAccounts(program).map(({ address }) => address));
    for (const { execution } of ledger.undoable) for (const key of execution.before.keys()) keys.add(key);
    const states = [...keys].map((key) => [key, stateAt(key, commitment)] as const);
    return new Map(states.filter((entry): entry is [Address, AccountState] => entry[1]?.owner === program));
  }

  function drop(signatures: ReadonlySet<string>): boolean {
    const undone = ledger.takeBack(signatures);
    for (const { execution } of undone.toReversed())
      for (const [key, state] of execution.before) writeState(svm, key, state);
    for (const { execution, slot } of undone)
      if (!signatures.has(execution.signature)) execute(execution.sent, slot);
    return undone.length > 0;
  }

  return { refusalOf, execute, stateAt, accountsOf, drop };
}
