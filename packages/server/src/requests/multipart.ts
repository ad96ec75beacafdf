// Reads a multipart form in two steps: its options, then one document, a file in the field `file` or typed text in the
// field `text`. Between the steps the request can be rejected or paid while its document is still with the client.
// @fastify/busboy parses; this file holds the limits, the order of the parts, and the codes of errors.
import { createHash, type Hash } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { JOB_FIELDS, OPTION_FIELDS } from '../fields/field-table.ts';
import { HttpError, tooLargeError } from '../errors/http-error.ts';
import type { HttpRequest } from '../http/message.ts';
import { cleanName } from '../fields/file-name.ts';

/** A file as it was uploaded. */
export interface Upload {
  readonly bytes: Uint8Array;
  /** Cleaned base name; undefined without a name from the client. */
  readonly filename: string | undefined;
  /** Content-Type of the part with its parameters, as it was sent; `text/plain` when it had none. */
  readonly contentType: string;
  /** SHA-256 of the bytes in hexadecimal, on request. */
  readonly sha256?: string | undefined;
}

/** Names of the fields of a document: a file, or text as a form without JavaScript sends it. */
const FILE_FIELD = 'file';
const TEXT_FIELD = 'text';
/** Each option once, `tier`, and the document. */
const MAX_PARTS = Object.keys({ ...OPTION_FIELDS, ...JOB_FIELDS }).length + 2;
const MAX_FIELD_BYTES = 8 * 1024;
const MAX_PART_HEADER_BYTES = 8 * 1024;

interface UploadLimits {
  readonly maxUploadBytes: number;
  /** Most bytes of the field `text`. */
  readonly maxTextBytes: number;
  /** Most bytes of the whole body, boundaries and fields included. */
  readonly maxBodyBytes: number;
}

/** A form with read options and an unread document. */
export interface OpenedForm {
  readonly fields: ReadonlyMap<string, string>;
  /** True when the document is the field `text`: typed UTF-8, and no file. */
  readonly isTyped: boolean;
  /**
   * Reads the form to its end. Call it once.
   *
   * @param hashed true to compute the SHA-256 while the bytes arrive
   * @throws HttpError as {@link openForm}
   */
  readDocument(hashed: boolean): Promise<Upload>;
  /** Stops reading. The rest of the body stays on the connection. */
  leave(): void;
}

/**
 * Reads the form up to its document. The client then waits for `readDocument`.
 *
 * @param fieldsMayFollow true to accept options after the document too; `fields` has them once it is read
 * @throws HttpError `invalid_multipart`, `missing_file`, `too_many_files`, `invalid_fields`, `too_large`
 */
export function openForm(
  { headers, openBody, signal }: Pick<HttpRequest, 'headers' | 'openBody' | 'signal'>,
  limits: UploadLimits,
  fieldsMayFollow = false,
): Promise<OpenedForm> {
  const parser = createParser(headers['content-type'] ?? '', limits.maxUploadBytes);
  const opened = Promise.withResolvers<OpenedForm>();
  const ended = Promise.withResolvers<Upload>();
  // A form may break off before `readDocument` or after `leave`: its rejection needs a handler.
  ended.promise.catch(() => undefined);
  const form = createForm(fieldsMayFollow);
  const body = openBody();

  /** Counts the bytes of a stream and fails above a limit. */
  const limitedTo = (most: number): ((piece: Buffer) => void) => {
    let length = 0;
    return (piece) => {
      length += piece.length;
      if (length > most) fail(tooLargeError(most));
    };
  };
  const count = limitedTo(limits.maxBodyBytes);
  const leave = (): void => {
    body.off('data', count).off('error', onBreak).off('close', onClose).unpipe(parser);
    signal.removeEventListener('abort', onBreak);
  };
  const fail = (error: unknown): void => {
    leave();
    opened.reject(error);
    ended.reject(error);
  };
  const typeOfPart = watchHeaders(parser, (encoding) => fail(encodedPart(encoding)));
  const onBreak = (): void => fail(signal.aborted ? signal.reason : cutShort());
  // A fully read body may close before the parser has processed it.
  const onClose = (): void => {
    if (!body.readableEnded) onBreak();
  };
  const attempt = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      fail(error);
    }
  };

  parser.on('field', (name, value, nameCut, valueCut) =>
    attempt(() => form.addField(name, value, nameCut || valueCut)),
  );
  parser.on('file', (name, stream, filename, _, contentType) => {
    // Without a listener the error of a truncated file would end the process.
    stream.on('error', () => fail(cutShort()));
    stream.on('limit', () => fail(tooLargeError(limits.maxUploadBytes)));
    attempt(() => {
      form.addDocument(name, { stream, filename, contentType: typeOfPart() ?? contentType });
      const isTyped = name === TEXT_FIELD;
      const readDocument = (hashed: boolean): Promise<Upload> => {
        form.readDocument(hashed);
        if (isTyped) stream.on('data', limitedTo(limits.maxTextBytes));
        return ended.promise;
      };
      opened.resolve({ fields: form.fields, isTyped, readDocument, leave });
    });
  });
  parser.on('partsLimit', () =>
    fail(new HttpError('invalid_multipart', { detail: `it has more than ${MAX_PARTS} parts` })),
  );
  parser.on('error', (error) => fail(cutShort(error)));
  parser.on('finish', () =>
    attempt(() => {
      const upload = form.finish();
      leave();
      ended.resolve(upload);
    }),
  );
  body.on('data', count).once('error', onBreak).once('close', onClose);
  signal.addEventListener('abort', onBreak, { once: true });
  body.pipe(parser);
  if (signal.aborted) onBreak();
  return opened.promise;
}

