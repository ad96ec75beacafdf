// One request and its payment, step by step: claim → bind → work and commit, or refuse. Whatever goes wrong between the
// first step and the last gives the payment back, and the answer says whether it may be used again.
//
//   claim: the proof is taken and looked up on the chain, while the document is still with the client; what a memo binds
//          is not kept meanwhile, since nobody can tell yet whether this is the request that it is bound to
//   bind:  the document is here, so the request has a fingerprint; from now on the payment is for it alone
//   sell:  the answer, the result behind its link and "consumed" are written in one transaction; or the job that will
//          make them, and "processing"
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import {
  type Claim,
  fingerprint,
  type Gate,
  type HeldClaim,
  type Lease,
  MAX_TRIES,
  type OfferedRequest,
  PaymentProblem,
  PROOF_HEADERS,
  type Quote,
  type ReleaseReason,
} from '@grainline/x402';
import type { TierEntry } from '../catalog.ts';
import { Fault, type FaultDetails, faultFrom } from '../errors.ts';
import { type ChunkFields, IMPLIED_OPTIONS } from '../api/fields.ts';
import type { Intake } from '../http/intake.ts';
import type { Order } from '../http/order.ts';
import { RESULT_LIFETIME_MS, resultIdIn, resultPath } from '../results.ts';
import type { Store } from '../store/store.ts';
import type { PaidResponse, StoredResult } from '../store/answers.ts';
import type { Lookups } from './lookups.ts';
import { canonicalRequest, OPTIONAL_MEMBERS, uploadTemplate } from './request.ts';

