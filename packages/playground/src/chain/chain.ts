// The play chain: slots with blockhashes around one machine, transactions that age from processed to finalized, and
// forks that take them back.
//
// Every transaction that is not finalized yet remembers what the accounts it wrote were before it. From that come the
// older states that reads at `confirmed` and `finalized` see, and the undoing of a fork.
import { createHash } from 'node:crypto';
import {
  type Address,
  type Blockhash,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionEncoder,
} from '@solana/kit';
import { FailedTransactionMetadata, type LiteSVM } from 'litesvm';
import { CLOCK_SYSVAR } from './addresses.ts';
import { type TransactionError, transactionError } from './errors.ts';
import { type Execution, executeTransaction, type Refusal, sayings, stateOf } from './execution.ts';
import { type Accounts, createMachine, writeState } from './machine.ts';
import { readTransaction, type WireTransaction } from './message.ts';
import type { AccountState } from './tokens.ts';

/** How sure the chain is of something. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

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

/** A slot's block. */
export interface Block {
  readonly slot: number;
  /** Blocks before it; on this chain, as on every other, fewer than slots. */
  readonly height: number;
  readonly blockhash: Blockhash;
  /** Seconds since 1970. */
  readonly time: number;
}

/** A transaction in the ledger, with its place. */
export interface Recorded {
  readonly execution: Execution;
  readonly slot: number;
  readonly blockTime: number;
}

/** A transaction as it would run now. */
export interface Simulation extends Pick<Execution, 'innerCalls' | 'logs' | 'computeUnits' | 'returned'> {
  readonly error: TransactionError | null;
  readonly keys: readonly Address[];
  /** States that differ afterwards. */
  readonly states: ReadonlyMap<Address, AccountState>;
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
  listen(listener: (event: 'slot' | 'transaction') => void): () => void;
  /** Ends the passing of slots. */
  stop(): void;
}

/** Blocks for which a blockhash can be used, as on the real chain. */
const BLOCKHASH_AGE = 150;
const KEPT_BLOCKS = 1024;
/** Slots in the list that programs look back on; they refuse a shorter one. */
const SLOT_HASHES = 512;
const FIRST_SLOT = 1000;
/** Slots without a block before the first one, so that nobody takes slots for heights. */
const SKIPPED = 137;

const COMMITMENTS = { processed: 0, confirmed: 1, finalized: 2 };

/** True when a commitment is at least another one. */
export function reaches(has: Commitment, wanted: Commitment): boolean {
  return COMMITMENTS[has] >= COMMITMENTS[wanted];
}

