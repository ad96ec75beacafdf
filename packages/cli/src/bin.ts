#!/usr/bin/env node
// The executable: connects the process's streams and signals with `run`.
import { run } from './run.ts';

const interruption = new AbortController();
// Only the first signal ends the run in order. A second one kills the process.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interruption.abort());

const code = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
  environment: process.env,
  signal: interruption.signal,
});
// Everything is written. An unread standard input would keep the process alive.
process.exit(code);
