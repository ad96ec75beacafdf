// Payments on Solana: the port `Chain` over JSON-RPC endpoints.
import { isAddress } from '@solana/kit';
import type { Chain, Finality, Finding } from '../../chain.ts';
import type { PaymentKey } from '../../ledger.ts';
import { MalformedAnswer, readArray, readBase58, readCount, readObject } from './answers.ts';
import { EndpointFault, RPC_LIMITS, type Fetch, type RpcLimits, type Timers } from './endpoint.ts';
import { type Funds, fundsQuestion } from './funds.ts';
import { canBeSignature, readKey } from './keys.ts';
import { x402NamesOf, type SolanaNetwork, type X402Names } from './networks.ts';
import { blockTimeMs, isSigned, partialQuestion, readPartial } from './partial.ts';
import { createPool, type Pool, type Question } from './pool.ts';
import { associatedTokenAccount } from './programs.ts';
import { searchQuestion, type SearchResult, type WantedPayment } from './search.ts';
import { runSelfTest, type SelfTest } from './self-test.ts';
import { createSignatureStatuses, type SignatureStatuses } from './signature-statuses.ts';
import { fetchTransaction } from './transaction.ts';
import {
  SolanaInputError,
  buildTransfer,
  checkRelayable,
  type PreparedTransfer,
  type Relayable,
  type TransferOrder,
} from './transfer.ts';
import { verdictOn, type SolanaRule } from './verdict.ts';

export { MalformedAnswer } from './answers.ts';
export {
  EndpointFault,
  RPC_LIMITS,
  type FaultKind,
  type Fetch,
  type RpcLimits,
  type Timers,
} from './endpoint.ts';
export type { Funds } from './funds.ts';
export {
  SOLANA_NETWORKS,
  USDC_DECIMALS,
  x402NamesOf,
  type SolanaNetwork,
  type X402Names,
} from './networks.ts';
export { associatedTokenAccount } from './programs.ts';
export type { SearchResult, WantedPayment } from './search.ts';
export type { NetworkFault, NetworkFaultCode, SelfTest } from './self-test.ts';
export { readTransaction, type Balances, type SolanaTransaction, type TokenBalance } from './transaction.ts';
export {
  MAX_MEMO_BYTES,
  SolanaInputError,
  buildTransfer,
  checkRelayable,
  type ExpectedTransfer,
  type Lifetime,
  type PreparedTransfer,
  type Relayable,
  transferFault,
  type TransferOrder,
} from './transfer.ts';
export { creditedAmount, verdictOn, type SolanaRule, type Verdict } from './verdict.ts';

/** How to reach a network, and who is paid on it. */
export interface SolanaChainSettings {
  readonly network: SolanaNetwork;
  /** Address of the wallet that is paid. */
  readonly payTo: string;
  /** Address of the asset's mint. Default the network's USDC. */
  readonly mint?: string;
  /** URLs of JSON-RPC endpoints, the preferred ones first. */
  readonly endpoints: readonly string[];
  /** How many endpoints must say the same before it is believed: 1 up to their number. */
  readonly quorum: number;
  /** The function that sends requests. Default the platform's. */
  readonly fetch?: Fetch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly timers: Timers;
  /** A random number from 0 up to 1. Default `Math.random`; nothing secret depends on it. */
  readonly random?: () => number;
  /** Limits that replace those of {@link RPC_LIMITS}. */
  readonly limits?: Partial<RpcLimits>;
}

/** The outcome of handing a signed transaction to the network. */
export type Relayed =
  { readonly kind: 'sent'; readonly key: PaymentKey } | { readonly kind: 'refused'; readonly detail: string };

