// A key pair as the Solana command line keeps it: a JSON array of 64 bytes, the secret half first.
import { PayingError } from '../errors.ts';

const KEYPAIR_BYTES = 64;

/**
 * The 64 bytes in the text of such a file.
 *
 * @throws PayingError `invalid_keypair`; its message holds nothing of the text
 */
export function readKeypair(text: string): Uint8Array {
  const bytes = parsed(text);
  const isByte = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
  if (!Array.isArray(bytes)) throw invalid('it is not a JSON array');
  if (bytes.length !== KEYPAIR_BYTES)
    throw invalid(`it has ${bytes.length} members and not ${KEYPAIR_BYTES}`);
  if (!bytes.every(isByte)) throw invalid('its members are not all bytes');
  return Uint8Array.from(bytes);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The parser's own message quotes what it read.
    return undefined;
  }
}

export function invalid(detail: string): PayingError {
  return new PayingError('invalid_keypair', { detail });
}
