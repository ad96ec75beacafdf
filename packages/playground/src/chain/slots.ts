// Time on the play chain: slots, each with a block and its blockhash, and the commitment of each.
import { createHash } from 'node:crypto';
import { type Blockhash, getBase58Decoder } from '@solana/kit';

/** The certainty of a block. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

const COMMITMENTS = { processed: 0, confirmed: 1, finalized: 2 };

/** True when a commitment is at least another one. */
export function reaches(has: Commitment, wanted: Commitment): boolean {
  return COMMITMENTS[has] >= COMMITMENTS[wanted];
}

/** A slot's block. */
export interface ChainBlock {
  readonly slot: number;
  /** Blocks before it: fewer than slots, as on real chains. */
  readonly height: number;
  readonly blockhash: Blockhash;
  /** Seconds since 1970. */
  readonly time: number;
}

/** Clock and seed of the slots. */
export interface SlotOptions {
  /** Seed of all blockhashes. */
  readonly genesis: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Slots until a commitment is reached. */
  readonly confirmedAfter: number;
  readonly finalizedAfter: number;
}

/** Blocks for which a blockhash is valid, as on the real chain. */
export const BLOCKHASH_AGE = 150;
/** Remembered blocks. */
export const KEPT_BLOCKS = 1024;
/** The first slot of a chain. */
export const FIRST_SLOT = 1000;
/** Blocks before the start of a chain: every commitment has a blockhash at once, and programs have slot hashes. */
const BLOCKS_BEFORE = 512;
/** Slots without a block before the first one, so slots and heights differ. */
const SKIPPED = 137;

/** The slots of one chain, from its start on. */
export class Slots {
  readonly #options: SlotOptions;
  readonly #blocks = new Map<number, ChainBlock>();
  #newest = FIRST_SLOT - BLOCKS_BEFORE;

  constructor(options: SlotOptions) {
    this.#options = options;
    while (this.#newest < FIRST_SLOT) this.add();
  }

  /** The unfinished slot. */
  get newest(): number {
    return this.#newest;
  }

  /** Lets one slot pass. */
  add(): void {
    const slot = ++this.#newest;
    const blockhash = hash(`${this.#options.genesis}:${slot}`) as Blockhash;
    this.#blocks.set(slot, { slot, height: slot - SKIPPED, blockhash, time: this.#seconds() });
    this.#blocks.delete(slot - KEPT_BLOCKS);
  }

  /** The block of a slot; null when it is in the future, or too old. */
  block(slot: number): ChainBlock | null {
    return this.#blocks.get(slot) ?? null;
  }

  /** Time of a slot, in seconds since 1970; the present for a forgotten one. */
  timeOf(slot: number): number {
    return this.#blocks.get(slot)?.time ?? this.#seconds();
  }

  /** The newest slot of a commitment. */
  at(commitment: Commitment): number {
    const { confirmedAfter, finalizedAfter } = this.#options;
    const behind = { processed: 0, confirmed: confirmedAfter, finalized: finalizedAfter };
    return this.#newest - behind[commitment];
  }

  commitmentOf(slot: number): Commitment {
    if (slot <= this.at('finalized')) return 'finalized';
    return slot <= this.at('confirmed') ? 'confirmed' : 'processed';
  }

  isBlockhashValid(blockhash: string, commitment: Commitment): boolean {
    const bank = this.at(commitment);
    for (let at = bank; at >= bank - BLOCKHASH_AGE; at--)
      if (this.#blocks.get(at)?.blockhash === blockhash) return true;
    return false;
  }

  #seconds(): number {
    return Math.floor(this.#options.now() / 1000);
  }
}

/** A hash as the chain writes it: SHA-256 of a text, in base58. */
export function hash(text: string): string {
  return getBase58Decoder().decode(createHash('sha256').update(text).digest());
}