export function createChain(options: ChainOptions = {}): Chain {
  const {
    slotMs = 400,
    now = Date.now,
    confirmedAfter = 1,
    finalizedAfter = 32,
    keptTransactions = 5000,
    genesis = 'grainline play chain',
  } = options;
  const svm = createMachine();
  const blocks = new Map<number, Block>();
  const recorded = new Map<string, Recorded>();
  /** Messages that landed while their blockhash is usable, by hash, with their slot. */
  const landed = new Map<string, number>();
  /** Transactions that a fork could still take, in order. */
  let undoable: Recorded[] = [];
  const listeners = new Set<(event: 'slot' | 'transaction') => void>();
  let newest = FIRST_SLOT - SLOT_HASHES;
  let clockSlot = -1;
  let firstKept = 0;
  let hashesSlot = -1;

  const genesisHash = options.genesisHash ?? hash(genesis);
  // A chain that has just started has blocks behind it, so that every commitment has a blockhash at once.
  while (newest < FIRST_SLOT) addBlock();
  setClock(newest);

  const startedMs = now();
  const timer = slotMs === 'manual' ? null : setInterval(catchUp, slotMs);
  timer?.unref();

  function catchUp(): void {
    const due = FIRST_SLOT + Math.floor((now() - startedMs) / Number(slotMs));
    advance(Math.min(due - newest, KEPT_BLOCKS));
  }

  function addBlock(): void {
    newest++;
    const blockhash = hash(`${genesis}:${newest}`) as Blockhash;
    blocks.set(newest, {
      slot: newest,
      height: newest - SKIPPED,
      blockhash,
      time: Math.floor(now() / 1000),
    });
    blocks.delete(newest - KEPT_BLOCKS);
  }

  function advance(slots: number): void {
    for (let passed = 0; passed < slots; passed++) {
      addBlock();
      // The clock is an account, which clients may read.
      setClock(newest);
      finalize();
      forget();
      tell('slot');
    }
  }

  /** Lets go of what only a fork needs. */
  function finalize(): void {
    const root = slot('finalized');
    const finalized = undoable.filter((entry) => entry.slot <= root);
    if (finalized.length === 0) return;
    undoable = undoable.filter((entry) => entry.slot > root);
    for (const { execution, ...place } of finalized)
      recorded.set(execution.signature, {
        ...place,
        execution: { ...execution, before: new Map(), after: new Map() },
      });
  }

  function forget(): void {
    for (const [message, at] of landed) {
      if (newest - at <= BLOCKHASH_AGE) break;
      landed.delete(message);
    }
    const root = slot('finalized');
    for (const [signature, entry] of recorded) {
      if (recorded.size <= keptTransactions || entry.slot > root) break;
      recorded.delete(signature);
      firstKept = entry.slot + 1;
    }
  }

  function tell(event: 'slot' | 'transaction'): void {
    for (const listener of [...listeners]) listener(event);
  }

  function slot(commitment: Commitment): number {
    const behind = { processed: 0, confirmed: confirmedAfter, finalized: finalizedAfter };
    return newest - behind[commitment];
  }

  function isBlockhashValid(blockhash: string, commitment: Commitment): boolean {
    const bank = slot(commitment);
    for (let at = bank; at >= bank - BLOCKHASH_AGE; at--)
      if (blocks.get(at)?.blockhash === blockhash) return true;
    return false;
  }

  function submit(sent: WireTransaction): Recorded | Refusal {
    const refused = refusalOf(sent);
    if (refused !== null) return { refused, logs: [] };
    const outcome = execute(sent, newest);
    if (!('refused' in outcome)) tell('transaction');
    return outcome;
  }

  /** What keeps a transaction from landing before it is executed. */
  function refusalOf(sent: WireTransaction): TransactionError | null {
    if (landed.has(messageHash(sent))) return 'AlreadyProcessed';
    if (!isBlockhashValid(sent.message.recentBlockhash, 'processed')) return 'BlockhashNotFound';
    // The bound of the memory: a chain that may forget nothing yet takes nothing more.
    return undoable.length >= keptTransactions ? 'WouldExceedMaxBlockCostLimit' : null;
  }

  function execute(sent: WireTransaction, at: number): Recorded | Refusal {
    setClock(at);
    setSlotHashes(at);
    const execution = executeTransaction(svm, sent);
    if ('refused' in execution) return execution;
    const entry = { execution, slot: at, blockTime: blocks.get(at)?.time ?? Math.floor(now() / 1000) };
    recorded.set(execution.signature, entry);
    landed.set(messageHash(sent), at);
    undoable.push(entry);
    return entry;
  }

  function setClock(at: number): void {
    if (clockSlot === at) return;
    clockSlot = at;
    const clock = svm.getClock();
    clock.slot = BigInt(at);
    clock.unixTimestamp = BigInt(blocks.get(at)?.time ?? Math.floor(now() / 1000));
    svm.setClock(clock);
  }

  /** The slots that programs can look back on; the one of lookup tables wants to be told one of them. */
  function setSlotHashes(at: number): void {
    if (hashesSlot === at) return;
    hashesSlot = at;
    const hashes = Array.from({ length: SLOT_HASHES }, (_, back) => {
      const block = blocks.get(at - 1 - back);
      return { slot: BigInt(at - 1 - back), hash: block?.blockhash ?? genesisHash };
    });
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- the class cannot be constructed; LiteSVM reads its two fields of any object
    svm.setSlotHashes(hashes);
  }

  function simulate(
    sent: WireTransaction,
    how: { readonly sigVerify: boolean; readonly blockhashAt: Commitment | null },
  ): Simulation {
    const refused = landed.has(messageHash(sent))
      ? 'AlreadyProcessed'
      : how.blockhashAt !== null && !isBlockhashValid(sent.message.recentBlockhash, how.blockhashAt)
        ? 'BlockhashNotFound'
        : null;
    setSlotHashes(newest);
    return refused === null
      ? run(svm, sent, how.sigVerify)
      : { ...NOTHING, keys: sent.message.accountKeys, error: refused };
  }

  function commitmentOf(entry: Recorded): Commitment {
    if (entry.slot <= slot('finalized')) return 'finalized';
    return entry.slot <= slot('confirmed') ? 'confirmed' : 'processed';
  }

  function stateAt(key: Address, commitment: Commitment): AccountState | null {
    const seen = slot(commitment);
    if (key === CLOCK_SYSVAR) setClock(seen);
    for (const { execution, slot: at } of undoable)
      if (at > seen && execution.before.has(key)) return execution.before.get(key) ?? null;
    return stateOf(svm, key);
  }

  function accountsOf(program: Address, commitment: Commitment): ReadonlyMap<Address, AccountState> {
    const keys = new Set<Address>(svm.getProgramAccounts(program).map(({ address }) => address));
    for (const { execution } of undoable) for (const key of execution.before.keys()) keys.add(key);
    const states = [...keys].map((key) => [key, stateAt(key, commitment)] as const);
    return new Map(states.filter((entry): entry is [Address, AccountState] => entry[1]?.owner === program));
  }

  function change(key: Address, how: (state: AccountState | null) => AccountState): void {
    writeState(svm, key, how(stateOf(svm, key)));
    undoable = undoable.map(({ execution, ...place }) => {
      const changed = (states: ReadonlyMap<Address, AccountState | null>) =>
        states.has(key) ? new Map([...states, [key, how(states.get(key) ?? null)]]) : states;
      const entry = {
        ...place,
        execution: { ...execution, before: changed(execution.before), after: changed(execution.after) },
      };
      recorded.set(execution.signature, entry);
      return entry;
    });
  }

  function drop(signatures: readonly string[]): void {
    const dropped = new Set(signatures);
    const first = undoable.findIndex(({ execution }) => dropped.has(execution.signature));
    const known = undoable.filter(({ execution }) => dropped.has(execution.signature));
    if (known.length !== dropped.size)
      throw new Error('only transactions that are not finalized can be dropped');
    if (first < 0) return;
    const undone = undoable.slice(first);
    undoable = undoable.slice(0, first);
    for (const { execution } of undone.toReversed()) {
      for (const [key, state] of execution.before) writeState(svm, key, state);
      recorded.delete(execution.signature);
      landed.delete(messageHash(execution.sent));
    }
    for (const { execution, slot: at } of undone)
      if (!dropped.has(execution.signature)) execute(execution.sent, at);
    tell('transaction');
  }

  return {
    genesisHash,
    accounts: {
      read: (key) => stateOf(svm, key),
      change,
      rent: (bytes) => svm.minimumBalanceForRentExemption(BigInt(bytes)),
    },
    slot,
    block: (at) => blocks.get(at) ?? null,
    advance,
    blockhashAge: BLOCKHASH_AGE,
    isBlockhashValid,
    submit,
    simulate,
    transaction: (signature) => recorded.get(signature) ?? null,
    transactions: () => [...recorded.values()].reverse().values(),
    commitmentOf,
    firstSlot: () => firstKept,
    stateAt,
    accountsOf,
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

const NOTHING: Omit<Simulation, 'error' | 'keys'> = {
  innerCalls: [],
  logs: [],
  computeUnits: 0n,
  returned: null,
  states: new Map(),
};

/** Runs a transaction on the machine and leaves the machine as it was. */
function run(svm: LiteSVM, sent: WireTransaction, sigVerify: boolean): Simulation {
  const signed = Object.values(sent.transaction.signatures).every((signature) => signature !== null);
  const keys = sent.message.accountKeys;
  if (sigVerify && !signed) return { ...NOTHING, keys, error: 'SignatureFailure' };
  svm.withSigverify(sigVerify);
  try {
    const result = svm.simulateTransaction(sent.transaction);
    const failed = result instanceof FailedTransactionMetadata;
    const states = failed
      ? []
      : result
          .postAccounts()
          .map(
            ({ address, programAddress, lamports, data, executable }) =>
              [address, { owner: programAddress, lamports, data, executable }] as const,
          );
    return {
      ...sayings(result.meta()),
      error: failed ? transactionError(result) : null,
      keys,
      states: new Map(states),
    };
  } finally {
    svm.withSigverify(true);
  }
}

/** The same transaction with another blockhash, for simulations; its signatures no longer fit. */
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

function hash(text: string): string {
  return getBase58Decoder().decode(createHash('sha256').update(text).digest());
}

function messageHash(sent: WireTransaction): string {
  return createHash('sha256').update(new Uint8Array(sent.transaction.messageBytes)).digest('base64');
}
