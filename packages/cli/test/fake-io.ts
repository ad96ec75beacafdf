// Streams without a process: they record the output, and simulate readers that leave or fail.
import type { Io, OutputStream } from '../src/io.ts';

export interface FakeStream extends OutputStream {
  readonly text: () => string;
}

export interface FakeOptions {
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Index of the first failing write, and its error. */
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
      // Node calls back only after `write` has returned.
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
    isPiped: false,
    cwd,
    environment: {},
    processors: 1,
    signal: new AbortController().signal,
    ...rest,
  };
}
