// The stored answer of a paid request. A request that repeats its payment gets this answer.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type BindResult, PaymentProblem } from '@grainline/x402';
import type { PaidResponse, StoredResult } from '../store/responses.ts';
import type { PaymentClaims } from './receipts.ts';
import { RESULT_LIFETIME_MS, resultIdIn, resultPath } from '../store/result-id.ts';
import type { Store } from '../store/store.ts';

/** The payment of an answer, as the chain reports it. */
export interface ChainPayment {
  readonly transaction: string;
  readonly payer: string;
  /** The signed receipt of the delivered answer, where the service signs receipts. */
  readonly receipt?: string | undefined;
}

/** The result of a paid request, and the answer in its place. */
export interface PurchasedAnswer {
  readonly result: StoredResult;
  /** The answer that links to the result. Without a link the result is the answer. */
  readonly link?: string | undefined;
  /** True when the request had a password. */
  readonly isProtected?: boolean | undefined;
}

/** The consequence of a bound payment. */
export type PaymentOutcome =
  /** The work is to be done, and committed with the session. */
  | { readonly kind: 'run'; readonly settlement: ChainPayment; readonly claims: PaymentClaims }
  /** The stored answer, compressed, and the path of its result when the result is the answer. */
  | {
      readonly kind: 'replay';
      readonly gzip: Uint8Array;
      readonly location: string | undefined;
      /**
       * True when the request that was paid had a password. The fingerprint has none, so a repetition has to show that
       * it opens the document: transactions and links are public.
       */
      readonly isProtected: boolean;
      readonly settlement: ChainPayment;
    }
  /** A job does the work. */
  | { readonly kind: 'job'; readonly id: string; readonly settlement: ChainPayment };

/** The header with the path of the result that is the answer. */
const LOCATION = 'Content-Location';
/** The stored header with the path of the result that the answer links to; no answer is sent with it. */
const LINKED = 'X-Linked';
/** The stored header of an answer whose request had a password; no answer is sent with it. */
const PROTECTED = 'X-Protected';
/** The stored header with the signed receipt. Answers carry it in another one. */
const RECEIPT = 'X-Receipt';
const compress = promisify(gzip);

/** Creates the stored answer; it expires with its result. The text of an inline answer is stored in the result only. */
export async function createPaidResponse(
  { result, link, isProtected }: PurchasedAnswer,
  nowMs: number,
): Promise<PaidResponse> {
  const headers = {
    [link === undefined ? LOCATION : LINKED]: resultPath(result.id),
    ...(isProtected === true && { [PROTECTED]: 'password' }),
    ...(result.receipt !== undefined && { [RECEIPT]: result.receipt }),
  };
  return { status: 200, headers, gzip: await compress(link ?? ''), expiresMs: nowMs + RESULT_LIFETIME_MS };
}

/** Finds the earlier purchase of a payment: the job that works for it, or the stored answer. @throws PaymentProblem */
export async function findPurchase(
  { kind, key }: Exclude<BindResult, { kind: 'run' }>,
  store: Pick<Store, 'get' | 'paidResponse' | 'getResult' | 'jobOf'>,
): Promise<PaymentOutcome> {
  const payer = (await store.get(key))?.payment?.payer ?? '';
  const settlement = { transaction: key, payer };
  const job = kind === 'job' ? await store.jobOf(key) : null;
  if (job !== null) return { kind: 'job', id: job, settlement };
  const response = await store.paidResponse(key);
  // A job that has failed at this moment has released its payment.
  if (response === null) throw new PaymentProblem(kind === 'job' ? 'payment_in_progress' : 'result_expired');
  const location = response.headers[LOCATION];
  const path = location ?? response.headers[LINKED];
  const result = path === undefined ? response : await store.getResult(resultIdIn(path));
  // The payer may have deleted the result.
  if (result === null) throw new PaymentProblem('result_expired');
  const { gzip: body } = location === undefined ? response : result;
  const isProtected = response.headers[PROTECTED] !== undefined;
  const receipt = response.headers[RECEIPT];
  return { kind: 'replay', gzip: body, location, isProtected, settlement: { ...settlement, receipt } };
}
