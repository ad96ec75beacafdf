// The units of a text at which the sentence scanner stops. Node has `stops.node.ts` instead, by the conditions of
// package.json; both export the same.
import { STOPS, unitTraits } from './marks.ts';

/** Finds the stops of a text before `end` for one scan; two scans that take turns would disturb one another. */
export class StopReader {
  readonly #text: string;
  readonly #end: number;
  readonly #traits = unitTraits();
  /** The unit at the stop found last. */
  unit = 0;

  constructor(text: string, end: number) {
    this.#text = text;
    this.#end = end;
  }

  /** The first stop from `at` on, or the end; `at` is never less than it was the time before. */
  next(at: number): number {
    const text = this.#text;
    const end = this.#end;
    const traits = this.#traits;
    for (; at < end; at++) {
      const unit = text.charCodeAt(at);
      if (((traits[unit] ?? 0) & STOPS) === 0) continue;
      this.unit = unit;
      return at;
    }
    return at;
  }
}
