// The paying side: a fetch that pays, the port of a wallet, and a wallet from a key pair.
export { type Clock, wait } from '../gate/clock.ts';
export type { Fetch } from '../gate/http.ts';
export { clipped } from './answer.ts';
export { PayingError, type PayingErrorCode, type PayingErrorDetails } from './errors.ts';
export { type KeypairOptions, payWithKeypair } from './keypair/pay-with-keypair.ts';
export { readKeypair } from './keypair/keypair.ts';
export {
  createPaymentMemory,
  type PaymentMemory,
  readRemembered,
  type RememberedPayment,
  writeRemembered,
} from './memory.ts';
export { USDC } from '../chains/solana/usdc.ts';
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
  FindResult,
} from './pay.ts';
export {
  type MadePayment,
  type PayingFetch,
  payingFetch,
  type PayingOptions,
  paymentOf,
} from './paying-fetch.ts';
