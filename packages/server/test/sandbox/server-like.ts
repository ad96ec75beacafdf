// A process with a worker pool, for tests that kill it: prints `ready` once its children work, then waits.
import { createWorkerPool } from '../../src/sandbox/index.ts';
import { bytesTask, FROM_SOURCES, SETTINGS } from './tasks.ts';

const workerPool = createWorkerPool(SETTINGS, FROM_SOURCES);
const none = new AbortController().signal;
// Too large for the process itself.
const bytes = new Uint8Array(200_000).fill(0x61);
await Promise.all([1, 2, 3, 4].map(() => workerPool.run(bytesTask(bytes), { signal: none })));
console.log('ready');
setInterval(() => undefined, 1000);
