// Records in memory, in place of the browser's database.
import type { RecordStore } from '../src/service/record-store.ts';

export function memoryStore<Value extends { readonly id: string }>(): RecordStore<Value> {
  const records = new Map<string, Value>();
  return {
    all: () => Promise.resolve([...records.values()]),
    put: (value) => Promise.resolve(void records.set(value.id, value)),
    remove: (id) => Promise.resolve(void records.delete(id)),
    clear: () => {
      records.clear();
      return Promise.resolve();
    },
  };
}
