// One request and its payment, step by step: claim → bind → work and commit, or refuse. Whatever goes wrong between the
// first step and the last gives the payment back, and the answer says whether it may be used again.
//
//   claim: the proof is taken and looked up on the chain, while the document is still with the client; what a memo
//          binds is not kept meanwhile, since nobody can tell yet whether this is the request that it is bound to
//   bind:  the document is here, so the request has a fingerprint; from now on the payment is for it alone
//   sell:  the answer, the result behind its link and "consumed" are written in one transaction; or the job that will
//          make them, and "processing"
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import {
  type Bound,
  type Claim,
  fingerprint,
  type Gate,
  type Lease,
  MAX_TRIES,
  type OfferedRequest,
  PaymentProblem,
  PROOF_HEADERS,
  type Quote,
} from '@grainline/x402';
import type { TierEntry } from '../catalog.ts';
import type { FaultCode } from '../codes.ts';
import { Fault, type FaultDetails, faultFrom } from '../errors.ts';
import { type ChunkFields, IMPLIED_OPTIONS } from '../api/fields.ts';
import type { Intake } from '../http/intake.ts';
import type { Order } from '../http/order.ts';
import { RESULT_LIFETIME_MS, resultIdIn, resultPath } from '../results.ts';
import type { Store } from '../store/store.ts';
import type { PaidResponse, StoredResult } from '../store/answers.ts';
import { createHold, type HoldParts } from './hold.ts';
import { canonicalRequest, OPTIONAL_MEMBERS, uploadTemplate } from './request.ts';

/** What sales stand on. */
export interface SaleParts extends HoldParts {
  readonly store: Pick<Store, 'get' | 'commit' | 'paidResponse' | 'getResult' | 'jobOf'>;
  readonly deploymentId: string;
}

/** Where a payment is on the chain, in the chain's own words, for the answer that it bought. */
export interface Receipt {
  readonly transaction: string;
  readonly payer: string;
}

/** What has to be done for a bound payment. */
export type Fulfilment =
  /** Do the work, then {@link Sale.commit} it. */
  | { readonly kind: 'run'; readonly receipt: Receipt }
  /**
   * It was done before; the answer as it is kept, compressed, and the path of the result that it is itself, if it is
   * one.
   */
  | {
      readonly kind: 'replay';
      readonly gzip: Uint8Array;
      readonly location: string | undefined;
      readonly receipt: Receipt;
    }
  /** A job works on it. */
  | { readonly kind: 'job'; readonly id: string; readonly receipt: Receipt };

/** What is stored of a sale. */
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
  bind(order: Order): Promise<Fulfilment>;
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

export function createSale(
  intake: Pick<Intake, 'headers' | 'client' | 'path' | 'origin' | 'signal'>,
  parts: SaleParts,
): Sale {
  const { gate, store, lookups, deploymentId, now } = parts;
  const { client, headers, signal } = intake;
  const hold = createHold(intake, parts);
  let isWaived = false;
  /** True once the document is here and the work on it may begin. */
  let isBound = false;
  /** The offer for a 402, as soon as there is a price. */
  let offered: Offered | undefined;

  function offer(tier: TierEntry, binding: OfferedRequest['binding']): void {
    const resource = `${intake.origin}${intake.path}`;
    offered = { quote: quoteOf(tier), request: { resource, mimeType: 'application/json', binding } };
  }

  /** What the fault is told with: what to pay, of a 402; else what became of the payment, and what was paid. */
  async function told(fault: Fault): Promise<FaultDetails> {
    const claim = hold.claim();
    const payment = fault.payment ?? (await paymentOf(claim, headers, store));
    const answer = fault.status === 402 ? asked(offered, gate) : receiptOf(claim, gate);
    return { ...(payment === undefined ? {} : { payment }), ...answer };
  }

  return {
    waive() {
      isWaived = true;
    },

    isKnown: () => isKnown(headers, gate),

    async claim(tier, fields) {
      if (hold.claim() !== undefined) return;
      const template = uploadTemplate(deploymentId, tier.id, fields);
      offer(tier, { template, implied: IMPLIED_OPTIONS, optional: OPTIONAL_MEMBERS });
      await hold.take(tier);
      await hold.standAside();
    },

    async bind(order) {
      const { tier } = order;
      const print = await fingerprint(canonicalRequest(deploymentId, order));
      offer(tier, { fingerprint: print });
      const purchase = { fingerprint: print, price: tier.priceMicroUsd, product: tier.id };
      const bound = await hold.bind(tier, purchase);
      if (bound.kind !== 'run') return boughtBefore(bound, store);
      isBound = true;
      const { key, payment } = bound.claim;
      return { kind: 'run', receipt: { transaction: key, payer: payment.payer } };
    },

    async commit(sold) {
      const response = await keptAnswer(sold, now());
      const lease = await hold.lastLease();
      const written = await store.commit(lease, { response, result: sold.result });
      if (written === 'lost') throw new PaymentProblem('payment_in_progress');
      lookups.bought(client, now());
    },

    async submit(submit) {
      const ticket = await submit(await hold.lastLease());
      if (ticket === 'lost') throw new PaymentProblem('payment_in_progress');
      lookups.bought(client, now());
      return ticket;
    },

    receiptHeaders: ({ transaction, payer }) => gate().receipt(transaction, payer),

    async refuse(error) {
      if (isWaived) return error;
      const fault = faultFrom(error);
      const isGone = await hasGone(signal);
      // A document that did not arrive whole, because its connection broke, says nothing about itself.
      const counts = isOfRequest(fault, error) && (isBound || !isGone);
      await hold.giveBack({ reason: fault.code, counts });
      return isGone ? error : fault.with(await told(fault));
    },
  };
}

