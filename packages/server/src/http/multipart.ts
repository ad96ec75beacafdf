// Reads a multipart form in two steps: its options, then exactly one document, a file in the field `file` or what
// somebody has typed in the field `text`. Between them the request can be refused, or paid for, while its document is
// still with the client.
// @fastify/busboy parses; here stand the limits, the order of the parts, and what each fault is called.
import { createHash, type Hash } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { OPTION_FIELDS } from '../api/field-table.ts';
import { Fault, tooLarge } from '../errors.ts';
import type { Intake } from './intake.ts';
import { cleanName } from './names.ts';

/** A file as it was uploaded. */
export interface Upload {
  readonly bytes: Uint8Array;
  /** Cleaned base name; undefined when the client gave none. */
  readonly filename: string | undefined;
  /** Content-Type of the part with its parameters, as it was sent; `text/plain` when it had none. */
  readonly contentType: string;
  /** SHA-256 of the bytes in hexadecimal, when it was asked for. */
  readonly sha256?: string;
}

/** Names of the fields of a document: a file, or text as a form without JavaScript sends it. */
const FILE_FIELD = 'file';
const TEXT_FIELD = 'text';
/** Each option once, `tier`, and the document. */
const MAX_PARTS = Object.keys(OPTION_FIELDS).length + 2;
const MAX_FIELD_BYTES = 8 * 1024;
const MAX_PART_HEADER_BYTES = 8 * 1024;

interface UploadLimits {
  readonly maxUploadBytes: number;
  /** Most bytes of the field `text`. */
  readonly maxTextBytes: number;
  /** Most bytes of the whole body, boundaries and fields included. */
  readonly maxBodyBytes: number;
}

/** A form whose options have been read, and whose document has not. */
export interface OpenedForm {
  readonly fields: ReadonlyMap<string, string>;
  /** Whether the document is the field `text`: UTF-8 that was typed, and no file. */
  readonly isTyped: boolean;
  /**
   * Reads the form to its end. Call it once.
   *
   * @param hashed whether the SHA-256 of the document is wanted; it is taken while the bytes come in
   * @throws Fault as {@link openForm}
   */
  readDocument(hashed: boolean): Promise<Upload>;
  /** Stops reading. What is left of the body stays on the connection. */
  leave(): void;
}

/**
 * Reads the form up to its document; then the client is kept waiting until that is asked for.
 *
 * @throws Fault `invalid_multipart`, `missing_file`, `too_many_files`, `invalid_fields`, `too_large`
 */
