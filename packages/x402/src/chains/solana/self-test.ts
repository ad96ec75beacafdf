// The self-test of the network at start, on every endpoint.
import { getAddressDecoder } from '@solana/kit';
import { MalformedAnswer, readArray, readBase58, readBase64, readObject, readText } from './answers.ts';
import { RpcError } from './endpoint.ts';
import type { SolanaNetwork } from './networks.ts';
import { USDC_DECIMALS } from './usdc.ts';
import type { RpcPool, RpcQuery } from './pool.ts';
import { CLOCK_SYSVAR, TOKEN_PROGRAM } from './programs.ts';
import type { SolanaRule } from './verdict.ts';

/** The code of a fault in the network or in our settings for it. */
export type NetworkIssueCode =
  | 'wrong_genesis'
  | 'mint_missing'
  | 'mint_unfit'
  | 'account_missing'
  | 'account_unfit'
  | 'account_frozen'
  | 'account_delegated'
  | 'account_closable'
  | 'clock_apart';

/** A fault that the self-test found. */
export interface NetworkIssue {
  readonly code: NetworkIssueCode;
  /** True when payments would fail or go astray: the service must not start. */
  readonly fatal: boolean;
  /** A sentence for the operator: the fault and its remedy. */
  readonly detail: string;
  /** Numbers of the endpoints that report it, from 1. */
  readonly endpoints: readonly number[];
}

/** The result of a self-test. */
export interface SelfTest {
  /** `unreachable` when fewer endpoints than the quorum answer: try again later. */
  readonly kind: 'ok' | 'faulty' | 'unreachable';
  readonly issues: readonly NetworkIssue[];
  /** Errors of the endpoints that did not answer. Their messages hold no address. */
  readonly silent: readonly RpcError[];
}

/** Faults under which payments still work. */
const WARNINGS: ReadonlySet<NetworkIssueCode> = new Set([
  'account_delegated',
  'account_closable',
  'clock_apart',
]);
/** The largest tolerated difference between our clock and the chain's. */
const MAX_CLOCKS_APART_MS = 60_000;

// Sizes and offsets in the accounts of the token program (its state.rs).
const MINT_BYTES = 82;
const MINT_DECIMALS_AT = 44;
const MINT_INITIALIZED_AT = 45;
const ACCOUNT_BYTES = 165;
const ACCOUNT_OWNER_AT = 32;
const ACCOUNT_DELEGATE_AT = 72;
const ACCOUNT_STATE_AT = 108;
const ACCOUNT_CLOSE_AUTHORITY_AT = 129;
const FROZEN = 2;
/** Offset in the clock sysvar. */
const UNIX_TIMESTAMP_AT = 32;

