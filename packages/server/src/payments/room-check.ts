// Whether there is room for what is going to be paid for. It is asked before a price is: what was paid for finds room
// among the last eighth, which is kept for those who were asked while there was some.
import { type Store, StoreError } from '../store/store.ts';

/** What is looked at. */
export interface RoomCheckParts {
  readonly store: Pick<Store, 'paidRoom'>;
  /** MAX_PAID_BYTES. */
  readonly maxPaidBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Share of the room that is kept for those who were asked to pay: 64 answers of 8 MiB in the default's 4 GiB. */
const KEPT = 1 / 8;
/** How long a look at the room holds, in milliseconds: requests without a payment cost nothing, and may be many. */
const LOOK_MS = 1000;

/** @returns a function that throws StoreError `storage_full` when nobody should be asked to pay */
export function createRoomCheck({ store, maxPaidBytes, now }: RoomCheckParts): () => Promise<void> {
  let look: { readonly atMs: number; readonly left: Promise<number> } | undefined;
  return async () => {
    const age = look === undefined ? Infinity : now() - look.atMs;
    if (look === undefined || age >= LOOK_MS || age < 0) {
      look = { atMs: now(), left: store.paidRoom() };
      // A look that failed is none.
      look.left.catch(() => (look = undefined));
    }
    if ((await look.left) < maxPaidBytes * KEPT) throw new StoreError('storage_full');
  };
}
