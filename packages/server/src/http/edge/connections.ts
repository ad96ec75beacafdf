// Open connections and their unfinished requests. A client may send further requests before the first answer (RFC 9112,
// section 9.3.2), and node:http emits all of them at once. The edge serves them in order: otherwise a request overtakes
// the one that it depends on, and answers fill the memory before their turn.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { breakOff, type HttpExchange } from './exchange.ts';

/** The open connections of a server. */
export interface HttpConnections {
  /** Tracks a connection until it is closed. */
  add(socket: Socket): void;
  /** The unfinished requests of a connection, in order of arrival. */
  exchangesOf(socket: Duplex): ReadonlySet<HttpExchange>;
  /**
   * Adds a request to its connection, and closes a connection with more than {@link MAX_UNANSWERED} unfinished
   * requests. Resolves when the requests before it have ended.
   */
  begin(exchange: HttpExchange): Promise<undefined>;
  /** Closes the connections without a request. */
  closeIdle(): void;
}

/**
 * Unfinished requests of one connection, the served one included. With heads of at most 16 KiB and bodies that
 * node:http stops reading at 64 KiB, a connection holds at most 1.3 MiB.
 */
export const MAX_UNANSWERED = 16;

const NONE: ReadonlySet<HttpExchange> = new Set();

export function createConnections(): HttpConnections {
  const open = new Map<Duplex, Set<HttpExchange>>();
  return {
    add(socket) {
      open.set(socket, new Set());
      socket.once('close', () => open.delete(socket));
    },
    exchangesOf: (socket) => open.get(socket) ?? NONE,
    begin(exchange) {
      const exchanges = open.get(exchange.request.socket) ?? new Set();
      const before = [...exchanges].at(-1);
      exchanges.add(exchange);
      void exchange.over.then(() => exchanges.delete(exchange));
      if (exchanges.size > MAX_UNANSWERED) breakOff(exchange, 'flood');
      return before?.over ?? Promise.resolve(undefined);
    },
    closeIdle() {
      for (const [socket, exchanges] of open) if (exchanges.size === 0) socket.destroy();
    },
  };
}
