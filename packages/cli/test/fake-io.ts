// Streams without a process: what a run printed, and readers that leave or fail.
import type { Io, OutputStream } from '../src/terminal.ts';

export interface FakeStream extends OutputStream {
  readonly text: () => string;
}

export interface FakeOptions {
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** The write from which on every write fails, counted from 0, and with what. */
  readonly failsFrom?: number;
  readonly failure?: Error;
}

export function fakeStream({
  isTTY = false,
  columns,
  failsFrom = Infinity,
  failure,
}: FakeOptions = {}): FakeStream {
  let text = '';
  let writes = 0;
  return {
    isTTY,
    columns,
    text: () => text,
    on: () => undefined,
    write(piece, done) {
      const fails = writes++ >= failsFrom;
      if (!fails) text += piece;
      // As Node does: never before write has returned.
      queueMicrotask(() => {
        done(fails ? failure : null);
      });
      return true;
    },
  };
}

export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code, errno: -1 });
}

export interface FakeIo extends Io {
  readonly stdout: FakeStream;
  readonly stderr: FakeStream;
}

export function fakeIo(
  cwd: string,
  changes: Partial<FakeIo> & { readonly input?: string | Uint8Array } = {},
): FakeIo {
  const { input, ...rest } = changes;
  return {
    // eslint-disable-next-line @typescript-eslint/require-await
    stdin: (async function* () {
      if (input !== undefined) yield input;
    })(),
    stdout: fakeStream(),
    stderr: fakeStream(),
    cwd,
    environment: {},
    signal: new AbortController().signal,
    ...rest,
  };
}
