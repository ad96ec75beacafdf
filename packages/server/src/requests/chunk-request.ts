// Reads a body into a ChunkRequest: the document, the tier and the options. Wire names end here.
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Deployment, TierEntry } from '../catalog.ts';
import { HttpError, tooLargeError } from '../errors/http-error.ts';
import { checkJsonFields, checkUploadFields, type JsonFields, type RequestOptions } from './fields.ts';
import type { HttpRequest } from '../http/message.ts';
import { parseJsonObject } from './json.ts';
import { type OpenedForm, openForm, type Upload } from './multipart.ts';
import type { Settings } from '../settings/settings.ts';

/** A document from behind a link. */
export interface FetchedDocument {
  readonly bytes: Uint8Array;
  readonly filename: string;
  /** Content-Type as the host declared it. */
  readonly contentType: string | undefined;
}

/** The document of a request. */
export type RequestSource =
  | { readonly kind: 'upload'; readonly upload: Upload }
  | {
      readonly kind: 'link';
      readonly url: string;
      /** The document, once it is fetched. Jobs store it. */
      readonly fetched?: FetchedDocument | undefined;
    }
  | { readonly kind: 'text'; readonly text: string; readonly filename: string };

/** A checked request for chunks. */
export interface ChunkRequest {
  readonly tier: TierEntry;
  readonly options: RequestOptions;
  readonly source: RequestSource;
  /** Address to notify of the end of the job. Neither the work nor the payment depends on it. */
  readonly webhookUrl?: string | undefined;
}

/** The format of a body. */
export type BodyKind = 'json' | 'multipart';

const BODY_TYPES: Readonly<Record<string, BodyKind>> = {
  'application/json': 'json',
  'multipart/form-data': 'multipart',
};
/** Bytes of a form besides its file: boundaries, part headers, option fields. */
const FORM_OVERHEAD_BYTES = 128 * 1024;
const DEFAULT_TEXT_NAME = 'text.txt';

/**
 * How the body is written.
 *
 * @throws HttpError `unsupported_media_type` when it is none of `accepted`, or is compressed.
 */
export function readBodyKind(headers: IncomingHttpHeaders, accepted: readonly BodyKind[]): BodyKind {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity') rejectType('send it without Content-Encoding');
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const name = type.trim();
  const kind = Object.hasOwn(BODY_TYPES, name) ? BODY_TYPES[name] : undefined;
  if (kind === undefined || !accepted.includes(kind)) {
    const elsewhere = kind === 'json' ? ', or JSON to POST /chunk' : '';
    rejectType(`send ${acceptedTypes(accepted)}${elsewhere}`);
  }
  if (
    kind === 'json' &&
    parameters.some((parameter) => /^\s*charset\s*=(?!\s*"?utf-?8"?\s*$)/.test(parameter))
  ) {
    rejectType('JSON is always UTF-8');
  }
  return kind;
}

/** Longest body of this kind, in bytes. */
export function maxBodyBytes(kind: BodyKind, { maxJsonBytes, maxUploadBytes }: UploadSettings): number {
  return kind === 'json' ? maxJsonBytes : maxUploadBytes + FORM_OVERHEAD_BYTES;
}

/**
 * The announced length of the body, or the maximum without an announcement.
 *
 * @throws HttpError `too_large` before a byte is read.
 */
export function readContentLength(headers: IncomingHttpHeaders, maxBytes: number): number {
  const length = headers['content-length'];
  if (length === undefined) return maxBytes;
  if (Number(length) > maxBytes) throw tooLargeError(maxBytes);
  return Number(length);
}

/** Reads `POST /chunk` with a JSON body. */
export async function readJsonRequest(
  httpRequest: HttpRequest,
  deployment: Deployment,
  maxBytes: number,
): Promise<ChunkRequest> {
  const body = parseJsonObject(await readBytes(httpRequest.openBody(), maxBytes, httpRequest.signal));
  const { url, text, filename, ...checked } = checkJsonFields(body, deployment);
  return { ...checked, source: jsonSource({ url, text, filename }) };
}

/** The document of a JSON body. @throws HttpError `empty_document` for a text of blanks */
export function jsonSource({
  url,
  text,
  filename,
}: Pick<JsonFields, 'url' | 'text' | 'filename'>): RequestSource {
  return url === undefined ? textSource(text, filename) : { kind: 'link', url };
}

