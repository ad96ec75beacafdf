// The gate of gate.ts: which step asks whom, and what each refusal does to the payment. A refusal never uses a payment
// up: what is refused is given back before the request learns of it.
import { fingerprintIn } from './binding.ts';
import type { Chain, Finding } from './chain.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Facilitator } from './facilitator.ts';
import type { Bound, Claim, Gate, GateLog, GatePolicy, HeldClaim, Proof, Standing } from './gate.ts';
import type {
  Ledger,
  PaymentKey,
  PaymentRecord,
  Purchase,
  ReleaseReason,
  Reservation,
  VerifiedPayment,
} from './ledger.ts';
import { createLookups } from './lookups.ts';
import type { AssetFacts, NetworkNames } from './network.ts';
import { encodeHeader, offerOf } from './offer.ts';
import { readProof } from './proof.ts';
import { PaymentProblem } from './reasons.ts';
import { createSettlements } from './settlement.ts';
import { createTurns } from './turns.ts';

/** What a gate is made of. */
export interface GateOptions {
  readonly chain: Chain;
  readonly ledger: Ledger;
  /** Completes what payers sign; without one, payers broadcast their payments themselves. */
  readonly facilitator?: Facilitator;
  readonly network: NetworkNames;
  readonly asset: AssetFacts;
  readonly policy: GatePolicy;
  /** Address of what is sold, as facilitators of x402 version 1 are told; the pay-to address unless told. */
  readonly resource?: string;
  readonly clock?: Clock;
  readonly log?: GateLog;
}

/** A claim that was verified. */
type VerifiedClaim = HeldClaim & { readonly payment: VerifiedPayment };
type Turn = Exclude<Reservation, { kind: 'held' }>;
type Found = Extract<Finding, { kind: 'found' }>;

const MAX_LOOKUPS = 256;
const MAX_WAITING = 64;
const HOUR_MS = 3_600_000;
/**
 * Between the broadcast by a facilitator and our reservation, anyone can read the transaction's id on the chain. For this
 * long it is taken from whoever has the signed header alone, unless that one has shown it already.
 */
const SIGNED_FIRST_MS = 120_000;

/**
 * A gate.
 *
 * @throws RangeError naming every wrong number of the policy
 */
