// A key pair file of the Solana command line: a JSON array of 64 bytes, the secret half first.
import { parseJson } from '../../gate/json.ts';
import { PayingError } from '../errors.ts';

const KEYPAIR_BYTES = 64;

/**
 * The 64 bytes in the text of a key pair file.
 *
 * @throws PayingError `invalid_keypair`; its message quotes nothing of the text
 */
export function readKeypair(text: string): Uint8Array {
  // The parser's own message would quote the text.
  const bytes = parseJson(text);
  const isByte = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
  if (!Array.isArray(bytes)) throw createInvalidError('it is not a JSON array');
  if (bytes.length !== KEYPAIR_BYTES)
    throw createInvalidError(`it has ${bytes.length} members and not ${KEYPAIR_BYTES}`);
  if (!bytes.every(isByte)) throw createInvalidError('its members are not all bytes');
  return Uint8Array.from(bytes);
}

export function createInvalidError(detail: string): PayingError {
  return new PayingError('invalid_keypair', { detail });
}