function textSource(text = '', filename = DEFAULT_TEXT_NAME): RequestSource {
  if (text.trim() === '') throw new HttpError('empty_document');
  return { kind: 'text', text, filename };
}

/** A form with checked options. Its document is still with the client. */
export interface OpenedUpload extends Omit<ChunkRequest, 'source'> {
  /** Reads the document. @param hashed true to compute its SHA-256 */
  readDocument(hashed: boolean): Promise<ChunkRequest>;
  /** Stops reading. */
  leave(): void;
}

/**
 * Reads a form up to its document. The options stand before it, so an impossible request is rejected, and a payment is
 * requested, before the document is read. Without a price they may also follow it: `tier` and `options` then are those
 * so far, and the request of `readDocument` has all.
 *
 * @param pathTier the tier that the path names; without it the field `tier` names it
 * @param isFree true when no tier of the path has a price
 */
export async function openUpload(
  httpRequest: HttpRequest,
  deployment: Deployment,
  settings: UploadSettings,
  pathTier: TierEntry | undefined,
  isFree: boolean,
): Promise<OpenedUpload> {
  const form = await openDocumentForm(httpRequest, settings, isFree);
  const leave = (): void => form.leave();
  try {
    const known = checkUploadFields(form.fields, deployment, pathTier, !isFree);
    const readDocument = async (hashed: boolean): Promise<ChunkRequest> => {
      const upload = await form.readDocument(hashed);
      const checked = isFree ? checkUploadFields(form.fields, deployment, pathTier) : known;
      return { ...checked, source: formSource(form, upload) };
    };
    return { ...known, readDocument, leave };
  } catch (error) {
    leave();
    throw error;
  }
}

type UploadSettings = Pick<Settings, 'maxJsonBytes' | 'maxUploadBytes'>;

/** Opens a form with a document, within the limits of the settings. */
export function openDocumentForm(
  httpRequest: HttpRequest,
  settings: UploadSettings,
  fieldsMayFollow: boolean,
): Promise<OpenedForm> {
  const { maxUploadBytes, maxJsonBytes: maxTextBytes } = settings;
  const limits = { maxUploadBytes, maxTextBytes, maxBodyBytes: maxBodyBytes('multipart', settings) };
  return openForm(httpRequest, limits, fieldsMayFollow);
}

/**
 * The document of a form. Typed text is text whatever it looks like, as `text` of a JSON body is.
 *
 * @throws HttpError `invalid_fields` for text in another encoding than UTF-8, `empty_document` for a text of blanks
 */
export function formSource({ isTyped }: OpenedForm, upload: Upload): RequestSource {
  if (!isTyped) return { kind: 'upload', upload };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(upload.bytes);
  } catch {
    throw new HttpError('invalid_fields', {
      detail: 'text must be UTF-8; send text in another encoding as a file',
    });
  }
  return textSource(text);
}

/**
 * The members of a small JSON body.
 *
 * @throws HttpError `unsupported_media_type`, `too_large`, `invalid_json`
 */
export async function readJson(
  httpRequest: HttpRequest,
  maxBytes: number,
): Promise<ReadonlyMap<string, unknown>> {
  readBodyKind(httpRequest.headers, ['json']);
  readContentLength(httpRequest.headers, maxBytes);
  return parseJsonObject(await readBytes(httpRequest.openBody(), maxBytes, httpRequest.signal));
}

/** The bytes of a body. @throws HttpError `too_large` */
export function readBytes(body: Readable, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const pieces: Buffer[] = [];
  let length = 0;
  // The stream is not destroyed: its socket still carries the answer.
  const leave = (): void => {
    body.off('data', take).off('end', finish).off('error', fail).off('close', fail);
    signal.removeEventListener('abort', fail);
  };
  const fail = (error: unknown): void => {
    leave();
    body.pause();
    reject(signal.aborted ? (signal.reason as Error) : error instanceof HttpError ? error : cutShort());
  };
  const take = (piece: Buffer): void => {
    length += piece.length;
    if (length > maxBytes) fail(tooLargeError(maxBytes));
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

function cutShort(): HttpError {
  return new HttpError('invalid_http', { detail: ': its body is cut short' });
}

function rejectType(detail: string): never {
  throw new HttpError('unsupported_media_type', { detail });
}

function acceptedTypes(accepted: readonly BodyKind[]): string {
  const named = Object.entries(BODY_TYPES).filter(([, kind]) => accepted.includes(kind));
  return named.map(([type]) => type).join(' or ');
}