/** What sales stand on. */
export interface SaleParts {
  /** @throws Fault `tier_unavailable` while payments cannot be taken */
  readonly gate: () => Gate;
  readonly store: Pick<Store, 'get' | 'commit' | 'paidResponse' | 'getResult' | 'jobOf'>;
  readonly lookups: Lookups;
  /** @throws StoreError `storage_full` when what is bought now might find no room */
  readonly requireRoom: () => Promise<void>;
  readonly deploymentId: string;
  readonly leaseMs: number;
  /** What can be bought here, in the smallest unit of the asset. */
  readonly prices: readonly bigint[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Where a payment stands in a chain's own words, for the answer that it bought. */
export interface Receipt {
  readonly transaction: string;
  readonly payer: string;
}

/** What a bound payment asks for. */
export type Deal =
  /** Do the work, then {@link Sale.commit} it. */
  | { readonly kind: 'run'; readonly receipt: Receipt }
  /** It was done before; the answer as it is kept, compressed, and the path of the result that it is itself, if it is one. */
  | {
      readonly kind: 'replay';
      readonly gzip: Uint8Array;
      readonly location: string | undefined;
      readonly receipt: Receipt;
    }
  /** A job works on it. */
  | { readonly kind: 'job'; readonly id: string; readonly receipt: Receipt };

/** What is kept of a sale. */
export interface Sold {
  readonly result: StoredResult;
  /** The answer, where it only links to the result; without it the answer is the result. */
  readonly link?: string;
}

/** A sale. One request's; its methods are called one after the other. */
export interface Sale {
  /** The request costs nothing: a payment that it shows is not looked at. */
  waive(): void;
  /** Whether the payment that the request shows has bought something already, or a job works for it. Takes nothing. */
  isKnown(): Promise<boolean>;
  /**
   * Takes the payment that the request shows and asks the chain about it. Called again, does nothing.
   *
   * @param fields the options as far as they are known
   * @throws PaymentProblem
   */
  claim(tier: TierEntry, fields: ChunkFields): Promise<void>;
  /** Names the request that the payment is for; claims it first when that has not been done. @throws PaymentProblem */
  bind(order: Order): Promise<Deal>;
  /**
   * Writes what was bought.
   *
   * @throws PaymentProblem when the payment was lost to another request
   */
  commit(sold: Sold): Promise<void>;
  /**
   * Hands the payment over to a job: `submit` writes both in one transaction.
   *
   * @throws PaymentProblem when the payment was lost to another request
   */
  submit<Ticket>(submit: (lease: Lease) => Promise<Ticket | 'lost'>): Promise<Ticket>;
  /** Headers for clients of x402. */
  receiptHeaders(receipt: Receipt): Readonly<Record<string, string>>;
  /** Ends a sale that failed: gives the payment back, and says so. Whatever was thrown becomes what to throw. */
  refuse(error: unknown): Promise<unknown>;
}

const compress = promisify(gzip);

/** A lease is renewed so often while it lasts: two renewals may fail before it is lost. */
const RENEWALS = 3;

export function createSale(
  intake: Pick<Intake, 'headers' | 'client' | 'path' | 'origin' | 'signal'>,
  parts: SaleParts,
): Sale {
  const { gate: openGate, store, lookups, leaseMs, now } = parts;
  const { client, signal } = intake;
  let claim: Claim | undefined;
  let renewal: Renewal | undefined;
  let isWaived = false;
  /** True while the claim's payment is known and not ours. */
  let isAside = false;
  /** True once the document is here and the work on it may begin. */
  let isBound = false;
  /** What a 402 asks for, as soon as there is a price. */
  let offered: { readonly quote: Quote; readonly request: OfferedRequest } | undefined;

  function offer(tier: TierEntry, binding: OfferedRequest['binding']): void {
    const resource = `${intake.origin}${intake.path}`;
    offered = { quote: quoteOf(tier), request: { resource, mimeType: 'application/json', binding } };
  }

  async function take(tier: TierEntry): Promise<void> {
    const gate = openGate();
    const proof = gate.parse(intake.headers);
    if (proof === null) {
      // Who has paid is served as long as there is room at all; nobody pays for what may find none.
      await parts.requireRoom();
      throw new PaymentProblem('payment_required');
    }
    if (!lookups.take(client, now())) throw new Fault('too_many_lookups');
    try {
      const isPayer = lookups.isPayer(client, now());
      const taken = await gate.reserve(proof, parts.prices, signal, { isPayer });
      claim = taken;
      isAside = false;
      if (taken.kind === 'held') renewal = renewing(taken);
      claim = await gate.verify(taken, tier.priceMicroUsd, signal);
      lookups.giveBack(client);
    } catch (error) {
      if (error instanceof PaymentProblem) {
        // That nobody could be asked is not the client's doing.
        if (error.status === 503) lookups.giveBack(client);
        else lookups.foundNothing(client);
      }
      throw error;
    }
  }

  /**
   * Gives a payment that a memo binds back until the document is here. Its signature is public, and strangers who show
   * it with uploads that never end, or that cannot succeed, would keep it from its payer or use up its tries. One that
   * a facilitator has just settled stays: somebody else could take it.
   */
  async function standAside(): Promise<void> {
    if (claim?.kind !== 'held' || claim.settled !== undefined || claim.payment?.memo === undefined) return;
    await renewal?.stop();
    await openGate().release(claim, { reason: 'awaits_document', counts: false });
    isAside = true;
  }

  /** Keeps the payment ours. A lease that is lost nevertheless is noticed by the next step that needs it. */
  function renewing(held: HeldClaim): Renewal {
    return startRenewal(leaseMs / RENEWALS, async () => {
      const renewed = await openGate().renew(claim?.kind === 'held' ? claim : held);
      if (renewed !== null && claim?.kind === 'held') claim = { ...claim, lease: renewed.lease };
      return renewed !== null;
    });
  }

  return {
    waive() {
      isWaived = true;
    },

    async isKnown() {
      if (!hasProof(intake.headers)) return false;
      const gate = openGate();
      let proof: ReturnType<Gate['parse']>;
      try {
        proof = gate.parse(intake.headers);
      } catch {
        // What is wrong with it is said when it is taken.
        return false;
      }
      const record = proof === null ? null : await gate.known(proof);
      return record?.state === 'processing' || record?.state === 'consumed';
    },

    async claim(tier, fields) {
      if (claim !== undefined) return;
      const template = uploadTemplate(parts.deploymentId, tier.id, fields);
      offer(tier, { template, implied: IMPLIED_OPTIONS, optional: OPTIONAL_MEMBERS });
      await take(tier);
      await standAside();
    },

    async bind(order) {
      const { tier } = order;
      const print = await fingerprint(canonicalRequest(parts.deploymentId, order));
      offer(tier, { fingerprint: print });
      if (claim === undefined || isAside) await take(tier);
      if (claim === undefined) throw new Error('A claim that is taken is there.');
      const purchase = { fingerprint: print, price: tier.priceMicroUsd, product: tier.id };
      const bound = await openGate().bind(claim, purchase);
      if (bound.kind === 'run') {
        claim = bound.claim;
        isBound = true;
        return { kind: 'run', receipt: { transaction: claim.key, payer: bound.claim.payment.payer } };
      }
      const payer = (await store.get(bound.key))?.payment?.payer ?? '';
      const receipt = { transaction: bound.key, payer };
      const job = bound.kind === 'job' ? await store.jobOf(bound.key) : null;
      if (job !== null) return { kind: 'job', id: job, receipt };
      const response = await store.paidResponse(bound.key);
      // A job that failed in this moment has set its payment free.
      if (response === null)
        throw new PaymentProblem(bound.kind === 'job' ? 'payment_in_progress' : 'result_expired');
      const location = response.headers[LOCATION];
      const kept = location === undefined ? response : await store.getResult(resultIdIn(location));
      // Its owner may have deleted it.
      if (kept === null) throw new PaymentProblem('result_expired');
      return { kind: 'replay', gzip: kept.gzip, location, receipt };
    },

    async commit(sold) {
      const response = await keptAnswer(sold, now());
      await renewal?.stop();
      if (claim?.kind !== 'held') throw new Error('Only a bound payment buys something.');
      const written = await store.commit(claim.lease, { response, result: sold.result });
      if (written === 'lost') throw new PaymentProblem('payment_in_progress');
      lookups.bought(client, now());
    },

    async submit(submit) {
      await renewal?.stop();
      if (claim?.kind !== 'held') throw new Error('Only a bound payment buys something.');
      const ticket = await submit(claim.lease);
      if (ticket === 'lost') throw new PaymentProblem('payment_in_progress');
      lookups.bought(client, now());
      return ticket;
    },

    receiptHeaders: ({ transaction, payer }) => openGate().receipt(transaction, payer),

    async refuse(error) {
      if (isWaived) return error;
      await renewal?.stop();
      const fault = faultFrom(error);
      const isGone = await hasGone(signal);
      // A slow line says nothing about the document.
      const isClients =
        fault.status >= 400 &&
        fault.status < 500 &&
        fault.code !== 'request_timeout' &&
        !(error instanceof PaymentProblem);
      // A document that did not arrive whole, because its connection broke, says nothing about itself.
      const counts = isClients && (isBound || !isGone);
      if (claim !== undefined) await giveBack(claim, { reason: fault.code, counts });
      if (isGone) return error;
      return fault.with({ ...(await paymentOf(fault)), ...answerOf(fault) });
    },
  };

  /** When even that cannot be written, the lease runs out by itself. */
  async function giveBack(taken: Claim, reason: ReleaseReason): Promise<void> {
    await openGate()
      .release(taken, reason)
      .catch(() => undefined);
  }

  /** What the answer says of the payment: refused by the gate, given back by us, or not looked at at all. */
  async function paymentOf(fault: Fault): Promise<Pick<FaultDetails, 'payment'>> {
    if (fault.payment !== undefined) return {};
    if (claim === undefined) return hasProof(intake.headers) ? { payment: { reusable: true } } : {};
    const record = await store.get(claim.key).catch(() => null);
    const isSpent = record?.state === 'consumed' || record?.state === 'processing';
    const reusable = !isSpent && (record?.tries ?? 0) < MAX_TRIES;
    return { payment: { reusable, transaction: claim.key } };
  }

  /** What to pay, of a 402. Of other refusals what was paid: a client of x402 knows its transaction only from here. */
  function answerOf(fault: Fault): Pick<FaultDetails, 'members' | 'headers'> {
    if (fault.status === 402) {
      if (offered === undefined) return {};
      const { headers, members } = openGate().offer(offered.quote, offered.request);
      return { members, headers: { ...headers, ...VARY } };
    }
    if (claim?.kind !== 'held' || claim.payment === undefined) return {};
    return { headers: { ...openGate().receipt(claim.key, claim.payment.payer), ...VARY } };
  }
}

/** Where nothing is sold, payments are not looked at. */
export const NO_SALE: Sale = {
  waive: () => undefined,
  isKnown: () => Promise.resolve(false),
  claim: () => Promise.reject(new Error('Nothing is sold here.')),
  bind: () => Promise.reject(new Error('Nothing is sold here.')),
  commit: () => Promise.reject(new Error('Nothing is sold here.')),
  submit: () => Promise.reject(new Error('Nothing is sold here.')),
  receiptHeaders: () => ({}),
  refuse: (error) => Promise.resolve(error),
};

/** Answers to paid requests differ by what was paid. */
export const VARY = { Vary: PROOF_HEADERS.join(', ') } as const;

/** What a tier costs, in the words of an offer. */
export function quoteOf({ id, priceMicroUsd, description }: TierEntry): Quote {
  return {
    price: priceMicroUsd,
    product: id,
    description: `Chunks of one document, tier ${id}. ${description}`,
  };
}

/** The header that names the result which an answer is itself. */
const LOCATION = 'Content-Location';
/** The answer as it is kept for whoever shows the payment again, as long as results are. Text lies in the result alone. */
export async function keptAnswer({ result, link }: Sold, nowMs: number): Promise<PaidResponse> {
  const headers = link === undefined ? { [LOCATION]: resultPath(result.id) } : {};
  return { status: 200, headers, gzip: await compress(link ?? ''), expiresMs: nowMs + RESULT_LIFETIME_MS };
}

/** Whether a request shows a payment, of whatever worth. */
export function hasProof(headers: Intake['headers']): boolean {
  return PROOF_HEADERS.some((name) => headers[name.toLowerCase()] !== undefined);
}

/** Whether nobody waits for the answer any more. A body that breaks off says so a moment before its connection does. */
async function hasGone(signal: AbortSignal): Promise<boolean> {
  await nextTurn();
  return signal.aborted && !(signal.reason instanceof Fault);
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
