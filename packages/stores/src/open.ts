// The edge of the package: `openStore` finds the adapter of a URL, imports its client, and brings environment, clock,
// random numbers and waiting, all of which are parameters.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type StoreRun, type VectorStore, VectorStoreError } from '@grainline/core';
import { maskUrl, parseAddress } from './address.ts';
import type { Adapter } from './connection.ts';
import { DATABASES } from './databases/index.ts';
import { reasonOf } from './errors.ts';
import { createStore } from './store/create-store.ts';

/** Options of {@link openStore}. */
export interface OpenOptions extends StoreRun {
  /** Environment variables, for credentials that the URL lacks. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Imports a client package by its name. Default `import`, from this package's place. */
  readonly load?: ((name: string) => Promise<unknown>) | undefined;
  /** Most attempts of a request that meets transient errors: an integer from 1. Default 5, some 3 seconds. */
  readonly attempts?: number | undefined;
  /** Longest wait for one answer in milliseconds: an integer from 1. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** The time in milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** A random number from 0 to below 1. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Waits between attempts. Default a timer. */
  readonly wait?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

/**
 * Opens a store by its URL. Imports the database's client, and writes nothing; most databases are not called before the
 * first method is.
 *
 * @param url for example `postgres://localhost/docs`, `qdrant://localhost:6333/handbook`, `lancedb:./vectors`; the
 * table in docs/stores.md has all. Credentials may stand in the URL or in the environment.
 * @throws VectorStoreError `invalid_url`; `client_missing`, whose message has the command that installs the client;
 * `invalid_options`
 * @example
 * const store = await openStore('lancedb:./vectors?collection=handbook');
 * const hits = await store.search({ text: 'high water at Ostend', limit: 5 });
 * await store.close();
 */
export async function openStore(url: string, options: OpenOptions = {}): Promise<VectorStore> {
  const adapter = adapterFor(url);
  const {
    env = process.env,
    load = (name: string) => import(name) as Promise<unknown>,
    attempts = 5,
    timeoutMs = 60_000,
    now = Date.now,
    random = Math.random,
    wait = (ms: number, signal: AbortSignal | undefined) =>
      pause(ms, undefined, signal === undefined ? {} : { signal }),
  } = options;
  for (const [name, value] of Object.entries({ attempts, timeoutMs }))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new VectorStoreError('invalid_options', `${name} must be an integer from 1, but is ${value}.`);
  const address = parseAddress(url, adapter.url, env);
  options.signal?.throwIfAborted();
  const connection = await adapter
    .connect({ address, timeoutMs, load: (name) => loadClient(adapter, load, name) })
    .catch((error: unknown) => {
      if (error instanceof VectorStoreError) throw error;
      const reason = reasonOf(error, address.secrets);
      const database = `${adapter.summary.database} at ${address.masked}`;
      throw new VectorStoreError('unavailable', `${database} cannot be opened: ${reason}.`);
    });
  const retry = { now, random, wait, attempts, timeoutMs };
  return createStore({ adapter, address, connection, retry, newOwner: randomUUID });
}

/** The adapter of a URL's scheme. */
function adapterFor(url: string): Adapter {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  const adapter = DATABASES.find((one) => scheme !== undefined && one.url.schemes.includes(scheme));
  if (adapter !== undefined) return adapter;
  const schemes = DATABASES.map((one) => `${one.url.schemes[0]}:`).join(', ');
  throw new VectorStoreError(
    'invalid_url',
    `${maskUrl(url)} is the URL of no store; it must begin with ${schemes}, as postgres://localhost/docs or lancedb:./folder.`,
  );
}

async function loadClient(
  adapter: Adapter,
  load: (name: string) => Promise<unknown>,
  name: string,
): Promise<unknown> {
  try {
    return await load(name);
  } catch (error) {
    const packages = adapter.clients.join(' ');
    throw new VectorStoreError(
      'client_missing',
      `${adapter.summary.database} needs the package ${name}, which cannot be loaded (${reasonOf(error, [])}); run npm install ${packages}`,
    );
  }
}
