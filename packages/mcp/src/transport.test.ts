import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { createTransport, type Output, type TransportLimits } from './transport.ts';

const LIMITS: TransportLimits = { maxLineBytes: 200, graceMs: 60_000 };

/** A connection that collects its messages; it is over when `closed` resolves. */
function connection(
  input: AsyncIterable<Uint8Array | string>,
  { limits = LIMITS, failure }: { limits?: TransportLimits; failure?: Error } = {},
) {
  const written: string[] = [];
  const listeners: ((error: Error) => void)[] = [];
  const output: Output = {
    write(text, done) {
      if (failure === undefined) written.push(text);
      queueMicrotask(() => {
        done(failure);
      });
      return true;
    },
    on: (_, listener) => listeners.push(listener),
  };
  const transport = createTransport(input, output, limits);
  const messages: JSONRPCMessage[] = [];
  transport.onmessage = (message) => messages.push(message);
  const closed = new Promise<void>((resolve) => (transport.onclose = resolve));
  return {
    transport,
    messages,
    written,
    closed,
    break: (error: Error) => listeners.forEach((notify) => notify(error)),
  };
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* pieces(...all: (Uint8Array | string)[]): AsyncGenerator<Uint8Array | string> {
  yield* all;
}

const note = (text: string): JSONRPCMessage => ({ jsonrpc: '2.0', method: 'note', params: { text } });
const request = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'ask' });

describe('messages', () => {
  it('are the same however the bytes of their lines are divided', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 10 }), { maxLength: 6 }),
        fc.array(fc.nat(400), { maxLength: 12 }),
        fc.constantFrom('\n', '\r\n', '\n\n'),
        async (texts, cuts, end) => {
          const sent = texts.map(note);
          const bytes = Buffer.from(sent.map((message) => JSON.stringify(message) + end).join(''));
          const places = [
            0,
            ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
            bytes.length,
          ];
          const parts = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
          const { transport, messages, written, closed } = connection(pieces(...parts));
          await transport.start();
          await closed;
          expect({ messages, written }).toEqual({ messages: sent, written: [] });
        },
      ),
      cases(100),
    );
  });

  it.each([
    [200, 'taken'],
    [201, 'refused'],
  ])('of %i bytes are %s where 200 are allowed, and the next one is read', async (length, outcome) => {
    const empty = JSON.stringify(note('')).length;
    const long = note('é'.repeat((length - empty) >> 1) + 'x'.repeat((length - empty) % 2));
    const line = `${JSON.stringify(long)}\n${JSON.stringify(note('next'))}\n`;
    const { transport, messages, written, closed } = connection(pieces(line));
    await transport.start();
    await closed;
    expect(messages).toEqual(outcome === 'taken' ? [long, note('next')] : [note('next')]);
    expect(written).toHaveLength(outcome === 'taken' ? 0 : 1);
  });

  it('that are too long are not held: a line without end costs no more than the limit', async () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    let read = 0;
    const endless = (async function* () {
      await Promise.resolve();
      for (; read < 4096; read++) yield piece;
    })();
    const before = process.memoryUsage().arrayBuffers;
    const { transport, written, closed } = connection(endless);
    await transport.start();
    await closed;
    expect(read).toBe(4096);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    expect(written).toHaveLength(1);
  });
});

describe('the end', () => {
  it('of the input waits for what was read', async () => {
    const { transport, closed } = connection(
      pieces(`${JSON.stringify(request(1))}\n${JSON.stringify(request(2))}\n`),
    );
    let isClosed = false;
    void closed.then(() => (isClosed = true));
    await transport.start();
    await new Promise((resolve) => setImmediate(resolve));
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);
    await transport.send({ jsonrpc: '2.0', id: 2, error: { code: 1, message: 'no' } });
    await closed;
    await expect(transport.send(note('late'))).rejects.toThrow('closed');
  });

  it('of the input does not wait for what was taken back, nor for ever', async () => {
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    const back = connection(pieces(`${JSON.stringify(request(1))}\n${JSON.stringify(cancelled)}\n`));
    await back.transport.start();
    await back.closed;
    const never = connection(pieces(`${JSON.stringify(request(1))}\n`), {
      limits: { ...LIMITS, graceMs: 1 },
    });
    await never.transport.start();
    await never.closed;
  });

  it('comes when the reader of the output has gone', async () => {
    const silent = new Promise<never>(() => undefined);
    const waiting = (async function* (): AsyncGenerator<string> {
      yield await silent;
    })();
    const gone = Object.assign(new Error('gone'), { code: 'EPIPE' });
    const notified = connection(waiting);
    await notified.transport.start();
    notified.break(gone);
    await notified.closed;
    const found = connection(waiting, { failure: gone });
    await found.transport.start();
    await expect(found.transport.send(note('anybody?'))).rejects.toBe(gone);
    await found.closed;
  });
});
