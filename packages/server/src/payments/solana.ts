// Payments on Solana, from the settings: the chain behind its RPC endpoints, the facilitator if there is one, and the
// gate before both. The only file of the server that names a chain; loaded only where payments are taken.
import {
  type Clock,
  createFacilitator,
  createGate,
  type Facilitator,
  PaymentProblem,
  systemClock,
} from '@grainline/x402';
import {
  createSolanaChain,
  type Funds,
  type SelfTest,
  SOLANA_NETWORKS,
  type SolanaChain,
  SolanaInputError,
  USDC_DECIMALS,
  type X402Names,
} from '@grainline/x402/solana';
import type { Logger } from 'pino';
import type { Meters } from '../metrics/meters.ts';
import type { Settings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import { Fault } from '../errors.ts';
import { type PeriodicTask, type PaymentNetwork, PaymentsFault, type PaymentConnection } from './payments.ts';
import { recheckPayments } from './recheck.ts';
import type { Transfers } from './transfers.ts';

/** What stands behind payments on Solana. */
export interface SolanaParts {
  readonly settings: Settings;
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
  /** Watches the chain and its endpoints. */
  readonly meters?: Pick<Meters, 'chain' | 'rpc'>;
}

/** Endpoints that the networks offer to everybody. */
const PUBLIC_ENDPOINTS: Readonly<Record<Settings['network'], string>> = {
  'solana-mainnet': 'https://api.mainnet-beta.solana.com',
  'solana-devnet': 'https://api.devnet.solana.com',
  'solana-localnet': 'http://127.0.0.1:8899',
};
/** Finality takes some 13 s; a pass asks no more than an endpoint takes from everybody in the meantime. */
const RECHECK_MS = 30_000;
const RECHECKED_AT_ONCE = 100;
/** What facilitators take may change: often enough that nobody pays to a fee payer of yesterday. */
const FACILITATOR_REFRESH_MS = 5 * 60_000;

/**
 * Creates the place where payments are made; asks nobody anything yet.
 *
 * @throws SolanaInputError when an address is none
 */
export async function createSolanaNetwork(parts: SolanaParts, payTo: string): Promise<PaymentNetwork> {
  const { settings, now, meters } = parts;
  const { network, usdcMint, solanaRpcUrls: urls, rpcQuorum } = settings;
  const endpoints = urls.length === 0 ? [PUBLIC_ENDPOINTS[network]] : urls;
  const made = await createSolanaChain({
    network: SOLANA_NETWORKS[network],
    payTo,
    ...(usdcMint === undefined ? {} : { mint: usdcMint }),
    endpoints,
    quorum: rpcQuorum,
    now,
    timers: systemClock,
    ...(meters === undefined ? {} : { fetch: meters.rpc(endpoints, (url, init) => fetch(url, init)) }),
  });
  const chain = meters?.chain(made) ?? made;
  return { rule: chain.rule, connect: (signal) => connectTo(chain, parts, signal) };
}

async function connectTo(
  chain: SolanaChain,
  parts: SolanaParts,
  signal: AbortSignal,
): Promise<PaymentConnection> {
  const { settings, store, now, log } = parts;
  refuseFaults(await chain.selfTest(signal), log);
  const { caip2, v1 } = await chain.names(signal);
  const facilitator = await openFacilitator(settings, { caip2, v1 }, signal);
  const gate = createGate({
    chain,
    ledger: store,
    ...(facilitator === undefined ? {} : { facilitator }),
    network: { name: settings.network, caip2, v1 },
    asset: { decimals: USDC_DECIMALS },
    policy: {
      waitMs: settings.paymentWaitMs,
      leaseMs: settings.paymentLeaseMs,
      maxAgeMs: settings.paymentMaxAgeS * 1000,
      notBeforeMs: settings.paymentsNotBefore ?? 0,
      binding: settings.paymentBinding,
      // Those who send a text wait in a place: half of them are kept for others.
      maxWaiting: Math.floor(settings.maxInWork / 2),
    },
    clock: clockOf(now),
    log: (message, facts) => log.warn(facts, message),
  });
  const tasks: PeriodicTask[] = [recheck(chain, parts)];
  if (facilitator !== undefined) tasks.push(refresh(facilitator));
  return { gate, transfers: createTransfers(chain, parts), tasks };
}

function recheck(chain: SolanaChain, { store, now, log }: SolanaParts): PeriodicTask {
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

/** @throws PaymentsFault naming everything that makes payments impossible; PaymentProblem when nobody answers */
function refuseFaults({ kind, faults, silent }: SelfTest, log: Logger): void {
  for (const { code, detail, fatal, endpoints } of faults) {
    if (!fatal) log.warn({ code, endpoints }, detail);
  }
  for (const fault of silent) log.warn({ endpoint: fault.endpoint }, fault.message);
  const fatal = faults.filter((fault) => fault.fatal);
  if (fatal.length > 0) {
    throw new PaymentsFault(
      fatal.map(({ detail, endpoints }) => `${detail} (${endpointNames(endpoints)} of SOLANA_RPC_URLS)`),
    );
  }
  if (kind === 'unreachable') throw new PaymentProblem('chain_unavailable');
}

function endpointNames(endpoints: readonly number[]): string {
  return `endpoint ${endpoints.join(', ')}`;
}

/** @throws PaymentsFault when it does not take what we sell; PaymentProblem when it does not answer */
async function openFacilitator(
  { facilitatorUrl: url, facilitatorAuth: authorization, network }: Settings,
  { caip2, v1 }: X402Names,
  signal: AbortSignal,
): Promise<Facilitator | undefined> {
  if (url === undefined) return undefined;
  const facilitator = createFacilitator({ url, ...(authorization === undefined ? {} : { authorization }) });
  const kinds = await facilitator.refresh(signal);
  if (!kinds.some((kind) => kind.network === caip2 || kind.network === v1)) {
    throw new PaymentsFault([
      `The facilitator at X402_FACILITATOR_URL settles no "exact" payments on ${network} (${caip2}).`,
    ]);
  }
  return facilitator;
}

function createTransfers(chain: SolanaChain, { settings, now }: SolanaParts): Transfers {
  return {
    async prepare(order, signal) {
      try {
        const prepared = await chain.prepareTransfer(order, signal);
        // The order makes sense: its payer is an address.
        refusePoor(await chain.funds(order.payer, signal), order.amount);
        return prepared;
      } catch (error) {
        if (error instanceof SolanaInputError) throw refused(error.message);
        throw error;
      }
    },
    async send(transaction, amounts, signal) {
      const checked = chain.checkRelayable(transaction);
      if (checked.kind === 'refused') throw refused(checked.detail);
      if (!amounts.includes(checked.amount))
        throw refused(
          `It pays ${checked.amount}, which is the price of no tier here; ask POST /payment/transaction for one that fits.`,
        );
      const relayed = await chain.relay(transaction, signal);
      if (relayed.kind === 'refused') throw refused(relayed.detail);
      return relayed.key;
    },
    // What is older buys nothing that it has not bought.
    find: (wanted, signal) =>
      chain.search({ ...wanted, sinceMs: now() - settings.paymentMaxAgeS * 1000 }, signal),
  };
}

/** What the network takes for the transfer: one signature, and a priority fee of next to nothing. */
const FEE_LAMPORTS = 5_100n;

/** Says what is missing before anybody is asked to sign. */
function refusePoor({ asset, lamports }: Funds, amount: bigint): void {
  if (asset === null)
    throw refused('The wallet has no account for USDC on this network: send it some first.');
  if (asset < amount)
    throw refused(
      `The wallet holds ${dollars(asset)} USDC on this network, and ${dollars(amount)} are to be paid: send it more first.`,
    );
  if (lamports < FEE_LAMPORTS)
    throw refused('The wallet has no SOL for the fee of the network: send it some first.');
}

function dollars(amount: bigint): string {
  return (Number(amount) / 10 ** USDC_DECIMALS).toLocaleString('en-US', {
    maximumFractionDigits: USDC_DECIMALS,
    useGrouping: false,
  });
}

function refused(detail: string): Fault {
  return new Fault('invalid_transfer', { detail });
}

function clockOf(now: () => number): Clock {
  return { ...systemClock, now };
}
