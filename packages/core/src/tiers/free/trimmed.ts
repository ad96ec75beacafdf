// The final cuts of the free tier: without the blanks at their edges, and none inside its neighbour.
import type { Cut } from '../../cut.ts';
import type { Span } from '../../document.ts';
import { clusterAt, isBlank, isSettledBoundary } from '../../unicode.ts';

/** Collects the cuts of one text. */
export class TrimmedCuts {
  readonly cuts: Cut[] = [];
  readonly #text: string;
  /** The runs of blanks at the beginning and at the end of the chunk last trimmed. */
  readonly #leading = { start: 0, end: 0 };
  readonly #trailing = { start: 0, end: 0 };

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns [start, end) without the blanks at its edges; undefined when nothing is left. */
  trim(start: number, end: number): Span | undefined {
    const first = this.#skipBlanks(start, end);
    if (first === end) return undefined;
    const last = this.#skipBlanksBack(first, end);
    return { start: first > start && this.#standsOnBlank(first, last) ? first - 1 : first, end: last };
  }

  /** Adds a cut. Skips a cut inside the one before; replaces earlier cuts inside the new one. */
  keep(start: number, end: number, facts?: Pick<Cut, 'oversize' | 'tokenCount'>): void {
    const { cuts } = this;
    let previous = cuts.at(-1);
    if (previous !== undefined && end <= previous.end) return;
    while (previous !== undefined && start <= previous.start) {
      cuts.pop();
      previous = cuts.at(-1);
    }
    const overlap = previous === undefined ? 0 : Math.max(0, previous.end - start);
    if (facts === undefined) cuts.push({ start, end, overlap });
    else cuts.push({ start, end, overlap, ...facts });
  }

  /**
   * The first offset in [start, end) that is not blank. Each run of blanks is crossed once, however many chunks begin
   * in it.
   */
  #skipBlanks(start: number, end: number): number {
    const run = this.#leading;
    let at = start >= run.start && start < run.end ? run.end : start;
    while (at < end && isBlank(this.#text.charCodeAt(at))) at++;
    run.start = start;
    run.end = at;
    return Math.min(at, end);
  }

  /** The place after the last unit of [start, end) that is not blank; the unit at `start` is known not to be. */
  #skipBlanksBack(start: number, end: number): number {
    const run = this.#trailing;
    let at = end;
    while (isBlank(this.#text.charCodeAt(at - 1)))
      at = at === run.end && run.start > start ? run.start : at - 1;
    run.start = at;
    run.end = end;
    return at;
  }

  /** True when a combining mark at `at` joins the blank before it. */
  #standsOnBlank(at: number, end: number): boolean {
    return !isSettledBoundary(this.#text, at) && clusterAt(this.#text, at, at - 1, end).start < at;
  }
}
