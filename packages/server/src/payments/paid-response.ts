// The stored answer of a paid request. A request that repeats its payment gets this answer.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type BindResult, PaymentProblem } from '@grainline/x402';
import type { PaidResponse, StoredResult } from '../store/responses.ts';
import { RESULT_LIFETIME_MS, resultIdIn, resultPath } from '../store/result-id.ts';
import type { Store } from '../store/store.ts';

/** The payment of an answer, as the chain reports it. */
export interface Receipt {
  readonly transaction: string;
  readonly payer: string;
}

/** The result of a paid request, and the answer in its place. */
export interface PurchasedAnswer {
  readonly result: StoredResult;
  /** The answer that links to the result. Without a link the result is the answer. */
  readonly link?: string | undefined;
}

/** The consequence of a bound payment. */
export type PaymentOutcome =
  /** The work is to be done, and committed with the session. */
  | { readonly kind: 'run'; readonly receipt: Receipt }
  /** The stored answer, compressed, and the path of its result when the result is the answer. */
  | {
      readonly kind: 'replay';
      readonly gzip: Uint8Array;
      readonly location: string | undefined;
      readonly receipt: Receipt;
    }
  /** A job does the work. */
  | { readonly kind: 'job'; readonly id: string; readonly receipt: Receipt };

/** The header with the path of the result that is the answer. */
const LOCATION = 'Content-Location';
const compress = promisify(gzip);

/** Creates the stored answer; it expires with its result. The text of an inline answer is stored in the result only. */
export async function createPaidResponse(
  { result, link }: PurchasedAnswer,
  nowMs: number,
): Promise<PaidResponse> {
  const headers = link === undefined ? { [LOCATION]: resultPath(result.id) } : {};
  return { status: 200, headers, gzip: await compress(link ?? ''), expiresMs: nowMs + RESULT_LIFETIME_MS };
}

/** Finds the earlier purchase of a payment: the job that works for it, or the stored answer. @throws PaymentProblem */
export async function findPurchase(
  { kind, key }: Exclude<BindResult, { kind: 'run' }>,
  store: Pick<Store, 'get' | 'paidResponse' | 'getResult' | 'jobOf'>,
): Promise<PaymentOutcome> {
  const payer = (await store.get(key))?.payment?.payer ?? '';
  const receipt = { transaction: key, payer };
  const job = kind === 'job' ? await store.jobOf(key) : null;
  if (job !== null) return { kind: 'job', id: job, receipt };
  const response = await store.paidResponse(key);
  // A job that has failed at this moment has released its payment.
  if (response === null) throw new PaymentProblem(kind === 'job' ? 'payment_in_progress' : 'result_expired');
  const location = response.headers[LOCATION];
  const stored = location === undefined ? response : await store.getResult(resultIdIn(location));
  // The payer may have deleted the result.
  if (stored === null) throw new PaymentProblem('result_expired');
  return { kind: 'replay', gzip: stored.gzip, location, receipt };
}
