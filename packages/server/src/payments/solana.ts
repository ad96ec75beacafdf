// Payments on Solana, from the settings: the chain behind its RPC endpoints, the optional facilitator, and the gate.
// This file and refunds.ts alone name a chain. They are loaded only where payments are taken or given back.
import {
  type Chain,
  type Clock,
  createFacilitator,
  createGate,
  type Facilitator,
  PaymentProblem,
  systemClock,
} from '@grainline/x402';
import {
  createSolanaChain,
  type WalletFunds,
  type SelfTest,
  SOLANA_NETWORKS,
  type SolanaChain,
  SolanaInputError,
  USDC_DECIMALS,
  type X402Names,
} from '@grainline/x402/solana';
import type { Logger } from 'pino';
import type { ChainSettings, Settings } from '../settings/settings.ts';
import { RESULT_LIFETIME_MS } from '../store/result-id.ts';
import type { Store } from '../store/store.ts';
import { HttpError } from '../errors/http-error.ts';
import {
  type PeriodicTask,
  type PaymentNetwork,
  PaymentsSetupError,
  type PaymentConnection,
} from './payments.ts';
import { recheckPayments } from './recheck.ts';
import type { TransferPort } from './transfers.ts';

/** Dependencies of {@link createSolanaNetwork}. */
export interface SolanaDeps {
  readonly settings: Settings;
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
  /** Measures the chain and its endpoints. */
  readonly meters?: NetworkMeters | undefined;
}

/** Measures lookups of payments and calls of RPC endpoints. */
export interface NetworkMeters {
  chain<Watched extends Pick<Chain, 'find'>>(chain: Watched): Watched;
  /** Calls are counted by the endpoint's number, because its address may hold a key. */
  rpc(endpoints: readonly string[], fetch: RpcFetch): RpcFetch;
}

/** The part of `fetch` that RPC calls need. */
export type RpcFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Public endpoints of the networks. */
const PUBLIC_ENDPOINTS: Readonly<Record<Settings['network'], string>> = {
  'solana-mainnet': 'https://api.mainnet-beta.solana.com',
  'solana-devnet': 'https://api.devnet.solana.com',
  'solana-localnet': 'http://127.0.0.1:8899',
};
/** Finality takes some 13 s. A pass stays within the rate of public endpoints. */
const RECHECK_MS = 30_000;
const RECHECKED_AT_ONCE = 100;
/** A facilitator may change its fee payer: a short interval keeps offers current. */
const FACILITATOR_REFRESH_MS = 5 * 60_000;

/**
 * Creates the network. It makes no call yet.
 *
 * @throws SolanaInputError when an address is none
 */
export async function createSolanaNetwork(deps: SolanaDeps, payTo: string): Promise<PaymentNetwork> {
  const { settings, now, meters } = deps;
  const made = await createChain(settings, payTo, now, meters);
  const chain = meters?.chain(made) ?? made;
  return { rule: chain.rule, connect: (signal) => connectTo(chain, deps, signal) };
}

/**
 * The chain of the settings, with the payments to an address.
 *
 * @throws SolanaInputError
 */
export function createChain(
  { network, usdcMint, solanaRpcUrls: urls, rpcQuorum }: ChainSettings,
  payTo: string,
  now: () => number,
  meters?: Pick<NetworkMeters, 'rpc'>,
): Promise<SolanaChain> {
  const endpoints = urls.length === 0 ? [PUBLIC_ENDPOINTS[network]] : urls;
  return createSolanaChain({
    network: SOLANA_NETWORKS[network],
    payTo,
    mint: usdcMint,
    endpoints,
    quorum: rpcQuorum,
    now,
    timers: systemClock,
    fetch: meters?.rpc(endpoints, (url, init) => fetch(url, init)),
  });
}

async function connectTo(
  chain: SolanaChain,
  deps: SolanaDeps,
  signal: AbortSignal,
): Promise<PaymentConnection> {
  const { settings, store, now, log } = deps;
  assertSelfTest(await chain.selfTest(signal), log);
  const { caip2, v1 } = await chain.names(signal);
  const facilitator = await openFacilitator(settings, { caip2, v1 }, signal);
  const gate = createGate({
    chain,
    ledger: store,
    facilitator,
    network: { name: settings.network, caip2, v1 },
    asset: { decimals: USDC_DECIMALS },
    policy: {
      waitMs: settings.paymentWaitMs,
      leaseMs: settings.paymentLeaseMs,
      maxAgeMs: settings.paymentMaxAgeS * 1000,
      notBeforeMs: settings.paymentsNotBefore ?? 0,
      binding: settings.paymentBinding,
      answerMs: RESULT_LIFETIME_MS,
      // A waiting request with a text holds a place: half of the places stay free for others.
      maxWaiting: Math.floor(settings.maxInWork / 2),
    },
    clock: clockOf(now),
    log: (message, facts) => log.warn(facts, message),
  });
  const tasks: PeriodicTask[] = [recheck(chain, deps)];
  if (facilitator !== undefined) tasks.push(refresh(facilitator));
  return { gate, transfers: createTransfers(chain, deps), tasks };
}

