// The lines of a report: a name and what was found.
import { printable } from '../../io.ts';

/** The finding of a check. */
export interface CheckResult {
  /** Lines of the report. */
  readonly rows: readonly string[];
  /** False for something that is set up and does not work; what is left out is no failure. */
  readonly isSound: boolean;
}

/** The longest name, `@huggingface/transformers`, and two blanks. */
const WIDTH = 27;

/** One line: `model              gpt-4.1-mini`. */
export function row(name: string, value: string): string {
  return `${name.padEnd(WIDTH)}${printable(value)}\n`;
}

/** A finding of one line. */
export function found(name: string, value: string): CheckResult {
  return { rows: [row(name, value)], isSound: true };
}

/** A failure, with the way out on a line of its own. */
export function failed(name: string, value: string, wayOut = ''): CheckResult {
  return {
    rows: [row(name, `FAILED: ${value}`), ...(wayOut === '' ? [] : [row('', wayOut)])],
    isSound: false,
  };
}