/** What a 402 needs to make its offer. */
interface Offered {
  readonly quote: Quote;
  readonly request: OfferedRequest;
}

async function isKnown(headers: Intake['headers'], openGate: () => Gate): Promise<boolean> {
  if (!hasProof(headers)) return false;
  const gate = openGate();
  let proof: ReturnType<Gate['parse']>;
  try {
    proof = gate.parse(headers);
  } catch {
    // What is wrong with it is said when it is taken.
    return false;
  }
  const record = proof === null ? null : await gate.known(proof);
  return record?.state === 'processing' || record?.state === 'consumed';
}

/** What a payment has bought before: the job that works for it, or the stored answer. */
async function boughtBefore(
  { kind, key }: Exclude<Bound, { kind: 'run' }>,
  store: SaleParts['store'],
): Promise<Fulfilment> {
  const payer = (await store.get(key))?.payment?.payer ?? '';
  const receipt = { transaction: key, payer };
  const job = kind === 'job' ? await store.jobOf(key) : null;
  if (job !== null) return { kind: 'job', id: job, receipt };
  const response = await store.paidResponse(key);
  // A job that failed in this moment has set its payment free.
  if (response === null) throw new PaymentProblem(kind === 'job' ? 'payment_in_progress' : 'result_expired');
  const location = response.headers[LOCATION];
  const kept = location === undefined ? response : await store.getResult(resultIdIn(location));
  // Its owner may have deleted it.
  if (kept === null) throw new PaymentProblem('result_expired');
  return { kind: 'replay', gzip: kept.gzip, location, receipt };
}

/** Faults of a connection, which say nothing of the document on it. */
const OF_CONNECTION: ReadonlySet<FaultCode> = new Set([
  'request_timeout',
  'invalid_http',
  'headers_too_large',
]);

/**
 * Whether a fault is one of the document or the request, which counts as a try: not of the payment, nor of the line.
 */
function isOfRequest({ status, code }: Fault, error: unknown): boolean {
  const isClients = status >= 400 && status < 500 && !OF_CONNECTION.has(code);
  return isClients && !(error instanceof PaymentProblem);
}

/**
 * The member `payment` of an answer whose payment the gate has not refused: it was given back by us, or not looked at.
 */
async function paymentOf(
  claim: Claim | undefined,
  headers: Intake['headers'],
  store: Pick<Store, 'get'>,
): Promise<FaultDetails['payment']> {
  if (claim === undefined) return hasProof(headers) ? { reusable: true } : undefined;
  const record = await store.get(claim.key).catch(() => null);
  const isSpent = record?.state === 'consumed' || record?.state === 'processing';
  const reusable = !isSpent && (record?.tries ?? 0) < MAX_TRIES;
  return { reusable, transaction: claim.key };
}

function asked(offered: Offered | undefined, gate: () => Gate): Pick<FaultDetails, 'members' | 'headers'> {
  if (offered === undefined) return {};
  const { headers, members } = gate().offer(offered.quote, offered.request);
  return { members, headers: { ...headers, ...VARY } };
}

/** What was paid: a client of x402 knows its transaction only from here. */
function receiptOf(claim: Claim | undefined, gate: () => Gate): Pick<FaultDetails, 'headers'> {
  if (claim?.kind !== 'held' || claim.payment === undefined) return {};
  return { headers: { ...gate().receipt(claim.key, claim.payment.payer), ...VARY } };
}

/** Stands in where nothing is sold: payments are not looked at. */
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

/** The price of a tier, in the words of an offer. */
function quoteOf({ id, priceMicroUsd, description }: TierEntry): Quote {
  return {
    price: priceMicroUsd,
    product: id,
    description: `Chunks of one document, tier ${id}. ${description}`,
  };
}

/** The header that names the result which an answer is itself. */
const LOCATION = 'Content-Location';

/**
 * The answer as it is kept for whoever shows the payment again, as long as results are. Text lies in the result alone.
 */
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
