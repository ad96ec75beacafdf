// The reading of a body into an Order: what to chunk, and how. Wire names end here.
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Deployment, TierEntry } from '../catalog.ts';
import { Fault, tooLarge } from '../errors.ts';
import { checkJsonFields, checkUploadFields, type ChunkFields } from '../api/fields.ts';
import type { Intake } from './intake.ts';
import { parseJsonObject } from './json.ts';
import { openForm, type Upload } from './multipart.ts';

/** A document that was behind a link. */
export interface FetchedDocument {
  readonly bytes: Uint8Array;
  readonly filename: string;
  /** Content-Type as its host declared it. */
  readonly contentType: string | undefined;
}

/** What to chunk. */
export type Source =
  | { readonly kind: 'upload'; readonly upload: Upload }
  | {
      readonly kind: 'link';
      readonly url: string;
      /** What was behind it, once it was fetched: jobs keep that. */
      readonly fetched?: FetchedDocument;
    }
  | { readonly kind: 'text'; readonly text: string; readonly filename: string };

/** A checked request for chunks. */
export interface Order {
  readonly tier: TierEntry;
  readonly fields: ChunkFields;
  readonly source: Source;
}

/** How a body is written. */
export type BodyKind = 'json' | 'multipart';

const BODY_TYPES: Readonly<Record<string, BodyKind>> = {
  'application/json': 'json',
  'multipart/form-data': 'multipart',
};
/** Bytes that a form may have besides its file: boundaries, part headers, option fields. */
const FORM_OVERHEAD_BYTES = 128 * 1024;
const DEFAULT_TEXT_NAME = 'text.txt';

/**
 * How the body is written.
 *
 * @throws Fault `unsupported_media_type` when it is none of `accepted`, or is compressed.
 */
export function bodyKind(headers: IncomingHttpHeaders, accepted: readonly BodyKind[]): BodyKind {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity') refuseType('send it without Content-Encoding');
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const name = type.trim();
  const kind = Object.hasOwn(BODY_TYPES, name) ? BODY_TYPES[name] : undefined;
  if (kind === undefined || !accepted.includes(kind)) {
    const elsewhere = kind === 'json' ? ', or JSON to POST /chunk' : '';
    refuseType(`send ${acceptedTypes(accepted)}${elsewhere}`);
  }
  if (
    kind === 'json' &&
    parameters.some((parameter) => /^\s*charset\s*=(?!\s*"?utf-?8"?\s*$)/.test(parameter))
  ) {
    refuseType('JSON is always UTF-8');
  }
  return kind;
}

/** The most that a body of this kind may be, in bytes. */
export function maxBodyBytes(
  kind: BodyKind,
  limits: { maxJsonBytes: number; maxUploadBytes: number },
): number {
  return kind === 'json' ? limits.maxJsonBytes : limits.maxUploadBytes + FORM_OVERHEAD_BYTES;
}

/**
 * The length that the client announces, or the maximum when it announces none.
 *
 * @throws Fault `too_large` before a byte is read.
 */
export function announcedBytes(headers: IncomingHttpHeaders, maxBytes: number): number {
  const length = headers['content-length'];
  if (length === undefined) return maxBytes;
  if (Number(length) > maxBytes) throw tooLarge(maxBytes);
  return Number(length);
}

/** Reads `POST /chunk` with a JSON body. */
export async function readJsonOrder(
  intake: Intake,
  deployment: Deployment,
  maxBytes: number,
): Promise<Order> {
  const body = parseJsonObject(await readAll(intake.openBody(), maxBytes, intake.signal));
  const { tier, fields, url, text, filename } = checkJsonFields(body, deployment);
  if (url !== undefined) return { tier, fields, source: { kind: 'link', url } };
  if (text === undefined || text.trim() === '') throw new Fault('empty_document');
  return { tier, fields, source: { kind: 'text', text, filename: filename ?? DEFAULT_TEXT_NAME } };
}

/** A form whose options are known and checked, and whose document is still with the client. */
export interface OpenedOrder extends Omit<Order, 'source'> {
  /** Reads the document. @param hashed whether its SHA-256 is wanted */
  readDocument(hashed: boolean): Promise<Order>;
  /** Stops reading. */
  leave(): void;
}

/**
 * Reads a form up to its document. Options stand before it, so that a request that cannot succeed is refused, and one
 * that has a price is asked for it, before its document is read.
 *
 * @param pathTier the tier that the path names; without it the field `tier` names it
 */
export async function openUploadOrder(
  intake: Intake,
  deployment: Deployment,
  limits: { readonly maxUploadBytes: number; readonly maxTextBytes: number; readonly maxBodyBytes: number },
  pathTier: TierEntry | undefined,
): Promise<OpenedOrder> {
  const form = await openForm(intake, limits);
  const leave = (): void => form.leave();
  try {
    const checked = checkUploadFields(form.fields, deployment, pathTier);
    const readDocument = async (hashed: boolean): Promise<Order> => {
      const upload = await form.readDocument(hashed);
      return { ...checked, source: form.isTyped ? typedText(upload) : { kind: 'upload', upload } };
    };
    return { ...checked, readDocument, leave };
  } catch (fault) {
    leave();
    throw fault;
  }
}

/** What was typed into a form, which is text whatever it looks like, as that of a JSON body is. */
function typedText({ bytes }: Upload): Source {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Fault('invalid_fields', {
      detail: 'text must be UTF-8; send text in another encoding as a file',
    });
  }
  if (text.trim() === '') throw new Fault('empty_document');
  return { kind: 'text', text, filename: DEFAULT_TEXT_NAME };
}

/**
 * The members of a small JSON body.
 *
 * @throws Fault `unsupported_media_type`, `too_large`, `invalid_json`
 */
export async function readJson(intake: Intake, maxBytes: number): Promise<ReadonlyMap<string, unknown>> {
  bodyKind(intake.headers, ['json']);
  announcedBytes(intake.headers, maxBytes);
  return parseJsonObject(await readAll(intake.openBody(), maxBytes, intake.signal));
}

function readAll(body: Readable, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const pieces: Buffer[] = [];
  let length = 0;
  // The stream is not destroyed when it is left early, because its socket still has to carry the answer.
  const leave = (): void => {
    body.off('data', take).off('end', finish).off('error', fail).off('close', fail);
    signal.removeEventListener('abort', fail);
  };
  const fail = (fault: unknown): void => {
    leave();
    body.pause();
    reject(signal.aborted ? (signal.reason as Error) : fault instanceof Fault ? fault : cutShort());
  };
  const take = (piece: Buffer): void => {
    length += piece.length;
    if (length > maxBytes) fail(tooLarge(maxBytes));
    else pieces.push(piece);
  };
  const finish = (): void => {
    leave();
    resolve(Buffer.concat(pieces, length));
  };
  body.on('data', take).once('end', finish).once('error', fail).once('close', fail);
  signal.addEventListener('abort', fail, { once: true });
  if (signal.aborted) fail(signal.reason);
  return promise;
}

function cutShort(): Fault {
  return new Fault('invalid_http', { detail: ': its body is cut short' });
}

function refuseType(detail: string): never {
  throw new Fault('unsupported_media_type', { detail });
}

function acceptedTypes(accepted: readonly BodyKind[]): string {
  const named = Object.entries(BODY_TYPES).filter(([, kind]) => accepted.includes(kind));
  return named.map(([type]) => type).join(' or ');
}
