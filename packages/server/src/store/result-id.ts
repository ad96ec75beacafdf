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

/** Most ids drawn for one result. Beside a million results, one id in 10^8 is taken; five in a row are a defect. */
const MOST_DRAWS = 5;

/**
 * Draws ids until one is free.
 *
 * @param write writes under the id; `taken` when another result or job has it
 * @throws Error when each drawn id is taken
 */
export async function writeUnderNewId<Written>(
  createId: () => string,
  write: (id: string) => Promise<Written | 'taken'>,
): Promise<{ readonly id: string; readonly written: Written }> {
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    const id = createId();
    const written = await write(id);
    if (written !== 'taken') return { id, written };
  }
  throw new Error(`${MOST_DRAWS} drawn ids of results are taken.`);
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