/** Solana behind the gate's port, with what else a seller needs there. */
export interface SolanaChain extends Chain {
  readonly network: SolanaNetwork;
  readonly rule: SolanaRule;
  /** What x402 calls the network. @throws PaymentProblem `chain_unavailable` when endpoints must be asked for it */
  names(signal: AbortSignal): Promise<X402Names>;
  /** Checks everything that must hold before anybody is asked to pay. Rejects only with the signal's reason. */
  selfTest(signal: AbortSignal): Promise<SelfTest>;
  /**
   * A transfer for a wallet to sign.
   *
   * @throws SolanaInputError for an order that cannot be made
   * @throws PaymentProblem `chain_unavailable`
   */
  prepareTransfer(order: TransferOrder, signal: AbortSignal): Promise<PreparedTransfer>;
  /**
   * What a wallet holds, by the answer of one endpoint; at the payment itself the network decides.
   *
   * @param owner an address
   * @throws PaymentProblem `chain_unavailable`
   */
  funds(owner: string, signal: AbortSignal): Promise<Funds>;
  /** Whether a signed transaction is an exact transfer to us. Pure. */
  checkRelayable(transaction: string): Relayable;
  /**
   * Hands a signed transaction that is {@link Relayable} to the network. `sent` does not mean included.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  relay(transaction: string, signal: AbortSignal): Promise<Relayed>;
  /**
   * Looks among the payments to us for one whose memo alone is known.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  search(wanted: WantedPayment, signal: AbortSignal): Promise<SearchResult>;
}

/**
 * A payment that was included once and is not known now is gone when its blockhash can no longer be valid on any fork:
 * after 150 blocks, at three slots a block. Those that live by a durable nonce may return; nobody's answer waits for
 * that.
 */
const SLOTS_UNTIL_GONE = 450n;
/**
 * With more look-ups than this at the same time, or as many a second that come to nothing, those that nobody knows are
 * sorted out together.
 */
const CROWD = 16;
/** A crowd that stays away is forgotten after a second or two, however large it was. */
const LONGEST_MEMORY = 2 * CROWD;
/** What nodes answer when a transaction fails before it is sent. */
const PREFLIGHT_FAILED = -32_002;
/** And when one of its signatures is not of what it signs. */
const SIGNATURE_INVALID = -32_003;

/**
 * Solana behind the port of the gate.
 *
 * @throws SolanaInputError listing everything that is wrong with the settings
 */
export async function createSolanaChain(settings: SolanaChainSettings): Promise<SolanaChain> {
  checkSettings(settings);
  const { network, payTo, quorum, now, timers, random = Math.random } = settings;
  const asset = settings.mint ?? network.usdcMint;
  const rule: SolanaRule = { payTo, asset, account: await associatedTokenAccount(payTo, asset) };
  const pool = createPool(
    { urls: settings.endpoints, quorum, random },
    {
      fetch: settings.fetch ?? ((url, init) => fetch(url, init)),
      timers,
      now,
      limits: { ...RPC_LIMITS, ...settings.limits },
    },
  );
  let names = network.genesisHash === null ? null : x402NamesOf(network.genesisHash);

  return {
    network,
    rule,
    readKey,
    readPartial: (transaction) => readPartial(transaction, rule),
    isSigned,
    find: createFind(pool, createSignatureStatuses(pool, { timers, now }), rule, now),
    findPartial: (partial, { sinceMs, signal }) =>
      pool.ask(partialQuestion(partial, sinceMs), { signal, proven: ({ kind }) => kind === 'found' }),
    finality: (key, { slot, signal }) => pool.ask(finalityQuestion(key, slot), { signal }),
    names: async (signal) => (names ??= x402NamesOf(await pool.ask(genesisQuestion, { signal }))),
    selfTest: (signal) => runSelfTest(pool, network, rule, { now, signal }),
    prepareTransfer: async (order, signal) =>
      // One endpoint is enough: a wrong blockhash makes a transaction that no chain takes.
      buildTransfer(order, rule, await pool.ask(blockhashQuestion, { signal, quorum: 1 })),
    funds: (owner, signal) => pool.ask(fundsQuestion(owner, asset), { signal, quorum: 1 }),
    checkRelayable: (transaction) => checkRelayable(transaction, rule),
    relay: (transaction, signal) => pool.ask(relayQuestion(transaction, rule), { signal, quorum: 1 }),
    search: (wanted, signal) =>
      // One endpoint's proof is enough: whoever is told of a payment shows it, and all endpoints look at it then.
      pool.ask(searchQuestion(wanted, rule), { signal, proven: ({ kind }) => kind === 'paid' }),
  };
}

/** Creates `Chain.find`, which sorts unknown payments out together while many are looked up. */
function createFind(
  pool: Pool,
  statuses: SignatureStatuses,
  rule: SolanaRule,
  now: () => number,
): Chain['find'] {
  /** How many look-ups are under way that ask once, and how many that wait. */
  const underWay = { once: 0, waiting: 0 };
  /** Level of look-ups that came to nothing lately; `CROWD` of them are forgotten each second. */
  const vain = createLevel(CROWD, LONGEST_MEMORY, now);

  function unknown(): Finding {
    vain.add();
    return { kind: 'unknown' };
  }

  return async (key, { waitMs, alone = false, signal }) => {
    if (!canBeSignature(key)) return { kind: 'unknown', forGood: true };
    const how = waitMs > 0 ? 'waiting' : 'once';
    underWay[how]++;
    try {
      const untilMs = now() + waitMs;
      const isCrowded = underWay[how] > CROWD || vain.level() > CROWD;
      if (isCrowded && !alone && !(await statuses.isKnown(key, { waitMs, signal }))) return unknown();
      const settled = ({ kind }: Finding): boolean => kind !== 'unknown';
      const leftMs = Math.max(0, untilMs - now());
      const finding = await pool.ask(findQuestion(key, rule), { signal, waitMs: leftMs, settled });
      return finding.kind === 'unknown' ? unknown() : finding;
    } finally {
      underWay[how]--;
    }
  };
}

/** Creates a count that falls by `perSecond` each second and never exceeds `most`. */
function createLevel(
  perSecond: number,
  most: number,
  now: () => number,
): { readonly add: () => void; readonly level: () => number } {
  let filled = 0;
  let atMs = now();
  const level = (): number => {
    // Less than nothing has passed where the clock was set back.
    filled = Math.max(0, filled - (Math.max(0, now() - atMs) / 1000) * perSecond);
    atMs = now();
    return filled;
  };
  return { level, add: () => void (filled = Math.min(most, level() + 1)) };
}

function checkSettings({ payTo, mint, endpoints, quorum }: SolanaChainSettings): void {
  const faults: string[] = [];
  if (!isAddress(payTo)) faults.push('payTo is not an address of Solana.');
  if (mint !== undefined && !isAddress(mint)) faults.push('mint is not an address of Solana.');
  if (endpoints.length === 0) faults.push('endpoints is empty: at least one URL is needed.');
  endpoints.forEach((url, index) => {
    // The address itself may hold a secret.
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
      faults.push(`Endpoint ${index + 1} is not an http or https URL.`);
  });
  if (new Set(endpoints).size !== endpoints.length)
    faults.push('endpoints names one URL twice: it would vote twice.');
  if (!Number.isInteger(quorum) || quorum < 1 || quorum > Math.max(1, endpoints.length)) {
    faults.push(`quorum is not a whole number from 1 to the number of endpoints, ${endpoints.length}.`);
  }
  if (faults.length > 0) throw new SolanaInputError(faults);
}

function findQuestion(key: PaymentKey, rule: SolanaRule): Question<Finding> {
  return async (call, signal) => {
    const transaction = await fetchTransaction(key, call, signal);
    if (transaction === null) return { kind: 'unknown' };
    const verdict = verdictOn(key, transaction, rule);
    if (verdict.kind !== 'found') return verdict;
    const timeMs = transaction.timeMs ?? (await blockTimeMs(Number(transaction.slot), call, signal));
    if (timeMs === null) throw new MalformedAnswer('blockTime', 'known');
    return { ...verdict, timeMs };
  };
}

function finalityQuestion(key: PaymentKey, slot: bigint | undefined): Question<Finality> {
  return async (call, signal) => {
    const answer = await call('getSignatureStatuses', [[key], { searchTransactionHistory: true }], signal);
    const statuses = readArray(readObject(answer, 'answer')['value'], 'value', (item) => item);
    if (statuses.length !== 1) throw new MalformedAnswer('value', 'one status');
    if (statuses[0] !== null) {
      const status = readObject(statuses[0], 'status')['confirmationStatus'];
      if (typeof status !== 'string') throw new MalformedAnswer('confirmationStatus', 'a text');
      return status === 'finalized' ? 'finalized' : 'pending';
    }
    if (slot === undefined) return 'pending';
    const finalized = BigInt(readCount(await call('getSlot', [{ commitment: 'finalized' }], signal), 'slot'));
    if (finalized < slot + SLOTS_UNTIL_GONE) return 'pending';
    // A node that has forgotten so old a slot cannot say what was in it.
    const first = BigInt(readCount(await call('getFirstAvailableBlock', [], signal), 'slot'));
    return first > slot ? 'pending' : 'vanished';
  };
}

const genesisQuestion: Question<string> = async (call, signal) =>
  readBase58(await call('getGenesisHash', [], signal), 'answer', 44);

const blockhashQuestion: Question<{ blockhash: string; lastValidBlockHeight: bigint }> = async (
  call,
  signal,
) => {
  const answer = readObject(
    await call('getLatestBlockhash', [{ commitment: 'confirmed' }], signal),
    'answer',
  );
  const value = readObject(answer['value'], 'value');
  return {
    blockhash: readBase58(value['blockhash'], 'blockhash', 44),
    lastValidBlockHeight: BigInt(readCount(value['lastValidBlockHeight'], 'lastValidBlockHeight')),
  };
};

function relayQuestion(transaction: string, rule: SolanaRule): Question<Relayed> {
  return async (call, signal) => {
    const checked = checkRelayable(transaction, rule);
    if (checked.kind === 'refused') return checked;
    try {
      const options = { encoding: 'base64', preflightCommitment: 'confirmed' };
      await call('sendTransaction', [transaction, options], signal);
    } catch (error) {
      if (!(error instanceof EndpointFault)) throw error;
      if (error.rpcCode === SIGNATURE_INVALID)
        return { kind: 'refused', detail: 'One of its signatures is wrong.' };
      if (error.rpcCode !== PREFLIGHT_FAILED) throw error;
      // Sent before, perhaps by a try whose answer was lost.
      if (error.transactionError === 'AlreadyProcessed') return { kind: 'sent', key: checked.key };
      return { kind: 'refused', detail: 'The network would not take it: it was tried out, and failed.' };
    }
    return { kind: 'sent', key: checked.key };
  };
}
