// The names of payments: a transaction's first signature.
import type { PaymentKey } from '../../ledger.ts';
import { decodeBase58 } from './base58.ts';

const SIGNATURE_BYTES = 64;
/** The order of the group of Ed25519, 2²⁵² + 27742317777372353535851937790883648493; its bytes, the highest first. */
const ORDER = Uint8Array.of(
  ...[0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  ...[0x14, 0xde, 0xf9, 0xde, 0xa2, 0xf7, 0x9c, 0xd6, 0x58, 0x12, 0x63, 0x1a, 0x5c, 0xf5, 0xd3, 0xed],
);
/** 64 bytes are 88 characters at most, and one for each byte when all of them are zero. */
const SIGNATURE_TEXT = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** Implements `Chain.readKey`. */
export function readKey(text: string): PaymentKey | null {
  const trimmed = text.trim();
  if (!SIGNATURE_TEXT.test(trimmed)) return null;
  const bytes = decodeBase58(trimmed, SIGNATURE_BYTES);
  // Bytes have one text, so that what was given is the canonical one.
  return bytes === null || bytes.every((byte) => byte === 0) ? null : trimmed;
}

/**
 * False for a key that no transaction can have: the second half of a signature is a number below the order of the
 * group, the lowest byte first, and whoever verifies one refuses all others (RFC 8032, section 5.1.7; so do the
 * validators). Of 64 random bytes, fifteen in sixteen are none.
 */
export function canBeSignature(key: PaymentKey): boolean {
  const bytes = decodeBase58(key, SIGNATURE_BYTES);
  if (bytes === null) return false;
  for (const [place, most] of ORDER.entries()) {
    const byte = bytes[SIGNATURE_BYTES - 1 - place] ?? 0;
    if (byte !== most) return byte < most;
  }
  return false;
}
