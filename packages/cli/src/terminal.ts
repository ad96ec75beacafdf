// The streams a command speaks to. Output waits for its reader; errors, warnings and progress share one stream and
// never tear each other's lines.
import type { Warning } from '@grainline/core';
import { CliError, codeOf, describe, reasonOf } from './errors.ts';

/** A stream as Node gives it; `isTTY` and `columns` only when a person sits behind it. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string, done: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Everything outside that a run touches, but for files. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Folder from which operands are understood, absolute. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends the run; partial files are removed. */
  readonly signal: AbortSignal;
}

/** Where results go. */
export interface Sink {
  /** Resolves once the pieces are with the system; rejects when the reader has gone (`EPIPE`) or cannot take them. */
  write(pieces: Iterable<string>, signal: AbortSignal): Promise<void>;
}

/** What people read while a run goes on. */
export interface Report {
  failure(error: unknown, shown?: string): void;
  warning(warning: Warning, shown: string): void;
  /** Something to read that is neither; silent when quiet. */
  note(text: string): void;
  /** One line that is written over by the next, and only on a terminal. */
  progress(done: number, total: number, shown: string): void;
  /**
   * The same line, for what is waited for long: also where results go to the same terminal, as nothing else would be
   * seen there.
   */
  waiting(shown: string, what: string): void;
  /** Takes the line away while results are written, which may be to the same terminal. */
  aside(write: () => Promise<void>): Promise<void>;
  /** Takes the line of progress away and waits until everything is written. */
  close(): Promise<void>;
}

/** Small records are written together, up to so many UTF-16 units: a call of the system for each would be slow. */
const WRITE_LENGTH = 64 * 1024;
const NARROWEST = 20;
const DEFAULT_COLUMNS = 80;
const ERASE_LINE = '\r\x1b[K';
/**
 * Around a line that is to be erased. Letters may take two columns, and what has gone on to the next row would stay: it
 * is cut off instead.
 */
const [NO_WRAP, WRAP] = ['\x1b[?7l', '\x1b[?7h'];

/** Output to a stream, no faster than it takes it. */
export function createSink(stream: OutputStream): Sink {
  // A failed write reports twice, to its callback and as an event; without a listener the event ends the process.
  stream.on('error', ignore);
  return {
    async write(pieces, signal) {
      for (const text of gathered(pieces)) {
        signal.throwIfAborted();
        await written(stream, text).catch(refuseOutput);
      }
    },
  };
}

/** Joins small pieces to ones worth writing. */
export function* gathered(pieces: Iterable<string>): Generator<string> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < WRITE_LENGTH) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** Messages on standard error. `showProgress` says whether a line of progress would disturb nothing. */
export function createReport(
  stream: OutputStream,
  options: { quiet: boolean; showProgress: boolean },
): Report {
  const { quiet } = options;
  const isWatched = !quiet && stream.isTTY === true;
  let hasLine = false;
  /** While nothing else may stand on the terminal; at the end for good: what is still at work may go on to tell. */
  let isAside = false;
  /** How far the run is. */
  let count = '';
  let last: Promise<void> = Promise.resolve();
  // Nobody is left to tell that messages cannot be written.
  const print = (text: string): void => void (last = written(stream, text).catch(ignore));
  stream.on('error', ignore);
  const erased = (): string => {
    const erase = hasLine ? ERASE_LINE : '';
    hasLine = false;
    return erase;
  };
  const show = (text: string): void => {
    if (!isWatched || isAside) return;
    print(`${ERASE_LINE}${NO_WRAP}${shortened(text, columnsOf(stream) - 1)}${WRAP}`);
    hasLine = true;
  };
  const line = (text: string): void => print(`${erased()}${text}\n`);
  return {
    failure: (error, shown) => line(message(shown, describe(error))),
    warning: ({ code, message: text }, shown) => {
      if (!quiet) line(message(shown, `warning: ${text} (${code})`));
    },
    note: (text) => {
      if (!quiet) line(text);
    },
    progress: (done, total, shown) => {
      count = `${done}/${total}`;
      if (options.showProgress) show(`${count} ${shown}`);
    },
    waiting: (shown, what) => show(`${count} ${shown}: ${printable(what)}`),
    aside: async (write) => {
      if (hasLine) print(erased());
      isAside = true;
      await last;
      await write().finally(() => (isAside = false));
    },
    close: async () => {
      isAside = true;
      if (hasLine) print(erased());
      await last;
    },
  };
}

/** Columns of a terminal; 80 when there is none. */
export function columnsOf({ columns }: OutputStream): number {
  return Math.max(NARROWEST, columns ?? DEFAULT_COLUMNS);
}

/** Whether colour is welcome (no-color.org; FORCE_COLOR as other tools have it). */
export function wantsColour({ stdout, environment }: Pick<Io, 'stdout' | 'environment'>): boolean {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  if (isSet('NO_COLOR')) return false;
  if (isSet('FORCE_COLOR')) return environment['FORCE_COLOR'] !== '0';
  return stdout.isTTY === true && environment['TERM'] !== 'dumb';
}

/**
 * A text that does nothing to a terminal: control characters, which could move its cursor or rename its window,
 * become their pictures (U+2400 onwards), marks that turn the direction of writing become U+FFFD. Tabs stay.
 */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : '\ufffd';
  });
}

/** `1 file`, `2 files`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function message(shown: string | undefined, text: string): string {
  const subject = shown === undefined ? '' : `${shown}: `;
  return `grainline: ${subject}${printable(text)}`;
}

function shortened(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, columns - 1).toWellFormed()}…`;
}

/** A reader that has gone is no failure, and whoever runs the command decides what it is. */
function refuseOutput(error: unknown): never {
  throw codeOf(error) === 'EPIPE'
    ? error
    : new CliError('not_writable', { detail: `standard output: ${reasonOf(error)}`, cause: error });
}

function written(stream: OutputStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error == null ? resolve() : reject(error)));
  });
}

const ignore = (): void => undefined;
