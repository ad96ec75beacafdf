// Identity of stored results: their lifetime, ids and paths.
import { randomBytes } from 'node:crypto';

/** How long a linked result is kept. */
export const RESULT_LIFETIME_MS = 60 * 60 * 1000;
/** The same, as answers say it. */
export const RESULT_LIFETIME = `${RESULT_LIFETIME_MS / 60_000} minutes`;

/** A result id: `free_0123456789ab`, its 48 bits from a cryptographic source. */
export function createResultId(tier: string): string {
  return `${tier}_${randomBytes(6).toString('hex')}`;
}

const RESULTS = '/results/';

/** Path of a result. */
export function resultPath(id: string): string {
  return `${RESULTS}${id}`;
}

/** The id in a path of {@link resultPath}. */
export function resultIdIn(path: string): string {
  return path.slice(RESULTS.length);
}
