// A wallet like those of browsers: registered by the Wallet Standard before the page runs, with a key that cannot be
// exported. https://github.com/wallet-standard/wallet-standard
import type { Wallet } from '@grainline/playground';
import { getAddressEncoder } from '@solana/kit';
import type { Page } from 'playwright-core';

/** Features of the wallet, and the number of times that its owner declines first. */
export interface WalletWays {
  readonly signs: boolean;
  readonly sends: boolean;
  readonly declines: number;
  /** Awaited before each signature. */
  readonly waits?: () => Promise<void>;
}

/** PKCS #8 of an Ed25519 key up to its 32 bytes (RFC 8410 section 7). */
const PKCS8 = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/**
 * Adds a wallet to the page's next documents.
 *
 * @param send hands a transaction, in base64, to the network, from outside the page as extensions do
 */
export async function injectWallet(
  page: Page,
  { address, keypair }: Pick<Wallet, 'address' | 'keypair'>,
  { waits = () => Promise.resolve(), ...ways }: WalletWays,
  send: (transaction: string) => Promise<unknown>,
): Promise<void> {
  await page.exposeFunction('sendByWallet', send);
  await page.exposeFunction('waitForWallet', waits);
  const publicKey = [...getAddressEncoder().encode(address)];
  await page.addInitScript(register, {
    ...ways,
    address: String(address),
    publicKey,
    pkcs8: [...PKCS8, ...keypair.slice(0, 32)],
  });
}

interface Injected extends Omit<WalletWays, 'waits'> {
  readonly address: string;
  readonly publicKey: readonly number[];
  readonly pkcs8: readonly number[];
}

/** Runs in the page. */
function register({ signs, sends, declines, address, publicKey, pkcs8 }: Injected): void {
  const key = crypto.subtle.importKey('pkcs8', Uint8Array.from(pkcs8), 'Ed25519', false, ['sign']);
  let declined = 0;

  async function sign(transaction: Uint8Array): Promise<{ signed: Uint8Array; signature: Uint8Array }> {
    if (declined++ < declines) throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
    await (globalThis as unknown as { waitForWallet: () => Promise<void> }).waitForWallet();
    const signatures = transaction[0] ?? 0;
    const start = 1 + 64 * signatures;
    const message = transaction.slice(start);
    // A byte for the version, three of the header, one for the number of keys.
    const place = Array.from({ length: signatures }, (_, at) =>
      message.slice(5 + 32 * at, 37 + 32 * at),
    ).findIndex((signer) => signer.every((byte, at) => byte === publicKey[at]));
    if (place < 0) throw new Error('It is not for this account.');
    const signature = new Uint8Array(await crypto.subtle.sign('Ed25519', await key, message));
    const signed = transaction.slice();
    signed.set(signature, 1 + 64 * place);
    return { signed, signature };
  }

  const supportedTransactionVersions = ['legacy', 0];
  const transacting = {
    ...(signs && {
      'solana:signTransaction': {
        version: '1.0.0',
        supportedTransactionVersions,
        signTransaction: async ({ transaction }: { transaction: Uint8Array }) => [
          { signedTransaction: (await sign(transaction)).signed },
        ],
      },
    }),
    ...(sends && {
      'solana:signAndSendTransaction': {
        version: '1.0.0',
        supportedTransactionVersions,
        signAndSendTransaction: async ({ transaction }: { transaction: Uint8Array }) => {
          const { signed, signature } = await sign(transaction);
          const { sendByWallet } = globalThis as unknown as {
            sendByWallet: (base64: string) => Promise<unknown>;
          };
          await sendByWallet(btoa(String.fromCharCode(...signed)));
          return [{ signature }];
        },
      },
    }),
  };
  const chains = ['solana:localnet'];
  const account = {
    address,
    publicKey: Uint8Array.from(publicKey),
    chains,
    features: Object.keys(transacting),
  };
  const wallet = {
    version: '1.0.0',
    name: 'Test Wallet',
    icon: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
    chains,
    accounts: [account],
    features: {
      'standard:connect': { version: '1.0.0', connect: () => Promise.resolve({ accounts: [account] }) },
      ...transacting,
    },
  };
  interface Registry {
    register(wallet: unknown): void;
  }
  const announce = (registry: Registry): void => registry.register(wallet);
  addEventListener('wallet-standard:app-ready', (event) => announce((event as CustomEvent<Registry>).detail));
  dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: announce }));
}
