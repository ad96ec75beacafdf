// Parts of a document that are damaged or missing, without which the rest of it is read. A warning names them.
import type { Warning } from '@grainline/core';
import { ExtractError } from '../errors.ts';

/** Number of part names in a warning unless its reader wants more, and the longest part of each name. */
const MAX_NAMES = 3;
const MAX_NAME = 80;

/** Codes of the errors of one part; all others end the reading. */
const OF_ONE_PART: ReadonlySet<string> = new Set(['corrupted', 'encrypted']);

/** The parts of one document that were not read. */
export class LeftOut {
  readonly #names = new Set<string>();

  /** Runs the reading of a part; a part that is missing (false) or damaged is left out. */
  attempt(name: string, read: () => boolean): void {
    try {
      if (!read()) this.#names.add(name);
    } catch (error) {
      if (!(error instanceof ExtractError && OF_ONE_PART.has(error.code))) throw error;
      this.#names.add(name);
    }
  }

  get warnings(): Warning[] {
    return leftOutWarnings([...this.#names], 'Damaged, or not there, and left out');
  }
}

/** The warning that names parts, the first `most` of them, behind the reason; none without parts. */
export function leftOutWarnings(parts: readonly string[], reason: string, most = MAX_NAMES): Warning[] {
  if (parts.length === 0) return [];
  const names = parts.slice(0, most).map((name) => name.slice(0, MAX_NAME).toWellFormed());
  const list = `${names.join(', ')}${parts.length > most ? ', …' : ''}`;
  return [{ code: 'parts_left_out', message: `${reason}: ${list}.` }];
}
