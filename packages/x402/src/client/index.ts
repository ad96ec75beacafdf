// The paying side: a fetch that pays when it is asked to, what it needs of a wallet, and a wallet from a key pair.
export { wait } from '../clock.ts';
export { clipped } from './answer.ts';
export { type Clock } from './clock.ts';
export { PayingError, type PayingErrorCode, type PayingErrorDetails } from './errors.ts';
export { type KeypairOptions, payWithKeypair } from './keypair/pay-with-keypair.ts';
export { readKeypair } from './keypair/keypair.ts';
export { findByMemo, type FindByMemoOptions } from './keypair/find-by-memo.ts';
export {
  createPaymentMemory,
  type PaymentMemory,
  readRemembered,
  type RememberedPayment,
  writeRemembered,
} from './memory.ts';
export { USDC } from './offer.ts';
export type {
  Attempt,
  BeforePayment,
  DuePayment,
  FindContext,
  FindPayment,
  Pay,
  PayContext,
  PaymentAbort,
  PaymentOrder,
  Search,
} from './pay.ts';
export { type Fetch } from './sending.ts';
export {
  type MadePayment,
  type PayingFetch,
  payingFetch,
  type PayingOptions,
  paymentOf,
} from './paying-fetch.ts';
