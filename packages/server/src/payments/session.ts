// The payment of one request, in steps: reserve → bind → work → commit. An error between the first step and the last
// releases the payment, and the error's answer reports whether the payment can be used again.
//
//   reserve:  the proof is reserved and verified on the chain while the document is still with the client; a payment
//             with a memo is suspended meanwhile, because its request is not known yet
//   bind:     the document has arrived, and its request has a fingerprint; the payment is for this request only
//   commit:   one transaction writes the answer, the result behind its link and "consumed"; or, for a job, the job and
//             "processing"
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  fingerprint,
  type Gate,
  type Lease,
  MAX_TRIES,
  type OfferedRequest,
  PaymentProblem,
  PROOF_HEADERS,
  type Quote,
  type ReservedPayment,
} from '@grainline/x402';
import { describedCall, quoteOf } from './discovery.ts';
import type { TierEntry } from '../catalog.ts';
import type { ErrorCode } from '../errors/codes.ts';
import { type ErrorPayment, HttpError, type HttpErrorDetails, toHttpError } from '../errors/http-error.ts';
import type { HttpRequest } from '../http/message.ts';
import type { ChunkRequest } from '../requests/chunk-request.ts';
import { IMPLIED_OPTIONS, type RequestOptions } from '../requests/fields.ts';
import { isLocked } from '../requests/run-request.ts';
import type { Store } from '../store/store.ts';
import { canonicalRequest, OPTIONAL_MEMBERS, uploadTemplate } from './canonical-request.ts';
import { createPaymentLease, type LeaseDeps } from './lease.ts';
import type { PaymentClaims } from './receipts.ts';
import {
  createPaidResponse,
  findPurchase,
  type PaymentOutcome,
  type PurchasedAnswer,
  type ChainPayment,
} from './paid-response.ts';

