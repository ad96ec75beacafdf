// A job's order as bytes: what was asked for, and the document. One line of JSON, and behind it the document as it
// came. Text is compressed; what is large is not, because whoever submits it waits for that, and files are compressed
// already.
import { isUtf8 } from 'node:buffer';
import { constants, gunzip, gzip } from 'node:zlib';
import { promisify } from 'node:util';
import { type Deployment, findTier } from '../catalog.ts';
import { Fault } from '../errors.ts';
import type { ChunkFields } from '../api/fields.ts';
import type { FetchedDocument, Order, Source } from '../http/order.ts';
import type { Receipt } from '../payments/sale.ts';

/** What a job has to do, and what its answer says beside the chunks. */
export interface JobOrder {
  readonly order: Order;
  /** Begin of links in the answer. */
  readonly origin: string;
  /** What was paid, in the asset's smallest unit; 0 where nothing was. */
  readonly amount: bigint;
  /** The receipt of the payment, when one was made. */
  readonly receipt?: Receipt;
}

/** Version of this format; orders of another version are refused. */
const VERSION = 1;

interface Head {
  readonly version: number;
  readonly tier: string;
  readonly fields: ChunkFields;
  readonly origin: string;
  readonly amount: string;
  readonly receipt?: Receipt;
  readonly source: SourceHead;
}

/** A source without what is large. */
type SourceHead =
  | { readonly kind: 'upload'; readonly filename?: string; readonly contentType: string }
  | { readonly kind: 'text'; readonly filename: string }
  | {
      readonly kind: 'link';
      readonly url: string;
      readonly fetched?: Omit<FetchedDocument, 'bytes'>;
    };

const [compress, decompress] = [promisify(gzip), promisify(gunzip)];
/** Larger ones would take more than a moment. */
const MOST_COMPRESSED = 8 * 1024 * 1024;
const NEWLINE = 0x0a;
const JSON_BEGIN = 0x7b;

export async function encodeOrder({ order, origin, amount, receipt }: JobOrder): Promise<Uint8Array> {
  const { head: source, body } = partsOf(order.source);
  const head: Head = {
    version: VERSION,
    tier: order.tier.id,
    fields: order.fields,
    origin,
    amount: String(amount),
    ...(receipt === undefined ? {} : { receipt }),
    source,
  };
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
  if (bytes.length > MOST_COMPRESSED || !isUtf8(body)) return bytes;
  return compress(bytes, { level: constants.Z_BEST_SPEED });
}

/** @throws Fault `tier_unavailable` when this version, or its deployment, has no use for the order */
export async function decodeOrder(bytes: Uint8Array, deployment: Deployment): Promise<JobOrder> {
  const plain = bytes[0] === JSON_BEGIN ? Buffer.from(bytes) : await decompress(bytes);
  const end = plain.indexOf(NEWLINE);
  // Only encodeOrder writes orders.
  const head = JSON.parse(plain.subarray(0, end).toString()) as Head;
  const tier = findTier(deployment, head.tier);
  if (head.version !== VERSION || tier === undefined || 'unavailable' in tier.offer)
    throw new Fault('tier_unavailable', { detail: `${head.tier}: this service no longer offers it.` });
  const { fields, origin, receipt } = head;
  return {
    order: { tier, fields, source: sourceOf(head.source, plain.subarray(end + 1)) },
    origin,
    amount: BigInt(head.amount),
    ...(receipt === undefined ? {} : { receipt }),
  };
}

function partsOf(source: Source): { readonly head: SourceHead; readonly body: Uint8Array } {
  if (source.kind === 'text') {
    const { kind, text, filename } = source;
    return { head: { kind, filename }, body: Buffer.from(text) };
  }
  if (source.kind === 'upload') {
    const { bytes, filename, contentType } = source.upload;
    return {
      head: { kind: 'upload', contentType, ...(filename === undefined ? {} : { filename }) },
      body: bytes,
    };
  }
  const { kind, url, fetched } = source;
  if (fetched === undefined) return { head: { kind, url }, body: new Uint8Array() };
  const { bytes, ...about } = fetched;
  return { head: { kind, url, fetched: about }, body: bytes };
}

function sourceOf(head: SourceHead, body: Uint8Array): Source {
  if (head.kind === 'text')
    return { kind: 'text', text: new TextDecoder().decode(body), filename: head.filename };
  if (head.kind === 'upload') {
    const { filename, contentType } = head;
    return { kind: 'upload', upload: { bytes: body, filename, contentType } };
  }
  const { kind, url, fetched } = head;
  return { kind, url, ...(fetched === undefined ? {} : { fetched: { ...fetched, bytes: body } }) };
}
