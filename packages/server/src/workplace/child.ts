// What the pool starts as a child process. It has an empty environment, a low priority and a heap of its own. Its code
// is loaded only once the priority is low: several processes that start would hold up the server more than all that
// they do later.
import os from 'node:os';

/** Below the server, so that its answers come in time however much is worked on here. */
const NICENESS = 10;

os.setPriority(NICENESS);
const { work } = await import('./child-work.ts');
export default work;
