#!/usr/bin/env node
// The executable: the process's own streams and signals around `run`, and nothing else.
import { run } from './run.ts';

const interruption = new AbortController();
// Once: whoever asks a second time wants the process gone, not an orderly end.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interruption.abort());

const code = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
  environment: process.env,
  signal: interruption.signal,
});
// Everything is written; an unread standard input must not keep the process.
process.exit(code);
