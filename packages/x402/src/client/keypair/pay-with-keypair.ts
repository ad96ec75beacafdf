// Pays from a key pair, over one RPC endpoint and plain HTTP:
//
//   latest blockhash ─▶ sign ─▶ record ─▶ send ─▶ ask until it is confirmed ─▶ signature
//                         ▲                 ▲                   │
//                         │                 └── again: in no block yet, the same transaction can only pay once
//                         └──────────────────── the last block that could have it is final, and does not
//
// So there is never more than one transaction that could still pay, and its signature is written down before it leaves.
import {
  type Base64EncodedWireTransaction,
  createKeyPairSignerFromBytes,
  isSolanaError,
  type KeyPairSigner,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
  SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND,
} from '@solana/kit';
import { backoffMs, type Clock, machineClock, randomBytes } from '../clock.ts';
import { messageOf, PayingError } from '../errors.ts';
import type { Attempt, FindPayment, Pay, PaymentOrder, Search } from '../pay.ts';
import { invalid } from './keypair.ts';
import { connect, type Network } from './network.ts';
import { signTransfer, tokenAccountOf } from './transfer.ts';

/** Options of {@link payWithKeypair}. */
export interface KeypairOptions {
  /** JSON-RPC endpoint of a node, http or https. */
  readonly rpcUrl: string;
  /** 64 bytes, the secret half first: of `readKeypair`. It pays the fees too. */
  readonly keypair: Uint8Array;
  /** What a unit of compute is paid above the fixed fee, in millionths of a lamport. Default 0. */
  readonly feePerUnit?: bigint;
  /** How long to go on asking for one payment, in milliseconds. Default 150,000: a transaction lives about 60 s. */
  readonly patienceMs?: number;
  readonly clock?: Clock;
  /** Bytes from a cryptographic source. */
  readonly random?: (count: number) => Uint8Array;
}

/** How one signed transaction ended. */
type Ending = 'paid' | 'failed' | 'gone';

/** Chains by the beginning of their genesis hash. */
const GENESES: Readonly<Record<string, string>> = {
  'solana-mainnet': '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'solana-devnet': 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
};
/** The network that is on this machine, and nowhere else. */
const LOCAL = 'solana-localnet';
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
const DEFAULT_PATIENCE_MS = 150_000;
const POLL = { firstMs: 250, longestMs: 2_000 };
/** Signed transactions that may pass their time, one after another, before the network is given up. */
const MOST_TRANSACTIONS = 3;
/** Tries at a question that moves no money. */
const MOST_QUESTIONS = 4;

/**
 * A {@link Pay} that signs with a key pair. Checks that the endpoint is on the network of the offer before it
 * pays.
 *
 * Rejects with a PayingError: `payment_failed`, `payment_unknown`, `endpoint_unavailable`, `wrong_chain`, `invalid_keypair`.
 */
export function payWithKeypair(options: KeypairOptions): Pay {
  const { hostname, host } = new URL(options.rpcUrl);
  const purse: Purse = {
    network: connect(options.rpcUrl),
    host,
    isLocal: LOOPBACK.test(hostname),
    signer: once(() => readSigner(options.keypair)),
    feePerUnit: options.feePerUnit ?? 0n,
    patienceMs: options.patienceMs ?? DEFAULT_PATIENCE_MS,
    clock: options.clock ?? machineClock,
    random: options.random ?? randomBytes,
  };
  const pay: Pay = async (order, { signal, record }) => {
    const signer = await purse.signer();
    await checkChain(order, purse, signal);
    for (let count = 0; count < MOST_TRANSACTIONS; count++) {
      const attempt = await begin(order, signer, purse, signal);
      await record(attempt);
      const ending = await settle({ order, begun: attempt, isNew: true }, purse, signal);
      if (ending === 'paid') return attempt.signature;
      if (ending === 'failed') throw failed('the transaction is on the chain, and failed', attempt.signature);
    }
    throw failed(`the network took none of ${MOST_TRANSACTIONS} transactions in time`);
  };
  const find: FindPayment = (order, attempts, { signal }) => findAmong(order, attempts, purse, signal);
  return Object.assign(pay, { find, recordsAttempts: true });
}

