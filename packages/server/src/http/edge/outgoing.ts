// Answers on their way to their clients. Each lies in memory until its client has all of it, and a slow one may take
// minutes; a client that asks for large answers and hardly reads them would fill the memory with them, and many would
// with small ones. So there is a limit on all together; at it those are ended that are slow, first of whoever holds
// most.

/** Memory that an answer holds. */
export interface HeldMemory {
  /** The memory of its bytes. Memory that several answers share, as of a result that many fetch, counts once. */
  readonly buffer: ArrayBufferLike | undefined;
  /** Bytes besides. */
  readonly besides: number;
}

/** An answer that is being sent. */
export interface OutgoingAnswer {
  readonly client: string;
  readonly memory: HeldMemory;
  /** Ends it unfinished. */
  readonly end: () => void;
}

/** The answers on their way to clients. */
export interface Outgoing {
  /** Counts one until the returned function is called. */
  add(answer: OutgoingAnswer): () => void;
  /** What they hold together. */
  heldBytes(): number;
}

interface Entry extends OutgoingAnswer {
  readonly sinceMs: number;
}

/** A client that reads at all has most answers within this time, so a burst of them ends none. */
const PATIENCE_MS = 1_000;
/** Share of the limit that is freed at once. */
const ROOM_SHARE = 1 / 16;
/**
 * Pause before slow answers are looked for again, in milliseconds: looking through all costs as much as some requests.
 */
const LOOK_AGAIN_MS = 50;

/**
 * @param mostBytes that all answers may hold before slow ones are ended
 * @param now milliseconds of a clock that only goes forward
 */
export function createOutgoing(mostBytes: number, now: () => number): Outgoing {
  // A Set keeps the order in which they began.
  const answers = new Set<Entry>();
  const readers = new Map<ArrayBufferLike, number>();
  let heldBytes = 0;
  /** Time before which slow answers are not looked for again. */
  let lookMs = -Infinity;

  function hold({ buffer, besides }: HeldMemory): void {
    heldBytes += besides;
    if (buffer === undefined) return;
    const before = readers.get(buffer) ?? 0;
    readers.set(buffer, before + 1);
    if (before === 0) heldBytes += buffer.byteLength;
  }

  function release({ buffer, besides }: HeldMemory): void {
    heldBytes -= besides;
    if (buffer === undefined) return;
    const after = (readers.get(buffer) ?? 1) - 1;
    if (after > 0) readers.set(buffer, after);
    else {
      readers.delete(buffer);
      heldBytes -= buffer.byteLength;
    }
  }

  function remove(entry: Entry): void {
    if (answers.delete(entry)) release(entry.memory);
  }

  /** All of them: first those of the client that holds most, and of one client's those that have taken longest. */
  function byGreed(): Entry[] {
    const heldBy = new Map<string, number>();
    for (const { client, memory } of answers) heldBy.set(client, (heldBy.get(client) ?? 0) + shareOf(memory));
    const heldWith = ({ client }: Entry): number => heldBy.get(client) ?? 0;
    return [...answers].sort((a, b) => heldWith(b) - heldWith(a) || a.sinceMs - b.sinceMs);
  }

  function shareOf({ buffer, besides }: HeldMemory): number {
    return besides + (buffer === undefined ? 0 : buffer.byteLength / (readers.get(buffer) ?? 1));
  }

  /**
   * Ends slow answers. Those that are not slow yet count as if they went: soon they will have gone, or be ended, and
   * nobody is ended in the meantime who holds less.
   */
  function makeRoom(): void {
    const nowMs = now();
    if (nowMs < lookMs) return;
    lookMs = nowMs + LOOK_AGAIN_MS;
    const left = new Map(readers);
    let leftBytes = heldBytes;
    for (const entry of byGreed()) {
      if (leftBytes <= mostBytes * (1 - ROOM_SHARE)) return;
      const { buffer, besides } = entry.memory;
      const others = buffer === undefined ? 0 : (left.get(buffer) ?? 1) - 1;
      if (buffer !== undefined) left.set(buffer, others);
      leftBytes -= besides + (others > 0 ? 0 : (buffer?.byteLength ?? 0));
      if (entry.sinceMs + PATIENCE_MS > nowMs) continue;
      remove(entry);
      entry.end();
    }
  }

  return {
    add(answer) {
      const entry = { ...answer, sinceMs: now() };
      answers.add(entry);
      hold(entry.memory);
      if (heldBytes > mostBytes) makeRoom();
      return () => remove(entry);
    },
    heldBytes: () => heldBytes,
  };
}
