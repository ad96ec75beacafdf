// Texts in the form of a program's string literal: logs and exports in which line ends appear as a backslash and an
// `n`, and records are separated by `}, {`. Prose is cut there as other texts are at line ends.
import { STRENGTH } from './atoms.ts';

/** A place behind an escaped line end or between two records, with the strength of the gap there. */
export interface EscapedBreak {
  readonly at: number;
  readonly strength: number;
}

const LINE_END = '\\n';
const RECORDS = '}, {';
/**
 * Number of units of a text to search, and least number of escaped line ends: fewer may be chance, as in a Windows
 * path.
 */
const SAMPLE_LENGTH = 20_000;
const FEWEST = 4;
const NONE = Number.MAX_SAFE_INTEGER;

/** The escaped breaks of one text. Offsets of calls must ascend. A text with real line ends has none. */
export class EscapedBreaks {
  readonly #text: string;
  #lineEnd: number;
  #records: number;

  constructor(text: string) {
    this.#text = text;
    const head = text.slice(0, SAMPLE_LENGTH);
    const escaped = head.split(LINE_END).length - 1;
    const isEscaped = escaped >= FEWEST && escaped >= head.split('\n').length;
    this.#lineEnd = this.#records = isEscaped ? -1 : NONE;
  }

  /** The first break behind `from` and before `end`. Amortised linear. */
  next(from: number, end: number): EscapedBreak | undefined {
    if (this.#lineEnd < from) this.#lineEnd = this.#find(LINE_END, from);
    if (this.#records < from) this.#records = this.#find(RECORDS, from);
    if (this.#records < this.#lineEnd) {
      const at = this.#records + 2;
      return at < end ? { at, strength: STRENGTH.paragraph } : undefined;
    }
    let at = this.#lineEnd;
    while (at < end && this.#text.startsWith(LINE_END, at)) at += LINE_END.length;
    if (at >= end) return undefined;
    return { at, strength: at - this.#lineEnd > LINE_END.length ? STRENGTH.paragraph : STRENGTH.line };
  }

  #find(mark: string, from: number): number {
    const hit = this.#text.indexOf(mark, from);
    return hit === -1 ? NONE : hit;
  }
}
