// Files of keys that sign receipts.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new key in PEM. */
export function keyPem(kind: 'private' | 'public' = 'private'): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return kind === 'private'
    ? privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    : publicKey.export({ format: 'pem', type: 'spki' }).toString();
}

/** Writes a file of keys, by default with one new key, in a folder of its own. */
export function writeKeyFile(text = keyPem(), mode = 0o600): string {
  const file = join(mkdtempSync(join(tmpdir(), 'grainline-receipts-')), 'receipts.pem');
  writeFileSync(file, text, { mode });
  return file;
}