/** Dependencies of {@link createPaymentSession}. */
export interface SessionDeps extends LeaseDeps {
  readonly store: Pick<Store, 'get' | 'commit' | 'paidResponse' | 'getResult' | 'jobOf'>;
  readonly deploymentId: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The payment of one request. Its methods are called one after the other. */
export interface PaymentSession {
  /** Marks the request as free: its payment is not read. */
  skipPayment(): void;
  /** True when the request's payment has bought an answer or a job. Reserves nothing. */
  hasPurchased(): Promise<boolean>;
  /**
   * Reserves the request's payment and verifies it on the chain. A second call does nothing.
   *
   * @param options the options that are known so far
   * @throws PaymentProblem
   */
  reserve(tier: TierEntry, options: RequestOptions): Promise<void>;
  /** Binds the payment to the request. Reserves it first when that has not been done. @throws PaymentProblem */
  bind(request: ChunkRequest): Promise<PaymentOutcome>;
  /**
   * Writes the answer with the payment. `taken` when another result has the result's id: then nothing is written.
   *
   * @throws PaymentProblem when another request has the payment now
   */
  commit(answer: PurchasedAnswer): Promise<'committed' | 'taken'>;
  /**
   * Hands the payment over to a job: `submit` writes both in one transaction.
   *
   * @throws PaymentProblem when another request has the payment now
   */
  submit<Ticket>(submit: (lease: Lease) => Promise<Ticket | 'lost'>): Promise<Ticket>;
  /** Headers for clients of x402. */
  receiptHeaders(settlement: ChainPayment): Readonly<Record<string, string>>;
  /** Ends a failed session: releases the payment. Returns the error with the state of the payment. */
  fail(error: unknown): Promise<unknown>;
}

export function createPaymentSession(
  httpRequest: Pick<HttpRequest, 'headers' | 'path' | 'origin' | 'signal'>,
  deps: SessionDeps,
): PaymentSession {
  const { gate, store, deploymentId, now } = deps;
  const lease = createPaymentLease(httpRequest, deps);
  let isSkipped = false;
  /** True once the document has arrived and work may begin. */
  let isBound = false;
  /** The offer of a 402, once there is a price. */
  let offer: PendingOffer | undefined;

  /** Details added to the error: the offer for a 402, otherwise the payment's state and receipt. */
  async function paymentDetails(error: HttpError): Promise<HttpErrorDetails> {
    const reservation = lease.reservation();
    const payment = error.payment ?? (await paymentState(reservation, httpRequest.headers, store));
    const answer = error.status === 402 ? offerDetails(offer, gate) : receiptDetails(reservation, gate);
    return { payment, ...answer };
  }

  return {
    skipPayment() {
      isSkipped = true;
    },

    hasPurchased: () => hasPurchased(httpRequest.headers, gate),

    async reserve(tier, options) {
      if (lease.reservation() !== undefined) return;
      const template = uploadTemplate(deploymentId, tier.id, options);
      offer = pendingOffer(httpRequest, tier, {
        template,
        implied: IMPLIED_OPTIONS,
        optional: OPTIONAL_MEMBERS,
      });
      await lease.reserve(tier);
      await lease.suspend();
    },

    async bind(request) {
      const { tier } = request;
      const print = await fingerprint(canonicalRequest(deploymentId, request));
      offer = pendingOffer(httpRequest, tier, { fingerprint: print }, request.source);
      const purchase = { fingerprint: print, price: tier.priceMicroUsd, product: tier.id };
      const bound = await lease.bind(tier, purchase);
      if (bound.kind !== 'run') return findPurchase(bound, store);
      isBound = true;
      const { key, payment } = bound.leased;
      const settlement = { transaction: key, payer: payment.payer };
      return { kind: 'run', settlement, claims: { ...settlement, ...claimsOf(offer, print, gate()) } };
    },

    async commit(answer) {
      const response = await createPaidResponse(answer, now());
      const written = await store.commit(await lease.endRenewal(), { response, result: answer.result });
      if (written === 'lost') throw new PaymentProblem('payment_in_progress');
      return written;
    },

    async submit(submit) {
      const ticket = await submit(await lease.endRenewal());
      if (ticket === 'lost') throw new PaymentProblem('payment_in_progress');
      return ticket;
    },

    receiptHeaders: ({ transaction, payer, receipt }) => gate().receipt(transaction, payer, receipt),

    async fail(thrown) {
      if (isSkipped) return thrown;
      const error = toHttpError(thrown);
      const hasLeft = await clientHasLeft(httpRequest.signal);
      // A broken connection says nothing about the document on it.
      const counts = isRequestError(error, thrown) && (isBound || !hasLeft);
      await lease.release({ reason: error.code, counts });
      return hasLeft ? thrown : error.with(await paymentDetails(error));
    },
  };
}

/** The claims of a receipt beside its payment. */
function claimsOf(
  { quote, request }: PendingOffer,
  requestHash: string,
  { currency }: Gate,
): Omit<PaymentClaims, keyof ChainPayment> {
  const { product: tier, price } = quote;
  return { resourceUrl: request.resource, requestHash, tier, amount: String(price), ...currency };
}

/** The arguments of an offer. */
interface PendingOffer {
  readonly quote: Quote;
  readonly request: OfferedRequest;
}

function pendingOffer(
  httpRequest: Pick<HttpRequest, 'headers' | 'path' | 'origin'>,
  tier: TierEntry,
  binding: OfferedRequest['binding'],
  source?: ChunkRequest['source'],
): PendingOffer {
  const resource = `${httpRequest.origin}${httpRequest.path}`;
  const call = describedCall(tier, httpRequest, source?.kind);
  return { quote: quoteOf(tier), request: { resource, ...call, binding } };
}

async function hasPurchased(headers: HttpRequest['headers'], openGate: () => Gate): Promise<boolean> {
  if (!hasProof(headers)) return false;
  const gate = openGate();
  let proof: ReturnType<Gate['parse']>;
  try {
    proof = gate.parse(headers);
  } catch {
    // The reservation reports a malformed proof.
    return false;
  }
  const record = proof === null ? null : await gate.findRecord(proof);
  return record?.state === 'processing' || record?.state === 'consumed';
}

/** Errors of a connection. They say nothing about its document. */
const CONNECTION_CODES: ReadonlySet<ErrorCode> = new Set([
  'request_timeout',
  'invalid_http',
  'headers_too_large',
]);

/** True for an error of the document or the request, which counts as a try of the payment. */
function isRequestError(error: HttpError, thrown: unknown): boolean {
  const { status, code } = error;
  const isOther = CONNECTION_CODES.has(code) || isLocked(error);
  const isClientError = status >= 400 && status < 500 && !isOther;
  return isClientError && !(thrown instanceof PaymentProblem);
}

/** The member `payment` of an error that the gate has not raised: the payment was released, or not read. */
async function paymentState(
  reservation: ReservedPayment | undefined,
  headers: HttpRequest['headers'],
  store: Pick<Store, 'get'>,
): Promise<ErrorPayment | undefined> {
  if (reservation === undefined) return hasProof(headers) ? { reusable: true } : undefined;
  const record = await store.get(reservation.key).catch(() => null);
  const isSpent = record?.state === 'consumed' || record?.state === 'processing';
  const reusable = !isSpent && (record?.tries ?? 0) < MAX_TRIES;
  return { reusable, transaction: reservation.key };
}

function offerDetails(
  offer: PendingOffer | undefined,
  gate: () => Gate,
): Pick<HttpErrorDetails, 'members' | 'headers'> {
  if (offer === undefined) return {};
  const { headers, members } = gate().offer(offer.quote, offer.request);
  return { members, headers: { ...headers, ...VARY } };
}

/** The receipt of a verified payment: a client of x402 learns its transaction only from this header. */
function receiptDetails(
  reservation: ReservedPayment | undefined,
  gate: () => Gate,
): Pick<HttpErrorDetails, 'headers'> {
  if (reservation?.kind !== 'held' || reservation.payment === undefined) return {};
  return { headers: { ...gate().receipt(reservation.key, reservation.payment.payer), ...VARY } };
}

const rejectPayment = (): Promise<never> => Promise.reject(new Error('No tier has a price here.'));

/** The session of a deployment without paid tiers. */
export const NO_SESSION: PaymentSession = {
  skipPayment: () => undefined,
  hasPurchased: () => Promise.resolve(false),
  reserve: rejectPayment,
  bind: rejectPayment,
  commit: rejectPayment,
  submit: rejectPayment,
  receiptHeaders: () => ({}),
  fail: (error) => Promise.resolve(error),
};

/** Answers to paid requests vary by payment. */
export const VARY = { Vary: PROOF_HEADERS.join(', ') } as const;

/** True when the request shows a payment, valid or not. */
export function hasProof(headers: HttpRequest['headers']): boolean {
  return PROOF_HEADERS.some((name) => headers[name.toLowerCase()] !== undefined);
}

/** True when the client has left. A body breaks off one turn of the event loop before its connection closes. */
async function clientHasLeft(signal: AbortSignal): Promise<boolean> {
  await nextTurn();
  return signal.aborted && !(signal.reason instanceof HttpError);
}
