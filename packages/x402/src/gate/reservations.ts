// Reservations of payments. One request has a payment at a time, for as long as it renews the lease. A rejected or
// failed request releases it, so that a rejection never uses a payment up.
import type { Clock } from './clock.ts';
import type { LeasedPayment, ReservedPayment } from './gate.ts';
import type { Ledger, PaymentKey, ReleaseReason, Reservation } from '../ledger/ledger.ts';
import { PaymentProblem } from './reasons.ts';
import { createWaitQueues } from './wait-queue.ts';

/** The dependencies of {@link createReservations}. */
export interface ReservationsDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** How long a request waits for another one that has the payment, in milliseconds. */
  readonly waitMs: number;
  readonly leaseMs: number;
}

/** Takes payments for requests, and releases them. */
export interface Reservations {
  /** Takes the payment; waits, up to `waitMs`, while another request has it. */
  take(key: PaymentKey, signal: AbortSignal): Promise<ReservedPayment>;
  /** Extends the lease by `leaseMs` from now; null when it is lost. */
  renew(payment: LeasedPayment): Promise<LeasedPayment | null>;
  /** Releases a leased payment; leaves others alone. */
  release(payment: ReservedPayment, reason: ReleaseReason): Promise<void>;
  /** Runs a step under the lease, and releases the payment when the step fails. */
  releaseOnError<Value>(payment: LeasedPayment, step: () => Promise<Value>): Promise<Value>;
}

export function createReservations({ ledger, clock, waitMs, leaseMs }: ReservationsDeps): Reservations {
  const queues = createWaitQueues<Exclude<Reservation, { kind: 'held' }>>({
    clock,
    waitMs,
    createTimeout: () => new PaymentProblem('payment_in_progress'),
    async acquire(key) {
      const reservation = await ledger.reserve(key, leaseMs);
      if (reservation.kind === 'held') return 'busy';
      return { kind: reservation.kind === 'reserved' ? 'mine' : 'all', value: reservation };
    },
    async release(reservation) {
      if (reservation.kind === 'reserved')
        await ledger.release(reservation.lease, { reason: 'client_gone', counts: false });
    },
  });

  async function release(payment: ReservedPayment, reason: ReleaseReason): Promise<void> {
    if (payment.kind !== 'held') return;
    await ledger.release(payment.lease, reason);
    queues.wake(payment.key);
  }

  return {
    async take(key, signal) {
      const reservation = await queues.take(key, signal);
      switch (reservation.kind) {
        case 'exhausted':
          throw new PaymentProblem('payment_exhausted');
        case 'reserved':
          return { kind: 'held', key, lease: reservation.lease, payment: reservation.payment };
        default:
          return { kind: reservation.kind, key, fingerprint: reservation.fingerprint };
      }
    },
    async renew(payment) {
      const lease = await ledger.renew(payment.lease, leaseMs);
      return lease === null ? null : { ...payment, lease };
    },
    release,
    async releaseOnError(payment, step) {
      try {
        return await step();
      } catch (error) {
        const reason = error instanceof PaymentProblem ? error.reason : 'interrupted';
        await release(payment, { reason, counts: false });
        throw error;
      }
    },
  };
}
