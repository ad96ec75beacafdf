// Records of the browser's own database, which keeps files and blobs unchanged between visits.
import { ERRORS } from '../texts.ts';

/** Records by their member `id`. */
export interface RecordStore<Value extends { readonly id: string }> {
  /** In no particular order. */
  all(): Promise<readonly Value[]>;
  /** Adds a record, or replaces the one of the same id. */
  put(value: Value): Promise<void>;
  remove(id: string): Promise<void>;
  clear(): Promise<void>;
}

/** The name of a database, and of its one store. */
export interface StoreName {
  readonly database: string;
  readonly store: string;
  /** Version of the stored form. An upgrade removes records of another form. */
  readonly version: number;
}

/** Records in IndexedDB. The database opens at the first use; without one every call rejects. */
export function indexedStore<Value extends { readonly id: string }>(
  { database: name, store, version }: StoreName,
  factory: () => IDBFactory = () => indexedDB,
): RecordStore<Value> {
  let opened: Promise<IDBDatabase> | undefined;
  const open = (): Promise<IDBDatabase> => {
    const opening = factory().open(name, version);
    opening.onupgradeneeded = () => {
      const { result: database } = opening;
      if (database.objectStoreNames.contains(store)) database.deleteObjectStore(store);
      database.createObjectStore(store, { keyPath: 'id' });
    };
    return ended(opening);
  };
  const run = async <Result>(
    mode: IDBTransactionMode,
    ask: (records: IDBObjectStore) => IDBRequest<Result>,
  ): Promise<Result> => {
    const database = await (opened ??= open());
    const transaction = database.transaction(store, mode, { durability: 'strict' });
    const request = ask(transaction.objectStore(store));
    // A full disk fails a write after the success of its request.
    await completed(transaction);
    return request.result;
  };
  return {
    all: () => run('readonly', (records) => records.getAll() as IDBRequest<Value[]>),
    async put(value) {
      await run('readwrite', (records) => records.put(value));
    },
    remove: (id) => run('readwrite', (records) => records.delete(id)),
    clear: () => run('readwrite', (records) => records.clear()),
  };
}

function ended<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error(ERRORS.keepsNothing));
  });
}

function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error(ERRORS.keepsNothing));
  });
}
