// Claims on payments. A payment is taken by one request at a time, kept for as long as its lease is renewed, and given
// back when the request is refused or fails, so that a refusal never uses it up.
import type { Clock } from './clock.ts';
import type { Claim, HeldClaim } from './gate.ts';
import type { Ledger, PaymentKey, ReleaseReason, Reservation } from './ledger.ts';
import { PaymentProblem } from './reasons.ts';
import { createKeyedQueue } from './keyed-queue.ts';

/** The ports and numbers that claims need. */
export interface ClaimsParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** How long a request waits for another one that has the payment, in milliseconds. */
  readonly waitMs: number;
  readonly leaseMs: number;
}

/** Takes payments for requests, and gives them back. */
export interface Claims {
  /**
   * Takes the payment; waits, up to `waitMs`, while another request has it.
   *
   */
  take(key: PaymentKey, signal: AbortSignal): Promise<Claim>;
  /** True when a request of this process has the payment or waits for it. */
  isOpen(key: PaymentKey): boolean;
  /** Extends the lease to `forMs` from now; null when it is lost. */
  renew(claim: HeldClaim, forMs?: number): Promise<HeldClaim | null>;
  /** Gives the payment back. A claim that is not held is left alone. */
  release(claim: Claim, reason: ReleaseReason): Promise<void>;
  /** Runs a step under the claim, and gives the payment back when the step fails, for whatever reason. */
  orGiveBack<Value>(claim: HeldClaim, step: () => Promise<Value>): Promise<Value>;
}

type Turn = Exclude<Reservation, { kind: 'held' }>;

export function createClaims({ ledger, clock, waitMs, leaseMs }: ClaimsParts): Claims {
  const queue = createKeyedQueue<Turn>({
    clock,
    waitMs,
    inVain: () => new PaymentProblem('payment_in_progress'),
    async ask(key) {
      const reservation = await ledger.reserve(key, leaseMs);
      if (reservation.kind === 'held') return 'later';
      return { kind: reservation.kind === 'reserved' ? 'mine' : 'all', value: reservation };
    },
    async giveBack(turn) {
      if (turn.kind === 'reserved')
        await ledger.release(turn.lease, { reason: 'client_gone', counts: false });
    },
  });

  async function take(key: PaymentKey, signal: AbortSignal): Promise<Claim> {
    const turn = await queue.take(key, signal);
    switch (turn.kind) {
      case 'exhausted':
        throw new PaymentProblem('payment_exhausted');
      case 'reserved': {
        const { lease, payment } = turn;
        return { kind: 'held', key, lease, ...(payment === undefined ? {} : { payment }) };
      }
      default:
        return { kind: turn.kind, key, fingerprint: turn.fingerprint };
    }
  }

  async function renew(claim: HeldClaim, forMs: number = leaseMs): Promise<HeldClaim | null> {
    const lease = await ledger.renew(claim.lease, forMs);
    return lease === null ? null : { ...claim, lease };
  }

  async function release(claim: Claim, reason: ReleaseReason): Promise<void> {
    if (claim.kind !== 'held') return;
    await ledger.release(claim.lease, reason);
    queue.wake(claim.key);
  }

  async function orGiveBack<Value>(claim: HeldClaim, step: () => Promise<Value>): Promise<Value> {
    try {
      return await step();
    } catch (error) {
      const reason = error instanceof PaymentProblem ? error.reason : 'interrupted';
      await release(claim, { reason, counts: false });
      throw error;
    }
  }

  return { take, isOpen: (key) => queue.isOpen(key), renew, release, orGiveBack };
}
