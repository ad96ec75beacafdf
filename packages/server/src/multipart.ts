// Reads a multipart form: text fields first, then exactly one file in the field `file`.
// @fastify/busboy parses; here stand the limits, the order of the parts, and what each fault is called.
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { Fault, tooLarge } from './errors.ts';
import type { Intake } from './intake.ts';
import { cleanName } from './names.ts';

/** A file as it was uploaded. */
export interface Upload {
  readonly bytes: Uint8Array;
  /** Cleaned base name; undefined when the client gave none. */
  readonly filename: string | undefined;
  /** Content-Type of the part; `text/plain` when it had none. */
  readonly contentType: string;
}

/** Name of the one file field. */
const FILE_FIELD = 'file';
/** Fields and file together. */
const MAX_PARTS = 10;
const MAX_FIELD_BYTES = 8 * 1024;
const MAX_PART_HEADER_BYTES = 8 * 1024;

interface UploadLimits {
  readonly maxUploadBytes: number;
  /** Of the whole body, boundaries and fields included. */
  readonly maxBodyBytes: number;
}

/**
 * Reads the form to its end.
 *
 * @param begin called once with the text fields, when the file begins; what it throws ends the reading at once
 * @throws Fault `invalid_multipart`, `missing_file`, `too_many_files`, `invalid_fields`, `too_large`
 */
export function readUpload<Begun>(
  { headers, openBody, signal }: Pick<Intake, 'headers' | 'openBody' | 'signal'>,
  limits: UploadLimits,
  begin: (fields: ReadonlyMap<string, string>) => Begun,
): Promise<{ readonly begun: Begun; readonly upload: Upload }> {
  const parser = createParser(headers['content-type'] ?? '', limits.maxUploadBytes);
  const form = createForm(begin);
  const body = openBody();

  return new Promise((resolve, reject) => {
    let length = 0;
    const count = (piece: Buffer): void => {
      length += piece.length;
      if (length > limits.maxBodyBytes) fail(tooLarge(limits.maxBodyBytes));
    };
    const leave = (): void => {
      body.off('data', count).off('error', onBreak).off('close', onClose).unpipe(parser);
      signal.removeEventListener('abort', onBreak);
    };
    const fail = (fault: unknown): void => {
      leave();
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- faults and a signal's reason
      reject(fault);
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
      attempt(() => form.addFile(name, stream, filename, contentType));
    });
    parser.on('partsLimit', () =>
      fail(new Fault('invalid_multipart', { detail: `it has more than ${MAX_PARTS} parts` })),
    );
    parser.on('error', (error) => fail(cutShort(error)));
    parser.on('finish', () =>
      attempt(() => {
        const result = form.finish();
        leave();
        resolve(result);
      }),
    );
    body.on('data', count).once('error', onBreak).once('close', onClose);
    signal.addEventListener('abort', onBreak, { once: true });
    body.pipe(parser);
    if (signal.aborted) onBreak();
  });
}

function createParser(contentType: string, maxUploadBytes: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
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

/** What has come of the form so far. Its methods throw when a part must not be there. */
function createForm<Begun>(begin: (fields: ReadonlyMap<string, string>) => Begun): {
  addField: (name: string | undefined, value: string, cut: boolean) => void;
  addFile: (
    name: string | undefined,
    stream: BusboyFileStream,
    filename: string | undefined,
    contentType: string,
  ) => void;
  finish: () => { begun: Begun; upload: Upload };
} {
  const fields = new Map<string, string>();
  let file: { begun: Begun; filename: string | undefined; contentType: string; pieces: Buffer[] } | undefined;

  return {
    addField(name = '', value, cut) {
      if (name === FILE_FIELD) throw missing('its field "file" is text without a file name');
      if (file !== undefined) throw wrongField(`${JSON.stringify(name)} must stand before the file`);
      if (cut) throw wrongField(`${JSON.stringify(name)} is longer than ${MAX_FIELD_BYTES} bytes`);
      if (fields.has(name)) throw wrongField(`${JSON.stringify(name)} is given twice`);
      fields.set(name, value);
    },
    addFile(name = '', stream, filename, contentType) {
      if (file !== undefined) throw new Fault('too_many_files');
      if (name !== FILE_FIELD) throw missing(`its file is in the field ${JSON.stringify(name.slice(0, 40))}`);
      const pieces: Buffer[] = [];
      file = { begun: begin(fields), filename, contentType, pieces };
      stream.on('data', (piece: Buffer) => pieces.push(piece));
    },
    finish() {
      if (file === undefined) throw missing('it has no file');
      const bytes = Buffer.concat(file.pieces);
      // A browser's form without a chosen file sends an empty name and no bytes.
      if (bytes.length === 0 && file.filename === '') throw missing('no file was chosen');
      if (bytes.length === 0) throw new Fault('empty_document');
      const filename = file.filename === undefined ? undefined : cleanName(file.filename);
      return { begun: file.begun, upload: { bytes, filename, contentType: file.contentType } };
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
