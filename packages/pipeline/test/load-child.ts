// The process of load-kill.slow.test.ts: loads a version into the store of its parent, whose methods it calls over
// HTTP. Batches are small, so that a kill leaves parts of them behind.
import type { SourceLock, VectorStore } from '@grainline/core';
import { loadVersion } from './load-versions.ts';

const [port = '', version = ''] = process.argv.slice(2);
const BATCH = 8;

async function call<Result>(method: string, ...args: readonly unknown[]): Promise<Result> {
  const body = JSON.stringify({ method, args: args.map(withoutSignal) });
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
  return (await response.json()) as Result;
}

function withoutSignal(argument: unknown): unknown {
  if (typeof argument !== 'object' || argument === null || Array.isArray(argument)) return argument;
  return Object.fromEntries(Object.entries(argument).filter(([key]) => key !== 'signal'));
}

/** A method whose list is sent in small batches. */
const inBatches =
  (method: string) =>
  async (list: readonly unknown[]): Promise<void> => {
    for (let first = 0; first < list.length; first += BATCH)
      await call(method, list.slice(first, first + BATCH));
  };

const methods: Partial<VectorStore> = {
  inspect: async () =>
    (await call<Awaited<ReturnType<VectorStore['inspect']>> | null>('inspect')) ?? undefined,
  lock: async (source, options) => {
    const { owner, expiresMs } = await call<SourceLock>('lock', source, options);
    return { owner, expiresMs, renew: () => Promise.resolve(), release: () => Promise.resolve() };
  },
  upsert: inBatches('upsert'),
  remove: inBatches('remove'),
  putEntries: inBatches('putEntries'),
  removeEntries: inBatches('removeEntries'),
  async *entries(source) {
    yield* await call<[]>('entries', ...(source === undefined ? [] : [source]));
  },
};

const store = new Proxy(methods, {
  get: (own, name): unknown =>
    Reflect.get(own, name) ?? ((...args: unknown[]) => call(String(name), ...args)),
}) as VectorStore;

await loadVersion(store, Number(version));
