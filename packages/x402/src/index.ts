// Payments for HTTP requests: what to ask for, how to read a proof of payment, whether it pays, and for which request.
export * from './binding.ts';
export type * from './chain.ts';
export * from './clock.ts';
export * from './create-gate.ts';
export {
  createFacilitator,
  type Facilitator,
  type FacilitatorKind,
  type FacilitatorOptions,
  type SettleOutcome,
  type Settlement,
} from './facilitator.ts';
export type * from './gate.ts';
export * from './ledger.ts';
export * from './memory-ledger.ts';
export type * from './network.ts';
export { PAYMENT_RESPONSE_HEADERS } from './offer.ts';
export { PROOF_HEADERS } from './proof.ts';
export * from './reasons.ts';
