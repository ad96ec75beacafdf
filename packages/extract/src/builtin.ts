/** A module of Node; `undefined` elsewhere. A static import would break bundles for browsers. */
export function builtin(name: string): unknown {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.(name);
}
