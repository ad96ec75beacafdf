// Payments for HTTP requests: what to ask for, what a proof is, whether it pays, and for what.
export * from './binding.ts';
export type * from './chain.ts';
export type * from './gate.ts';
export * from './ledger.ts';
export * from './memory-ledger.ts';
export * from './reasons.ts';
