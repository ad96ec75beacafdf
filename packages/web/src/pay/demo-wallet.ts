// The wallet that the page has for the play chain alone, so that whoever tries the service out pays without one. Its
// key is no secret: the playground funds this one address with play money at each start.
import { getBase58Decoder, getTransactionDecoder, getTransactionEncoder } from '@solana/kit';
import type { PayingWallet } from './wallet.ts';

/** The network that it is for. */
export const PLAY_NETWORK = 'solana-localnet';

/** The private key is the SHA-256 of this text, as of every wallet that the playground makes from a seed. */
const SEED = 'grainline play wallet: page/0';

/** PKCS #8 of an Ed25519 key up to its 32 bytes (RFC 8410 section 7). */
const PKCS8 = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

interface DemoKey {
  readonly key: CryptoKey;
  readonly address: string;
}

let made: Promise<DemoKey> | undefined;

/** The demo wallet. Browsers without Ed25519 reject when it is connected. */
export const DEMO_WALLET: PayingWallet = {
  name: 'Demo wallet',
  isDemo: true,
  async connect() {
    const { key, address } = await (made ??= makeKey());
    return {
      address,
      async sign(bytes) {
        const transaction = getTransactionDecoder().decode(bytes);
        const signature = await crypto.subtle.sign('Ed25519', key, Uint8Array.from(transaction.messageBytes));
        const signatures = { ...transaction.signatures, [address]: new Uint8Array(signature) };
        return Uint8Array.from(getTransactionEncoder().encode({ ...transaction, signatures }));
      },
    };
  },
};

async function makeKey(): Promise<DemoKey> {
  const secret = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(SEED)));
  const encoded = Uint8Array.of(...PKCS8, ...secret);
  // Once so that its public half can be read, …
  const readable = await crypto.subtle.importKey('pkcs8', encoded, 'Ed25519', true, ['sign']);
  const { x = '' } = await crypto.subtle.exportKey('jwk', readable);
  const address = getBase58Decoder().decode(fromBase64Url(x));
  // … and once as wallets keep theirs.
  const key = await crypto.subtle.importKey('pkcs8', encoded, 'Ed25519', false, ['sign']);
  return { key, address };
}

function fromBase64Url(text: string): Uint8Array {
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
