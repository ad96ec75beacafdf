// The process, as the commands use it. Tests replace it.

/** The parts of a process that a command uses. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** Resolves when the printed text has left the process. A pipe may take it later. */
  readonly drained: () => Promise<void>;
  /** Calls back on every SIGTERM and SIGINT until the returned function is called. */
  readonly onSignal: (listener: () => void) => () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  // A reader may close the pipe early, as `head` does. That is no error.
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
