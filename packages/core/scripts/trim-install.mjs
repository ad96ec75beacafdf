// Runs after every install: removes what no command of this repository reads. The C headers of the Node that it
// brings, a third of that package, serve to compile native addons; source maps of dependencies are a tenth of the rest.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const modules = 'node_modules';

const builds = path.join(modules, 'node/node_modules');
for (const build of existsSync(builds) ? readdirSync(builds) : []) {
  if (build.startsWith('node-'))
    rmSync(path.join(builds, build, 'include'), { recursive: true, force: true });
}

for (const file of existsSync(modules) ? readdirSync(modules, { recursive: true }) : []) {
  if (/\.[cm]?[jt]s\.map$/.test(file)) rmSync(path.join(modules, file), { force: true });
}
