// Room for paid answers, checked before a price is offered. The last eighth is reserved for answers whose offer found
// room.
import { type Store, StoreError } from '../store/store.ts';

/** Dependencies of {@link createRoomCheck}. */
export interface RoomCheckDeps {
  readonly store: Pick<Store, 'paidRoom'>;
  /** MAX_PAID_BYTES. */
  readonly maxPaidBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The reserved share: 64 answers of 8 MiB in the default's 4 GiB. */
const RESERVED = 1 / 8;
/** Lifetime of a check in milliseconds: requests without a payment cost their clients nothing and may be many. */
const CHECK_MS = 1000;

/** @returns a function that throws StoreError `storage_full` when no payment should be requested */
export function createRoomCheck({ store, maxPaidBytes, now }: RoomCheckDeps): () => Promise<void> {
  let check: { readonly atMs: number; readonly left: Promise<number> } | undefined;
  return async () => {
    const age = check === undefined ? Infinity : now() - check.atMs;
    if (check === undefined || age >= CHECK_MS || age < 0) {
      check = { atMs: now(), left: store.paidRoom() };
      // A failed check is repeated.
      check.left.catch(() => (check = undefined));
    }
    if ((await check.left) < maxPaidBytes * RESERVED) throw new StoreError('storage_full');
  };
}
