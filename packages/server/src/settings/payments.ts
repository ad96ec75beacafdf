// The settings of payments, as a part of the table in settings.ts: who is paid, on which network, and for how long a
// payment is waited for, taken and held.
import {
  integer,
  matching,
  oneOf,
  parseHttpUrl,
  parseList,
  parseMoment,
  parsePublicUrl,
  type Setting,
} from './readings.ts';

/** Their values. */
export interface PaymentSettings {
  readonly payments: 'on' | 'off';
  readonly payTo: string | undefined;
  readonly network: 'solana-mainnet' | 'solana-devnet' | 'solana-localnet';
  readonly usdcMint: string | undefined;
  readonly solanaRpcUrls: readonly string[];
  readonly rpcQuorum: number;
  readonly facilitatorUrl: string | undefined;
  readonly facilitatorAuth: string | undefined;
  readonly paymentWaitMs: number;
  readonly paymentMaxAgeS: number;
  readonly paymentBinding: 'offer' | 'require' | 'off';
  readonly paymentsNotBefore: number | undefined;
  readonly paymentLeaseMs: number;
  readonly deploymentId: string;
}

/** 32 bytes in base58: without 0, O, I and l. */
const BASE58_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Each, in the order in which the docs show them. */
export const PAYMENT_SETTINGS: { readonly [Key in keyof PaymentSettings]: Setting<PaymentSettings[Key]> } = {
  payments: {
    name: 'PAYMENTS',
    group: 'payments',
    default: 'on',
    meaning:
      'Whether paid tiers are paid for. Off, every tier that is built costs nothing; pages are counted on the free tier alone: for a service of your own.',
    ...oneOf(['on', 'off']),
  },
  payTo: {
    name: 'PAY_TO',
    group: 'payments',
    default: '',
    meaning:
      'Wallet that is paid: an address, never a key. Its token account for USDC must exist. Without it paid tiers are listed as unavailable.',
    ...matching(BASE58_ADDRESS, 'address', 'a Solana address of 32 to 44 letters and digits'),
  },
  network: {
    name: 'NETWORK',
    group: 'payments',
    default: 'solana-mainnet',
    meaning: 'Network on which payments are made; it decides the defaults of the two settings below.',
    ...oneOf(['solana-mainnet', 'solana-devnet', 'solana-localnet']),
  },
  usdcMint: {
    name: 'USDC_MINT',
    group: 'payments',
    default: '',
    defaultText: "the network's USDC",
    meaning: 'Mint of the token that is taken.',
    ...matching(BASE58_ADDRESS, 'address', 'a Solana address of 32 to 44 letters and digits'),
  },
  solanaRpcUrls: {
    name: 'SOLANA_RPC_URLS',
    group: 'payments',
    default: '',
    defaultText: "the network's public endpoint",
    meaning:
      'RPC endpoints that are asked about payments. The public ones are slow and limit their callers: name your own. Logs name only their hosts.',
    unit: 'list of URLs',
    expected: 'a list of http or https addresses',
    isSecret: true,
    parse: (text) => parseList(text, parseHttpUrl),
  },
  rpcQuorum: {
    name: 'RPC_QUORUM',
    group: 'payments',
    default: '1',
    meaning: 'Endpoints that must say the same of a payment before it counts.',
    ...integer('endpoints', 1, 16),
  },
  facilitatorUrl: {
    name: 'X402_FACILITATOR_URL',
    group: 'payments',
    default: '',
    meaning:
      'Facilitator that completes and settles the payments of x402 clients. Without it, only transaction signatures are taken.',
    unit: 'URL',
    expected: 'an http or https address without user, query and fragment',
    parse: parsePublicUrl,
  },
  facilitatorAuth: {
    name: 'X402_FACILITATOR_AUTH',
    group: 'payments',
    default: '',
    meaning: 'What the facilitator wants in Authorization, such as Bearer and a key. Never logged.',
    isSecret: true,
    ...matching(/^[\x20-\x7e]+$/, 'header value', 'a header value in ASCII'),
  },
  paymentWaitMs: {
    name: 'PAYMENT_WAIT_MS',
    group: 'payments',
    default: '10000',
    meaning:
      'How long a request waits for its payment to be confirmed, or for another request that has the same payment. Times for a whole request and for a quiet connection are longer by this much.',
    ...integer('ms', 0, 60_000),
  },
  paymentMaxAgeS: {
    name: 'PAYMENT_MAX_AGE_S',
    group: 'payments',
    default: '86400',
    meaning: 'Oldest transaction that is taken at its first use.',
    ...integer('s', 60, 365 * 86_400),
  },
  paymentBinding: {
    name: 'PAYMENT_BINDING',
    group: 'payments',
    default: 'offer',
    meaning:
      'Whether a payment must name its request in its memo, so that nobody else can use a signature that is public: offered to payers, required of them (advised for public services), or off.',
    ...oneOf(['offer', 'require', 'off']),
  },
  paymentsNotBefore: {
    name: 'PAYMENTS_NOT_BEFORE',
    group: 'payments',
    default: '',
    meaning:
      'Transactions before this moment are not taken: for a wallet that was paid for other things, or a store that was lost.',
    unit: 'date and time',
    expected: 'a date and time in UTC such as 2026-11-22T00:00:00Z',
    parse: parseMoment,
  },
  paymentLeaseMs: {
    name: 'PAYMENT_LEASE_MS',
    group: 'payments',
    default: '30000',
    meaning:
      'For how long a payment stays with a request that says nothing more. After a crash it can be used again when this is over.',
    ...integer('ms', 1000, 600_000),
  },
  deploymentId: {
    name: 'DEPLOYMENT_ID',
    group: 'payments',
    default: '',
    defaultText: 'the value of `DEPLOYMENT`',
    meaning:
      'Name that payments are bound to. Deployments that share PAY_TO must share the store, and need different names.',
    ...matching(/^[\w.:/-]{1,100}$/, 'name', 'a name of 1 to 100 letters, digits and . : / _ -'),
  },
};
