// The page's own wallet for the play chain, so that a trial needs no wallet. Its key is public: the playground funds
// this address with play money at each start.
import {
  createKeyPairSignerFromPrivateKeyBytes,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  partiallySignTransaction,
} from '@solana/kit';
import type { PayingWallet } from './wallet.ts';

/** The only network of the wallet. */
export const PLAY_NETWORK = 'solana-localnet';

/** The private key is the SHA-256 of this text, as for every wallet that the playground derives from a seed. */
const SEED = 'grainline play wallet: page/0';

let made: Promise<KeyPairSigner> | undefined;

/** The demo wallet. Its connection rejects in browsers without Ed25519. */
export const DEMO_WALLET: PayingWallet = {
  name: 'Demo wallet',
  isDemo: true,
  async connect() {
    const { address, keyPair } = await (made ??= makeSigner());
    return {
      address,
      async sign(bytes) {
        const signed = await partiallySignTransaction([keyPair], getTransactionDecoder().decode(bytes));
        return Uint8Array.from(getTransactionEncoder().encode(signed));
      },
    };
  },
};

async function makeSigner(): Promise<KeyPairSigner> {
  const secret = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(SEED));
  return createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(secret));
}
