// Result ids are keys of 48 bits. Whoever asks for many that do not exist is guessing, and is refused for the rest
// of the minute: 10,000 live results and 60 guesses a minute from each of 1000 clients hit one in some 11 months.
import { Fault } from '../errors.ts';

/** Counts ids that led nowhere, for each client and minute. In memory: what a restart forgets, a minute would too. */
export interface MissLimit {
  /** @throws Fault `too_many_misses` when the client has missed too often in this minute */
  refuseGuesser(client: string, now: number): void;
  record(client: string, now: number): void;
}

const MINUTE_MS = 60_000;
/** A client that mistypes or polls an expired id stays below it. */
const MISSES_A_MINUTE = 60;

export function createMissLimit(): MissLimit {
  let minute = 0;
  const counts = new Map<string, number>();
  const begin = (now: number): void => {
    const current = Math.floor(now / MINUTE_MS);
    if (current !== minute) counts.clear();
    minute = current;
  };
  return {
    refuseGuesser(client, now) {
      begin(now);
      if ((counts.get(client) ?? 0) < MISSES_A_MINUTE) return;
      throw new Fault('too_many_misses', { retryAfterS: Math.ceil((MINUTE_MS - (now % MINUTE_MS)) / 1000) });
    },
    record(client, now) {
      begin(now);
      counts.set(client, (counts.get(client) ?? 0) + 1);
    },
  };
}
