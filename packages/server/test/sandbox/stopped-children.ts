// A process whose stopped children ignore signals: it closes its worker pool, prints `closed`, and exits with 0.
import { childrenOf } from '@grainline/testing/processes';
import { createWorkerPool } from '../../src/sandbox/index.ts';
import { bytesTask, FROM_SOURCES, SETTINGS } from './tasks.ts';

const workerPool = createWorkerPool({ ...SETTINGS, workers: 1 }, FROM_SOURCES);
const { signal } = new AbortController();
await workerPool.run(bytesTask(new Uint8Array(200_000).fill(0x61)), { signal });
for (const child of childrenOf(process.pid)) process.kill(child, 'SIGSTOP');
await workerPool.close();
console.log('closed');
