// Values that the suites of the store share: their clock, a bound payment, its response and result.
import type { Lease, Purchase, VerifiedPayment } from '@grainline/x402';
import { expect } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import type { PaidResponse, StoredResult } from '../../src/store/responses.ts';

export const NOW = Date.parse('2026-11-21T12:00:00Z');
export const HOUR_MS = 3_600_000;
export const MIB = 1024 * 1024;

/** Reserves a free payment, verifies it and binds it. */
export async function bindOn(
  store: Store,
  key: string,
  leaseMs: number,
  payment: VerifiedPayment,
  purchase: Purchase,
): Promise<Lease> {
  const answer = await store.reserve(key, leaseMs);
  if (answer.kind !== 'reserved') throw new Error(`it is not free: ${answer.kind}`);
  expect(await store.recordVerified(answer.lease, payment)).toBe('held');
  expect(await store.bind(answer.lease, purchase)).toBe('held');
  return answer.lease;
}

/** A response with a lifetime of one hour. */
export function responseOf(fields: Partial<PaidResponse> = {}, nowMs = NOW): PaidResponse {
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    gzip: new Uint8Array([1, 2, 3]),
    expiresMs: nowMs + HOUR_MS,
    ...fields,
  };
}

/** A result with a lifetime of one hour. */
export function resultOf(id: string, gzip: Uint8Array = new Uint8Array([4, 5]), nowMs = NOW): StoredResult {
  return { id, gzip, etag: '"0123"', createdMs: nowMs, expiresMs: nowMs + HOUR_MS };
}