interface Account {
  readonly owner: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

type EndpointIssue = Pick<NetworkIssue, 'code' | 'detail'>;

/** Queries every endpoint and collects equal issues. */
export async function runSelfTest(
  pool: RpcPool,
  network: SolanaNetwork,
  rule: SolanaRule,
  { now, signal }: { readonly now: () => number; readonly signal: AbortSignal },
): Promise<SelfTest> {
  const replies = await pool.queryEach(selfTestQuery(network, rule, now), signal);
  const silent: RpcError[] = [];
  const issues = new Map<string, NetworkIssue>();
  for (const { endpoint, answer } of replies) {
    if (answer instanceof RpcError) {
      silent.push(answer);
      continue;
    }
    for (const issue of answer) {
      const endpoints = [...(issues.get(issue.detail)?.endpoints ?? []), endpoint];
      issues.set(issue.detail, { ...issue, fatal: !WARNINGS.has(issue.code), endpoints });
    }
  }
  const reached = replies.length - silent.length;
  const kind = issues.size > 0 ? 'faulty' : reached < pool.quorum ? 'unreachable' : 'ok';
  return { kind, issues: [...issues.values()], silent };
}

function selfTestQuery(
  network: SolanaNetwork,
  rule: SolanaRule,
  now: () => number,
): RpcQuery<readonly EndpointIssue[]> {
  return async (call, signal) => {
    const genesisHash = readBase58(await call('getGenesisHash', [], signal), 'answer', 44);
    if (network.genesisHash !== null && genesisHash !== network.genesisHash) {
      const detail = `The endpoint serves another chain than ${network.id}: its genesis hash is ${genesisHash}.`;
      // Every other issue there follows from this one.
      return [{ code: 'wrong_genesis', detail }];
    }
    const names = [rule.asset, rule.account, CLOCK_SYSVAR];
    const options = { commitment: 'confirmed', encoding: 'base64' };
    const answer = readObject(await call('getMultipleAccounts', [names, options], signal), 'answer');
    const accounts = readArray(answer['value'], 'value', readAccount);
    if (accounts.length !== names.length) throw new MalformedAnswer('value', 'one for each account');
    const [mint = null, account = null, clock = null] = accounts;
    return [...mintIssues(mint, rule), ...accountIssues(account, rule), ...clockIssues(clock, now())];
  };
}

function readAccount(value: unknown, path: string): Account | null {
  if (value === null) return null;
  const { owner, data } = readObject(value, path);
  return { owner: readText(owner, `${path}.owner`), bytes: readBase64(data, `${path}.data`) };
}

function mintIssues(mint: Account | null, { asset }: SolanaRule): readonly EndpointIssue[] {
  if (mint === null)
    return [
      { code: 'mint_missing', detail: `The network has no mint ${asset}. Check NETWORK and USDC_MINT.` },
    ];
  const fits =
    mint.owner === TOKEN_PROGRAM &&
    mint.bytes.length === MINT_BYTES &&
    mint.bytes[MINT_DECIMALS_AT] === USDC_DECIMALS &&
    mint.bytes[MINT_INITIALIZED_AT] === 1;
  const detail = `${asset} is not a mint of the SPL Token program with ${USDC_DECIMALS} decimals. Check USDC_MINT.`;
  return fits ? [] : [{ code: 'mint_unfit', detail }];
}

function accountIssues(account: Account | null, rule: SolanaRule): readonly EndpointIssue[] {
  const name = `The token account ${rule.account} of ${rule.payTo}`;
  const issue = (code: NetworkIssueCode, rest: string): EndpointIssue => ({
    code,
    detail: `${name} ${rest}`,
  });
  if (account === null)
    return [
      issue(
        'account_missing',
        'does not exist. Create it, for example by sending any amount of USDC to the wallet.',
      ),
    ];
  const { owner, bytes } = account;
  const addressAt = (offset: number) => getAddressDecoder().decode(bytes, offset);
  const isOurs =
    owner === TOKEN_PROGRAM &&
    bytes.length === ACCOUNT_BYTES &&
    addressAt(0) === rule.asset &&
    addressAt(ACCOUNT_OWNER_AT) === rule.payTo;
  if (!isOurs)
    return [issue('account_unfit', 'is not an account of the asset that this wallet owns. Check PAY_TO.')];
  const issues: EndpointIssue[] = [];
  if (bytes[ACCOUNT_STATE_AT] === FROZEN)
    issues.push(issue('account_frozen', 'is frozen: nothing can be paid into it.'));
  if (bytes[ACCOUNT_DELEGATE_AT] !== 0) {
    const delegate = addressAt(ACCOUNT_DELEGATE_AT + 4);
    issues.push(issue('account_delegated', `has a delegate, ${delegate}, that can take money out of it.`));
  }
  if (bytes[ACCOUNT_CLOSE_AUTHORITY_AT] !== 0)
    issues.push(issue('account_closable', `can be closed by ${addressAt(ACCOUNT_CLOSE_AUTHORITY_AT + 4)}.`));
  return issues;
}

function clockIssues(clock: Account | null, nowMs: number): readonly EndpointIssue[] {
  if (clock === null || clock.bytes.length < UNIX_TIMESTAMP_AT + 8)
    throw new MalformedAnswer('clock', 'a clock');
  const timestamp = new DataView(clock.bytes.buffer).getBigInt64(UNIX_TIMESTAMP_AT, true);
  if (Math.abs(Number(timestamp) * 1000 - nowMs) <= MAX_CLOCKS_APART_MS) return [];
  const detail =
    'The clocks of this machine and of the chain are more than a minute apart: payments may look too old.';
  return [{ code: 'clock_apart', detail }];
}
