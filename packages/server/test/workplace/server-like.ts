// A process with a workplace, for tests that kill it: says which children it has once they are at work, then waits.
import { createWorkplace } from '../../src/workplace/index.ts';
import { bytesTask, FROM_SOURCES, SETTINGS } from './tasks.ts';

const workplace = createWorkplace(SETTINGS, FROM_SOURCES);
const none = new AbortController().signal;
// Nothing of this size is worked on in the process itself.
const bytes = new Uint8Array(200_000).fill(0x61);
await Promise.all([1, 2, 3, 4].map(() => workplace.run(bytesTask(bytes), { signal: none })));
console.log('ready');
setInterval(() => undefined, 1000);