export function openForm(
  { headers, openBody, signal }: Pick<Intake, 'headers' | 'openBody' | 'signal'>,
  limits: UploadLimits,
): Promise<OpenedForm> {
  const parser = createParser(headers['content-type'] ?? '', limits.maxUploadBytes);
  const opened = Promise.withResolvers<OpenedForm>();
  const ended = Promise.withResolvers<Upload>();
  // A form that breaks off while nobody has asked for its document yet, or is left, is not an error that nobody caught.
  ended.promise.catch(() => undefined);
  const typeOfPart = watchTypes(parser);
  const form = createForm();
  const body = openBody();

  let length = 0;
  const count = (piece: Buffer): void => {
    length += piece.length;
    if (length > limits.maxBodyBytes) fail(tooLarge(limits.maxBodyBytes));
  };
  let textLength = 0;
  const countText = (piece: Buffer): void => {
    textLength += piece.length;
    if (textLength > limits.maxTextBytes) fail(tooLarge(limits.maxTextBytes));
  };
  const leave = (): void => {
    body.off('data', count).off('error', onBreak).off('close', onClose).unpipe(parser);
    signal.removeEventListener('abort', onBreak);
  };
  const fail = (fault: unknown): void => {
    leave();
    opened.reject(fault);
    ended.reject(fault);
  };
  const onBreak = (): void => fail(signal.aborted ? signal.reason : cutShort());
  // A body that was read to its end may close before the parser is through with it.
  const onClose = (): void => {
    if (!body.readableEnded) onBreak();
  };
  const attempt = (step: () => void): void => {
    try {
      step();
    } catch (fault) {
      fail(fault);
    }
  };

  parser.on('field', (name, value, nameCut, valueCut) =>
    attempt(() => form.addField(name, value, nameCut || valueCut)),
  );
  parser.on('file', (name, stream, filename, _, contentType) => {
    // Without a listener of its own, the error of a file that is cut off would end the process.
    stream.on('error', () => fail(cutShort()));
    stream.on('limit', () => fail(tooLarge(limits.maxUploadBytes)));
    attempt(() => {
      form.addDocument(name, { stream, filename, contentType: typeOfPart() ?? contentType });
      const isTyped = name === TEXT_FIELD;
      const readDocument = (hashed: boolean): Promise<Upload> => {
        form.readDocument(hashed);
        if (isTyped) stream.on('data', countText);
        return ended.promise;
      };
      opened.resolve({ fields: form.fields, isTyped, readDocument, leave });
    });
  });
  parser.on('partsLimit', () =>
    fail(new Fault('invalid_multipart', { detail: `it has more than ${MAX_PARTS} parts` })),
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
        // As it is by itself, and the text that is too long for a field.
        filename !== undefined || type === 'application/octet-stream' || name === TEXT_FIELD,
      limits: {
        parts: MAX_PARTS,
        fileSize: maxUploadBytes,
        fieldSize: MAX_FIELD_BYTES,
        headerSize: MAX_PART_HEADER_BYTES,
      },
    });
  } catch (cause) {
    throw new Fault('invalid_multipart', { detail: 'its Content-Type names no boundary', cause });
  }
}

/** The parser's inner stage that parts a form and reports the headers of each part. */
interface FormParser {
  readonly _parser?: { readonly parser?: EventEmitter<{ part: [EventEmitter<{ header: [PartHeader] }>] }> };
}

type PartHeader = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * The whole Content-Type of the part that is being read: the parser reads the charset in it, and keeps it to itself.
 * Its own listener announces the file, so this one stands before it.
 */
function watchTypes(parser: BusboyInstance & FormParser): () => string | undefined {
  let type: string | undefined;
  parser._parser?.parser?.prependListener('part', (part) =>
    part.on('header', (header) => {
      type = header['content-type']?.[0];
    }),
  );
  return () => (type === '' ? undefined : type);
}

/** The part of a document as the parser begins it: its stream delivers nothing before somebody listens. */
interface FilePart {
  readonly stream: BusboyFileStream;
  readonly filename: string | undefined;
  readonly contentType: string;
}

/** What has come of the form so far. Its methods throw when a part must not be there. */
function createForm(): {
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
      if (file !== undefined) throw wrongField(`${JSON.stringify(name)} must stand before the document`);
      if (cut) throw wrongField(`${JSON.stringify(name)} is longer than ${MAX_FIELD_BYTES} bytes`);
      if (fields.has(name)) throw wrongField(`${JSON.stringify(name)} is given twice`);
      fields.set(name, value);
    },
    addDocument(name = '', part) {
      if (file !== undefined) throw new Fault('too_many_files');
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
      // A browser's form without a chosen file sends an empty name and no bytes.
      if (bytes.length === 0 && file.filename === '') throw missing('no file was chosen');
      if (bytes.length === 0) throw new Fault('empty_document');
      const filename = file.filename === undefined ? undefined : cleanName(file.filename);
      const sha256 = hash?.digest('hex');
      return { bytes, filename, contentType: file.contentType, ...(sha256 === undefined ? {} : { sha256 }) };
    },
  };
}

function cutShort(cause?: unknown): Fault {
  return new Fault('invalid_multipart', { detail: 'it is cut short, or its boundary never comes', cause });
}

function missing(detail: string): Fault {
  return new Fault('missing_file', { detail });
}

function wrongField(detail: string): Fault {
  return new Fault('invalid_fields', { detail });
}
