// Begun requests with their documents, stored until their answer arrives. The start page lists them without the other
// files of this folder.
import type { TierRequest } from '../service/chunk-request.ts';

/** A request with a begun payment. */
export interface PendingRequest extends Pick<TierRequest, 'tier' | 'source' | 'options'> {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly beganMs: number;
}

/** Requests without an answer. */
export interface PendingRequests {
  /** Oldest first. */
  list(): Promise<readonly PendingRequest[]>;
  put(request: PendingRequest): Promise<void>;
  remove(id: string): Promise<void>;
}

const DATABASE = 'grainline';
const STORE = 'orders';
/** Version of the stored form. An upgrade removes requests of another form. */
const VERSION = 2;

/** Requests in IndexedDB, which stores files unchanged. */
function storedRequests(factory: () => IDBFactory): PendingRequests {
  let opened: Promise<IDBDatabase> | undefined;
  const open = (): Promise<IDBDatabase> => {
    const opening = factory().open(DATABASE, VERSION);
    opening.onupgradeneeded = () => {
      const { result: database } = opening;
      if (database.objectStoreNames.contains(STORE)) database.deleteObjectStore(STORE);
      database.createObjectStore(STORE, { keyPath: 'id' });
    };
    return ended(opening);
  };
  const run = async <Value>(
    mode: IDBTransactionMode,
    ask: (requests: IDBObjectStore) => IDBRequest<Value>,
  ): Promise<Value> => {
    const database = await (opened ??= open());
    return ended(ask(database.transaction(STORE, mode, { durability: 'strict' }).objectStore(STORE)));
  };
  return {
    async list() {
      const requests = (await run('readonly', (store) => store.getAll())) as PendingRequest[];
      return requests.sort((one, other) => one.beganMs - other.beganMs);
    },
    async put(request) {
      await run('readwrite', (store) => store.put(request));
    },
    remove: (id) => run('readwrite', (store) => store.delete(id)),
  };
}

function ended<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The browser keeps nothing.'));
  });
}

/** The begun requests of this browser. */
export const pendingRequests: PendingRequests = storedRequests(() => indexedDB);
