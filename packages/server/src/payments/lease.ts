// The lease of one request on its payment: reserved and verified on the chain, renewed during the request, suspended
// while the document arrives, and released.
import {
  type BindResult,
  type Gate,
  type Lease,
  type LeasedPayment,
  PaymentProblem,
  type Purchase,
  type ReleaseReason,
  type ReservedPayment,
} from '@grainline/x402';
import type { TierEntry } from '../catalog.ts';
import type { HttpRequest } from '../http/message.ts';

/** Dependencies of {@link createPaymentLease}. */
export interface LeaseDeps {
  /** @throws HttpError `tier_unavailable` while payments cannot be taken */
  readonly gate: () => Gate;
  /** @throws StoreError `storage_full` when the store may lack room for the answer */
  readonly assertRoom: () => Promise<void>;
  readonly leaseMs: number;
  /** All prices of this deployment, in the smallest unit of the asset. */
  readonly prices: readonly bigint[];
}

/** The lease of one request. Its methods are called one after the other. */
export interface PaymentLease {
  /** The latest reservation; undefined before the first. */
  reservation(): ReservedPayment | undefined;
  /**
   * Reserves the payment and verifies it on the chain.
   *
   * @throws PaymentProblem `payment_required` when the request shows none
   */
  reserve(tier: TierEntry): Promise<ReservedPayment>;
  /**
   * Releases a payment with a memo, or with a signature in its place, until the document has arrived. Its transaction
   * is public: strangers could otherwise block it or use up its tries with uploads that never end or cannot succeed. A
   * payment that a facilitator has just settled stays reserved, because another request could take it.
   */
  suspend(): Promise<void>;
  /** Binds the payment to its purchase. Reserves it first when it is suspended or was never reserved. */
  bind(tier: TierEntry, purchase: Purchase): Promise<BindResult>;
  /** The lease of the bound payment. No renewal follows. */
  endRenewal(): Promise<Lease>;
  /** Releases the payment. The lease expires by itself when the release cannot be written. */
  release(reason: ReleaseReason): Promise<void>;
}

/** Renewals in one lease: two of them may fail. */
const RENEWALS = 3;

export function createPaymentLease(
  { headers, signal }: Pick<HttpRequest, 'headers' | 'signal'>,
  { gate, assertRoom, prices, leaseMs }: LeaseDeps,
): PaymentLease {
  let reservation: ReservedPayment | undefined;
  let renewal: Renewal | undefined;
  /** False while the lease is suspended, or the gate verifies and may release it. */
  let isReleasable = false;

  async function reserve(tier: TierEntry): Promise<ReservedPayment> {
    const proof = gate().parse(headers);
    if (proof === null) {
      // Only requests without a payment need room: no client pays for an answer that the store cannot keep.
      await assertRoom();
      throw new PaymentProblem('payment_required');
    }
    const reserved = await gate().reserve(proof, prices, signal);
    reservation = reserved;
    isReleasable = false;
    if (reserved.kind === 'held') renewal = startRenewal(leaseMs / RENEWALS, () => renew(reserved));
    reservation = await gate().verify(reserved, tier.priceMicroUsd, signal);
    isReleasable = true;
    return reservation;
  }

  /** Renews the lease once; false when it is lost. The next step that needs a lost lease reports it. */
  async function renew(reserved: LeasedPayment): Promise<boolean> {
    const renewed = await gate().renew(reservation?.kind === 'held' ? reservation : reserved);
    if (renewed !== null && reservation?.kind === 'held')
      reservation = { ...reservation, lease: renewed.lease };
    return renewed !== null;
  }

  return {
    reservation: () => reservation,
    reserve,

    async suspend() {
      if (reservation?.kind !== 'held' || reservation.settled !== undefined) return;
      if (reservation.payment?.memo === undefined && reservation.binding === undefined) return;
      await renewal?.stop();
      await gate().release(reservation, { reason: 'awaits_document', counts: false });
      isReleasable = false;
    },

    async bind(tier, purchase) {
      const reserved = reservation !== undefined && isReleasable ? reservation : await reserve(tier);
      const bound = await gate().bind(reserved, purchase);
      if (bound.kind === 'run') reservation = bound.leased;
      return bound;
    },

    async endRenewal() {
      await renewal?.stop();
      if (reservation?.kind !== 'held') throw new Error('Only a bound payment buys something.');
      return reservation.lease;
    },

    async release(reason) {
      await renewal?.stop();
      if (reservation === undefined || !isReleasable) return;
      await gate()
        .release(reservation, reason)
        .catch(() => undefined);
    },
  };
}

interface Renewal {
  /** Stops the renewal; resolves when no call is open. */
  stop(): Promise<void>;
}

/** Renews at an interval until it is stopped, or `renew` returns false. */
function startRenewal(everyMs: number, renew: () => Promise<boolean>): Renewal {
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    last = renew()
      .then((isHeld) => {
        if (!isHeld) clearInterval(timer);
      })
      // The store may be reachable again before the lease expires.
      .catch(() => undefined);
  }, everyMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await last;
    },
  };
}
