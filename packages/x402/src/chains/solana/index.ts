// Payments on Solana: the port `Chain` over JSON-RPC endpoints.
import { isAddress } from '@solana/kit';
import type { Chain, Finality, Finding } from '../../gate/chain.ts';
import type { PaymentKey } from '../../ledger/ledger.ts';
import { MalformedAnswer, readArray, readBase58, readCount, readObject } from './answers.ts';
import type { Fetch } from '../../gate/http.ts';
import { RpcError, RPC_LIMITS, type RpcLimits, type Timers } from './endpoint.ts';
import { type WalletFunds, fundsQuery } from './funds.ts';
import { canBeSignature, readKey } from './keys.ts';
import { x402NamesOf, type SolanaNetwork, type X402Names } from './networks.ts';
import { blockTimeMs, isSigned, partialQuery, readPartial } from './partial.ts';
import { createRpcPool, type RpcPool, type RpcQuery } from './pool.ts';
import { associatedTokenAccount } from './programs.ts';
import { searchQuery, type SearchResult, type WantedPayment } from './search.ts';
import { isMessageSigned } from './signed-message.ts';
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
import { judgeTransaction, type SolanaRule } from './verdict.ts';

export type { Fetch } from '../../gate/http.ts';
export { MalformedAnswer } from './answers.ts';
export { RpcError, RPC_LIMITS, type RpcErrorKind, type RpcLimits, type Timers } from './endpoint.ts';
export type { WalletFunds } from './funds.ts';
export { SOLANA_NETWORKS, x402NamesOf, type SolanaNetwork, type X402Names } from './networks.ts';
export { associatedTokenAccount } from './programs.ts';
export type { SearchResult, WantedPayment } from './search.ts';
export type { NetworkIssue, NetworkIssueCode, SelfTest } from './self-test.ts';
export { readTransaction, type Balances, type SolanaTransaction, type TokenBalance } from './transaction.ts';
export { USDC_DECIMALS } from './usdc.ts';
export {
  MAX_MEMO_BYTES,
  SolanaInputError,
  buildTransfer,
  checkRelayable,
  type ExpectedTransfer,
  type Lifetime,
  type PreparedTransfer,
  type Relayable,
  transferIssue,
  type TransferOrder,
} from './transfer.ts';
export { creditedAmount, judgeTransaction, type SolanaRule, type Verdict } from './verdict.ts';

/** The network, its endpoints and the recipient. */
export interface SolanaChainSettings {
  readonly network: SolanaNetwork;
  /** Address of the recipient's wallet. */
  readonly payTo: string;
  /** Address of the asset's mint. Default the network's USDC. */
  readonly mint?: string | undefined;
  /** URLs of JSON-RPC endpoints, the preferred ones first. */
  readonly endpoints: readonly string[];
  /** Number of endpoints that must agree: 1 up to all. */
  readonly quorum: number;
  /** Sends requests. Default the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly timers: Timers;
  /** Limits that replace those of {@link RPC_LIMITS}. */
  readonly limits?: Partial<RpcLimits> | undefined;
}

/** The outcome of relaying a signed transaction. */
export type Relayed =
  { readonly kind: 'sent'; readonly key: PaymentKey } | { readonly kind: 'refused'; readonly detail: string };

