// The output streams of a command. Results wait for their reader. Errors, warnings and progress share one stream, and
// their lines stay whole.
import { type Io, type OutputStream, printable } from '../io.ts';
import type { Warning } from '@grainline/core';
import { createProgress, type ProgressDocument, type RunProgress } from './progress.ts';
import { CliError, codeOf, describe, inPlainWords, reasonOf } from '../errors.ts';

/** The stream of results. */
export interface Sink {
  /**
   * Resolves once the system has the pieces; rejects when the reader has gone (`EPIPE`) or cannot take them.
   */
  write(pieces: Iterable<string>, signal: AbortSignal): Promise<void>;
}

/** The messages of a run to its user. */
export interface RunLog {
  failure(error: unknown, shown?: string): void;
  warning(warning: Warning, shown: string): void;
  /** A message without a severity; silent when quiet. */
  note(text: string): void;
  /** Begins the line of progress over some documents: one line that the next one overwrites, only on a terminal. */
  follow(documents: readonly ProgressDocument[]): void;
  begin(shown: string): void;
  /** A stage of a document at work, from 0 to 1. */
  step(shown: string, share: number, stage: string): void;
  finish(shown: string): void;
  /** Another text in place of the line, until the next progress. */
  status(text: string): void;
  /**
   * A stage of a long wait. It appears even when results go to the same terminal, which shows nothing else meanwhile.
   */
  waiting(shown: string, share: number, stage: string): void;
  /** Removes the line while results are written, possibly to the same terminal. */
  aside(write: () => Promise<void>): Promise<void>;
  /** Removes the line of progress and waits until everything is written. */
  close(): Promise<void>;
}

/** Small records are joined up to this many UTF-16 units: a system call for each is slow. */
const WRITE_LENGTH = 64 * 1024;
const NARROWEST = 20;
const DEFAULT_COLUMNS = 80;
const ERASE_LINE = '\r\x1b[K';
/**
 * Codes around an overwritten line. A letter may take two columns, and text on the next row would stay, so the terminal
 * cuts the line off.
 */
const [NO_WRAP, WRAP] = ['\x1b[?7l', '\x1b[?7h'];

/** A sink over a stream, with its backpressure. */
export function createSink(stream: OutputStream): Sink {
  // A failed write reports twice, to its callback and as an event; without a listener the event ends the process.
  stream.on('error', ignore);
  return {
    async write(pieces, signal) {
      for (const text of gathered(pieces)) {
        signal.throwIfAborted();
        await written(stream, text).catch(rejectOutput);
      }
    },
  };
}

/** Joins small pieces to long ones. */
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

/** Options of {@link createRunLog}. */
export interface RunLogOptions {
  readonly quiet: boolean;
  /** Allows the line of progress. */
  readonly showProgress: boolean;
  /**
   * True when results go into a pipe. Its reader may print on this terminal at any time after the first result, where
   * it would meet the line of progress, so there is none from then on.
   */
  readonly isPiped?: boolean;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

/** A warning that nearly every web page and manual has. The first is shown, and the others are counted. */
const COUNTED = 'furniture_left_out';

/** Least time between two stages of one line. */
const REDRAW_MS = 100;

/** Messages on standard error. */
export function createRunLog(
  stream: OutputStream,
  { quiet, showProgress, isPiped = false, now = () => performance.now() }: RunLogOptions,
): RunLog {
  const isWatched = !quiet && stream.isTTY === true;
  let hasLine = false;
  let hasOutput = false;
  /** True while results are written, and after the end, when unfinished work may still report. */
  let isAside = false;
  let progress: RunProgress = createProgress([], now);
  let drawnMs = -Infinity;
  let counted = 0;
  let last: Promise<void> = Promise.resolve();
  // A failed message has no other stream.
  const print = (text: string): void => void (last = written(stream, text).catch(ignore));
  stream.on('error', ignore);
  const erased = (): string => {
    const erase = hasLine ? ERASE_LINE : '';
    hasLine = false;
    return erase;
  };
  const show = (text: string): void => {
    if (!isWatched || isAside || (isPiped && hasOutput)) return;
    drawnMs = now();
    print(`${ERASE_LINE}${NO_WRAP}${shortened(text, columnsOf(stream) - 1)}${WRAP}`);
    hasLine = true;
  };
  const draw = (): void => {
    if (showProgress) show(progress.line(columnsOf(stream)));
  };
  const line = (text: string): void => print(`${erased()}${text}\n`);
  return {
    failure: (error, shown) => line(message(shown, describe(error))),
    warning: ({ code, message: text }, shown) => {
      if (quiet || (code === COUNTED && ++counted > 1)) return;
      line(message(shown, `warning: ${inPlainWords(text)} (${code})`));
    },
    note: (text) => {
      if (!quiet) line(text);
    },
    follow: (documents) => void (progress = createProgress(documents, now)),
    begin: (shown) => {
      progress.begin(shown);
      draw();
    },
    step: (shown, share, stage) => {
      progress.step(shown, share, stage);
      if (now() - drawnMs >= REDRAW_MS) draw();
    },
    finish: (shown) => {
      progress.finish(shown);
      draw();
    },
    status: (text) => {
      if (showProgress) show(text);
    },
    waiting: (shown, share, stage) => {
      progress.step(shown, share, stage);
      show(progress.line(columnsOf(stream)));
    },
    aside: async (write) => {
      if (hasLine) print(erased());
      hasOutput = true;
      isAside = true;
      await last;
      await write().finally(() => (isAside = false));
    },
    close: async () => {
      isAside = true;
      if (counted > 1) {
        const others = counted === 2 ? 'One more file has' : `${counted - 1} more files have`;
        line(message(undefined, `${others} the warning ${COUNTED}.`));
      }
      if (hasLine) print(erased());
      await last;
    },
  };
}

/** Columns of a terminal; 80 for other streams. */
export function columnsOf({ columns }: OutputStream): number {
  return Math.max(NARROWEST, columns ?? DEFAULT_COLUMNS);
}

/** True when the user wants colour (no-color.org; FORCE_COLOR as other tools have it). */
export function wantsColour({ stdout, environment }: Pick<Io, 'stdout' | 'environment'>): boolean {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  if (isSet('NO_COLOR')) return false;
  if (isSet('FORCE_COLOR')) return environment['FORCE_COLOR'] !== '0';
  return stdout.isTTY === true && environment['TERM'] !== 'dumb';
}

function message(shown: string | undefined, text: string): string {
  const subject = shown === undefined ? '' : `${shown}: `;
  return `grainline: ${subject}${printable(text)}`;
}

function shortened(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, columns - 1).toWellFormed()}…`;
}

/** A closed reader is no error of the sink; `run` decides about it. */
function rejectOutput(error: unknown): never {
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
