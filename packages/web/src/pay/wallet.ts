// Wallets of the browser, found by the Wallet Standard, behind the interface that the demo wallet shares.
// https://github.com/wallet-standard/wallet-standard, https://github.com/anza-xyz/wallet-standard
import { getWallets } from '@wallet-standard/app';
import { TROUBLE } from '../texts.ts';

/** A wallet that can pay. */
export interface PayingWallet {
  readonly name: string;
  /** A `data:` image; absent for wallets without one. */
  readonly icon?: string;
  /** True for the page's own wallet with play money. */
  readonly isDemo: boolean;
  /** Requests access to the address. Rejects when the visitor declines. */
  connect(): Promise<WalletAccount>;
}

/** An account of a wallet; it has at least one of the two methods. */
export interface WalletAccount {
  readonly address: string;
  /** Signs and returns the transaction. */
  readonly sign?: (transaction: Uint8Array) => Promise<Uint8Array>;
  /** Signs, sends by the wallet's own way, and returns the first signature: 64 bytes. */
  readonly signAndSend?: (transaction: Uint8Array) => Promise<Uint8Array>;
}

/** Names of the used features in the standards. */
const CONNECT = 'standard:connect';
const SIGN = 'solana:signTransaction';
const SIGN_AND_SEND = 'solana:signAndSendTransaction';

type StandardWallet = ReturnType<ReturnType<typeof getWallets>['get']>[number];
type StandardAccount = StandardWallet['accounts'][number];

interface ConnectFeature {
  connect(): Promise<{ readonly accounts: readonly StandardAccount[] }>;
}

interface SigningInput {
  readonly account: StandardAccount;
  readonly chain: string;
  readonly transaction: Uint8Array;
}

interface SignFeature {
  readonly supportedTransactionVersions: readonly unknown[];
  signTransaction(input: SigningInput): Promise<readonly { readonly signedTransaction: Uint8Array }[]>;
}

interface SignAndSendFeature {
  readonly supportedTransactionVersions: readonly unknown[];
  signAndSendTransaction(input: SigningInput): Promise<readonly { readonly signature: Uint8Array }[]>;
}

/** The standard's name of a network: `solana-mainnet` is `solana:mainnet`. */
export function chainOf(network: string): string {
  return network.replace('-', ':');
}

/** Reports the wallets that can pay on the chain, at once and after each change. */
export function watchWallets(
  chain: string,
  onChange: (wallets: readonly PayingWallet[]) => void,
): () => void {
  const registry = getWallets();
  const tell = (): void =>
    onChange(
      registry
        .get()
        .filter((wallet) => canPay(wallet, chain))
        .map((wallet) => paying(wallet, chain)),
    );
  const ends = [registry.on('register', tell), registry.on('unregister', tell)];
  tell();
  return () => ends.forEach((end) => end());
}

function canPay({ chains, features }: StandardWallet, chain: string): boolean {
  const signs = [features[SIGN], features[SIGN_AND_SEND]].some(takesVersion0);
  return chains.some((name) => name === chain) && CONNECT in features && signs;
}

/** The service prepares transactions of version 0. */
function takesVersion0(feature: unknown): boolean {
  const { supportedTransactionVersions: versions } = Object(feature) as Partial<SignFeature>;
  return Array.isArray(versions) && versions.includes(0);
}

function paying(wallet: StandardWallet, chain: string): PayingWallet {
  return {
    name: wallet.name,
    // The standard allows only `data:` images, and the page loads no image from elsewhere.
    ...(wallet.icon.startsWith('data:image/') ? { icon: wallet.icon } : {}),
    isDemo: false,
    async connect() {
      const { accounts } = await (wallet.features[CONNECT] as ConnectFeature).connect();
      const account = accounts.find(({ chains }) => chains.some((name) => name === chain));
      if (account === undefined) throw new WrongNetworkError(wallet.name, chain);
      return connected(wallet, account, chain);
    },
  };
}

function connected({ features }: StandardWallet, account: StandardAccount, chain: string): WalletAccount {
  const may = (name: keyof typeof features): boolean =>
    takesVersion0(features[name]) && account.features.some((feature) => feature === name);
  const sign = async (transaction: Uint8Array): Promise<Uint8Array> => {
    const [signed] = await (features[SIGN] as SignFeature).signTransaction({ account, chain, transaction });
    if (signed === undefined) throw new TypeError(TROUBLE.noAnswer);
    return signed.signedTransaction;
  };
  const signAndSend = async (transaction: Uint8Array): Promise<Uint8Array> => {
    const feature = features[SIGN_AND_SEND] as SignAndSendFeature;
    const [sent] = await feature.signAndSendTransaction({ account, chain, transaction });
    if (sent === undefined) throw new TypeError(TROUBLE.noAnswer);
    return sent.signature;
  };
  return {
    address: account.address,
    ...(may(SIGN) ? { sign } : {}),
    ...(may(SIGN_AND_SEND) ? { signAndSend } : {}),
  };
}

/** The wallet has no account on the network of the payment. */
export class WrongNetworkError extends Error {
  constructor(wallet: string, chain: string) {
    super(TROUBLE.noAccount(wallet, chain));
    this.name = 'WrongNetworkError';
  }
}

/** True for a wallet's report that its user declined: code 4001 (EIP-1193), or a message. */
export function isDeclined(error: unknown): boolean {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  return code === 4001 || (typeof message === 'string' && /reject|declin|denied|cancel/i.test(message));
}
