// What must hold of the network before anybody is asked to pay: looked at on every endpoint, at start.
import { getAddressDecoder, getBase64Encoder } from '@solana/kit';
import { MalformedAnswer, isJsonObject, readArray, readBase58, readObject, readText } from './answers.ts';
import { EndpointFault } from './endpoint.ts';
import { USDC_DECIMALS, type SolanaNetwork } from './networks.ts';
import type { Pool, Question } from './pool.ts';
import { CLOCK_SYSVAR, TOKEN_PROGRAM } from './programs.ts';
import type { SolanaRule } from './verdict.ts';

/** What may be wrong with a network, or with how we stand on it. */
export type NetworkFaultCode =
  | 'wrong_genesis'
  | 'mint_missing'
  | 'mint_unfit'
  | 'account_missing'
  | 'account_unfit'
  | 'account_frozen'
  | 'account_delegated'
  | 'account_closable'
  | 'clock_apart';

/** Something that is not as it must be. */
export interface NetworkFault {
  readonly code: NetworkFaultCode;
  /** True when payments cannot work, or would go astray: do not start. */
  readonly fatal: boolean;
  /** A sentence for the operator: what is wrong, and what to do. */
  readonly detail: string;
  /** Numbers of the endpoints that say so, from 1. */
  readonly endpoints: readonly number[];
}

/** What a self-test found. */
export interface SelfTest {
  /** `unreachable` when fewer endpoints answer than must agree: try again later. */
  readonly kind: 'ok' | 'faulty' | 'unreachable';
  readonly faults: readonly NetworkFault[];
  /** Endpoints that did not answer. Their messages hold no address. */
  readonly silent: readonly EndpointFault[];
}

/** How far our clock and the chain's may be apart. */
const MAX_CLOCKS_APART_MS = 60_000;

/** Sizes and places in the accounts of the token program (its state.rs). */
const MINT_BYTES = 82;
const MINT_DECIMALS_AT = 44;
const MINT_INITIALIZED_AT = 45;
const ACCOUNT_BYTES = 165;
const ACCOUNT_OWNER_AT = 32;
const ACCOUNT_DELEGATE_AT = 72;
const ACCOUNT_STATE_AT = 108;
const ACCOUNT_CLOSE_AUTHORITY_AT = 129;
const FROZEN = 2;
/** In the clock sysvar. */
const UNIX_TIMESTAMP_AT = 32;

interface Account {
  readonly owner: string;
  readonly bytes: Uint8Array;
}

type Found = Omit<NetworkFault, 'endpoints'>;

export async function runSelfTest(
  pool: Pool,
  network: SolanaNetwork,
  rule: SolanaRule,
  { now, signal }: { readonly now: () => number; readonly signal: AbortSignal },
): Promise<SelfTest> {
  const survey = await pool.survey(question(network, rule, now), signal);
  const silent = survey.flatMap(({ answer }) => (answer instanceof EndpointFault ? [answer] : []));
  const faults = new Map<string, NetworkFault>();
  for (const { endpoint, answer } of survey) {
    if (answer instanceof EndpointFault) continue;
    for (const fault of answer) {
      const text = `${fault.code} ${fault.detail}`;
      faults.set(text, { ...fault, endpoints: [...(faults.get(text)?.endpoints ?? []), endpoint] });
    }
  }
  const reached = survey.length - silent.length;
  const kind = faults.size > 0 ? 'faulty' : reached < pool.quorum ? 'unreachable' : 'ok';
  return { kind, faults: [...faults.values()], silent };
}

function question(network: SolanaNetwork, rule: SolanaRule, now: () => number): Question<readonly Found[]> {
  return async (call, signal) => {
    const genesisHash = readBase58(await call('getGenesisHash', [], signal), 'answer', 44);
    if (network.genesisHash !== null && genesisHash !== network.genesisHash) {
      const detail = `The endpoint serves another chain than ${network.id}: its genesis hash is ${genesisHash}.`;
      // Whatever else is wrong there follows from it.
      return [{ code: 'wrong_genesis', fatal: true, detail }];
    }
    const names = [rule.asset, rule.account, CLOCK_SYSVAR];
    const options = { commitment: 'confirmed', encoding: 'base64' };
    const answer = readObject(await call('getMultipleAccounts', [names, options], signal), 'answer');
    const accounts = readArray(answer['value'], 'value', readAccount);
    if (accounts.length !== names.length) throw new MalformedAnswer('value', 'one for each account');
    const [mint = null, account = null, clock = null] = accounts;
    return [...mintFaults(mint, rule), ...accountFaults(account, rule), ...clockFaults(clock, now())];
  };
}

