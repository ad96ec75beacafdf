// A process whose children do not end when they are asked to: it closes its workplace, says so, and ends with 0.
import { childrenOf } from './processes.ts';
import { createWorkplace } from '../../src/workplace/index.ts';
import { bytesTask, FROM_SOURCES, SETTINGS } from './tasks.ts';

const workplace = createWorkplace({ ...SETTINGS, workers: 1 }, FROM_SOURCES);
const { signal } = new AbortController();
await workplace.run(bytesTask(new Uint8Array(200_000).fill(0x61)), { signal });
for (const child of childrenOf(process.pid)) process.kill(child, 'SIGSTOP');
await workplace.close();
console.log('closed');
