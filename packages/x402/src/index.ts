// Payments for HTTP requests: the offer, the proof, its verification and its binding to a request.
export * from './gate/binding.ts';
export type * from './gate/chain.ts';
export * from './gate/clock.ts';
export * from './gate/create-gate.ts';
export {
  createFacilitator,
  type Facilitator,
  type FacilitatorKind,
  type FacilitatorOptions,
  type SettleOutcome,
  type Settlement,
} from './gate/facilitator.ts';
export type * from './gate/gate.ts';
export * from './ledger/ledger.ts';
export * from './ledger/ledger-states.ts';
export * from './ledger/memory-ledger.ts';
export type * from './gate/network.ts';
export { PAYMENT_RESPONSE_HEADERS } from './gate/offer.ts';
export { PROOF_HEADERS } from './gate/proof.ts';
export * from './gate/reasons.ts';
