// A client that writes raw bytes on one connection and keeps what comes back, while the test looks on; and work that
// ends when the test says so.
import { connect, type Socket } from 'node:net';
import type { WorkerPool } from '../../src/sandbox/index.ts';
import { inlineWorkerPool } from './fake-service.ts';

export interface RawClient {
  readonly socket: Socket;
  readonly write: (bytes: string) => void;
  /** All that has come so far. */
  received(): string;
  /** Statuses of the answers so far, in order. */
  statuses(): number[];
  /** Resolves when the connection is closed, with the code of the error that closed it, if one did. */
  readonly closed: Promise<string | undefined>;
}

export function openClient(url: string): RawClient {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const pieces: Buffer[] = [];
  let code: string | undefined;
  socket.on('data', (piece) => pieces.push(piece));
  socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code));
  const received = (): string => Buffer.concat(pieces).toString();
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    received,
    // No body of these tests holds such words.
    statuses: () => [...received().matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
    closed: new Promise((resolve) => socket.on('close', () => resolve(code))),
  };
}

/** `POST /chunk` of a text, as bytes. @param header lines that end with CRLF */
export function chunkRequest(text: string, header = ''): string {
  const body = JSON.stringify({ tier: 'free', text });
  return `POST /chunk HTTP/1.1\r\nHost: a\r\n${header}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

export interface HeldPool extends WorkerPool {
  /** Tasks that were begun. */
  started: number;
  /** Lets those that wait go on. */
  release(): void;
}

/** A worker pool whose tasks end when the test says so. */
export function createHeldPool(): HeldPool {
  const waiting: (() => void)[] = [];
  const held: HeldPool = {
    ...inlineWorkerPool,
    started: 0,
    async run(...task) {
      held.started += 1;
      const [, { signal }] = task;
      // A client may leave before its task starts; an aborted signal fires no further event.
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        waiting.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
      return inlineWorkerPool.run(...task);
    },
    release: () => waiting.splice(0).forEach((go) => go()),
    close: () => Promise.resolve(),
  };
  return held;
}

/** Resolves once the condition holds; looked at on every turn of the event loop. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
