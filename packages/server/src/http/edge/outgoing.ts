// Answers that clients have not read completely. Each stays in memory until then, so slow readers of large answers
// could fill the memory. Beyond a limit on all answers the edge ends the oldest ones.

/** The unsent answers. */
export interface OutgoingReplies {
  /**
   * Counts an answer until the returned function is called.
   *
   * @param bytes memory that the answer holds
   * @param end ends the answer unfinished
   */
  add(bytes: number, end: () => void): () => void;
  /** Sum over all answers, in bytes. */
  heldBytes(): number;
}

interface SendableReply {
  readonly bytes: number;
  readonly sinceMs: number;
  readonly end: () => void;
}

/** A client that reads at all has most answers within this time, so a burst of answers ends none of them. */
const PATIENCE_MS = 1_000;

/**
 * @param maxBytes limit on all answers together; beyond it answers older than a second are ended
 * @param now milliseconds of a monotonic clock
 */
export function createOutgoingReplies(maxBytes: number, now: () => number): OutgoingReplies {
  // A Set iterates in insertion order: the oldest answer comes first.
  const answers = new Set<SendableReply>();
  let heldBytes = 0;
  const remove = (answer: SendableReply): void => {
    if (answers.delete(answer)) heldBytes -= answer.bytes;
  };
  const endOldest = (nowMs: number): void => {
    for (const answer of answers) {
      if (heldBytes <= maxBytes || answer.sinceMs + PATIENCE_MS > nowMs) return;
      remove(answer);
      answer.end();
    }
  };
  return {
    add(bytes, end) {
      const answer = { bytes, end, sinceMs: now() };
      answers.add(answer);
      heldBytes += bytes;
      endOldest(answer.sinceMs);
      return () => remove(answer);
    },
    heldBytes: () => heldBytes,
  };
}
