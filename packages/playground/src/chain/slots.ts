// Time on the play chain: slots that pass, each with a block and its blockhash, and how sure the chain is of each.
import { createHash } from 'node:crypto';
import { type Blockhash, getBase58Decoder } from '@solana/kit';

/** How sure the chain is of something. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

const COMMITMENTS = { processed: 0, confirmed: 1, finalized: 2 };

/** True when a commitment is at least another one. */
export function reaches(has: Commitment, wanted: Commitment): boolean {
  return COMMITMENTS[has] >= COMMITMENTS[wanted];
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

/** What slots go by. */
export interface SlotOptions {
  /** What all blockhashes are made of. */
  readonly genesis: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Slots until a commitment is reached. */
  readonly confirmedAfter: number;
  readonly finalizedAfter: number;
}

/** Blocks for which a blockhash can be used, as on the real chain. */
export const BLOCKHASH_AGE = 150;
/** Blocks that are remembered. */
export const KEPT_BLOCKS = 1024;
/** The slot that a chain starts in. */
export const FIRST_SLOT = 1000;
/**
 * Blocks that a chain has behind it when it starts: so every commitment has a blockhash at once, and programs what they
 * look back on.
 */
const BLOCKS_BEFORE = 512;
/** Slots without a block before the first one, so that nobody takes slots for heights. */
const SKIPPED = 137;

/** The slots of one chain, from its start on. */
export class Slots {
  readonly #options: SlotOptions;
  readonly #blocks = new Map<number, Block>();
  #newest = FIRST_SLOT - BLOCKS_BEFORE;

  constructor(options: SlotOptions) {
    this.#options = options;
    while (this.#newest < FIRST_SLOT) this.add();
  }

  /** The slot in the making. */
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
  block(slot: number): Block | null {
    return this.#blocks.get(slot) ?? null;
  }

  /** Time of a slot, in seconds since 1970; the present when that is forgotten. */
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
