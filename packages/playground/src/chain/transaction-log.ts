// The included transactions. As long as a fork can undo one, the log keeps the earlier states of its accounts.
import { createHash } from 'node:crypto';
import type { Address } from '@solana/kit';
import type { Execution } from './execution.ts';
import type { SentTransaction } from './message.ts';
import type { AccountState } from './tokens.ts';

/** A recorded transaction with its position. */
export interface RecordedTransaction {
  readonly execution: Execution;
  readonly slot: number;
  /** Seconds since 1970. */
  readonly blockTime: number;
}

/** The transactions of one chain. */
export class TransactionLog {
  readonly #most: number;
  readonly #recorded = new Map<string, RecordedTransaction>();
  /** Slots of included messages by hash, while their blockhash is valid. */
  readonly #landed = new Map<string, number>();
  #undoable: RecordedTransaction[] = [];
  #firstSlot = 0;

  /** @param most remembered transactions; the log forgets the oldest finalized ones first */
  constructor(most: number) {
    this.#most = most;
  }

  /** Transactions that a fork can still undo, in order. */
  get undoable(): readonly RecordedTransaction[] {
    return this.#undoable;
  }

  /** The first slot whose transactions are all remembered; 0 before the first is forgotten. */
  get firstSlot(): number {
    return this.#firstSlot;
  }

  /** True when the log may not forget anything yet and so takes no further transaction. */
  get isFull(): boolean {
    return this.#undoable.length >= this.#most;
  }

  get(signature: string): RecordedTransaction | null {
    return this.#recorded.get(signature) ?? null;
  }

  newestFirst(): IterableIterator<RecordedTransaction> {
    return [...this.#recorded.values()].reverse().values();
  }

  /** True when this message has landed and its blockhash is still valid. */
  has(sent: SentTransaction): boolean {
    return this.#landed.has(messageHash(sent));
  }

  add(entry: RecordedTransaction): void {
    this.#recorded.set(entry.execution.signature, entry);
    this.#landed.set(messageHash(entry.execution.sent), entry.slot);
    this.#undoable.push(entry);
  }

  /** Drops the earlier states of transactions up to a slot. */
  finalize(root: number): void {
    const finalized = this.#undoable.filter((entry) => entry.slot <= root);
    if (finalized.length === 0) return;
    this.#undoable = this.#undoable.filter((entry) => entry.slot > root);
    for (const { execution, ...place } of finalized)
      this.#recorded.set(execution.signature, {
        ...place,
        execution: { ...execution, before: new Map(), after: new Map() },
      });
  }

  /** Forgets messages from before a slot, and the oldest transactions up to the root beyond the limit. */
  forget({ landedBefore, root }: { readonly landedBefore: number; readonly root: number }): void {
    for (const [message, slot] of this.#landed) {
      if (slot >= landedBefore) break;
      this.#landed.delete(message);
    }
    for (const [signature, entry] of this.#recorded) {
      if (this.#recorded.size <= this.#most || entry.slot > root) break;
      this.#recorded.delete(signature);
      this.#firstSlot = entry.slot + 1;
    }
  }

  /** The state of an account before all transactions after a slot; undefined without such a transaction. */
  stateBefore(key: Address, slot: number): AccountState | null | undefined {
    const first = this.#undoable.find(({ execution, slot: at }) => at > slot && execution.before.has(key));
    return first?.execution.before.get(key);
  }

  /** Changes all remembered states of an account. */
  change(key: Address, how: (state: AccountState | null) => AccountState): void {
    const changed = (states: ReadonlyMap<Address, AccountState | null>) =>
      states.has(key) ? new Map([...states, [key, how(states.get(key) ?? null)]]) : states;
    this.#undoable = this.#undoable.map(({ execution, ...place }) => {
      const { before, after } = execution;
      const entry = { ...place, execution: { ...execution, before: changed(before), after: changed(after) } };
      this.#recorded.set(execution.signature, entry);
      return entry;
    });
  }

  /**
   * Removes the first of the named transactions and all after it, and returns them in their order.
   *
   * @throws Error when one of them is finalized or unknown; nothing is removed then
   */
  takeBack(signatures: ReadonlySet<string>): readonly RecordedTransaction[] {
    const isNamed = ({ execution }: RecordedTransaction): boolean => signatures.has(execution.signature);
    if (this.#undoable.filter(isNamed).length !== signatures.size)
      throw new Error('only transactions that are not finalized can be dropped');
    if (signatures.size === 0) return [];
    const taken = this.#undoable.splice(this.#undoable.findIndex(isNamed));
    for (const { execution } of taken) {
      this.#recorded.delete(execution.signature);
      this.#landed.delete(messageHash(execution.sent));
    }
    return taken;
  }
}

function messageHash(sent: SentTransaction): string {
  return createHash('sha256').update(new Uint8Array(sent.transaction.messageBytes)).digest('base64');
}
