// Packed modules: bytes that scripts deflated and wrote as base64, because only ASCII in a module survives browsers,
// bundlers and Node alike. Node's own zlib unpacks them synchronously; elsewhere a stream does, which takes some 50 ms
// more.

/** The used part of Node. It is not imported, because bundlers for browsers would search for it. */
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

/** Unpacks bytes from base64 of raw deflate. Rejects damaged input. */
export async function unpack(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  return unpackNow(base64) ?? unpackAnywhere(base64);
}

/** Does the same at once, in Node; undefined elsewhere. */
export function unpackNow(base64: string): Uint8Array<ArrayBuffer> | undefined {
  const { process, Buffer } = globalThis as NodeGlobals;
  const zlib = process?.getBuiltinModule?.('node:zlib') as Zlib | undefined;
  if (zlib === undefined || Buffer === undefined) return undefined;
  const packed = Buffer.from(base64, 'base64');
  const bytes = zlib.inflateRawSync(packed, { chunkSize: Math.max(LEAST_CHUNK, GROWTH * packed.length) });
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Does the same as {@link unpack} with what browsers have as well. */
export async function unpackAnywhere(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([bytesOfBase64(base64)]).stream();
  const inflated = packed.pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(inflated).arrayBuffer());
}

/** Browsers since 2025 read base64 by themselves; a loop over its characters takes ten times as long. */
function bytesOfBase64(base64: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as { readonly fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (fromBase64 !== undefined) return fromBase64.call(Uint8Array, base64);
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
