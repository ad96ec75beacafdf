// `npm run build`: builds all packages, as many at once as there are processors. None reads what was built of another:
// they import one another's sources. What a build says is printed when it has ended, the failed ones last.
import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const waiting = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).workspaces;
const failures = [];

await Promise.all(Array.from({ length: availableParallelism() }, buildInTurn));
if (failures.length > 0) {
  console.error(failures.join('\n'));
  process.exit(1);
}

async function buildInTurn() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const { error, said } = await build(name);
    if (error === null) console.log(said);
    else failures.push(said);
  }
}

/** What the build of a package came to. */
function build(name) {
  return new Promise((resolve) => {
    exec(`npm run build --workspace ${name}`, { cwd: ROOT }, (error, stdout, stderr) =>
      resolve({ error, said: stdout + stderr }),
    );
  });
}
