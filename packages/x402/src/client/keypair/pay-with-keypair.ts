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
import { USDC } from '../offer.ts';
import type { Attempt, FindPayment, Pay, PaymentOrder, Search } from '../pay.ts';
import { invalid } from './keypair.ts';
import { connect, type Network } from './network.ts';
import { signTransfer, tokenAccountOf } from './transfer.ts';

/** Options of {@link payWithKeypair}. */
export interface KeypairOptions {
  /** JSON-RPC endpoint of a node, http or https. */
  readonly rpcUrl: string;
  /** The 64 bytes of the key pair, the secret half first, as `readKeypair` returns them. It pays the fees too. */
  readonly keypair: Uint8Array;
  /** Price of a unit of compute above the fixed fee, in millionths of a lamport. Default 0. */
  readonly feePerUnit?: bigint;
  /**
   * How long to keep asking whether one payment is confirmed, in milliseconds. Default 150,000; a transaction lives
   * about 60 s.
   */
  readonly patienceMs?: number;
  readonly clock?: Clock;
  /** Bytes from a cryptographic source. */
  readonly random?: (count: number) => Uint8Array;
}

/** How one signed transaction ended, or why that is not known. */
type Ending = 'paid' | 'failed' | 'gone' | { readonly unknown: string };

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
/**
 * Tries at a question that moves no money, and how long each may take: what answers at all answers in a fraction of a
 * second.
 */
const QUESTIONS = { most: 4, ms: 5_000 };
/** What a transaction costs at least, in lamports, of which a SOL has a thousand million. */
const LEAST_FEE = 5_000n;
const SOL_DECIMALS = 9;

/**
 * Creates a {@link Pay} that signs with a key pair. It checks that the endpoint is on the network of the offer before
 * it pays. Rejects with a PayingError: `payment_failed`, `payment_unknown`, `endpoint_unavailable`, `wrong_chain`,
 * `invalid_keypair`.
 */
export function payWithKeypair(options: KeypairOptions): Pay {
  const { hostname, host } = new URL(options.rpcUrl);
  const parts: KeypairParts = {
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
    const signer = await parts.signer();
    await checkChain(order, parts, signal);
    for (let count = 0; count < MOST_TRANSACTIONS; count++) {
      const attempt = await begin(order, signer, parts, signal);
      await record(attempt);
      const ending = await follow({ order, attempt, isNew: true }, parts, signal);
      if (ending === 'paid') return attempt.signature;
      if (ending === 'failed') throw failed('the transaction is on the chain, and failed', attempt.signature);
      if (ending !== 'gone')
        throw new PayingError('payment_unknown', { detail: ending.unknown, signature: attempt.signature });
    }
    throw failed(`the network took none of ${MOST_TRANSACTIONS} transactions in time`);
  };
  const find: FindPayment = (order, attempts, { signal }) => findAmong(order, attempts, parts, signal);
  return Object.assign(pay, { find, recordsAttempts: true });
}

/** What the steps share. */
interface KeypairParts {
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
type SignedAttempt = Required<Attempt>;

async function readSigner(keypair: Uint8Array): Promise<KeyPairSigner> {
  try {
    return await createKeyPairSignerFromBytes(keypair);
  } catch {
    // Without the cause, which might hold the bytes.
    throw invalid('its halves do not belong together, or it is too short or too long');
  }
}

async function checkChain(
  { network: name }: PaymentOrder,
  parts: KeypairParts,
  signal: AbortSignal,
): Promise<void> {
  // A chain on this machine may call itself what it likes: play chains take the mainnet's name for clients' sake.
  if (name === LOCAL && parts.isLocal) return;
  const genesis = await asked((within) => parts.network.genesis(within), parts, signal);
  if (Object.hasOwn(GENESES, name) && GENESES[name] === genesis) return;
  const actual = Object.keys(GENESES).find((known) => GENESES[known] === genesis) ?? 'another chain';
  throw new PayingError('wrong_chain', { detail: `it is on ${actual}, not on ${name}` });
}

async function begin(
  order: PaymentOrder,
  signer: KeyPairSigner,
  parts: KeypairParts,
  signal: AbortSignal,
): Promise<SignedAttempt> {
  const blockhash = await asked((within) => parts.network.latestBlockhash(within), parts, signal);
  const { feePerUnit } = parts;
  const signed = await signTransfer(order, signer, { blockhash, feePerUnit }).catch((error: unknown) => {
    throw failed(messageOf(error), undefined, error);
  });
  return {
    beganMs: parts.clock.now(),
    signature: signed.signature,
    transaction: signed.transaction,
    lastValidBlockHeight: signed.lastValidBlockHeight.toString(),
  };
}

/** Asks what moves no money, several times if need be; when no answer comes, nothing has been paid. */
async function asked<Answer>(
  question: (within: AbortSignal) => Promise<Answer>,
  parts: KeypairParts,
  signal: AbortSignal,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const timeout = AbortSignal.timeout(QUESTIONS.ms);
    try {
      return await question(AbortSignal.any([signal, timeout]));
    } catch (error) {
      signal.throwIfAborted();
      if (tries === QUESTIONS.most) {
        const why = timeout.aborted ? `no answer came within ${QUESTIONS.ms / 1000} s` : messageOf(error);
        const detail = `the endpoint at ${parts.host} fails: ${why}`;
        throw new PayingError('endpoint_unavailable', { detail, cause: error });
      }
      await pause(tries, parts, signal);
    }
  }
}

