// The settings of payments, one group of the table in settings.ts: recipient, network, and the times of a payment.
import {
  integer,
  matching,
  oneOf,
  parseFetchUrl,
  parseList,
  parseMoment,
  parsePublicUrl,
  settingGroup,
} from './parsers.ts';

/** 32 bytes in base58: without 0, O, I and l. */
const BASE58_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** In the order of the docs. */
export const PAYMENT_SETTINGS = settingGroup('payments', {
  payments: {
    name: 'PAYMENTS',
    default: 'on',
    meaning:
      'Payment for the paid tiers. With off, every tier is free, and only the free tier counts pages: for a service of your own. DEPLOYMENT, UPLOAD_KINDS and RATE_LIMIT then have wider defaults.',
    ...oneOf(['on', 'off']),
  },
  payTo: {
    name: 'PAY_TO',
    meaning:
      'Wallet that receives payments: an address, never a key. Its token account for USDC must exist. Without it paid tiers are unavailable.',
    ...matching(BASE58_ADDRESS, 'address', 'a Solana address of 32 to 44 letters and digits'),
  },
  network: {
    name: 'NETWORK',
    default: 'solana-mainnet',
    meaning: 'Network of the payments. It decides the defaults of the two settings below.',
    ...oneOf(['solana-mainnet', 'solana-devnet', 'solana-localnet']),
  },
  usdcMint: {
    name: 'USDC_MINT',
    defaultText: "the network's USDC",
    meaning: 'Mint of the accepted token.',
    ...matching(BASE58_ADDRESS, 'address', 'a Solana address of 32 to 44 letters and digits'),
  },
  solanaRpcUrls: {
    name: 'SOLANA_RPC_URLS',
    default: '',
    defaultText: "the network's public endpoint",
    meaning:
      'RPC endpoints for the lookups of payments. The public ones are slow and limit their callers: name your own. Logs name only their hosts.',
    unit: 'list of URLs',
    expected: 'a list of http or https addresses without users',
    isSecret: true,
    parse: (text) => parseList(text, parseFetchUrl),
  },
  rpcQuorum: {
    name: 'RPC_QUORUM',
    default: '1',
    meaning: 'Endpoints that must agree on a payment before it counts.',
    ...integer('endpoints', 1, 16),
  },
  facilitatorUrl: {
    name: 'X402_FACILITATOR_URL',
    meaning:
      'Facilitator that completes and settles the payments of x402 clients. Without it, only transaction signatures are accepted.',
    unit: 'URL',
    expected: 'an http or https address without user, query and fragment',
    parse: parsePublicUrl,
  },
  facilitatorAuth: {
    name: 'X402_FACILITATOR_AUTH',
    meaning: 'Value of Authorization for the facilitator, such as Bearer and a key. Never logged.',
    isSecret: true,
    ...matching(/^[\x20-\x7e]+$/, 'header value', 'a header value in ASCII'),
  },
  paymentWaitMs: {
    name: 'PAYMENT_WAIT_MS',
    default: '10000',
    meaning:
      'Longest wait of a request for the confirmation of its payment, or for another request with the same payment. The time for a whole request grows by it.',
    ...integer('ms', 0, 60_000),
  },
  paymentMaxAgeS: {
    name: 'PAYMENT_MAX_AGE_S',
    default: '86400',
    meaning: 'Largest age of a transaction at its first use.',
    ...integer('s', 60, 365 * 86_400),
  },
  paymentBinding: {
    name: 'PAYMENT_BINDING',
    default: 'offer',
    meaning:
      'Memo that binds a payment to its request, so that a public signature is useless to others: offered to payers, required of them (a payment without one then needs the signature of its payer), or off.',
    ...oneOf(['offer', 'require', 'off']),
  },
  paymentsNotBefore: {
    name: 'PAYMENTS_NOT_BEFORE',
    meaning:
      'Earliest accepted transaction: for a wallet with other earlier payments, or after the loss of a store.',
    unit: 'date and time',
    expected: 'a date and time in UTC such as 2026-11-22T00:00:00Z',
    parse: parseMoment,
  },
  paymentLeaseMs: {
    name: 'PAYMENT_LEASE_MS',
    default: '30000',
    meaning:
      'Time for which a payment stays leased to a request without a renewal. After a crash the payment is reusable when it is over.',
    ...integer('ms', 1000, 600_000),
  },
  receiptKeyFile: {
    name: 'RECEIPT_KEY_FILE',
    meaning:
      'File with the Ed25519 key that signs receipts of paid answers, in PEM, readable by its owner alone (mode 600) and the same for all servers of a deployment. Keys behind the first are retired ones: they stay published. Without it there are no receipts.',
    ...matching(/^[^\0]+$/, 'file', 'a file'),
  },
  deploymentId: {
    name: 'DEPLOYMENT_ID',
    default: '',
    defaultText: 'the value of `DEPLOYMENT`',
    meaning:
      'Name that payments are bound to. Deployments that share PAY_TO must share the store, and need different names.',
    ...matching(/^[\w.:/-]{1,100}$/, 'name', 'a name of 1 to 100 letters, digits and . : / _ -'),
  },
});
