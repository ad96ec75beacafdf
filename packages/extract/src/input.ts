// The input of `extract` as programs have it, a file of a page, a blob, a stream or a buffer → bytes. Types are
// structural, so that they need no types of browsers or Node.
import { orAborted } from './aborted.ts';
import { asBytes, concatenate } from './bytes.ts';

/** A `Blob`, or a `File` with its name. */
export interface BlobInput {
  readonly size: number;
  /** Media type; empty when unknown. */
  readonly type: string;
  readonly name?: string | undefined;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A `ReadableStream` of bytes, as the body of a `Response` is. */
export interface ByteStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** A document before it is read: a Uint8Array or Buffer, an ArrayBuffer, a File or Blob, or a stream of bytes. */
export type ExtractInput = Uint8Array | ArrayBuffer | BlobInput | ByteStream | AsyncIterable<Uint8Array>;

/** The bytes of an input, and what a File says about them. */
export interface InputBytes {
  readonly bytes: Uint8Array;
  readonly filename?: string;
  readonly contentType?: string;
}

/** @throws TypeError for an input of another shape */
export function assertInput(input: unknown): void {
  if (asBytes(input) === undefined && !isBlob(input) && !isStream(input) && !isIterable(input))
    throw new TypeError(EXPECTED);
}

/**
 * Gathers the bytes of an input. Rejects with a TypeError for a stream of anything else, with an error of the stream,
 * and with the signal's reason.
 */
export async function bytesOf(input: ExtractInput, signal: AbortSignal | undefined): Promise<InputBytes> {
  const whole = asBytes(input);
  if (whole !== undefined) return { bytes: whole };
  if (isBlob(input)) {
    const { name = '', type } = input;
    const bytes = new Uint8Array(await orAborted(input.arrayBuffer(), signal));
    return {
      bytes,
      ...(name === '' ? undefined : { filename: name }),
      ...(type === '' ? undefined : { contentType: type }),
    };
  }
  // Not every browser iterates streams.
  const pieces = isStream(input) ? readPieces(input, signal) : (input as AsyncIterable<Uint8Array>);
  return { bytes: await orAborted(gathered(pieces), signal) };
}

const EXPECTED =
  'extract expects the document as a Uint8Array or Buffer, an ArrayBuffer, a File or Blob, or a stream of bytes: ' +
  'await readFile(path) of a path, (await fetch(link)).body of a link. A text needs no reading: chunk it as it is.';

function isBlob(input: unknown): input is BlobInput {
  const { arrayBuffer, size } = Object(input) as Readonly<Record<string, unknown>>;
  return typeof arrayBuffer === 'function' && typeof size === 'number';
}

function isStream(input: unknown): input is ByteStream {
  return typeof (Object(input) as Partial<ByteStream>).getReader === 'function';
}

function isIterable(input: unknown): input is AsyncIterable<unknown> {
  return typeof (Object(input) as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function';
}

/** An aborted stream is cancelled, so that its connection ends. */
async function* readPieces(stream: ByteStream, signal: AbortSignal | undefined): AsyncGenerator {
  const reader = stream.getReader();
  const cancel = (): void => void reader.cancel(signal?.reason).catch(() => undefined);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}

async function gathered(pieces: AsyncIterable<unknown>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) {
    const bytes = asBytes(piece);
    if (bytes === undefined)
      throw new TypeError(
        `The stream gives values of the type ${typeof piece}, not bytes. A text needs no reading: chunk it as it is.`,
      );
    parts.push(bytes);
  }
  return concatenate(parts);
}
