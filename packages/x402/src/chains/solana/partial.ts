// Payments that somebody else completes and broadcasts: what they would pay, and whether the chain has included them.
// The key of such a payment is the completer's signature, which nobody knows beforehand; the signed message is known.
import {
  getBase58Decoder,
  getBase58Encoder,
  getBase64Encoder,
  getPublicKeyFromAddress,
  verifySignature,
  type Address,
  type SignatureBytes,
} from '@solana/kit';
import type { PartialPayment } from '../../chain.ts';
import type { PaymentKey } from '../../ledger.ts';
import {
  MalformedAnswer,
  readArray,
  readBase58,
  readCount,
  readObject,
  readOptional,
  readText,
} from './answers.ts';
import type { Call } from './endpoint.ts';
import type { Question } from './pool.ts';
import type { SolanaRule } from './verdict.ts';
import { readWire, transferIn } from './wire.ts';

/**
 * Implements `Chain.readPartial`. A transaction with a durable nonce is refused: it could be broadcast after we had
 * given it up.
 */
export function readPartial(transaction: string, rule: SolanaRule): PartialPayment | null {
  const wire = readWire(transaction);
  if (wire === null || wire.hasDurableNonce) return null;
  const transfers = wire.instructions.flatMap((instruction) => transferIn(instruction, rule) ?? []);
  const [first] = transfers;
  if (first === undefined) return null;
  const signature = wire.signers.find(({ address }) => address === first.authority)?.signature;
  return {
    intent: wire.messageText,
    amount: transfers.reduce((sum, { amount }) => sum + amount, 0n),
    payer: first.authority,
    lifetime: wire.blockhash,
    signature: signature == null ? '' : getBase58Decoder().decode(signature),
  };
}

/** Implements `Chain.isSigned`. */
export async function isSigned({ intent, payer, signature }: PartialPayment): Promise<boolean> {
  if (signature === '') return false;
  return verifySignature(
    await getPublicKeyFromAddress(payer as Address),
    getBase58Encoder().encode(signature) as SignatureBytes,
    getBase64Encoder().encode(intent),
  );
}

/** The answer to `Chain.findPartial`. */
export type PartialFinding =
  { readonly kind: 'found'; readonly key: PaymentKey } | { readonly kind: 'unknown' | 'expired' };

/** How far the clocks of the chain, and of whoever noted the time, may be apart. */
export const CLOCKS_APART_MS = 120_000;
/** Signatures of one page: the most that nodes give. */
const PAGE = 1000;
/** Transactions of one payer that are read at most. One who made more meanwhile has to wait for a person. */
const MAX_CANDIDATES = 200;

/**
 * Looks for the partial payment among the payer's transactions, on one node. Not among ours: anyone can make those
 * many.
 *
 * `found` carries its own proof, checked here: the fee payer's signature over the very message. `expired` needs a node
 * at whose last finalized block the blockhash is not valid although it must have been known there: made before
 * `sinceMs`, it is either too old or of no block of this chain. The search comes after that and on a state no earlier,
 * so that nothing can be included in between.
 */
export function partialQuestion(partial: PartialPayment, sinceMs: number): Question<PartialFinding> {
  return async (call, signal) => {
    const { slot, over } = await lifetimeOf(partial, sinceMs, call, signal);
    for (const { signature } of await candidates(partial.payer, sinceMs, slot, call, signal)) {
      if (await isOf(signature, partial.intent, call, signal)) return { kind: 'found', key: signature };
    }
    return { kind: over && (await remembers(sinceMs, call, signal)) ? 'expired' : 'unknown' };
  };
}

async function lifetimeOf(
  { lifetime }: PartialPayment,
  sinceMs: number,
  call: Call,
  signal: AbortSignal,
): Promise<{ slot: number; over: boolean }> {
  const answer = readObject(
    await call('isBlockhashValid', [lifetime, { commitment: 'finalized' }], signal),
    'answer',
  );
  const slot = readCount(readObject(answer['context'], 'context')['slot'], 'context.slot');
  const valid = answer['value'];
  if (typeof valid !== 'boolean') throw new MalformedAnswer('value', 'a boolean');
  if (valid) return { slot, over: false };
  // The finalized state is some seconds old: a blockhash may be unknown to it because it is too new.
  const timeMs = await blockTimeMs(slot, call, signal);
  return { slot, over: timeMs !== null && timeMs > sinceMs + CLOCKS_APART_MS };
}

/** When a block was made; null when the node does not know. */
export async function blockTimeMs(slot: number, call: Call, signal: AbortSignal): Promise<number | null> {
  const seconds = readOptional(await call('getBlockTime', [slot], signal), 'blockTime', readCount);
  return seconds === null ? null : seconds * 1000;
}

interface Candidate {
  readonly signature: string;
  readonly timeMs: number | null;
}

/** The payer's transactions since then, newest first. */
async function candidates(
  payer: string,
  sinceMs: number,
  minContextSlot: number,
  call: Call,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for (let before: string | undefined; ;) {
    const options = {
      commitment: 'confirmed',
      limit: PAGE,
      minContextSlot,
      ...(before !== undefined && { before }),
    };
    const page = readArray(
      await call('getSignaturesForAddress', [payer, options], signal),
      'answer',
      readCandidate,
    );
    const recent = page.filter(({ timeMs }) => timeMs === null || timeMs >= sinceMs - CLOCKS_APART_MS);
    found.push(...recent);
    if (found.length > MAX_CANDIDATES) throw new MalformedAnswer('the payer', 'one of few transactions');
    if (recent.length < page.length || page.length < PAGE) return found;
    before = page.at(-1)?.signature;
  }
}

function readCandidate(value: unknown, path: string): Candidate {
  const entry = readObject(value, path);
  const seconds = readOptional(entry['blockTime'], `${path}.blockTime`, readCount);
  return {
    signature: readBase58(entry['signature'], `${path}.signature`, 88),
    timeMs: seconds === null ? null : seconds * 1000,
  };
}

/** Whether this is the signature of the message that is the intent, by that message's fee payer. */
async function isOf(signature: string, intent: string, call: Call, signal: AbortSignal): Promise<boolean> {
  const options = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 1 };
  const answer = await call('getTransaction', [signature, options], signal);
  if (answer === null) return false;
  const [text, encoding] = readArray(readObject(answer, 'answer')['transaction'], 'transaction', readText);
  if (text === undefined || encoding !== 'base64') throw new MalformedAnswer('transaction', 'base64');
  const wire = readWire(text);
  if (wire?.messageText !== intent) return false;
  const [feePayer] = wire.signers;
  if (feePayer?.signature == null) return false;
  if (getBase58Decoder().decode(feePayer.signature) !== signature) return false;
  return verifySignature(
    await getPublicKeyFromAddress(feePayer.address as Address),
    feePayer.signature as SignatureBytes,
    wire.message,
  );
}

/** Whether the node's history reaches back to then; one that has forgotten cannot say that nothing was there. */
async function remembers(sinceMs: number, call: Call, signal: AbortSignal): Promise<boolean> {
  const first = readCount(await call('getFirstAvailableBlock', [], signal), 'answer');
  if (first === 0) return true;
  const timeMs = await blockTimeMs(first, call, signal);
  return timeMs !== null && timeMs < sinceMs - CLOCKS_APART_MS;
}
