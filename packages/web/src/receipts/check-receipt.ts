// The check of a signed receipt that a visitor brings, offline but for the keys of the service.
import type { ReceiptKeySet } from '@grainline/client';
import { type ReceiptClaims, verifyReceipt } from '@grainline/client/receipts';

/** A receipt with all that was brought beside it. */
export interface BroughtReceipt {
  readonly receipt: string;
  /** A set of keys; absent where the service's are to be used. */
  readonly keys?: ReceiptKeySet | undefined;
  /** The `chunks` of an answer. */
  readonly chunks?: readonly unknown[] | undefined;
}

/** The outcome of a check. */
export type ReceiptCheck =
  | {
      readonly kind: 'valid';
      readonly claims: ReceiptClaims;
      readonly keysOf: 'service' | 'file';
      /** `other` when the chunks are not those of the receipt, `absent` without any. */
      readonly chunks: 'equal' | 'other' | 'absent';
    }
  /** Not signed by one of the keys: it proves nothing. */
  | { readonly kind: 'invalid'; readonly reason: string; readonly keysOf: 'service' | 'file' };

/** Sources of what was not brought. */
export interface ReceiptSources {
  /** The keys of the service; absent in the static demo. */
  readonly serviceKeys: (() => Promise<ReceiptKeySet>) | undefined;
  /** The chunks of a paid answer in this browser, by its transaction. */
  readonly chunksOf: (transaction: string) => Promise<readonly unknown[] | undefined>;
}

/** A receipt and a set of keys take a few kB, an answer up to the limit of the service. */
const MAX_RECEIPT_BYTES = 16_384;
const MAX_JSON_BYTES = 100_000_000;
/** A JWS whose header is a JSON object. */
const JWS = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

/** The receipt in a text; undefined for any other text. */
export function receiptIn(text: string): BroughtReceipt | undefined {
  const receipt = text.trim();
  return receipt.length <= MAX_RECEIPT_BYTES && JWS.test(receipt) ? { receipt } : undefined;
}

/** The receipt among files, with the answer and the keys beside it; undefined when they are documents. */
export async function receiptAmong(files: readonly File[]): Promise<BroughtReceipt | undefined> {
  const parts = await Promise.all(files.map(partOf));
  const all = Object.assign({}, ...parts) as Partial<BroughtReceipt>;
  return all.receipt === undefined ? undefined : { ...all, receipt: all.receipt };
}

async function partOf(file: File): Promise<Partial<BroughtReceipt>> {
  const isJson = /\.json$/i.test(file.name);
  if (file.size > (isJson ? MAX_JSON_BYTES : MAX_RECEIPT_BYTES)) return {};
  const text = await file.text();
  return isJson ? membersOf(text) : (receiptIn(text) ?? {});
}

/** The parts in an answer, in a set of keys, or in a list of chunks. */
function membersOf(text: string): Partial<BroughtReceipt> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {};
  }
  if (Array.isArray(value)) return { chunks: value };
  const { keys, chunks, payment } = Object(value) as Readonly<Record<string, unknown>>;
  const { receipt } = Object(payment) as { readonly receipt?: unknown };
  return {
    ...(Array.isArray(keys) && { keys: { keys } }),
    ...(Array.isArray(chunks) && { chunks }),
    ...(typeof receipt === 'string' && receiptIn(receipt)),
  };
}

/**
 * Checks the signature, then the chunks.
 *
 * @throws Error when the keys of the service cannot be fetched
 */
export async function checkReceipt(
  { receipt, keys, chunks }: BroughtReceipt,
  { serviceKeys, chunksOf }: ReceiptSources,
): Promise<ReceiptCheck> {
  const keysOf = keys === undefined && serviceKeys !== undefined ? 'service' : 'file';
  const keySet = keys ?? (await serviceKeys?.()) ?? { keys: [] };
  const claims = await verifyReceipt(receipt, keySet).catch(reasonOf);
  if (typeof claims === 'string') return { kind: 'invalid', reason: claims, keysOf };
  const delivered = chunks ?? (await chunksOf(claims.transaction));
  if (delivered === undefined) return { kind: 'valid', claims, keysOf, chunks: 'absent' };
  const compared = await verifyReceipt(receipt, keySet, { chunks: delivered }).catch(reasonOf);
  return { kind: 'valid', claims, keysOf, chunks: typeof compared === 'string' ? 'other' : 'equal' };
}

/** The reason of a rejected receipt. Other errors, such as a browser without Ed25519, are thrown. */
function reasonOf(error: unknown): string {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message: string };
  if (code !== 'invalid_receipt') throw error;
  return message.replace(/^[^:]*: /, '');
}