/** What the steps share. */
interface Purse {
  readonly network: Network;
  /** And no more of its address, whose path may be a secret. */
  readonly host: string;
  readonly isLocal: boolean;
  readonly signer: () => Promise<KeyPairSigner>;
  readonly feePerUnit: bigint;
  readonly patienceMs: number;
  readonly clock: Clock;
  readonly random: (count: number) => Uint8Array;
}

/** An attempt of this file: all is known. */
type Begun = Required<Attempt>;

async function readSigner(keypair: Uint8Array): Promise<KeyPairSigner> {
  try {
    return await createKeyPairSignerFromBytes(keypair);
  } catch {
    // Without the cause, which might hold the bytes.
    throw invalid('its halves do not belong together, or it is too short or too long');
  }
}

async function checkChain({ network: name }: PaymentOrder, purse: Purse, signal: AbortSignal): Promise<void> {
  // A chain on this machine may call itself what it likes: play chains take the mainnet's name for clients' sake.
  if (name === LOCAL && purse.isLocal) return;
  const genesis = await asked(() => purse.network.genesis(signal), purse, signal);
  if (Object.hasOwn(GENESES, name) && GENESES[name] === genesis) return;
  const actual = Object.keys(GENESES).find((known) => GENESES[known] === genesis) ?? 'another chain';
  throw new PayingError('wrong_chain', { detail: `it is on ${actual}, not on ${name}` });
}

async function begin(
  order: PaymentOrder,
  signer: KeyPairSigner,
  purse: Purse,
  signal: AbortSignal,
): Promise<Begun> {
  const blockhash = await asked(() => purse.network.latestBlockhash(signal), purse, signal);
  const { feePerUnit } = purse;
  const signed = await signTransfer(order, signer, { blockhash, feePerUnit }).catch((error: unknown) => {
    throw failed(messageOf(error), undefined, error);
  });
  return {
    beganMs: purse.clock.now(),
    signature: signed.signature,
    transaction: signed.transaction,
    lastValidBlockHeight: signed.lastValidBlockHeight.toString(),
  };
}

/** Asks what moves no money, several times if need be; when no answer comes, nothing has been paid. */
async function asked<Answer>(
  question: () => Promise<Answer>,
  purse: Purse,
  signal: AbortSignal,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await question();
    } catch (error) {
      signal.throwIfAborted();
      if (tries === MOST_QUESTIONS) {
        const detail = `the endpoint at ${purse.host} does not answer: ${messageOf(error)}`;
        throw new PayingError('endpoint_unavailable', { detail, cause: error });
      }
      await pause(tries, purse, signal);
    }
  }
}

/**
 * Sends a signed transaction, and again while it is in no block, until it is known how it ends.
 *
 * @param isNew whether it was signed just now; one that is remembered may have been sent
 * @throws PayingError `payment_unknown` when that is not known in time; `payment_failed` when it is new and the
 *   endpoint would not even send it
 */
async function settle(
  { order, begun, isNew }: { order: PaymentOrder; begun: Begun; isNew: boolean },
  purse: Purse,
  signal: AbortSignal,
): Promise<Ending> {
  const signature = begun.signature as Signature;
  const lastValidBlockHeight = BigInt(begun.lastValidBlockHeight);
  const { network, clock } = purse;
  const endMs = clock.now() + purse.patienceMs;
  let mayBeOut = !isNew;
  let trouble = 'it is in no block yet';
  for (let tries = 0; clock.now() < endMs; tries++) {
    signal.throwIfAborted();
    try {
      const standing = await network.standing(signature, signal);
      if (standing === 'confirmed') return 'paid';
      if (standing === 'failed') return 'failed';
      if (standing === 'absent') {
        if (await network.isGone(signature, lastValidBlockHeight, signal)) return 'gone';
        const isFirst = !mayBeOut;
        mayBeOut = true;
        const refusal = await broadcast(begun, network, signal);
        // Only the first word counts: after it an earlier broadcast may have arrived, whatever this one says.
        if (refusal !== null && isFirst) throw await explained(refusal, order, begun, purse, signal);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof PayingError) throw error;
      trouble = messageOf(error);
    }
    await pause(tries, purse, signal);
  }
  throw new PayingError('payment_unknown', { detail: trouble, signature });
}

