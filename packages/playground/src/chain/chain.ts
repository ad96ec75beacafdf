// The play chain: slots with blockhashes that pass around one machine, and transactions that age from processed to
// finalized. Running them, older states and forks are the business of history.ts.
import type { Address } from '@solana/kit';
import { type Refusal, stateOf } from './execution.ts';
import { createHistory } from './history.ts';
import { Ledger, type Recorded } from './ledger.ts';
import { type Accounts, createMachine, writeState } from './machine.ts';
import type { WireTransaction } from './message.ts';
import { refusedRun, simulate, type Simulation } from './simulation.ts';
import { type Block, BLOCKHASH_AGE, type Commitment, FIRST_SLOT, hash, KEPT_BLOCKS, Slots } from './slots.ts';
import { Sysvars } from './sysvars.ts';
import type { AccountState } from './tokens.ts';

/** Settings of a chain. */
export interface ChainOptions {
  /** Milliseconds of a slot (400, as on the real chain); `manual` lets no slot pass but by `advance`. */
  readonly slotMs?: number | 'manual';
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Slots until a transaction is confirmed (1). */
  readonly confirmedAfter?: number;
  /** Slots until a transaction is finalized (32). */
  readonly finalizedAfter?: number;
  /** Transactions that are remembered (5000); the oldest finalized ones are forgotten first. */
  readonly keptTransactions?: number;
  /** What the genesis hash and all blockhashes are made of, so that chains differ. */
  readonly genesis?: string;
  /** The genesis hash itself, in base58, for a chain that clients shall take for another one. */
  readonly genesisHash?: string;
}

/** The play chain itself, without any network. */
export interface Chain {
  readonly genesisHash: string;
  readonly accounts: Accounts;
  /** The newest slot of a commitment; `processed` is the one in the making. */
  slot(commitment: Commitment): number;
  /** The block of a slot; null when it is in the future, or too old. */
  block(slot: number): Block | null;
  /** The first slot whose transactions are all remembered; 0 while none was forgotten. */
  firstSlot(): number;
  /** Lets slots pass. */
  advance(slots: number): void;
  /** Blocks after its own for which a blockhash stays usable. */
  readonly blockhashAge: number;
  isBlockhashValid(blockhash: string, commitment: Commitment): boolean;
  /** Executes a signed transaction, or says why it cannot land. */
  submit(sent: WireTransaction): Recorded | Refusal;
  simulate(
    sent: WireTransaction,
    options: { readonly sigVerify: boolean; readonly blockhashAt: Commitment | null },
  ): Simulation;
  /** What the chain knows of a transaction; null when nothing. */
  transaction(signature: string): Recorded | null;
  /** All that is remembered, the newest first. */
  transactions(): IterableIterator<Recorded>;
  commitmentOf(recorded: Recorded): Commitment;
  /** An account as a reader at a commitment sees it. */
  stateAt(key: Address, commitment: Commitment): AccountState | null;
  /** Accounts of a program as a reader at a commitment sees them. */
  accountsOf(program: Address, commitment: Commitment): ReadonlyMap<Address, AccountState>;
  /**
   * A fork: the named transactions were in blocks that the chain has left, and never happened. All others are executed
   * again in their order, in the slots in which they were; what depended on a dropped one may fail now.
   *
   * @throws Error when one of them is finalized or unknown; nothing is dropped then
   */
  drop(signatures: readonly string[]): void;
  /** Calls a listener after every slot and every transaction; the answer ends that. */
  listen(listener: (event: ChainEvent) => void): () => void;
  /** Ends the passing of slots. */
  stop(): void;
}

/** What listeners are told of. */
type ChainEvent = 'slot' | 'transaction';

/** A play chain, whose slots begin to pass at once unless they are to pass by hand. */
export function createChain({
  slotMs = 400,
  now = Date.now,
  confirmedAfter = 1,
  finalizedAfter = 32,
  keptTransactions = 5000,
  genesis = 'grainline play chain',
  genesisHash = hash(genesis),
}: ChainOptions = {}): Chain {
  const svm = createMachine();
  const slots = new Slots({ genesis, now, confirmedAfter, finalizedAfter });
  const ledger = new Ledger(keptTransactions);
  const sysvars = new Sysvars(svm, slots, genesisHash);
  const history = createHistory({ svm, slots, ledger, sysvars });
  const listeners = new Set<(event: ChainEvent) => void>();
  sysvars.showClock(slots.newest);

  const startedMs = now();
  const timer = slotMs === 'manual' ? null : setInterval(() => catchUp(slotMs), slotMs);
  timer?.unref();

  function catchUp(everyMs: number): void {
    const due = FIRST_SLOT + Math.floor((now() - startedMs) / everyMs);
    advance(Math.min(due - slots.newest, KEPT_BLOCKS));
  }

  function advance(passing: number): void {
    for (let passed = 0; passed < passing; passed++) {
      slots.add();
      sysvars.showClock(slots.newest);
      const root = slots.at('finalized');
      ledger.finalize(root);
      ledger.forget({ landedBefore: slots.newest - BLOCKHASH_AGE, root });
      tell('slot');
    }
  }

  function tell(event: ChainEvent): void {
    for (const listener of [...listeners]) listener(event);
  }

  function submit(sent: WireTransaction): Recorded | Refusal {
    const refused =
      history.refusalOf(sent, 'processed') ?? (ledger.isFull ? 'WouldExceedMaxBlockCostLimit' : null);
    if (refused !== null) return { refused, logs: [] };
    const outcome = history.execute(sent, slots.newest);
    if (!('refused' in outcome)) tell('transaction');
    return outcome;
  }

  function drop(signatures: readonly string[]): void {
    if (history.drop(new Set(signatures))) tell('transaction');
  }

  return {
    genesisHash,
    accounts: {
      read: (key) => stateOf(svm, key),
      change: (key, how) => {
        writeState(svm, key, how(stateOf(svm, key)));
        ledger.change(key, how);
      },
      rent: (bytes) => svm.minimumBalanceForRentExemption(BigInt(bytes)),
    },
    slot: (commitment) => slots.at(commitment),
    block: (slot) => slots.block(slot),
    firstSlot: () => ledger.firstSlot,
    advance,
    blockhashAge: BLOCKHASH_AGE,
    isBlockhashValid: (blockhash, commitment) => slots.isBlockhashValid(blockhash, commitment),
    submit,
    simulate: (sent, { sigVerify, blockhashAt }) => {
      const refused = history.refusalOf(sent, blockhashAt);
      sysvars.showHashes(slots.newest);
      return refused === null ? simulate(svm, sent, sigVerify) : refusedRun(sent, refused);
    },
    transaction: (signature) => ledger.get(signature),
    transactions: () => ledger.newestFirst(),
    commitmentOf: ({ slot }) => slots.commitmentOf(slot),
    stateAt: (key, commitment) => history.stateAt(key, commitment),
    accountsOf: (program, commitment) => history.accountsOf(program, commitment),
    drop,
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: () => {
      if (timer !== null) clearInterval(timer);
      listeners.clear();
    },
  };
}
