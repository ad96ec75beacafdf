// Parts of a document that are damaged or missing, without which the rest of it is read. A warning names them.
import type { Warning } from '@grainline/core';
import { ExtractError } from '../errors.ts';

/** Number of part names in a warning, and the longest part of each name. */
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
    const all = [...this.#names];
    if (all.length === 0) return [];
    const names = all.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME).toWellFormed());
    const list = `${names.join(', ')}${all.length > MAX_NAMES ? ', …' : ''}`;
    return [{ code: 'parts_left_out', message: `Damaged, or not there, and left out: ${list}.` }];
  }
}
