// HTTP answers from outside: bounded reading and `Retry-After`.

/** The part of the global `fetch` that this package calls. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A body that exceeds its bound. */
export class OversizedBody extends Error {
  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`);
  }
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/** The reader of a body. Some browsers cannot iterate over a body. */
export function readerOf(body: Response['body']): BodyReader | undefined {
  return body?.getReader() as BodyReader | undefined;
}

/**
 * Reads at most `maxBytes`, regardless of the announced length.
 *
 * @throws OversizedBody
 */
export async function readBytes(
  reader: BodyReader | undefined,
  maxBytes: number,
  onBytes: (count: number) => void = () => undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) {
    length += piece.value.length;
    if (length > maxBytes) {
      await reader?.cancel();
      throw new OversizedBody(maxBytes);
    }
    onBytes(piece.value.length);
    pieces.push(piece.value as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/** The text of a body of at most `maxBytes`. @throws OversizedBody */
export async function readText({ body }: Response, maxBytes: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(readerOf(body), maxBytes));
}

/** The wait of `Retry-After` (seconds or a date) in milliseconds; undefined without a valid one. */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : ms;
}
