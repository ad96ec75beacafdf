// Partly signed payments, which a facilitator completes and broadcasts: their amount, and their inclusion in the chain.
// The key of such a payment is the facilitator's signature, which is unknown beforehand; the signed message is known.
import {
  getBase58Decoder,
  getBase58Encoder,
  getBase64Encoder,
  getPublicKeyFromAddress,
  verifySignature,
  type Address,
  type SignatureBytes,
} from '@solana/kit';
import type { PartialPayment } from '../../gate/chain.ts';
import type { PaymentKey } from '../../ledger/ledger.ts';
import { MalformedAnswer, readBase64, readCount, readObject, readOptional } from './answers.ts';
import type { RpcCall } from './endpoint.ts';
import { historyOf } from './history.ts';
import type { RpcQuery } from './pool.ts';
import type { SolanaRule } from './verdict.ts';
import { readWire, readTransfer } from './wire.ts';

/**
 * Implements `Chain.readPartial`. A transaction with a durable nonce is rejected, because it could be broadcast after
 * the gate has given it up.
 */
export function readPartial(transaction: string, rule: SolanaRule): PartialPayment | null {
  const wire = readWire(transaction);
  if (wire === null || wire.hasDurableNonce) return null;
  const transfers = wire.instructions.flatMap((instruction) => readTransfer(instruction, rule) ?? []);
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

/** The result of `Chain.findPartial`. */
export type PartialFinding =
  { readonly kind: 'found'; readonly key: PaymentKey } | { readonly kind: 'unknown' | 'expired' };

/** The largest difference between the clocks of the chain and of our records. */
export const CLOCKS_APART_MS = 120_000;
/**
 * The most transactions of one payer that are read. With more of them, the settlement stays unknown and an operator
 * decides.
 */
const MAX_CANDIDATES = 200;

/**
 * Searches the payer's transactions for the partial payment, on one node. Our own transactions are useless for it:
 * anyone can create many of them.
 *
 * `found` carries its own proof: the fee payer's signature over the message. `expired` needs a node whose last
 * finalized block rejects the blockhash although it must have been known there: a blockhash from before `sinceMs` is
 * either too old or of no block of this chain. The search follows on a state that is no earlier, so that no transaction
 * is included in between.
 */
export function partialQuery(partial: PartialPayment, sinceMs: number): RpcQuery<PartialFinding> {
  return async (call, signal) => {
    const { slot, over } = await readLifetime(partial, sinceMs, call, signal);
    for (const key of await findCandidates(partial.payer, sinceMs, slot, call, signal)) {
      if (await isSignatureOf(key, partial.intent, call, signal)) return { kind: 'found', key };
    }
    return { kind: over && (await reachesBack(sinceMs, call, signal)) ? 'expired' : 'unknown' };
  };
}

async function readLifetime(
  { lifetime }: PartialPayment,
  sinceMs: number,
  call: RpcCall,
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
  // The finalized state is some seconds old: a new blockhash is unknown to it.
  const timeMs = await blockTimeMs(slot, call, signal);
  return { slot, over: timeMs !== null && timeMs > sinceMs + CLOCKS_APART_MS };
}

/** Time of a block; null when the node does not know. */
export async function blockTimeMs(slot: number, call: RpcCall, signal: AbortSignal): Promise<number | null> {
  const seconds = readOptional(await call('getBlockTime', [slot], signal), 'blockTime', readCount);
  return seconds === null ? null : seconds * 1000;
}

/** Ids of the payer's transactions since then, newest first. */
async function findCandidates(
  payer: string,
  sinceMs: number,
  minContextSlot: number,
  call: RpcCall,
  signal: AbortSignal,
): Promise<readonly PaymentKey[]> {
  const keys: PaymentKey[] = [];
  for await (const { key, timeMs } of historyOf(payer, minContextSlot, call, signal)) {
    if (timeMs !== null && timeMs < sinceMs - CLOCKS_APART_MS) break;
    keys.push(key);
    if (keys.length > MAX_CANDIDATES) throw new MalformedAnswer('the payer', 'one of few transactions');
  }
  return keys;
}

/** True for the signature over the intent's message by its fee payer. */
async function isSignatureOf(
  signature: string,
  intent: string,
  call: RpcCall,
  signal: AbortSignal,
): Promise<boolean> {
  const options = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 1 };
  const answer = await call('getTransaction', [signature, options], signal);
  if (answer === null) return false;
  const wire = readWire(readBase64(readObject(answer, 'answer')['transaction'], 'transaction'));
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

/** True when the node's history reaches back to `sinceMs`. A shorter history cannot prove absence. */
async function reachesBack(sinceMs: number, call: RpcCall, signal: AbortSignal): Promise<boolean> {
  const first = readCount(await call('getFirstAvailableBlock', [], signal), 'answer');
  if (first === 0) return true;
  const timeMs = await blockTimeMs(first, call, signal);
  return timeMs !== null && timeMs < sinceMs - CLOCKS_APART_MS;
}
