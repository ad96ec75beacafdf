// Pays from a key pair, over one RPC endpoint and plain HTTP:
//
//   latest blockhash ─▶ sign ─▶ record ─▶ send ─▶ poll until it is confirmed ─▶ signature
//                         ▲                 ▲                   │
//                         │                 └── again: in no block yet, the same transaction can only pay once
//                         └──────────────────── the last possible block is final and does not have it
//
// So at most one transaction can still pay, and its signature is stored before it leaves.
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
import { associatedTokenAccount } from '../../chains/solana/programs.ts';
import { type Clock, systemClock } from '../../gate/clock.ts';
import { backoffMs, randomBytes } from '../backoff.ts';
import { messageOf, PayingError } from '../errors.ts';
import { USDC } from '../../chains/solana/usdc.ts';
import type { Attempt, FindPayment, Pay, PaymentOrder, FindResult } from '../pay.ts';
import { createInvalidError } from './keypair.ts';
import { connectNetwork, type KeypairNetwork } from './network.ts';
import { signTransfer } from './transfer.ts';

/** Options of {@link payWithKeypair}. */
export interface KeypairOptions {
  /** JSON-RPC endpoint of a node, http or https. */
  readonly rpcUrl: string;
  /** The 64 bytes of the key pair, the secret half first, as `readKeypair` returns them. It also pays the fees. */
  readonly keypair: Uint8Array;
  /** Price of a unit of compute above the fixed fee, in millionths of a lamport. Default 0. */
  readonly feePerUnit?: bigint | undefined;
  /**
   * Time to wait for the confirmation of one payment, in milliseconds. Default 150,000; a transaction lives about 60 s.
   */
  readonly patienceMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Bytes from a cryptographic source. */
  readonly random?: ((count: number) => Uint8Array) | undefined;
}

/** The end of one signed transaction, or the reason why it is unknown. */
type Ending = 'paid' | 'failed' | 'gone' | { readonly unknown: string };

/** Chains by the beginning of their genesis hash. */
const GENESES: Readonly<Record<string, string>> = {
  'solana-mainnet': '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'solana-devnet': 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
};
/** The network of this machine. */
const LOCAL = 'solana-localnet';
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
const DEFAULT_PATIENCE_MS = 150_000;
const POLL = { firstMs: 250, longestMs: 2_000 };
/** The most signed transactions that may expire, one after another, before the payment fails. */
const MOST_TRANSACTIONS = 3;
/** Tries of a call that moves no money, and the time of each: an endpoint answers in a fraction of a second. */
const READS = { most: 4, ms: 5_000 };
/** The least fee of a transaction, in lamports; a SOL has a thousand million. */
const LEAST_FEE = 5_000n;
const SOL_DECIMALS = 9;

/**
 * Creates a {@link Pay} that signs with a key pair. It checks the endpoint's network before it pays. Rejects with a
 * PayingError: `payment_failed`, `payment_unknown`, `endpoint_unavailable`, `wrong_chain`, `invalid_keypair`.
 */
export function payWithKeypair(options: KeypairOptions): Pay {
  const { hostname, host } = new URL(options.rpcUrl);
  let signer: Promise<KeyPairSigner> | undefined;
  const deps: KeypairDeps = {
    network: connectNetwork(options.rpcUrl),
    host,
    isLocal: LOOPBACK.test(hostname),
    signer: () => (signer ??= readSigner(options.keypair)),
    feePerUnit: options.feePerUnit ?? 0n,
    patienceMs: options.patienceMs ?? DEFAULT_PATIENCE_MS,
    clock: options.clock ?? systemClock,
    random: options.random ?? randomBytes,
  };
  const pay: Pay = async (order, { signal, record }) => {
    const signer = await deps.signer();
    await checkChain(order, deps, signal);
    for (let count = 0; count < MOST_TRANSACTIONS; count++) {
      const attempt = await signAttempt(order, signer, deps, signal);
      await record(attempt);
      const ending = await awaitEnding({ order, attempt, isNew: true }, deps, signal);
      if (ending === 'paid') return attempt.signature;
      if (ending === 'failed')
        throw createFailedError('the transaction is on the chain, and failed', attempt.signature);
      if (ending !== 'gone')
        throw new PayingError('payment_unknown', { detail: ending.unknown, signature: attempt.signature });
    }
    throw createFailedError(`the network took none of ${MOST_TRANSACTIONS} transactions in time`);
  };
  const find: FindPayment = (order, attempts, { signal }) => findPaidAttempt(order, attempts, deps, signal);
  return Object.assign(pay, { find, recordsAttempts: true });
}

