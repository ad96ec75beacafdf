#!/usr/bin/env node
// The executable: connects the process's streams and signals with `run`.
import { fstatSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Interruption } from './io.ts';
import { run } from './run.ts';

const interruption = new AbortController();
// Only the first signal ends the run in order. A second one kills the process.
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => interruption.abort(new Interruption(name)));

const code = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  isPiped: isPipe(process.stdout.fd),
  stderr: process.stderr,
  readSecret: process.stdin.isTTY && process.stderr.isTTY ? readSecret : undefined,
  cwd: process.cwd(),
  environment: process.env,
  processors: availableParallelism(),
  signal: interruption.signal,
  canInterrupt: true,
});
// Everything is written. An unread standard input would keep the process alive.
process.exit(code);

/** Asks on the terminal; the answer is not shown. */
async function readSecret(prompt: string): Promise<string> {
  const output = new Writable({ write: (_piece, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  terminal.once('SIGINT', () => interruption.abort(new Interruption('SIGINT')));
  process.stderr.write(prompt);
  try {
    return await terminal.question('', { signal: interruption.signal });
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}

/** Node's own pipes are sockets. */
function isPipe(fd: number): boolean {
  const about = fstatSync(fd);
  return about.isFIFO() || about.isSocket();
}
