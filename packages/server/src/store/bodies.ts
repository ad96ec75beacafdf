// Bodies of results outside of the database: the row keeps the name of an object. The object is written before the row,
// so that no committed row names a missing one. An object without a row, after a kill between the two, is deleted like
// every other after its expiry, which is in its name.
import type { StoredObject, StoredResult } from './responses.ts';
import { type Store, StoreError } from './store.ts';

/** Keeps bodies until they expire. Every call rejects with a StoreError `unavailable` while it cannot be reached. */
export interface ObjectStore {
  /** Writes an object and returns its name, which is new and unguessable. */
  put(bytes: Uint8Array, expiresMs: number): Promise<string>;
  /** The object, or null without one of that name. */
  get(name: string): Promise<Uint8Array | null>;
  /** Deletes an object, if there is one. */
  remove(name: string): Promise<void>;
  /** Resolves when the store answers. */
  check(): Promise<void>;
  /** Deletes objects that have expired some minutes ago, the oldest first and a bounded number of them. */
  sweep(): Promise<void>;
}

const EMPTY = new Uint8Array();

/** A store whose results have their bodies in `objects`. Without it, rows with their own bodies alone can be read. */
export function keepBodies(store: Store, objects: ObjectStore | undefined): Store {
  return objects === undefined ? rejectObjects(store) : { ...store, ...callsWith(store, objects) };
}

function rejectObjects(store: Store): Store {
  return {
    ...store,
    async getResult(id) {
      const result = await store.getResult(id);
      if (result?.object === undefined) return result;
      throw unavailable('The body of a result is in a bucket, and OBJECT_STORE is not set.');
    },
  };
}

type ChangedCalls = Pick<
  Store,
  'putResult' | 'getResult' | 'deleteResult' | 'commit' | 'finishJob' | 'paidRoom' | 'sweep' | 'ping'
>;

function callsWith(store: Store, objects: ObjectStore): ChangedCalls {
  const write = createWrites(objects);
  return {
    putResult: (result) => write(result, (placed) => store.putResult(placed)),
    commit: async (lease, { result, response }) =>
      result === undefined
        ? store.commit(lease, { response })
        : write(result, (placed) => store.commit(lease, { response, result: placed })),
    finishJob: (lease, { result, response }) =>
      write(result, (placed) => store.finishJob(lease, { response, result: placed })),
    async getResult(id) {
      const kept = await store.getResult(id);
      if (kept?.object === undefined) return kept;
      const { object, ...result } = kept;
      const gzip = await objects.get(object.name);
      if (gzip === null) return null;
      if (gzip.length !== object.bytes) throw unavailable('An object has another length than its row says.');
      return { ...result, gzip };
    },
    async deleteResult(id) {
      // The object first: a client that gets an error repeats the deletion, and finds the row.
      const kept = await store.getResult(id);
      if (kept?.object !== undefined) await objects.remove(kept.object.name);
      return store.deleteResult(id);
    },
    async paidRoom() {
      await objects.check();
      return store.paidRoom();
    },
    async sweep() {
      await store.sweep();
      await objects.sweep();
    },
    async ping() {
      await Promise.all([store.ping(), objects.check()]);
    },
  };
}

/** Creates the function that writes an object and then its row. */
function createWrites(objects: ObjectStore) {
  // A job repeats its write while the database is away, and needs no second object.
  const written = new WeakMap<StoredResult, StoredObject>();

  async function place(result: StoredResult): Promise<StoredObject> {
    const bytes = result.gzip.length;
    const object = written.get(result) ?? { name: await objects.put(result.gzip, result.expiresMs), bytes };
    written.set(result, object);
    return object;
  }

  return async <Reply extends string>(
    result: StoredResult,
    writeRow: (placed: StoredResult) => Promise<Reply>,
  ): Promise<Reply> => {
    const object = await place(result);
    const undo = async (): Promise<void> => {
      written.delete(result);
      // The sweep deletes it otherwise.
      await objects.remove(object.name).catch(() => undefined);
    };
    try {
      const reply = await writeRow({ ...result, gzip: EMPTY, object });
      if (UNWRITTEN.includes(reply)) await undo();
      return reply;
    } catch (error) {
      // A commit whose answer was lost may have happened. A full store has certainly written nothing, and refused
      // results must not fill the bucket.
      if (error instanceof StoreError && error.code === 'storage_full') await undo();
      throw error;
    }
  };
}

/** Replies of calls that have written nothing. */
const UNWRITTEN: readonly string[] = ['taken', 'lost'];

function unavailable(reason: string): StoreError {
  return new StoreError('unavailable', { cause: new Error(reason) });
}