/** The dependencies of the steps. */
interface KeypairDeps {
  readonly network: KeypairNetwork;
  /** The host alone: the path may be a secret. */
  readonly host: string;
  readonly isLocal: boolean;
  readonly signer: () => Promise<KeyPairSigner>;
  readonly feePerUnit: bigint;
  readonly patienceMs: number;
  readonly clock: Clock;
  readonly random: (count: number) => Uint8Array;
}

/** An attempt of this file, with all members. */
type SignedAttempt = Required<Omit<Attempt, 'way'>>;

async function readSigner(keypair: Uint8Array): Promise<KeyPairSigner> {
  try {
    return await createKeyPairSignerFromBytes(keypair);
  } catch {
    // The cause might hold the bytes, so it is dropped.
    throw createInvalidError('its halves do not belong together, or it is too short or too long');
  }
}

async function checkChain(
  { network: name }: PaymentOrder,
  deps: KeypairDeps,
  signal: AbortSignal,
): Promise<void> {
  // A chain on this machine may have any name: play chains take mainnet's for their clients.
  if (name === LOCAL && deps.isLocal) return;
  const genesis = await callWithRetries((within) => deps.network.genesis(within), deps, signal);
  if (Object.hasOwn(GENESES, name) && GENESES[name] === genesis) return;
  const actual = Object.keys(GENESES).find((known) => GENESES[known] === genesis) ?? 'another chain';
  throw new PayingError('wrong_chain', { detail: `it is on ${actual}, not on ${name}` });
}

async function signAttempt(
  order: PaymentOrder,
  signer: KeyPairSigner,
  deps: KeypairDeps,
  signal: AbortSignal,
): Promise<SignedAttempt> {
  const blockhash = await callWithRetries((within) => deps.network.latestBlockhash(within), deps, signal);
  const { feePerUnit } = deps;
  const signed = await signTransfer(order, signer, { blockhash, feePerUnit }).catch((error: unknown) => {
    throw createFailedError(messageOf(error), undefined, error);
  });
  return {
    beganMs: deps.clock.now(),
    signature: signed.signature,
    transaction: signed.transaction,
    lastValidBlockHeight: signed.lastValidBlockHeight.toString(),
  };
}

/** Repeats a call that moves no money; without an answer nothing has been paid. */
async function callWithRetries<Answer>(
  question: (within: AbortSignal) => Promise<Answer>,
  deps: KeypairDeps,
  signal: AbortSignal,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const timeout = AbortSignal.timeout(READS.ms);
    try {
      return await question(AbortSignal.any([signal, timeout]));
    } catch (error) {
      signal.throwIfAborted();
      if (tries === READS.most) {
        const why = timeout.aborted ? `no answer came within ${READS.ms / 1000} s` : messageOf(error);
        const detail = `the endpoint at ${deps.host} fails: ${why}`;
        throw new PayingError('endpoint_unavailable', { detail, cause: error });
      }
      await pause(tries, deps, signal);
    }
  }
}

/**
 * Sends a signed transaction, and repeats it while it is in no block, until its end is known. Gives up when the time is
 * over, or when the wallet holds too little for it.
 *
 * @param isNew true when it was signed just now; a remembered one may have been sent
 * @throws PayingError `payment_failed` when it is new and the endpoint rejects it
 */
async function awaitEnding(
  { order, attempt, isNew }: { order: PaymentOrder; attempt: SignedAttempt; isNew: boolean },
  deps: KeypairDeps,
  signal: AbortSignal,
): Promise<Ending> {
  const signature = attempt.signature as Signature;
  const lastValidBlockHeight = BigInt(attempt.lastValidBlockHeight);
  const { network, clock } = deps;
  const endMs = clock.now() + deps.patienceMs;
  let mayBeSent = !isNew;
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
        const isFirst = !mayBeSent;
        mayBeSent = true;
        const refusal = await broadcast(attempt, network, signal);
        // Only the first rejection counts: later an earlier broadcast may have arrived.
        if (refusal !== null && isFirst) throw await explainRejection(refusal, order, attempt, deps, signal);
        // After its expiry another transaction would be rejected for the same reason.
        if (refusal !== null && !isShortageKnown) {
          const shortage = await findShortage(order, deps, signal);
          if (shortage !== undefined) return { unknown: `it is in no block yet, and ${shortage}` };
          isShortageKnown = true;
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof PayingError) throw error;
      trouble = messageOf(error);
    }
    await pause(tries, deps, signal);
  }
  return { unknown: trouble };
}

