// Makes a plain Node process find the clients of the databases in packages/core/peers.
import { registerHooks } from 'node:module';

const stores = new URL('../../src/', import.meta.url).href;
const peers = new URL('../../../core/peers/load.mjs', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => {
    const isClient =
      context.parentURL?.startsWith(stores) === true && /^(?!node:|@grainline\/)[@\w]/.test(specifier);
    return next(specifier, isClient ? { ...context, parentURL: peers } : context);
  },
});
