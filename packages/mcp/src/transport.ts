// Lines of JSON on streams ⇄ messages of the protocol. Every line is read once, however many pieces it comes in; a line
// that is no message gets an error and the next one is read.
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';

/** Where messages are written; a stream of Node is one. */
export interface Output {
  write(text: string, done: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Bounds of a connection. */
export interface TransportLimits {
  /** Longest line, in bytes. */
  readonly maxLineBytes: number;
  /** How long requests that were read may still be worked on once the input has ended. */
  readonly graceMs: number;
}

/** Error codes of JSON-RPC. */
const CODES = { unparsed: -32700, invalid: -32600 } as const;
const NEWLINE = 10;

/**
 * A connection over two streams. It closes once its input has ended and what was asked before is answered, or the grace
 * is over; and when nobody reads its output any more.
 */
export function createTransport(
  input: AsyncIterable<Uint8Array | string>,
  output: Output,
  { maxLineBytes, graceMs }: TransportLimits,
): Transport {
  const unanswered = new Set<RequestId>();
  let isClosed = false;
  let hasEnded = false;
  let timer: NodeJS.Timeout | undefined;

  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(timer);
    transport.onclose?.();
  };
  const closeWhenAnswered = (): void => {
    if (hasEnded && unanswered.size === 0) close();
  };
  const write = (message: object): Promise<void> =>
    new Promise((resolve, reject) => {
      output.write(`${JSON.stringify(message)}\n`, (error) => (error == null ? resolve() : reject(error)));
    });
  const refuse = (code: number, message: string, id: unknown = null): void => {
    write({ jsonrpc: '2.0', id, error: { code, message } }).catch(close);
  };

  const take = (line: string): void => {
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      refuse(CODES.unparsed, 'The line is not JSON. Send each message as one line of JSON.');
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      refuse(CODES.invalid, 'The line is JSON, but no message of JSON-RPC 2.0.', idOf(value));
      return;
    }
    if (isJSONRPCRequest(message)) unanswered.add(message.id);
    transport.onmessage?.(message);
    if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return;
    // Nobody is answered whose request was taken back.
    unanswered.delete(message.params?.['requestId'] as RequestId);
    closeWhenAnswered();
  };
  const read = async (): Promise<void> => {
    const tooLong = `The line is longer than ${maxLineBytes} bytes. Send large documents as files, by their path.`;
    for await (const line of linesOf(input, maxLineBytes)) {
      if (isClosed) return;
      if (line === undefined) refuse(CODES.invalid, tooLong);
      else take(line);
    }
    hasEnded = true;
    timer = setTimeout(close, graceMs);
    closeWhenAnswered();
  };

  const transport: Transport = {
    start() {
      output.on('error', close);
      read().catch((error: unknown) => {
        transport.onerror?.(error as Error);
        close();
      });
      return Promise.resolve();
    },
    async send(message) {
      if (isClosed) throw new Error('The connection is closed.');
      await write(message).catch((error: unknown) => {
        close();
        throw error;
      });
      if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return;
      if (message.id !== undefined) unanswered.delete(message.id);
      closeWhenAnswered();
    },
    close() {
      close();
      return Promise.resolve();
    },
  };
  return transport;
}

/**
 * The lines of a stream of UTF-8, without their ends; undefined for one that is too long, whose rest is passed over.
 */
async function* linesOf(
  input: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
): AsyncGenerator<string | undefined, void, undefined> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  const add = (piece: Uint8Array): void => {
    length += piece.length;
    if (length <= maxBytes) pieces.push(piece);
    else pieces = [];
  };
  const taken = (): string | undefined => {
    const line = length <= maxBytes ? Buffer.concat(pieces).toString('utf8') : undefined;
    pieces = [];
    length = 0;
    return line;
  };
  for await (const given of input) {
    const bytes = typeof given === 'string' ? Buffer.from(given) : given;
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(NEWLINE, start);
      if (end === -1) break;
      add(bytes.subarray(start, end));
      yield taken();
      start = end + 1;
    }
    add(bytes.subarray(start));
  }
  if (length > 0) yield taken();
}

/** The id of what was meant as a request, so that its sender knows which. */
function idOf(value: unknown): RequestId | null {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null;
  const { id } = value;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
