// Which part of a question a service would have read from its cache: the longest beginning that an earlier question had
// too.
import { createHash } from 'node:crypto';

/** Beginnings are compared at every so many UTF-16 units. */
const STEP = 128;
/** Questions whose beginnings are remembered. */
const MOST_BEGINNINGS = 1 << 20;

/** Remembers the beginnings of texts. */
export class Prefixes {
  readonly #seen = new Set<string>();

  /** Units that a text begins with as one before it did, in whole steps; then it is remembered itself. */
  repeated(text: string): number {
    const digest = createHash('sha1');
    let repeated = 0;
    for (let at = STEP; at <= text.length; at += STEP) {
      digest.update(text.slice(at - STEP, at));
      const beginning = digest.copy().digest('base64');
      if (this.#seen.has(beginning)) repeated = at;
      else if (this.#seen.size < MOST_BEGINNINGS) this.#seen.add(beginning);
    }
    return repeated;
  }
}
