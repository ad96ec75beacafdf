// The play chain: slots with blockhashes on one machine, and transactions that age from processed to finalized.
// history.ts runs transactions, reads older states, and undoes forks.
import type { Address } from '@solana/kit';
import type { LiteSVM } from 'litesvm';
import { type Refusal, stateOf } from './execution.ts';
import { createHistory } from './history.ts';
import { TransactionLog, type RecordedTransaction } from './transaction-log.ts';
import { type Accounts, createMachine, writeState } from './machine.ts';
import type { SentTransaction } from './message.ts';
import { simulate, type Simulation } from './simulation.ts';
import {
  type ChainBlock,
  BLOCKHASH_AGE,
  type Commitment,
  FIRST_SLOT,
  hash,
  KEPT_BLOCKS,
  Slots,
} from './slots.ts';
import { Sysvars } from './sysvars.ts';
import type { AccountState } from './tokens.ts';

/** Settings of a chain. */
export interface ChainOptions {
  /** Milliseconds of a slot (400, as on the real chain). With `manual`, only `advance` passes slots. */
  readonly slotMs?: number | 'manual';
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Slots until a transaction is confirmed (1). */
  readonly confirmedAfter?: number;
  /** Slots until a transaction is finalized (32). */
  readonly finalizedAfter?: number;
  /** Remembered transactions (5000); the chain forgets the oldest finalized ones first. */
  readonly keptTransactions?: number;
  /** Seed of the genesis hash and of all blockhashes; chains with different seeds differ. */
  readonly genesis?: string;
  /** The genesis hash itself, in base58, for a chain that imitates another one. */
  readonly genesisHash?: string;
}

/** The play chain itself, without any network. */
export interface PlayChain {
  readonly genesisHash: string;
  readonly accounts: Accounts;
  /** The newest slot of a commitment; `processed` is the unfinished one. */
  slot(commitment: Commitment): number;
  /** The block of a slot; null when it is in the future, or too old. */
  block(slot: number): ChainBlock | null;
  /** The first slot whose transactions are all remembered; 0 before the first is forgotten. */
  firstSlot(): number;
  /** Lets slots pass. */
  advance(slots: number): void;
  /** Blocks for which a blockhash stays valid. */
  readonly blockhashAge: number;
  isBlockhashValid(blockhash: string, commitment: Commitment): boolean;
  /** Executes a signed transaction, or returns its rejection. */
  submit(sent: SentTransaction): RecordedTransaction | Refusal;
  simulate(
    sent: SentTransaction,
    options: { readonly sigVerify: boolean; readonly blockhashAt: Commitment | null },
  ): Simulation;
  /** The record of a transaction; null when there is none. */
  transaction(signature: string): RecordedTransaction | null;
  /** All remembered transactions, newest first. */
  transactions(): IterableIterator<RecordedTransaction>;
  commitmentOf(recorded: RecordedTransaction): Commitment;
  /** An account at a commitment. */
  stateAt(key: Address, commitment: Commitment): AccountState | null;
  /** Accounts of a program at a commitment. */
  accountsOf(program: Address, commitment: Commitment): ReadonlyMap<Address, AccountState>;
  /**
   * Forks the chain: the named transactions were in blocks that the chain has left. All others are executed again in
   * their order, in their slots; one that depended on a dropped one may now fail.
   *
   * @throws Error when one of them is finalized or unknown; nothing is dropped then
   */
  drop(signatures: readonly string[]): void;
  /** Calls a listener after every slot and every transaction. The returned function removes it. */
  listen(listener: (event: ChainEvent) => void): () => void;
  /** Stops the slots. */
  stop(): void;
}

/** Events for listeners. */
type ChainEvent = 'slot' | 'transaction';

/** Creates a play chain. Its slots begin to pass at once, except with `manual`. */
export function createChain({
  slotMs = 400,
  now = Date.now,
  confirmedAfter = 1,
  finalizedAfter = 32,
  keptTransactions = 5000,
  genesis = 'grainline play chain',
  genesisHash = hash(genesis),
}: ChainOptions = {}): PlayChain {
  const svm = createMachine();
  const slots = new Slots({ genesis, now, confirmedAfter, finalizedAfter });
  const ledger = new TransactionLog(keptTransactions);
  const sysvars = new Sysvars(svm, slots, genesisHash);
  const history = createHistory({ svm, slots, ledger, sysvars });
  const listeners = new Set<(event: ChainEvent) => void>();
  sysvars.showClock(slots.newest);

  const startedMs = now();
  const timer = slotMs === 'manual' ? undefined : setInterval(() => catchUp(slotMs), slotMs);
  timer?.unref();

  function catchUp(everyMs: number): void {
    const due = FIRST_SLOT + Math.floor((now() - startedMs) / everyMs);
    advance(Math.min(due - slots.newest, KEPT_BLOCKS));
  }

  function advance(passing: number): void {
    for (let passed = 0; passed < passing; passed++) {
      slots.add();
      sysvars.showClock(slots.newest);
      forgetFinalized(ledger, slots);
      notify('slot');
    }
  }

  function notify(event: ChainEvent): void {
    for (const listener of [...listeners]) listener(event);
  }

  function submit(sent: SentTransaction): RecordedTransaction | Refusal {
    const refused =
      history.refusalOf(sent, 'processed') ?? (ledger.isFull ? 'WouldExceedMaxBlockCostLimit' : null);
    if (refused !== null) return { refused, logs: [] };
    const outcome = history.execute(sent, slots.newest);
    if (!('refused' in outcome)) notify('transaction');
    return outcome;
  }

  return {
    genesisHash,
    accounts: createAccounts(svm, ledger),
    slot: (commitment) => slots.at(commitment),
    block: (slot) => slots.block(slot),
    firstSlot: () => ledger.firstSlot,
    advance,
    blockhashAge: BLOCKHASH_AGE,
    isBlockhashValid: (blockhash, commitment) => slots.isBlockhashValid(blockhash, commitment),
    submit,
    simulate: (sent, { sigVerify, blockhashAt }) => {
      sysvars.showHashes(slots.newest);
      return simulate(svm, sent, { sigVerify, rejection: history.refusalOf(sent, blockhashAt) });
    },
    transaction: (signature) => ledger.get(signature),
    transactions: () => ledger.newestFirst(),
    commitmentOf: ({ slot }) => slots.commitmentOf(slot),
    stateAt: (key, commitment) => history.stateAt(key, commitment),
    accountsOf: (program, commitment) => history.accountsOf(program, commitment),
    drop: (signatures) => {
      if (history.drop(new Set(signatures))) notify('transaction');
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: () => {
      clearInterval(timer);
      listeners.clear();
    },
  };
}

function forgetFinalized(ledger: TransactionLog, slots: Slots): void {
  const root = slots.at('finalized');
  ledger.finalize(root);
  ledger.forget({ landedBefore: slots.newest - BLOCKHASH_AGE, root });
}

function createAccounts(svm: LiteSVM, ledger: TransactionLog): PlayChain['accounts'] {
  return {
    read: (key) => stateOf(svm, key),
    change: (key, how) => {
      writeState(svm, key, how(stateOf(svm, key)));
      ledger.change(key, how);
    },
    rent: (bytes) => svm.minimumBalanceForRentExemption(BigInt(bytes)),
  };
}
