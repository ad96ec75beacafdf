// The values in the stores of `fill-states.ts`. The fixture was written with them: they never change.

/** Clock of the filled stores: 2026-11-21T12:00:00Z. */
export const NOW_MS = 1_795_262_400_000;

export const PURCHASE = { fingerprint: 'fingerprint', price: 9_007_199_254_740_995n, product: 'structure' };
export const RESPONSE = {
  status: 200,
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  gzip: new Uint8Array([1, 2, 3]),
  expiresMs: NOW_MS + 3_600_000,
};
export const ANSWER = bytesOf('{"value":"answer"}');
export const COST = bytesOf('0.25');

/** The chain's facts about a payment, with amounts beyond the whole numbers of a double. */
export function paymentOf(key: string) {
  const amounts = { credited: 9_007_199_254_740_993n, slot: 4_611_686_018_427_387_905n };
  return { payer: `payer of ${key}`, ...amounts, memo: `memo of ${key}` };
}

export function resultOf(id: string) {
  const times = { createdMs: NOW_MS, expiresMs: NOW_MS + 3_600_000 };
  return { id, gzip: bytesOf(`result ${id}`), etag: '"0123"', ...times };
}

export function payloadOf(id: string): Uint8Array {
  return bytesOf(`payload of ${id}`);
}

function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text));
}
