// Lines of JSON on streams ⇄ messages of the protocol. The SDK's transport carries the messages. This file bounds the
// bytes of a line, answers a line that is no message with an error, and ends the connection after the last answer.
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** Where messages are written; a stream of Node is one. */
export interface Output {
  write(text: string, done: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Bounds of a connection. */
export interface TransportLimits {
  /** Longest line, in bytes. */
  readonly maxLineBytes: number;
  /** Longest time between the end of the input and the end of the connection. */
  readonly graceMs: number;
}

/** Error codes of JSON-RPC. */
const CODES = { unparsed: -32700, invalid: -32600 } as const;
const NEWLINE = 10;

/**
 * A connection over two streams. It closes when its output fails, and after the end of its input: once every request is
 * answered, or the grace is over. `send` resolves when the output has taken the message.
 */
export function createTransport(
  input: AsyncIterable<Uint8Array | string>,
  output: Output,
  { maxLineBytes, graceMs }: TransportLimits,
): Transport {
  const unanswered = new Set<RequestId>();
  let onAnswered: (() => void) | undefined;
  const settle = (id: unknown): void => {
    unanswered.delete(id as RequestId);
    if (unanswered.size === 0) onAnswered?.();
  };
  const stdout = writableOf(output);
  const reject = (code: number, message: string, id: RequestId | null = null): void => {
    stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  };

  const parse = (line: string): JSONRPCMessage | undefined => {
    let value: unknown;
    try {
      value = JSON.parse(line);
      return parseJSONRPCMessage(value);
    } catch {
      if (value === undefined)
        reject(CODES.unparsed, 'The line is not JSON. Send each message as one line of JSON.');
      else reject(CODES.invalid, 'The line is JSON, but no message of JSON-RPC 2.0.', idOf(value));
      return undefined;
    }
  };
  async function* messages(): AsyncGenerator<Uint8Array> {
    const tooLong = `The line is longer than ${maxLineBytes} bytes. Send large documents as files, by their path.`;
    for await (const line of linesOf(input, maxLineBytes)) {
      if (line === undefined) reject(CODES.invalid, tooLong);
      const message = line?.trim() ? parse(line) : undefined;
      if (message === undefined) continue;
      if (isJSONRPCRequest(message)) unanswered.add(message.id);
      yield Buffer.from(`${line}\n`);
      // A cancelled request gets no answer.
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
        settle(message.params?.['requestId']);
    }
    if (unanswered.size === 0) return;
    const answered = new Promise<void>((resolve) => (onAnswered = resolve));
    await Promise.race([answered, sleep(graceMs, undefined, { ref: false })]);
  }

  const transport = new StdioServerTransport(Readable.from(messages()), stdout, {
    maxBufferSize: maxLineBytes + 1,
  });
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    await send(message);
    if (!('method' in message)) settle(message.id);
  };
  return transport;
}

/** A stream of Node over an output. It holds one message at most, so that `drain` tells of its end. */
function writableOf(output: Output): Writable {
  const stdout = new Writable({
    decodeStrings: false,
    highWaterMark: 1,
    write: (text: string, _, done) => void output.write(text, done),
  });
  // Each message under way has a listener.
  stdout.setMaxListeners(0);
  output.on('error', (error) => stdout.destroy(error));
  return stdout;
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
  for await (const given of withLineEnd(input)) {
    const bytes = typeof given === 'string' ? Buffer.from(given) : given;
    for (let start = 0; start <= bytes.length;) {
      const end = bytes.indexOf(NEWLINE, start);
      const piece = bytes.subarray(start, end === -1 ? undefined : end);
      length += piece.length;
      if (length <= maxBytes) pieces.push(piece);
      else pieces = [];
      if (end === -1) break;
      yield length <= maxBytes ? Buffer.concat(pieces).toString('utf8') : undefined;
      pieces = [];
      length = 0;
      start = end + 1;
    }
  }
}

async function* withLineEnd(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array | string> {
  yield* input;
  yield '\n';
}

/** The id of a rejected request, for its sender. */
function idOf(value: unknown): RequestId | null {
  const { id } = Object(value) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
