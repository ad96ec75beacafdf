// Keys of payments: the transaction's first signature.
import { getBase58Encoder } from '@solana/kit';
import type { PaymentKey } from '../../ledger/ledger.ts';

const base58 = getBase58Encoder();
const SIGNATURE_BYTES = 64;
/** The order of the group of Ed25519, 2²⁵² + 27742317777372353535851937790883648493; its bytes, the highest first. */
const ORDER = Uint8Array.of(
  ...[0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  ...[0x14, 0xde, 0xf9, 0xde, 0xa2, 0xf7, 0x9c, 0xd6, 0x58, 0x12, 0x63, 0x1a, 0x5c, 0xf5, 0xd3, 0xed],
);
/** 64 bytes have at most 88 characters, and 64 when all bytes are zero. */
const SIGNATURE_TEXT = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** Implements `Chain.readKey`. */
export function readKey(text: string): PaymentKey | null {
  const trimmed = text.trim();
  if (!SIGNATURE_TEXT.test(trimmed)) return null;
  const bytes = base58.encode(trimmed);
  // Bytes have one base58 text, so the given one is canonical.
  return bytes.length !== SIGNATURE_BYTES || bytes.every((byte) => byte === 0) ? null : trimmed;
}

/**
 * False for a key that no transaction can have. The second half of a signature is a number below the order of the
 * group, the lowest byte first; validators reject all others (RFC 8032, section 5.1.7). Fifteen in sixteen of random
 * keys fail this check.
 */
export function canBeSignature(key: PaymentKey): boolean {
  const bytes = base58.encode(key);
  for (const [place, most] of ORDER.entries()) {
    const byte = bytes[SIGNATURE_BYTES - 1 - place] ?? 0;
    if (byte !== most) return byte < most;
  }
  return false;
}
