// Signatures over text, as wallets make them: Ed25519 over the bytes, in base58 like a transaction's.
import {
  getBase58Encoder,
  getPublicKeyFromAddress,
  isAddress,
  type SignatureBytes,
  verifySignature,
} from '@solana/kit';
import type { SignedMessage } from '../../gate/chain.ts';
import { readKey } from './keys.ts';

/** Implements `Chain.isMessageSigned`. The address of a program has no key. */
export async function isMessageSigned({ address, message, signature }: SignedMessage): Promise<boolean> {
  const text = readKey(signature);
  if (text === null || !isAddress(address)) return false;
  return verifySignature(
    await getPublicKeyFromAddress(address),
    getBase58Encoder().encode(text) as SignatureBytes,
    new TextEncoder().encode(message),
  );
}
