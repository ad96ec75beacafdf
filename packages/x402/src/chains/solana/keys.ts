// The names of payments: a transaction's first signature.
import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import type { PaymentKey } from '../../ledger.ts';

const SIGNATURE_BYTES = 64;
/** 64 bytes are 88 characters at most, and one for each byte when all of them are zero. */
const SIGNATURE_TEXT = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** See `Chain.readKey`. */
export function readKey(text: string): PaymentKey | null {
  const trimmed = text.trim();
  if (!SIGNATURE_TEXT.test(trimmed)) return null;
  const bytes = getBase58Encoder().encode(trimmed);
  if (bytes.length !== SIGNATURE_BYTES || bytes.every((byte) => byte === 0)) return null;
  return getBase58Decoder().decode(bytes);
}
