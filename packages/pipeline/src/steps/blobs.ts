// The port for values that are too large for a queue: bytes by key. A key has one value for ever, the first that was
// put, so that a step which runs twice has one result.

/** A store of bytes by key. Keys consist of small letters, digits, `-` and at most one `/`. */
export interface BlobStore {
  /** The value of a key; undefined when there is none. */
  get(key: string): Promise<Uint8Array | undefined>;
  has(key: string): Promise<boolean>;
  /**
   * Keeps a value, durably and as a whole: a reader finds all of it or nothing, whatever process is killed. A key that
   * has a value keeps that one.
   */
  put(key: string, value: Uint8Array): Promise<void>;
}

/** Values in the memory of one process. */
export function createMemoryBlobs(): BlobStore {
  const values = new Map<string, Uint8Array>();
  return {
    get: (key) => Promise.resolve(values.get(key)?.slice()),
    has: (key) => Promise.resolve(values.has(key)),
    put(key, value) {
      if (!values.has(key)) values.set(key, value.slice());
      return Promise.resolve();
    },
  };
}