function recheck(chain: SolanaChain, { store, now, log }: SolanaDeps): PeriodicTask {
  return {
    name: 'recheck',
    everyMs: RECHECK_MS,
    run: async (signal) => {
      await recheckPayments({ store, chain, now, log, limit: RECHECKED_AT_ONCE, signal });
    },
  };
}

function refresh(facilitator: Facilitator): PeriodicTask {
  return {
    name: 'facilitator',
    everyMs: FACILITATOR_REFRESH_MS,
    run: async (signal) => {
      await facilitator.refresh(signal);
    },
  };
}

/** @throws PaymentsSetupError naming everything that makes payments impossible; PaymentProblem without an answer */
function assertSelfTest({ kind, issues, silent }: SelfTest, log: Logger): void {
  for (const { code, detail, fatal, endpoints } of issues) {
    if (!fatal) log.warn({ code, endpoints }, detail);
  }
  for (const issue of silent) log.warn({ endpoint: issue.endpoint }, issue.message);
  const fatal = issues.filter((issue) => issue.fatal);
  if (fatal.length > 0) {
    throw new PaymentsSetupError(
      fatal.map(({ detail, endpoints }) => `${detail} (${endpointNames(endpoints)} of SOLANA_RPC_URLS)`),
    );
  }
  if (kind === 'unreachable') throw new PaymentProblem('chain_unavailable');
}

function endpointNames(endpoints: readonly number[]): string {
  return `endpoint ${endpoints.join(', ')}`;
}

/** @throws PaymentsSetupError when it does not settle these payments; PaymentProblem without an answer */
async function openFacilitator(
  { facilitatorUrl: url, facilitatorAuth: authorization, network }: Settings,
  { caip2, v1 }: X402Names,
  signal: AbortSignal,
): Promise<Facilitator | undefined> {
  if (url === undefined) return undefined;
  const facilitator = createFacilitator({ url, authorization });
  const kinds = await facilitator.refresh(signal);
  if (!kinds.some((kind) => kind.network === caip2 || kind.network === v1)) {
    throw new PaymentsSetupError([
      `The facilitator at X402_FACILITATOR_URL settles no "exact" payments on ${network} (${caip2}).`,
    ]);
  }
  return facilitator;
}

function createTransfers(chain: SolanaChain, { settings, now }: SolanaDeps): TransferPort {
  return {
    async prepare(order, signal) {
      try {
        const prepared = await chain.prepareTransfer(order, signal);
        // The transfer was prepared, so its payer is an address.
        assertFunds(await chain.funds(order.payer, signal), order.amount);
        return prepared;
      } catch (error) {
        if (error instanceof SolanaInputError) throw transferError(error.message);
        throw error;
      }
    },
    async send(transaction, amounts, signal) {
      const checked = chain.checkRelayable(transaction);
      if (checked.kind === 'refused') throw transferError(checked.detail);
      if (!amounts.includes(checked.amount))
        throw transferError(
          `It pays ${checked.amount}, which is the price of no tier here; ask POST /payment/transaction for one that fits.`,
        );
      const relayed = await chain.relay(transaction, signal);
      if (relayed.kind === 'refused') throw transferError(relayed.detail);
      return relayed.key;
    },
    // An older transfer can buy nothing new.
    find: (wanted, signal) =>
      chain.search({ ...wanted, sinceMs: now() - settings.paymentMaxAgeS * 1000 }, signal),
  };
}

/** The network's fee for the transfer: one signature and a minimal priority fee. */
const FEE_LAMPORTS = 5_100n;

/** Rejects a wallet that cannot pay before it signs. */
function assertFunds({ asset, lamports }: WalletFunds, amount: bigint): void {
  if (asset === null)
    throw transferError('The wallet has no account for USDC on this network: send it some first.');
  if (asset < amount)
    throw transferError(
      `The wallet holds ${dollars(asset)} USDC on this network, and ${dollars(amount)} are to be paid: send it more first.`,
    );
  if (lamports < FEE_LAMPORTS)
    throw transferError('The wallet has no SOL for the fee of the network: send it some first.');
}

/** An amount in USDC, without zeros at its end. */
export function dollars(amount: bigint): string {
  return (Number(amount) / 10 ** USDC_DECIMALS).toLocaleString('en-US', {
    maximumFractionDigits: USDC_DECIMALS,
    useGrouping: false,
  });
}

function transferError(detail: string): HttpError {
  return new HttpError('invalid_transfer', { detail });
}

function clockOf(now: () => number): Clock {
  return { ...systemClock, now };
}