function createParser(contentType: string, maxUploadBytes: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      isPartAFile: (name, type, filename) =>
        // The file's own limit, and the limit on the text of a field.
        filename !== undefined || type === 'application/octet-stream' || name === TEXT_FIELD,
      limits: {
        parts: MAX_PARTS,
        fileSize: maxUploadBytes,
        fieldSize: MAX_FIELD_BYTES,
        headerSize: MAX_PART_HEADER_BYTES,
      },
    });
  } catch (cause) {
    throw new HttpError('invalid_multipart', { detail: 'its Content-Type names no boundary', cause });
  }
}

/** The parser's inner stage, which separates the parts and reports their headers. */
interface FormParser {
  readonly _parser?: { readonly parser?: EventEmitter<{ part: [EventEmitter<{ header: [PartHeader] }>] }> };
}

type PartHeader = Readonly<Record<string, readonly string[] | undefined>>;

/** Encodings that leave the bytes of a part as they are (RFC 2045 section 6.2). */
const IDENTITIES: readonly string[] = ['7bit', '8bit', 'binary'];

/**
 * The whole Content-Type of the current part. The parser reads its charset and drops it. This listener runs before the
 * parser's own, which announces the file.
 *
 * @param onEncoded called for a part whose bytes are encoded, which the parser would take for the document
 */
function watchHeaders(
  parser: BusboyInstance & FormParser,
  onEncoded: (encoding: string) => void,
): () => string | undefined {
  let type: string | undefined;
  parser._parser?.parser?.prependListener('part', (part) =>
    part.on('header', (header) => {
      type = header['content-type']?.[0];
      const encoding = header['content-transfer-encoding']?.[0]?.trim().toLowerCase() ?? '';
      if (encoding !== '' && !IDENTITIES.includes(encoding)) onEncoded(encoding);
    }),
  );
  return () => (type === '' ? undefined : type);
}

/** A document's part as the parser begins it. Its stream is paused until a listener is added. */
interface FilePart {
  readonly stream: BusboyFileStream;
  readonly filename: string | undefined;
  readonly contentType: string;
}

/** The form as far as it is read. The methods throw for a part that must not be there. */
function createForm(fieldsMayFollow: boolean): {
  readonly fields: ReadonlyMap<string, string>;
  addField: (name: string | undefined, value: string, cut: boolean) => void;
  addDocument: (name: string | undefined, part: FilePart) => void;
  readDocument: (hashed: boolean) => void;
  finish: () => Upload;
} {
  const fields = new Map<string, string>();
  const pieces: Buffer[] = [];
  let file: FilePart | undefined;
  let hash: Hash | undefined;

  return {
    fields,
    addField(name = '', value, cut) {
      if (name === FILE_FIELD) throw missing('its field "file" is text without a file name');
      if (file !== undefined && !fieldsMayFollow)
        throw wrongField(`${JSON.stringify(name)} must stand before the document`);
      if (cut) throw wrongField(`${JSON.stringify(name)} is longer than ${MAX_FIELD_BYTES} bytes`);
      if (fields.has(name)) throw wrongField(`${JSON.stringify(name)} is given twice`);
      fields.set(name, value);
    },
    addDocument(name = '', part) {
      if (file !== undefined) throw new HttpError('too_many_files');
      if (name !== FILE_FIELD && name !== TEXT_FIELD)
        throw missing(`its file is in the field ${JSON.stringify(name.slice(0, 40))}`);
      file = part;
    },
    readDocument(hashed) {
      hash = hashed ? createHash('sha256') : undefined;
      file?.stream.on('data', (piece: Buffer) => {
        hash?.update(piece);
        pieces.push(piece);
      });
    },
    finish() {
      if (file === undefined) throw missing('it has no file');
      const bytes = Buffer.concat(pieces);
      // A browser sends an empty name and no bytes for a form without a chosen file.
      if (bytes.length === 0 && file.filename === '') throw missing('no file was chosen');
      if (bytes.length === 0) throw new HttpError('empty_document');
      const filename = file.filename === undefined ? undefined : cleanName(file.filename);
      const sha256 = hash?.digest('hex');
      return { bytes, filename, contentType: file.contentType, sha256 };
    },
  };
}

function cutShort(cause?: unknown): HttpError {
  return new HttpError('invalid_multipart', {
    detail: 'it is cut short, or its boundary never comes',
    cause,
  });
}

/** RFC 7578 section 4.7 deprecates the header, and hardly any client sends it: it is refused, not decoded. */
function encodedPart(encoding: string): HttpError {
  return new HttpError('invalid_multipart', {
    detail: `a part has Content-Transfer-Encoding ${JSON.stringify(encoding.slice(0, 40))}, and parts are read as plain bytes`,
  });
}

function missing(detail: string): HttpError {
  return new HttpError('missing_file', { detail });
}

function wrongField(detail: string): HttpError {
  return new HttpError('invalid_fields', { detail });
}
