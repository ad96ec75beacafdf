// Payments for HTTP requests: what to ask for, what a proof is, whether it pays, and for what.
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