/** Null when it is on its way, or may be; else why the endpoint refuses to send it. */
async function broadcast({ transaction }: Begun, network: Network, signal: AbortSignal): Promise<unknown> {
  try {
    await network.send(transaction as Base64EncodedWireTransaction, signal);
    return null;
  } catch (error) {
    if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE))
      throw error;
    const { cause } = error;
    // Sent before; or a blockhash that is too new for this node, or too old for any, which its height will tell.
    const isPassing =
      isSolanaError(cause, SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED) ||
      isSolanaError(cause, SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND);
    return isPassing ? null : (cause ?? error);
  }
}

/** The most frequent reasons in words; an endpoint says `custom program error: #1`. */
async function explained(
  refusal: unknown,
  { amount, asset, payTo, decimals }: PaymentOrder,
  { signature }: Begun,
  { network, signer }: Purse,
  signal: AbortSignal,
): Promise<PayingError> {
  const { address } = await signer();
  const told = messageOf(refusal);
  try {
    const held = await network.balance(await tokenAccountOf(address, asset), signal);
    const inWhole = (units: bigint): string => decimalText(units, decimals);
    if ((held ?? 0n) < amount) {
      const detail = `the wallet ${address} holds ${inWhole(held ?? 0n)} of the asset ${asset}, and ${inWhole(amount)} is asked`;
      return failed(detail, signature, refusal);
    }
    if ((await network.balance(await tokenAccountOf(payTo, asset), signal)) === null)
      return failed(
        `the wallet ${payTo}, which is to be paid, has no account for the asset`,
        signature,
        refusal,
      );
  } catch {
    signal.throwIfAborted();
  }
  return failed(`the endpoint refuses the transaction of ${address}: ${told}`, signature, refusal);
}

/** An amount of the smallest unit in whole ones: 4000 with 6 decimals is `0.004`. */
function decimalText(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0*$/, '');
}

async function findAmong(
  order: PaymentOrder,
  attempts: readonly Attempt[],
  purse: Purse,
  signal: AbortSignal,
): Promise<Search> {
  for (const attempt of attempts) {
    if (!isBegun(attempt)) return { kind: 'unknown', detail: 'an attempt of another wallet is remembered' };
    try {
      if ((await settle({ order, begun: attempt, isNew: false }, purse, signal)) === 'paid')
        return { kind: 'paid', signature: attempt.signature };
    } catch (error) {
      if (!(error instanceof PayingError) || error.code !== 'payment_unknown') throw error;
      return { kind: 'unknown', detail: messageOf(error.cause ?? error) };
    }
  }
  return { kind: 'unpaid' };
}

function isBegun(attempt: Attempt): attempt is Begun {
  const { signature, transaction, lastValidBlockHeight } = attempt;
  return signature !== undefined && transaction !== undefined && /^\d+$/.test(lastValidBlockHeight ?? '');
}

async function pause(tries: number, { clock, random }: Purse, signal: AbortSignal): Promise<void> {
  await clock.sleep(backoffMs(tries, POLL, random(1)[0] ?? 0), signal);
  signal.throwIfAborted();
}

function failed(detail: string, signature?: string, cause?: unknown): PayingError {
  return new PayingError('payment_failed', { detail, signature, cause });
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
