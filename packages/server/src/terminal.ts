// The process as the commands see it; tests give them another.

/** What a command touches of its process. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** Resolves when what was printed has left the process: a pipe may take it later. */
  readonly drained: () => Promise<void>;
  /** Calls back on every SIGTERM and SIGINT until the returned function is called. */
  readonly onSignal: (listener: () => void) => () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

/** The process itself. */
export function processTerminal(): Terminal {
  // Whoever reads a list may stop reading it, as `head` does: the rest goes nowhere, and that is no fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    environment: process.env,
    print: (text) => void process.stdout.write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    drained: () => new Promise((resolve) => process.stdout.write('', () => resolve())),
    onSignal: (listener) => {
      process.on('SIGTERM', listener).on('SIGINT', listener);
      return () => void process.off('SIGTERM', listener).off('SIGINT', listener);
    },
    exit: (code) => process.exit(code),
    now: () => performance.now(),
  };
}
