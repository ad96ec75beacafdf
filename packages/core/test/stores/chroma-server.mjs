// Runs Chroma's own server, from its npm package, until standard input closes; so it never outlives the test that
// started it, however that one ends. The server holds its thread, hence the worker, and will not let go of it, hence
// the kill instead of an exit. Arguments are those of `chroma run`.
import { createRequire } from 'node:module';
import { isMainThread, Worker } from 'node:worker_threads';

const require = createRequire(new URL('../../peers/package.json', import.meta.url));

if (isMainThread) {
  new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) });
  process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();
} else {
  const libc = { linux: '-gnu', win32: '-msvc' }[process.platform] ?? '';
  const { cli } = require(`chromadb-js-bindings-${process.platform}-${process.arch}${libc}`);
  cli(['chroma', 'run', ...process.argv.slice(2)]);
}
