// Time for programs: two sysvar accounts, written only when the slot changes.
import type { LiteSVM } from 'litesvm';
import type { Slots } from './slots.ts';

/** Length of the list of slot hashes; programs reject a shorter one. */
const SLOT_HASHES = 512;

/** The clock and the list of slot hashes of one machine. */
export class Sysvars {
  readonly #svm: LiteSVM;
  readonly #slots: Slots;
  readonly #genesisHash: string;
  #clockSlot = -1;
  #hashesSlot = -1;

  constructor(svm: LiteSVM, slots: Slots, genesisHash: string) {
    this.#svm = svm;
    this.#slots = slots;
    this.#genesisHash = genesisHash;
  }

  /** Clients may read the clock, which is an account. */
  showClock(slot: number): void {
    if (this.#clockSlot === slot) return;
    this.#clockSlot = slot;
    const clock = this.#svm.getClock();
    clock.slot = BigInt(slot);
    clock.unixTimestamp = BigInt(this.#slots.timeOf(slot));
    this.#svm.setClock(clock);
  }

  /** The slots before a given one; the program of lookup tables needs one of them. */
  showHashes(slot: number): void {
    if (this.#hashesSlot === slot) return;
    this.#hashesSlot = slot;
    const hashes = Array.from({ length: SLOT_HASHES }, (_, back) => {
      const at = slot - 1 - back;
      return { slot: BigInt(at), hash: this.#slots.block(at)?.blockhash ?? this.#genesisHash };
    });
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- the class cannot be constructed; LiteSVM reads its two fields of any object
    this.#svm.setSlotHashes(hashes);
  }
}
