// The requests that are being paid for, documents included, so that a closed tab loses none: kept until the answer is
// there. The page looks at them when it is opened, without the rest of this folder.
import type { Order } from '../order.ts';

/** A request that is being paid for. */
export interface PendingOrder extends Pick<Order, 'tier' | 'request'> {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly beganMs: number;
}

/** Requests whose answer has not come. */
export interface PendingOrders {
  /** Oldest first. */
  list(): Promise<readonly PendingOrder[]>;
  put(order: PendingOrder): Promise<void>;
  remove(id: string): Promise<void>;
}

const DATABASE = 'grainline';
const ORDERS = 'orders';

/** Requests in IndexedDB, which keeps files as they are. */
function storedOrders(factory: () => IDBFactory): PendingOrders {
  let opened: Promise<IDBDatabase> | undefined;
  const open = (): Promise<IDBDatabase> => {
    const request = factory().open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(ORDERS, { keyPath: 'id' });
    return ended(request);
  };
  const run = async <Value>(
    mode: IDBTransactionMode,
    ask: (orders: IDBObjectStore) => IDBRequest<Value>,
  ): Promise<Value> => {
    const database = await (opened ??= open());
    return ended(ask(database.transaction(ORDERS, mode, { durability: 'strict' }).objectStore(ORDERS)));
  };
  return {
    async list() {
      const orders = (await run('readonly', (store) => store.getAll())) as PendingOrder[];
      return orders.sort((one, other) => one.beganMs - other.beganMs);
    },
    async put(order) {
      await run('readwrite', (store) => store.put(order));
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

/** The requests of this browser that wait for their answer. */
export const pendingOrders: PendingOrders = storedOrders(() => indexedDB);