function readAccount(value: unknown, path: string): Account | null {
  if (value === null) return null;
  if (!isJsonObject(value)) throw new MalformedAnswer(path, 'an account');
  const [text, encoding] = readArray(value['data'], `${path}.data`, readText);
  if (text === undefined || encoding !== 'base64') throw new MalformedAnswer(`${path}.data`, 'base64');
  try {
    return {
      owner: readText(value['owner'], `${path}.owner`),
      bytes: new Uint8Array(getBase64Encoder().encode(text)),
    };
  } catch {
    throw new MalformedAnswer(`${path}.data`, 'base64');
  }
}

function mintFaults(mint: Account | null, { asset }: SolanaRule): readonly Found[] {
  if (mint === null) {
    return [
      {
        code: 'mint_missing',
        fatal: true,
        detail: `The network has no mint ${asset}. Check NETWORK and USDC_MINT.`,
      },
    ];
  }
  const fits =
    mint.owner === TOKEN_PROGRAM &&
    mint.bytes.length === MINT_BYTES &&
    mint.bytes[MINT_DECIMALS_AT] === USDC_DECIMALS &&
    mint.bytes[MINT_INITIALIZED_AT] === 1;
  const detail = `${asset} is not a mint of the SPL Token program with ${USDC_DECIMALS} decimals. Check USDC_MINT.`;
  return fits ? [] : [{ code: 'mint_unfit', fatal: true, detail }];
}

function accountFaults(account: Account | null, rule: SolanaRule): readonly Found[] {
  const name = `The token account ${rule.account} of ${rule.payTo}`;
  if (account === null) {
    const detail = `${name} does not exist. Create it, for example by sending any amount of USDC to the wallet.`;
    return [{ code: 'account_missing', fatal: true, detail }];
  }
  const { owner, bytes } = account;
  const addressAt = (offset: number) => getAddressDecoder().decode(bytes, offset);
  if (
    owner !== TOKEN_PROGRAM ||
    bytes.length !== ACCOUNT_BYTES ||
    addressAt(0) !== rule.asset ||
    addressAt(ACCOUNT_OWNER_AT) !== rule.payTo
  ) {
    const detail = `${name} is not an account of the asset that this wallet owns. Check PAY_TO.`;
    return [{ code: 'account_unfit', fatal: true, detail }];
  }
  const faults: Found[] = [];
  if (bytes[ACCOUNT_STATE_AT] === FROZEN) {
    faults.push({
      code: 'account_frozen',
      fatal: true,
      detail: `${name} is frozen: nothing can be paid into it.`,
    });
  }
  if (bytes[ACCOUNT_DELEGATE_AT] !== 0) {
    const detail = `${name} has a delegate, ${addressAt(ACCOUNT_DELEGATE_AT + 4)}, that can take money out of it.`;
    faults.push({ code: 'account_delegated', fatal: false, detail });
  }
  if (bytes[ACCOUNT_CLOSE_AUTHORITY_AT] !== 0) {
    const detail = `${name} can be closed by ${addressAt(ACCOUNT_CLOSE_AUTHORITY_AT + 4)}.`;
    faults.push({ code: 'account_closable', fatal: false, detail });
  }
  return faults;
}

function clockFaults(clock: Account | null, nowMs: number): readonly Found[] {
  if (clock === null || clock.bytes.length < UNIX_TIMESTAMP_AT + 8)
    throw new MalformedAnswer('clock', 'a clock');
  const timestamp = new DataView(clock.bytes.buffer).getBigInt64(UNIX_TIMESTAMP_AT, true);
  if (Math.abs(Number(timestamp) * 1000 - nowMs) <= MAX_CLOCKS_APART_MS) return [];
  const detail =
    'The clocks of this machine and of the chain are more than a minute apart: payments may look too old.';
  return [{ code: 'clock_apart', fatal: false, detail }];
}
