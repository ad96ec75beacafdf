// The entry file of a child process. It has an empty environment, a low priority and a heap of its own. It lowers the
// priority before it loads code: starting processes would otherwise delay the server more than their later work.
import os from 'node:os';

/** Below the server, whose answers stay fast during the work here. */
const NICENESS = 10;

os.setPriority(NICENESS);
const { runCite, runMeasure, runPage, runTask } = await import('./worker.ts');
export { runCite as cite, runMeasure as measure, runPage as page };
export default runTask;
