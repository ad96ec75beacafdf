// A job's payload as bytes: one line of JSON, and behind it the document as it came. Text is compressed. A large
// document is not, because its client waits for the compression, and files are compressed already.
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { type Deployment, findTier } from '../catalog.ts';
import { HttpError } from '../errors/http-error.ts';
import type { ChainPayment } from '../payments/paid-response.ts';
import type { PaymentClaims } from '../payments/receipts.ts';
import type { ChunkRequest, RequestSource, FetchedDocument } from '../requests/chunk-request.ts';
import type { RequestOptions } from '../requests/fields.ts';

/** The trace of a job, stored in its payload. */
export interface JobTrace {
  /** W3C Trace Context of the request that submitted it. */
  readonly parent: string;
  /** Moment of the submission, in milliseconds since 1970. */
  readonly submittedMs: number;
}

/** The request of a job, and the members of its answer beside the chunks. */
export interface JobPayload {
  readonly request: ChunkRequest;
  /** Begin of links in the answer. */
  readonly origin: string;
  /** The paid amount in the asset's smallest unit; 0 without a payment. */
  readonly amount: bigint;
  /** The payment, if there is one. */
  readonly settlement?: ChainPayment | undefined;
  /** The claims of the receipt of the payment; absent in payloads of versions without receipts. */
  readonly claims?: PaymentClaims | undefined;
  /** The trace of the request, where traces are exported. */
  readonly trace?: JobTrace | undefined;
}

/** Version of this format. Payloads of another version are rejected. */
const VERSION = 1;

interface Head {
  readonly version: number;
  readonly tier: string;
  readonly fields: RequestOptions;
  readonly origin: string;
  readonly amount: string;
  readonly receipt?: ChainPayment | undefined;
  readonly claims?: PaymentClaims | undefined;
  readonly trace?: JobTrace | undefined;
  readonly source: SourceHead;
}

/** A source without the document's bytes. */
type SourceHead =
  | { readonly kind: 'upload'; readonly filename?: string | undefined; readonly contentType: string }
  | { readonly kind: 'text'; readonly filename: string }
  | {
      readonly kind: 'link';
      readonly url: string;
      readonly fetched?: Omit<FetchedDocument, 'bytes'>;
    };

const [compress, decompress] = [promisify(gzip), promisify(gunzip)];
/** Larger payloads are stored uncompressed: their compression takes too long. */
const MAX_COMPRESSED_BYTES = 8 * 1024 * 1024;
const NEWLINE = 0x0a;
const JSON_BEGIN = 0x7b;

export async function encodePayload({
  request,
  origin,
  amount,
  settlement,
  claims,
  trace,
}: JobPayload): Promise<Uint8Array> {
  const { head: source, body } = splitSource(request.source);
  const head: Head = {
    version: VERSION,
    tier: request.tier.id,
    fields: request.options,
    origin,
    amount: String(amount),
    receipt: settlement,
    claims,
    trace,
    source,
  };
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
  if (bytes.length > MAX_COMPRESSED_BYTES || !isUtf8(body)) return bytes;
  return compress(bytes, { level: constants.Z_BEST_SPEED });
}

/** @throws HttpError `tier_unavailable` when this version or deployment lacks the payload's tier */
export async function decodePayload(bytes: Uint8Array, deployment: Deployment): Promise<JobPayload> {
  const plain = bytes[0] === JSON_BEGIN ? Buffer.from(bytes) : await decompress(bytes);
  const end = plain.indexOf(NEWLINE);
  // Only encodePayload writes payloads.
  const head = JSON.parse(plain.subarray(0, end).toString()) as Head;
  const tier = findTier(deployment, head.tier);
  if (head.version !== VERSION || tier === undefined || 'unavailable' in tier.offer)
    throw new HttpError('tier_unavailable', { detail: `${head.tier}: this service no longer offers it.` });
  const { fields: options, origin, receipt: settlement, claims, trace } = head;
  return {
    request: { tier, options, source: joinSource(head.source, plain.subarray(end + 1)) },
    origin,
    amount: BigInt(head.amount),
    settlement,
    claims,
    trace,
  };
}

function splitSource(source: RequestSource): { readonly head: SourceHead; readonly body: Uint8Array } {
  if (source.kind === 'text') {
    const { kind, text, filename } = source;
    return { head: { kind, filename }, body: Buffer.from(text) };
  }
  if (source.kind === 'upload') {
    const { bytes, filename, contentType } = source.upload;
    return { head: { kind: 'upload', contentType, filename }, body: bytes };
  }
  const { kind, url, fetched } = source;
  if (fetched === undefined) return { head: { kind, url }, body: new Uint8Array() };
  const { bytes, ...about } = fetched;
  return { head: { kind, url, fetched: about }, body: bytes };
}

function joinSource(head: SourceHead, body: Uint8Array): RequestSource {
  if (head.kind === 'text')
    return { kind: 'text', text: new TextDecoder().decode(body), filename: head.filename };
  if (head.kind === 'upload') {
    const { filename, contentType } = head;
    return { kind: 'upload', upload: { bytes: body, filename, contentType } };
  }
  const { kind, url, fetched } = head;
  return { kind, url, fetched: fetched === undefined ? undefined : { ...fetched, bytes: body } };
}
