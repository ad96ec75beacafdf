// Lets the store tests import what lies in packages/core/peers: `peer:chromadb` is the package chromadb from there.
import { registerHooks } from 'node:module';

const PREFIX = 'peer:';
const parentURL = new URL('../../peers/package.json', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier.startsWith(PREFIX)
      ? next(specifier.slice(PREFIX.length), { ...context, parentURL })
      : next(specifier, context),
});