/** Null when it is on its way, or may be; else the endpoint's rejection. */
async function broadcast(
  { transaction }: SignedAttempt,
  network: KeypairNetwork,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    await network.send(transaction as Base64EncodedWireTransaction, signal);
    return null;
  } catch (error) {
    if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE))
      throw error;
    const { cause } = error;
    // Sent before; or a blockhash that is too new for this node, or too old for any, which its height will show.
    const isPassing =
      isSolanaError(cause, SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED) ||
      isSolanaError(cause, SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND);
    return isPassing ? null : (cause ?? error);
  }
}

/** Explains the most frequent reasons; an endpoint reports `custom program error: #1`. */
async function explainRejection(
  refusal: unknown,
  order: PaymentOrder,
  { signature }: SignedAttempt,
  deps: KeypairDeps,
  signal: AbortSignal,
): Promise<PayingError> {
  const { address } = await deps.signer();
  const reason = `the endpoint refuses the transaction of ${address}: ${messageOf(refusal)}`;
  try {
    const detail =
      (await findShortage(order, deps, signal)) ??
      (await missingRecipientAccount(order, deps, signal)) ??
      reason;
    return createFailedError(detail, signature, refusal);
  } catch {
    signal.throwIfAborted();
    return createFailedError(reason, signature, refusal);
  }
}

/** The balance that is too small; undefined when both suffice. */
async function findShortage(
  { amount, asset, decimals, network: name }: PaymentOrder,
  { network, signer }: KeypairDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { address } = await signer();
  const held = (await network.balance(await associatedTokenAccount(address, asset), signal)) ?? 0n;
  const unit = (USDC as Readonly<Record<string, string>>)[name] === asset ? 'USDC' : `of the asset ${asset}`;
  if (held < amount)
    return `the wallet ${address} holds ${formatUnits(held, decimals)} ${unit} on ${name}, and ${formatUnits(amount, decimals)} is asked`;
  const lamports = await network.lamports(address, signal);
  return lamports < LEAST_FEE
    ? `the wallet ${address} holds ${formatUnits(lamports, SOL_DECIMALS)} SOL on ${name}, too little for the fee of a transaction (${formatUnits(LEAST_FEE, SOL_DECIMALS)})`
    : undefined;
}

/** The recipient's missing account; undefined when it exists. */
async function missingRecipientAccount(
  { payTo, asset }: PaymentOrder,
  { network }: KeypairDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  const held = await network.balance(await associatedTokenAccount(payTo, asset), signal);
  return held === null ? `the wallet ${payTo}, which is to be paid, has no account for the asset` : undefined;
}

/** An amount in whole units: 4000 with 6 decimals is `0.004`. */
function formatUnits(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0*$/, '');
}

async function findPaidAttempt(
  order: PaymentOrder,
  attempts: readonly Attempt[],
  deps: KeypairDeps,
  signal: AbortSignal,
): Promise<FindResult> {
  for (const attempt of attempts) {
    if (!isSigned(attempt)) return { kind: 'unknown', detail: 'an attempt of another wallet is remembered' };
    const ending = await awaitEnding({ order, attempt, isNew: false }, deps, signal);
    if (ending === 'paid') return { kind: 'paid', signature: attempt.signature };
    if (typeof ending === 'object') return { kind: 'unknown', detail: ending.unknown };
  }
  return { kind: 'unpaid' };
}

function isSigned(attempt: Attempt): attempt is SignedAttempt {
  const { signature, transaction, lastValidBlockHeight } = attempt;
  return signature !== undefined && transaction !== undefined && /^\d+$/.test(lastValidBlockHeight ?? '');
}

async function pause(tries: number, { clock, random }: KeypairDeps, signal: AbortSignal): Promise<void> {
  await clock.wait(backoffMs(tries, POLL, random(1)[0] ?? 0), signal);
  signal.throwIfAborted();
}

function createFailedError(detail: string, signature?: string, cause?: unknown): PayingError {
  return new PayingError('payment_failed', { detail, signature, cause });
}
