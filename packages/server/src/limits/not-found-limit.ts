// Result ids are keys of 48 bits. A client that requests many ids that do not exist is guessing: with 10,000 live
// results, 60 guesses a minute from each of 1000 clients hit one in some 11 months.
import { HttpError } from '../errors/http-error.ts';
import { createBuckets } from './rate.ts';

/** Counts the requests of each client for ids that do not exist. */
export interface NotFoundLimit {
  /** @throws HttpError `too_many_misses` when the client has to wait before its next request by id */
  assertWithin(client: string, now: number): void;
  /** Counts a request for an id that does not exist. */
  record(client: string, now: number): void;
}

/** A client that mistypes or polls an expired id stays below this number. */
const NOT_FOUND_A_MINUTE = 60;

export function createNotFoundLimit(): NotFoundLimit {
  const buckets = createBuckets(NOT_FOUND_A_MINUTE);
  return {
    assertWithin(client, now) {
      const { waitMs } = buckets.take(client, now, 0);
      if (waitMs > 0) throw new HttpError('too_many_misses', { retryAfterS: Math.ceil(waitMs / 1000) });
    },
    record: (client, now) => void buckets.take(client, now),
  };
}
