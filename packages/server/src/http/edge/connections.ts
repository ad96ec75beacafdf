// The connections that are open. Each costs memory and a file of the system, so that there is a limit; at it room is
// made by ending those on which nothing is asked, or whoever opens some thousand and leaves them idle would keep all
// others out.
import type { Socket } from 'node:net';

/** What is open. */
export interface Connections {
  /**
   * Keeps count of a new one until it is closed, and makes room for it; ends it when there is not even room to refuse
   * it.
   */
  add(socket: Socket, client: string): void;
  /** A request has come on it; the returned function says that it is over. */
  begin(socket: Socket): () => void;
  /** Whether it came when there was no room, so that nothing is done for it. */
  isBeyond(socket: Socket): boolean;
  /** Ends those on which no request runs, and each other one as soon as none runs on it any more. */
  endIdle(): void;
}

interface Connection {
  readonly client: string;
  readonly isBeyond: boolean;
  /** Requests that are not over. */
  running: number;
  /** Position in the order of the connections that have been idle longest. */
  turn: number;
  /** Until when, in ms, its first request may be on its way. */
  expectsUntilMs: number;
}

/** Most connections that may wait to be refused. */
const MAX_BEYOND = 256;
/** A client that connects has something to ask, and asks it within this time. */
const FIRST_REQUEST_MS = 1_000;

/** Share of the limit that is ended at once: looking through all costs as much as some requests. */
const ROOM_SHARE = 1 / 64;
/**
 * Pause before idle connections are looked for again when none could be ended, in milliseconds; the end of a request
 * ends it.
 */
const LOOK_AGAIN_MS = 50;

/**
 * @param most how many may be open before room is made
 * @param now milliseconds of a clock that only goes forward
 */
export function createConnections(most: number, now: () => number): Connections {
  const open = new Map<Socket, Connection>();
  let turns = 0;
  /** Time before which idle connections are not looked for again. */
  let lookMs = -Infinity;
  let keepsIdle = true;

  /**
   * Ends idle connections: of the client that has most of them, and of equals those that have been idle for longest. A
   * connection that only waits for its next request may be closed at any time (RFC 9112, section 9.5).
   */
  function makeRoom(): void {
    const nowMs = now();
    if (nowMs < lookMs) return;
    const idle = [...open].filter(
      ([, { running, expectsUntilMs }]) => running === 0 && expectsUntilMs <= nowMs,
    );
    if (idle.length === 0) lookMs = nowMs + LOOK_AGAIN_MS;
    const held = new Map<string, number>();
    for (const { client } of open.values()) held.set(client, (held.get(client) ?? 0) + 1);
    const heldBy = ({ client }: Connection): number => held.get(client) ?? 0;
    idle.sort(([, a], [, b]) => heldBy(b) - heldBy(a) || a.turn - b.turn);
    for (const [socket] of idle.slice(0, open.size - most + Math.ceil(most * ROOM_SHARE))) {
      open.delete(socket);
      socket.destroy();
    }
  }

  return {
    add(socket, client) {
      if (open.size >= most) makeRoom();
      if (open.size >= most + MAX_BEYOND) {
        socket.destroy();
        return;
      }
      const isBeyond = open.size >= most;
      open.set(socket, {
        client,
        isBeyond,
        running: 0,
        turn: turns++,
        expectsUntilMs: now() + FIRST_REQUEST_MS,
      });
      socket.once('close', () => open.delete(socket));
    },
    begin(socket) {
      const connection = open.get(socket);
      if (connection === undefined) return () => undefined;
      connection.running++;
      connection.expectsUntilMs = 0;
      return () => {
        connection.running--;
        connection.turn = turns++;
        lookMs = -Infinity;
        // The answer is out; what of it lies in the system's buffer is still sent.
        if (!keepsIdle && connection.running === 0) socket.destroySoon();
      };
    },
    isBeyond: (socket) => open.get(socket)?.isBeyond ?? false,
    endIdle() {
      keepsIdle = false;
      for (const [socket, { running }] of open) if (running === 0) socket.destroy();
    },
  };
}
