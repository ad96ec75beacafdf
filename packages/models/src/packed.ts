// Packed modules: bytes that scripts deflated and wrote as base64, because only ASCII in a module survives browsers,
// bundlers and Node alike. Node's own zlib unpacks them synchronously; elsewhere a stream does, which takes some 50 ms
// more.

/**
 * The part of Node that is used where Node is there. It is not imported, because bundlers for browsers would look for
 * it.
 */
interface NodeGlobals {
  readonly process?: { readonly getBuiltinModule?: (name: string) => unknown };
  readonly Buffer?: { from(text: string, encoding: 'base64'): Uint8Array<ArrayBuffer> };
}
interface Zlib {
  inflateRawSync(packed: Uint8Array, options: { chunkSize: number }): Uint8Array<ArrayBuffer>;
}

/**
 * Size of the output buffer that zlib gets, as a multiple of the packed length, so that it needs one buffer and not
 * hundreds.
 */
const GROWTH = 2;
/** The smallest output buffer that zlib accepts. */
const LEAST_CHUNK = 64;

/** Unpacks bytes from base64 of raw deflate. Rejects when they are damaged. */
export async function unpack(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const { process, Buffer } = globalThis as NodeGlobals;
  const zlib = process?.getBuiltinModule?.('node:zlib') as Zlib | undefined;
  if (zlib === undefined || Buffer === undefined) return unpackAnywhere(base64);
  const packed = Buffer.from(base64, 'base64');
  const bytes = zlib.inflateRawSync(packed, { chunkSize: Math.max(LEAST_CHUNK, GROWTH * packed.length) });
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Does the same with what browsers have as well. */
export async function unpackAnywhere(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  return inflate(bytesOfBase64(base64));
}

/** Browsers since 2025 read base64 by themselves; a loop over its characters takes ten times as long. */
function bytesOfBase64(base64: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as { readonly fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (fromBase64 !== undefined) return fromBase64.call(Uint8Array, base64);
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new DecompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  // An error here reaches the reader as well, who reports it.
  writer.write(packed).catch(() => undefined);
  writer.close().catch(() => undefined);
  const reader = (stream.readable as ReadableStream<Uint8Array>).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  // Not `for await`: browsers came to read streams that way years after they could inflate.
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    parts.push(read.value);
    length += read.value.length;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
