// The names of payments: a transaction's first signature.
import type { PaymentKey } from '../../ledger.ts';
import { decodeBase58 } from './base58.ts';

const SIGNATURE_BYTES = 64;
/** 64 bytes are 88 characters at most, and one for each byte when all of them are zero. */
const SIGNATURE_TEXT = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** See `Chain.readKey`. */
export function readKey(text: string): PaymentKey | null {
  const trimmed = text.trim();
  if (!SIGNATURE_TEXT.test(trimmed)) return null;
  const bytes = decodeBase58(trimmed, SIGNATURE_BYTES);
  // Bytes have one text, so that what was given is the canonical one.
  return bytes === null || bytes.every((byte) => byte === 0) ? null : trimmed;
}
