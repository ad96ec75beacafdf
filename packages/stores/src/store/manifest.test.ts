// The entries of a manifest when the database goes away while they are read.
import { describe, expect, it } from 'vitest';
import { memory } from '../databases/memory/index.ts';
import { createStore } from './create-store.ts';

describe('the entries of a manifest', () => {
  it.each([0, 1, 2])('are all read when the scan fails behind page %s', async (good) => {
    const address = { folder: '', collection: crypto.randomUUID(), masked: '', secrets: [] } as never;
    const connection = await memory.connect({
      address,
      load: () => Promise.reject(new Error()),
      timeoutMs: 1,
    });
    let isSound = true;
    const store = createStore({
      adapter: { ...memory, classify: () => 'transient' },
      address,
      connection: {
        ...connection,
        async *scanNotes(kind, group) {
          const notes = (await Array.fromAsync(connection.scanNotes(kind, group))).flat();
          for (const [at, note] of notes.entries()) {
            if (!isSound && at === good) {
              isSound = true;
              throw new Error('the server ends');
            }
            yield [note];
          }
        },
      },
      retry: {
        now: () => 1,
        random: () => 0,
        wait: () => Promise.resolve(),
        attempts: 3,
        timeoutMs: 60_000,
      },
      newOwner: () => 'owner',
    });
    await store.prepare({
      embedding: { model: 'words', dimensions: 3, distance: 'cosine', blend: 0 },
      versions: {},
    });
    const documentIds = ['a', 'b', 'c'];
    await store.putEntries(
      documentIds.map((documentId) => ({
        documentId,
        source: 'docs',
        location: documentId,
        sha256: '',
        chunkIds: [],
        versions: {},
      })),
    );
    isSound = false;
    const entries = await Array.fromAsync(store.entries('docs'));
    expect(isSound).toBe(true);
    expect(entries.map(({ documentId }) => documentId).sort()).toEqual(documentIds);
  });
});
