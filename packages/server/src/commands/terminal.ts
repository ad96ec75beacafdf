// The process, as the commands use it. Tests replace it.

/** The parts of a process that a command uses. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** Resolves when the printed text has left the process. A pipe may take it later. */
  readonly drained: () => Promise<void>;
  /**
   * Calls back on every SIGTERM and SIGINT until the returned function is called. Below npm and npx it also calls back
   * when their shell ends before a signal arrives.
   */
  readonly onSignal: (listener: () => void) => () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** Interval of the check for the end of npm's shell, in milliseconds. */
const PARENT_CHECK_MS = 200;

/** The terminal of this process. */
export function processTerminal(): Terminal {
  // A reader may close the pipe early, as `head` does. That is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const parent = process.ppid;
  return {
    environment: process.env,
    print: (text) => void process.stdout.write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    drained: () => new Promise((resolve) => process.stdout.write('', () => resolve())),
    onSignal: (listener) => {
      const leaveParent = onShellEnd(parent, listener);
      const onEach = (): void => {
        leaveParent();
        listener();
      };
      process.on('SIGTERM', onEach).on('SIGINT', onEach);
      return () => {
        leaveParent();
        process.off('SIGTERM', onEach).off('SIGINT', onEach);
      };
    },
    exit: (code) => process.exit(code),
    now: () => performance.now(),
  };
}

/**
 * Calls back once after the end of npm's shell, until the returned function is called. npm and npx forward a signal to
 * the shell that runs the command, and a shell such as dash ends without passing it on.
 */
function onShellEnd(shell: number, listener: () => void): () => void {
  // npm sets the variable for scripts, npx for commands. Other parents may end before their services.
  if (process.env['npm_lifecycle_event'] === undefined) return () => undefined;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    listener();
  }, PARENT_CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