/**
 * Sends a signed transaction, and again while it is in no block, until it is known how it ends. Gives up when that is
 * not known in time, or when the wallet holds too little for it, as it would for another one.
 *
 * @param isNew whether it was signed just now; one that is remembered may have been sent
 * @throws PayingError `payment_failed` when it is new and the endpoint would not even send it
 */
async function follow(
  { order, attempt, isNew }: { order: PaymentOrder; attempt: SignedAttempt; isNew: boolean },
  parts: KeypairParts,
  signal: AbortSignal,
): Promise<Ending> {
  const signature = attempt.signature as Signature;
  const lastValidBlockHeight = BigInt(attempt.lastValidBlockHeight);
  const { network, clock } = parts;
  const endMs = clock.now() + parts.patienceMs;
  let mayBeOut = !isNew;
  let isShortageKnown = isNew;
  let trouble = 'it is in no block yet';
  for (let tries = 0; clock.now() < endMs; tries++) {
    signal.throwIfAborted();
    try {
      const status = await network.transactionStatus(signature, signal);
      if (status === 'confirmed') return 'paid';
      if (status === 'failed') return 'failed';
      if (status === 'absent') {
        if (await network.isGone(signature, lastValidBlockHeight, signal)) return 'gone';
        const isFirst = !mayBeOut;
        mayBeOut = true;
        const refusal = await broadcast(attempt, network, signal);
        // Only the first word counts: after it an earlier broadcast may have arrived, whatever this one says.
        if (refusal !== null && isFirst) throw await explained(refusal, order, attempt, parts, signal);
        // Waiting until it can land no more would end in another transaction that is refused for the same reason.
        if (refusal !== null && !isShortageKnown) {
          const shortage = await shortageOf(order, parts, signal);
          if (shortage !== undefined) return { unknown: `it is in no block yet, and ${shortage}` };
          isShortageKnown = true;
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof PayingError) throw error;
      trouble = messageOf(error);
    }
    await pause(tries, parts, signal);
  }
  return { unknown: trouble };
}

/** Null when it is on its way, or may be; else why the endpoint refuses to send it. */
async function broadcast(
  { transaction }: SignedAttempt,
  network: Network,
  signal: AbortSignal,
): Promise<unknown> {
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
  order: PaymentOrder,
  { signature }: SignedAttempt,
  parts: KeypairParts,
  signal: AbortSignal,
): Promise<PayingError> {
  const { address } = await parts.signer();
  const told = `the endpoint refuses the transaction of ${address}: ${messageOf(refusal)}`;
  try {
    const detail = (await shortageOf(order, parts, signal)) ?? (await gapOf(order, parts, signal)) ?? told;
    return failed(detail, signature, refusal);
  } catch {
    signal.throwIfAborted();
    return failed(told, signature, refusal);
  }
}

/** What the wallet has too little of; undefined when it has enough. */
async function shortageOf(
  { amount, asset, decimals, network: name }: PaymentOrder,
  { network, signer }: KeypairParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { address } = await signer();
  const held = (await network.balance(await tokenAccountOf(address, asset), signal)) ?? 0n;
  const unit = (USDC as Readonly<Record<string, string>>)[name] === asset ? 'USDC' : `of the asset ${asset}`;
  if (held < amount)
    return `the wallet ${address} holds ${decimalText(held, decimals)} ${unit} on ${name}, and ${decimalText(amount, decimals)} is asked`;
  const lamports = await network.lamports(address, signal);
  return lamports < LEAST_FEE
    ? `the wallet ${address} holds ${decimalText(lamports, SOL_DECIMALS)} SOL on ${name}, too little for the fee of a transaction (${decimalText(LEAST_FEE, SOL_DECIMALS)})`
    : undefined;
}

/** What is missing where the money should go; undefined when nothing is. */
async function gapOf(
  { payTo, asset }: PaymentOrder,
  { network }: KeypairParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const held = await network.balance(await tokenAccountOf(payTo, asset), signal);
  return held === null ? `the wallet ${payTo}, which is to be paid, has no account for the asset` : undefined;
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
  parts: KeypairParts,
  signal: AbortSignal,
): Promise<Search> {
  for (const attempt of attempts) {
    if (!isSigned(attempt)) return { kind: 'unknown', detail: 'an attempt of another wallet is remembered' };
    const ending = await follow({ order, attempt, isNew: false }, parts, signal);
    if (ending === 'paid') return { kind: 'paid', signature: attempt.signature };
    if (typeof ending === 'object') return { kind: 'unknown', detail: ending.unknown };
  }
  return { kind: 'unpaid' };
}

function isSigned(attempt: Attempt): attempt is SignedAttempt {
  const { signature, transaction, lastValidBlockHeight } = attempt;
  return signature !== undefined && transaction !== undefined && /^\d+$/.test(lastValidBlockHeight ?? '');
}

async function pause(tries: number, { clock, random }: KeypairParts, signal: AbortSignal): Promise<void> {
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