export function createGate(options: GateOptions): Gate {
  const { chain, ledger, facilitator, network, asset, policy, clock = systemClock } = options;
  checkPolicy(policy);
  const { waitMs, leaseMs } = policy;
  const terms = { rule: chain.rule, network, asset, binding: policy.binding };
  const lookups = createLookups({
    chain,
    clock,
    waitMs,
    maxAtOnce: policy.maxLookups ?? MAX_LOOKUPS,
    maxWaiting: policy.maxWaiting ?? MAX_WAITING,
  });
  const settlements =
    facilitator &&
    createSettlements({
      chain,
      ledger,
      facilitator,
      clock,
      waitMs,
      leaseMs,
      terms,
      resource: options.resource ?? `${network.caip2}:${chain.rule.payTo}`,
      log: options.log ?? (() => undefined),
    });
  const turns = createTurns<Turn>({
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

  /** Payments that the chain is asked about before anybody has them. */
  const screening = new Map<PaymentKey, Promise<Found | null>>();

  return {
    offer: (quote, request) => offerOf(quote, request, { ...terms, kinds: facilitator?.kinds() ?? [] }),
    parse: (headers) => readProof(headers, { chain, network, settles: facilitator !== undefined }),
    known,
    reserve,
    verify,
    bind,
    renew,
    release,
    receipt: (transaction, payer) => receiptOf(transaction, payer, network),
  };

  async function known(proof: Proof): Promise<PaymentRecord | null> {
    if (proof.kind === 'signature') return ledger.get(proof.key);
    const partial = chain.readPartial(proof.transaction);
    const key = partial === null ? null : await ledger.settledAs(partial.intent);
    return key === null ? null : ledger.get(key);
  }

  async function reserve(
    proof: Proof,
    prices: readonly bigint[],
    signal: AbortSignal,
    { isPayer = false }: Standing = {},
  ): Promise<Claim> {
    if (proof.kind === 'signature') {
      const found = await screen(proof.key, isPayer, signal);
      const claim = await take(proof.key, signal);
      return claim.kind === 'held' ? verifyFound(claim, found) : claim;
    }
    if (settlements === undefined) throw new PaymentProblem('payment_malformed');
    const settled = await settlements.settle(proof, prices, signal);
    const claim = await take(settled.key, signal);
    return claim.kind === 'held'
      ? verifyFound({ ...claim, settled: { payer: settled.payer } }, settled.finding ?? null)
      : claim;
  }

  /**
   * What the chain says of a payment that nobody has shown yet; null of any other. It keeps made-up ids from the
   * ledger, and decides nothing else: whose the payment is, and what it is worth here, is decided once it is reserved.
   */
  async function screen(key: PaymentKey, isPayer: boolean, signal: AbortSignal): Promise<Found | null> {
    for (let others = screening.get(key); others !== undefined; others = screening.get(key)) {
      try {
        return await others;
      } catch (error) {
        signal.throwIfAborted();
        // Whoever asked for all may have gone.
        if (error instanceof PaymentProblem) throw error;
      }
    }
    const asked = askFirst(key, isPayer, signal).finally(() => screening.delete(key));
    screening.set(key, asked);
    return asked;
  }

  async function askFirst(key: PaymentKey, isPayer: boolean, signal: AbortSignal): Promise<Found | null> {
    if (turns.isOpen(key) || (await ledger.get(key)) !== null) return null;
    const finding = await lookups.find(key, signal, { isPayer });
    if (finding.kind === 'failed') throw new PaymentProblem('transaction_failed');
    refuseWorthless(finding);
    return finding;
  }

  async function take(key: PaymentKey, signal: AbortSignal): Promise<Claim> {
    const turn = await turns.take(key, signal);
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

  /** Records what the chain said before it was ours, so that it is not asked twice. */
  async function verifyFound(claim: HeldClaim, found: Found | null): Promise<Claim> {
    if (found === null || claim.payment !== undefined) return claim;
    return orGiveBack(claim, () => record(claim, found));
  }

  async function verify(claim: Claim, atLeast: bigint, signal: AbortSignal): Promise<Claim> {
    if (claim.kind !== 'held') return claim;
    return orGiveBack(claim, async () => {
      const verified = isVerified(claim) ? claim : await lookUp(claim, signal);
      refuseLess(verified.payment, atLeast);
      const unbound = verified.payment.memo === undefined && verified.settled === undefined;
      if (policy.binding === 'require' && unbound) throw new PaymentProblem('binding_required');
      return verified;
    });
  }

  async function lookUp(claim: HeldClaim, signal: AbortSignal): Promise<VerifiedClaim> {
    let held = claim;
    const beforeWait = async (): Promise<void> => {
      // The wait may be longer than the lease, and a lost lease would have the next request ask the same.
      const lease = await ledger.renew(claim.lease, waitMs + leaseMs);
      if (lease === null) throw new PaymentProblem('payment_in_progress');
      held = { ...claim, lease };
    };
    const finding = await lookups.find(claim.key, signal, { beforeWait });
    if (finding.kind === 'failed') throw new PaymentProblem('transaction_failed');
    return record(held, finding);
  }

  /** What counts at the first use, and what is remembered of it: later uses are not asked for age, nor is the chain. */
  async function record(claim: HeldClaim, finding: Found): Promise<VerifiedClaim> {
    refuseWorthless(finding);
    const { credited, slot, memos } = finding;
    const payer = claim.settled?.payer ?? finding.payer;
    const isTooOld = isOld(finding);
    if (!isTooOld && claim.settled === undefined && isJustSettledHere(finding)) {
      const detail = 'A facilitator has just settled it: send the header that was signed.';
      throw new PaymentProblem('payment_in_progress', { detail });
    }
    const memo = memos.map(fingerprintIn).find((named) => named !== null);
    const payment = { payer, credited, slot, ...(memo == null ? {} : { memo }) };
    const answer = await ledger.verified(claim.lease, payment, isTooOld ? 'payment_too_old' : undefined);
    if (isTooOld) throw tooOld();
    if (answer === 'blocked') throw new PaymentProblem('payer_blocked');
    if (answer === 'lost') throw new PaymentProblem('payment_in_progress');
    return { ...claim, payment };
  }

  /** Refuses what gave us nothing that could ever be given back: of that nothing is remembered. */
  function refuseWorthless(finding: Found): void {
    // What came in before payments were taken here was for something else.
    if (finding.timeMs < policy.notBeforeMs) {
      const detail = `What came in before ${new Date(policy.notBeforeMs).toISOString()} pays for nothing here.`;
      throw new PaymentProblem('payment_too_old', { detail });
    }
    if (finding.credited <= 0n) throw isOld(finding) ? tooOld() : new PaymentProblem('amount_too_low');
  }

  function tooOld(): PaymentProblem {
    const detail = `Here that is ${durationText(policy.maxAgeMs)}.`;
    return new PaymentProblem('payment_too_old', { detail });
  }

  function isOld({ timeMs }: Found): boolean {
    return timeMs < clock.now() - policy.maxAgeMs;
  }

  function isJustSettledHere({ payer, feePayer = payer, timeMs }: Found): boolean {
    if (clock.now() - timeMs >= SIGNED_FIRST_MS) return false;
    return facilitator?.kinds().some((kind) => kind.feePayer === feePayer) ?? false;
  }

  async function bind(claim: Claim, purchase: Purchase): Promise<Bound> {
    if (claim.kind !== 'held') {
      if (claim.fingerprint !== purchase.fingerprint) throw new PaymentProblem('payment_already_used');
      return { kind: claim.kind === 'consumed' ? 'replay' : 'job', key: claim.key };
    }
    if (!isVerified(claim)) throw new TypeError('bind: the claim was never verified.');
    return orGiveBack(claim, async () => {
      const { payment } = claim;
      refuseLess(payment, purchase.price);
      if (policy.binding !== 'off' && payment.memo !== undefined && payment.memo !== purchase.fingerprint) {
        throw new PaymentProblem('bound_to_another_request', { reusable: true });
      }
      const answer = await ledger.bind(claim.lease, purchase);
      if (answer === 'lost') throw new PaymentProblem('payment_in_progress');
      return { kind: 'run', claim };
    });
  }

  async function renew(claim: HeldClaim): Promise<HeldClaim | null> {
    const lease = await ledger.renew(claim.lease, leaseMs);
    return lease === null ? null : { ...claim, lease };
  }

  async function release(claim: Claim, reason: ReleaseReason): Promise<void> {
    if (claim.kind !== 'held') return;
    await ledger.release(claim.lease, reason);
    turns.wake(claim.key);
  }

  /** Gives the payment back when the step fails, whatever it fails with. */
  async function orGiveBack<T>(claim: HeldClaim, step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      const reason = error instanceof PaymentProblem ? error.reason : 'interrupted';
      await release(claim, { reason, counts: false });
      throw error;
    }
  }
}

function isVerified(claim: HeldClaim): claim is VerifiedClaim {
  return claim.payment !== undefined;
}

function refuseLess({ credited }: VerifiedPayment, price: bigint): void {
  if (credited >= price) return;
  const detail = `It gave ${credited}, and the price is ${price}.`;
  throw new PaymentProblem('amount_too_low', { detail, reusable: true });
}

/** `24 h`, `1800 s`. */
function durationText(ms: number): string {
  return ms % HOUR_MS === 0 ? `${ms / HOUR_MS} h` : `${ms / 1000} s`;
}

function receiptOf(transaction: PaymentKey, payer: string, network: NetworkNames): Record<string, string> {
  const receipt = (name: string): string =>
    encodeHeader({ success: true, transaction, network: name, payer });
  return {
    'PAYMENT-RESPONSE': receipt(network.caip2),
    'X-PAYMENT-RESPONSE': receipt(network.v1 ?? network.name),
  };
}

function checkPolicy(policy: GatePolicy): void {
  const {
    waitMs,
    leaseMs,
    maxAgeMs,
    notBeforeMs,
    maxLookups = MAX_LOOKUPS,
    maxWaiting = MAX_WAITING,
  } = policy;
  const least = { waitMs: 0, leaseMs: 1, maxAgeMs: 1, notBeforeMs: 0, maxLookups: 1, maxWaiting: 0 };
  const given = { waitMs, leaseMs, maxAgeMs, notBeforeMs, maxLookups, maxWaiting };
  const faults = Object.entries(least)
    .map(([name, from]) => ({ name, from, value: given[name as keyof typeof given] }))
    .filter(({ from, value }) => !(Number.isSafeInteger(value) && value >= from))
    .map(({ name, from, value }) => `${name} must be a whole number of at least ${from}, but is ${value}`);
  if (faults.length > 0) throw new RangeError(`Wrong policy: ${faults.join('; ')}.`);
}
