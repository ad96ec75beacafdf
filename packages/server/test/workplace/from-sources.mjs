// Lets a plain Node process import the sources of the other packages instead of what was built of them, as vitest
// does through the paths of tsconfig.json: `node --import ./from-sources.mjs child.ts`.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const root = new URL('../../../../', import.meta.url);
const { paths } = JSON.parse(readFileSync(new URL('tsconfig.json', root), 'utf8')).compilerOptions;

registerHooks({
  resolve: (specifier, context, next) => {
    const source = Object.hasOwn(paths, specifier) ? new URL(paths[specifier][0], root).href : specifier;
    return next(source, context);
  },
});
