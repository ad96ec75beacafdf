// The transactions that have landed: what is remembered of all, and, as long as a fork could take one back, what the
// accounts that it wrote were before it.
import { createHash } from 'node:crypto';
import type { Address } from '@solana/kit';
import type { Execution } from './execution.ts';
import type { WireTransaction } from './message.ts';
import type { AccountState } from './tokens.ts';

/** A transaction in the ledger, with its place. */
export interface Recorded {
  readonly execution: Execution;
  readonly slot: number;
  /** Seconds since 1970. */
  readonly blockTime: number;
}

/** The ledger of one chain. */
export class Ledger {
  readonly #most: number;
  readonly #recorded = new Map<string, Recorded>();
  /** Messages that landed while their blockhash is usable, by hash, with their slot. */
  readonly #landed = new Map<string, number>();
  #undoable: Recorded[] = [];
  #firstSlot = 0;

  /** @param most transactions that are remembered; the oldest finalized ones are forgotten first */
  constructor(most: number) {
    this.#most = most;
  }

  /** Transactions that a fork could still take, in order. */
  get undoable(): readonly Recorded[] {
    return this.#undoable;
  }

  /** The first slot whose transactions are all remembered; 0 while none was forgotten. */
  get firstSlot(): number {
    return this.#firstSlot;
  }

  /** The bound of the memory: a ledger that may forget nothing yet takes nothing more. */
  get isFull(): boolean {
    return this.#undoable.length >= this.#most;
  }

  get(signature: string): Recorded | null {
    return this.#recorded.get(signature) ?? null;
  }

  newestFirst(): IterableIterator<Recorded> {
    return [...this.#recorded.values()].reverse().values();
  }

  /** Whether this very message has landed, as long as it could land again. */
  has(sent: WireTransaction): boolean {
    return this.#landed.has(messageHash(sent));
  }

  add(entry: Recorded): void {
    this.#recorded.set(entry.execution.signature, entry);
    this.#landed.set(messageHash(entry.execution.sent), entry.slot);
    this.#undoable.push(entry);
  }

  /** Lets go of what only a fork needs, of transactions up to a slot. */
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

  /**
   * Forgets messages that landed before a slot, and the oldest transactions up to the root, where there are too many.
   */
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

  /**
   * The state of an account before everything that landed after a slot; undefined when nothing has written it since.
   */
  stateBefore(key: Address, slot: number): AccountState | null | undefined {
    const first = this.#undoable.find(({ execution, slot: at }) => at > slot && execution.before.has(key));
    return first?.execution.before.get(key);
  }

  /** Changes all that is remembered of an account. */
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
   * Takes back the first of the named transactions and all that came after it, and gives them in their order.
   *
   * @throws Error when one of them is finalized or unknown; nothing is taken back then
   */
  takeBack(signatures: ReadonlySet<string>): readonly Recorded[] {
    const isNamed = ({ execution }: Recorded): boolean => signatures.has(execution.signature);
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

function messageHash(sent: WireTransaction): string {
  return createHash('sha256').update(new Uint8Array(sent.transaction.messageBytes)).digest('base64');
}
