// The payment that one request shows, while the request has it: taken and looked up on the chain, renewed for as long
// as the request lasts, put aside while its document is on its way, and given back.
import {
  type Bound,
  type Claim,
  type Gate,
  type HeldClaim,
  type Lease,
  PaymentProblem,
  type Purchase,
  type ReleaseReason,
} from '@grainline/x402';
import type { TierEntry } from '../catalog.ts';
import { Fault } from '../errors.ts';
import type { Intake } from '../http/intake.ts';
import type { LookupLimit } from './lookup-limit.ts';

/** What holding a payment stands on. */
export interface HoldParts {
  /** @throws Fault `tier_unavailable` while payments cannot be taken */
  readonly gate: () => Gate;
  readonly lookups: LookupLimit;
  /** @throws StoreError `storage_full` when what is bought now might find no room */
  readonly requireRoom: () => Promise<void>;
  readonly leaseMs: number;
  /** What can be bought here, in the smallest unit of the asset. */
  readonly prices: readonly bigint[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** See the top of this file. One request's; its methods are called one after the other. */
export interface Hold {
  /** What was taken last; undefined before anything was. */
  claim(): Claim | undefined;
  /**
   * Takes the payment and asks the chain about it.
   *
   * @throws PaymentProblem `payment_required` when the request shows none
   * @throws Fault `too_many_lookups`
   */
  take(tier: TierEntry): Promise<void>;
  /**
   * Gives a payment that a memo binds back until the document is here. Its signature is public, and strangers who show
   * it with uploads that never end, or that cannot succeed, would keep it from its payer or use up its tries. One that
   * a facilitator has just settled stays: somebody else could take it.
   */
  standAside(): Promise<void>;
  /** Names what it is for; takes it again when it stood aside, and for the first time when nobody has yet. */
  bind(tier: TierEntry, purchase: Purchase): Promise<Bound>;
  /** The lease of a payment that is bound, for whoever ends it; nobody renews it any more. */
  lastLease(): Promise<Lease>;
  /** Gives it back. When even that cannot be written, the lease runs out by itself. */
  giveBack(reason: ReleaseReason): Promise<void>;
}

/** A lease is renewed so often while it lasts: two renewals may fail before it is lost. */
const RENEWALS = 3;

export function createHold(
  { headers, client, signal }: Pick<Intake, 'headers' | 'client' | 'signal'>,
  { gate, lookups, requireRoom, prices, leaseMs, now }: HoldParts,
): Hold {
  let claim: Claim | undefined;
  let renewal: Renewal | undefined;
  /** True while the claim's payment is known and not ours. */
  let isAside = false;

  async function take(tier: TierEntry): Promise<Claim> {
    const proof = gate().parse(headers);
    if (proof === null) {
      // Those who have paid are served as long as there is room at all; nobody is asked to pay for what may find none.
      await requireRoom();
      throw new PaymentProblem('payment_required');
    }
    if (!lookups.take(client, now())) throw new Fault('too_many_lookups');
    try {
      const isPayer = lookups.isPayer(client, now());
      const taken = await gate().reserve(proof, prices, signal, { isPayer });
      claim = taken;
      isAside = false;
      if (taken.kind === 'held') renewal = renewing(taken);
      claim = await gate().verify(taken, tier.priceMicroUsd, signal);
      lookups.giveBack(client);
      return claim;
    } catch (error) {
      if (error instanceof PaymentProblem) countMiss(error);
      throw error;
    }
  }

  /** Counts a look-up that came to nothing. When nobody could be asked, that is not the client's doing. */
  function countMiss({ status }: PaymentProblem): void {
    if (status === 503) lookups.giveBack(client);
    else lookups.foundNothing(client);
  }

  /** Keeps the payment ours. A lease that is lost nevertheless is noticed by the next step that needs it. */
  function renewing(held: HeldClaim): Renewal {
    return startRenewal(leaseMs / RENEWALS, async () => {
      const renewed = await gate().renew(claim?.kind === 'held' ? claim : held);
      if (renewed !== null && claim?.kind === 'held') claim = { ...claim, lease: renewed.lease };
      return renewed !== null;
    });
  }

  return {
    claim: () => claim,

    async take(tier) {
      await take(tier);
    },

    async standAside() {
      if (claim?.kind !== 'held' || claim.settled !== undefined || claim.payment?.memo === undefined) return;
      await renewal?.stop();
      await gate().release(claim, { reason: 'awaits_document', counts: false });
      isAside = true;
    },

    async bind(tier, purchase) {
      const taken = claim === undefined || isAside ? await take(tier) : claim;
      const bound = await gate().bind(taken, purchase);
      if (bound.kind === 'run') claim = bound.claim;
      return bound;
    },

    async lastLease() {
      await renewal?.stop();
      if (claim?.kind !== 'held') throw new Error('Only a bound payment buys something.');
      return claim.lease;
    },

    async giveBack(reason) {
      await renewal?.stop();
      if (claim === undefined) return;
      await gate()
        .release(claim, reason)
        .catch(() => undefined);
    },
  };
}

interface Renewal {
  /** Ends the renewing; resolves when none is on its way. */
  stop(): Promise<void>;
}

/** Renews again and again until it is stopped, or `renew` says that there is nothing left to renew. */
function startRenewal(everyMs: number, renew: () => Promise<boolean>): Renewal {
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    last = renew()
      .then((isHeld) => {
        if (!isHeld) clearInterval(timer);
      })
      // The store may be back before the lease is over.
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
