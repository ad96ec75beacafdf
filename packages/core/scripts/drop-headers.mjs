// Runs after every install: removes the C headers of the Node that the repository brings, a third of that package.
// They serve to compile native addons, of which there are none here.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const builds = 'node_modules/node/node_modules';
for (const build of existsSync(builds) ? readdirSync(builds) : []) {
  if (build.startsWith('node-'))
    rmSync(path.join(builds, build, 'include'), { recursive: true, force: true });
}