/** Solana behind the gate's port, with further calls for a service. */
export interface SolanaChain extends Chain {
  readonly network: SolanaNetwork;
  readonly rule: SolanaRule;
  /** The names of the network in x402. @throws PaymentProblem `chain_unavailable` when only endpoints know them */
  names(signal: AbortSignal): Promise<X402Names>;
  /** Checks the network before the service offers payments. Rejects only with the signal's reason. */
  selfTest(signal: AbortSignal): Promise<SelfTest>;
  /**
   * Prepares a transfer for a wallet to sign.
   *
   * @throws SolanaInputError for an impossible order
   * @throws PaymentProblem `chain_unavailable`
   */
  prepareTransfer(order: TransferOrder, signal: AbortSignal): Promise<PreparedTransfer>;
  /**
   * The balances of a wallet, from one endpoint. The network decides at the payment itself.
   *
   * @param owner an address
   * @throws PaymentProblem `chain_unavailable`
   */
  funds(owner: string, signal: AbortSignal): Promise<WalletFunds>;
  /** Checks that a signed transaction is an exact transfer to us. Pure. */
  checkRelayable(transaction: string): Relayable;
  /**
   * Sends a signed transaction that is {@link Relayable} to the network. `sent` does not mean included.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  relay(transaction: string, signal: AbortSignal): Promise<Relayed>;
  /**
   * Searches the payments to us by memo.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  search(wanted: WantedPayment, signal: AbortSignal): Promise<SearchResult>;
}

/**
 * An included payment that is unknown now is gone when no fork can accept its blockhash any more: after 150 blocks, at
 * three slots a block. A payment with a durable nonce may return later; no answer waits for it.
 */
const SLOTS_UNTIL_GONE = 450n;
/** With more open lookups than this, unknown payments share calls. */
const BATCHED_ABOVE = 16;
/** Code of nodes for a transaction that fails before it is sent. */
const PREFLIGHT_FAILED = -32_002;
/** Code of nodes for a wrong signature. */
const SIGNATURE_INVALID = -32_003;

/**
 * Creates Solana behind the gate's port.
 *
 * @throws SolanaInputError that lists every wrong setting
 */
export async function createSolanaChain(settings: SolanaChainSettings): Promise<SolanaChain> {
  assertSettings(settings);
  const { network, payTo, quorum, now, timers } = settings;
  const asset = settings.mint ?? network.usdcMint;
  const rule: SolanaRule = { payTo, asset, account: await associatedTokenAccount(payTo, asset) };
  const pool = createRpcPool(settings.endpoints, quorum, {
    fetch: settings.fetch ?? ((url, init) => fetch(url, init)),
    timers,
    now,
    limits: { ...RPC_LIMITS, ...settings.limits },
  });
  let names = network.genesisHash === null ? null : x402NamesOf(network.genesisHash);

  return {
    network,
    rule,
    readKey,
    readPartial: (transaction) => readPartial(transaction, rule),
    isSigned,
    isMessageSigned,
    find: createFind(pool, createSignatureStatuses(pool, { timers, now }), rule, now),
    findPartial: (partial, { sinceMs, signal }) =>
      pool.query(partialQuery(partial, sinceMs), { signal, proven: ({ kind }) => kind === 'found' }),
    finality: (key, { slot, signal }) => pool.query(finalityQuery(key, slot), { signal }),
    names: async (signal) => (names ??= x402NamesOf(await pool.query(genesisQuery, { signal }))),
    selfTest: (signal) => runSelfTest(pool, network, rule, { now, signal }),
    prepareTransfer: async (order, signal) =>
      // One endpoint suffices: no chain takes a transaction with a wrong blockhash.
      buildTransfer(order, rule, await pool.query(blockhashQuery, { signal, quorum: 1 })),
    funds: (owner, signal) => pool.query(fundsQuery(owner, asset), { signal, quorum: 1 }),
    checkRelayable: (transaction) => checkRelayable(transaction, rule),
    relay: (transaction, signal) => pool.query(relayQuery(transaction, rule), { signal, quorum: 1 }),
    search: (wanted, signal) =>
      // One endpoint's proof suffices: the client presents the payment, and then a quorum verifies it.
      pool.query(searchQuery(wanted, rule), { signal, proven: ({ kind }) => kind === 'paid' }),
  };
}

/** Creates `Chain.find`, which checks many unknown payments in one call. */
function createFind(
  pool: RpcPool,
  statuses: SignatureStatuses,
  rule: SolanaRule,
  now: () => number,
): Chain['find'] {
  let underWay = 0;
  const settled = ({ kind }: Finding): boolean => kind !== 'unknown';

  return async (key, { waitMs, signal }) => {
    if (!canBeSignature(key)) return { kind: 'unknown', forGood: true };
    underWay++;
    try {
      const untilMs = now() + waitMs;
      if (underWay > BATCHED_ABOVE && !(await statuses.isKnown(key, { waitMs, signal })))
        return { kind: 'unknown' };
      const leftMs = Math.max(0, untilMs - now());
      return await pool.query(findQuery(key, rule), { signal, waitMs: leftMs, settled });
    } finally {
      underWay--;
    }
  };
}

function assertSettings({ payTo, mint, endpoints, quorum }: SolanaChainSettings): void {
  const issues: string[] = [];
  if (!isAddress(payTo)) issues.push('payTo is not an address of Solana.');
  if (mint !== undefined && !isAddress(mint)) issues.push('mint is not an address of Solana.');
  if (endpoints.length === 0) issues.push('endpoints is empty: at least one URL is needed.');
  endpoints.forEach((url, index) => {
    // The URL may hold a secret.
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
      issues.push(`Endpoint ${index + 1} is not an http or https URL.`);
  });
  if (new Set(endpoints).size !== endpoints.length)
    issues.push('endpoints names one URL twice: it would vote twice.');
  if (!Number.isInteger(quorum) || quorum < 1 || quorum > Math.max(1, endpoints.length)) {
    issues.push(`quorum is not a whole number from 1 to the number of endpoints, ${endpoints.length}.`);
  }
  if (issues.length > 0) throw new SolanaInputError(issues);
}

function findQuery(key: PaymentKey, rule: SolanaRule): RpcQuery<Finding> {
  return async (call, signal) => {
    const transaction = await fetchTransaction(key, call, signal);
    if (transaction === null) return { kind: 'unknown' };
    const verdict = judgeTransaction(key, transaction, rule);
    if (verdict.kind !== 'found') return verdict;
    const timeMs = transaction.timeMs ?? (await blockTimeMs(Number(transaction.slot), call, signal));
    if (timeMs === null) throw new MalformedAnswer('blockTime', 'known');
    return { ...verdict, timeMs };
  };
}

function finalityQuery(key: PaymentKey, slot: bigint | undefined): RpcQuery<Finality> {
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
    // A node without the history of the slot does not prove anything.
    const first = BigInt(readCount(await call('getFirstAvailableBlock', [], signal), 'slot'));
    return first > slot ? 'pending' : 'vanished';
  };
}

const genesisQuery: RpcQuery<string> = async (call, signal) =>
  readBase58(await call('getGenesisHash', [], signal), 'answer', 44);

const blockhashQuery: RpcQuery<{ blockhash: string; lastValidBlockHeight: bigint }> = async (
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

function relayQuery(transaction: string, rule: SolanaRule): RpcQuery<Relayed> {
  return async (call, signal) => {
    const checked = checkRelayable(transaction, rule);
    if (checked.kind === 'refused') return checked;
    try {
      const options = { encoding: 'base64', preflightCommitment: 'confirmed' };
      await call('sendTransaction', [transaction, options], signal);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.rpcCode === SIGNATURE_INVALID)
        return { kind: 'refused', detail: 'One of its signatures is wrong.' };
      if (error.rpcCode !== PREFLIGHT_FAILED) throw error;
      // An earlier try sent it, and its answer was lost.
      if (error.transactionError === 'AlreadyProcessed') return { kind: 'sent', key: checked.key };
      return { kind: 'refused', detail: 'The network would not take it: it was tried out, and failed.' };
    }
    return { kind: 'sent', key: checked.key };
  };
}
