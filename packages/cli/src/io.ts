// The streams, the folder, the environment and the signal of a run, and texts that are safe to print.

/** A stream of Node; only a terminal sets `isTTY` and `columns`. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string, done: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Everything outside of a run but the files. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean | undefined };
  readonly stdout: OutputStream;
  /** True when another program reads standard output and may print on the terminal meanwhile. */
  readonly isPiped: boolean;
  readonly stderr: OutputStream;
  /** Asks on the terminal without showing the answer; undefined without a terminal. */
  readonly readSecret?: ((prompt: string) => Promise<string>) | undefined;
  /** Base folder of the operands, absolute. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Processors that this process may use. */
  readonly processors: number;
  /** Ends the run; partial files are removed. An `Interruption` as its reason names the signal of the system. */
  readonly signal: AbortSignal;
  /**
   * True when the signal follows events of this thread, as Ctrl-C does: PDFs are then read in other threads, so that
   * this one is free for it. Default false.
   */
  readonly canInterrupt?: boolean;
}

/** The reason of a run that a signal of the system has ended. */
export class Interruption extends Error {
  readonly by: 'SIGINT' | 'SIGTERM';

  constructor(by: Interruption['by']) {
    super(`Interrupted by ${by}.`);
    this.name = 'AbortError';
    this.by = by;
  }
}

/**
 * A text without effect on a terminal. Control characters, which could move its cursor or rename its window, become
 * their pictures (U+2400 onwards); marks of the writing direction become U+FFFD. Tabs stay.
 */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : '\ufffd';
  });
}

/** Closes one after another, all of them. Rejects with the first error. */
export async function closeAll(closes: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closes)
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 0) throw errors[0];
}

/** `1 file`, `2 files`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
