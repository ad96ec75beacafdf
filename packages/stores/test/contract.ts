// The contract of `VectorStore`, run against every adapter. A suite gives the URL of a database; the rest is the same.
// The store in memory, which searches exactly, is the oracle of all others.
import type { ChunkRecord, ManifestEntry, StoreHit, VectorStore } from '@grainline/core';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { type OpenOptions, openStore } from '../src/index.ts';
import { DIMENSIONS, recordsOf, SPEC, textOf, vectorOf, withVector } from './samples.ts';

/** A database under test. */
export interface DatabaseUnderTest {
  /** The URL of a collection. */
  readonly url: (collection: string) => string;
  readonly options?: OpenOptions;
  /** Makes a collection of this name without a manifest. */
  readonly makeForeign?: (collection: string) => Promise<void>;
  /** True when a database has one number of dimensions for all its collections. */
  readonly hasFixedDimensions?: boolean;
  readonly close?: () => Promise<void>;
}

/** The time in tests; it moves when a test says so. */
class Clock {
  ms = 1_700_000_000_000;
  readonly now = (): number => this.ms;
}

let number = 0;

/** Describes the contract of one adapter. */
export function describeContract(name: string, start: () => Promise<DatabaseUnderTest>): void {
  describe(`${name} keeps the contract`, () => {
    let database: DatabaseUnderTest;
    const open: VectorStore[] = [];
    const clock = new Clock();
    const openAt = async (collection: string): Promise<VectorStore> => {
      const store = await openStore(database.url(collection), {
        env: {},
        now: clock.now,
        random: () => 0.5,
        wait: () => Promise.resolve(),
        ...database.options,
      });
      open.push(store);
      return store;
    };
    const fresh = (): string => `contract_${process.pid}_${++number}`;
    const prepared = async (collection = fresh()): Promise<VectorStore> => {
      const store = await openAt(collection);
      await store.prepare(SPEC);
      return store;
    };

    beforeAll(async () => {
      database = await start();
    }, 300_000);
    afterEach(async () => {
      for (const store of open.splice(0)) {
        await store.drop().catch(() => undefined);
        await store.close();
      }
    });
    afterAll(async () => {
      await database.close?.();
    });

    it('is empty before it is prepared, and says so', async () => {
      const store = await openAt(fresh());
      expect(await store.inspect()).toBeUndefined();
      expect(await store.list('a')).toEqual([]);
      expect(await Array.fromAsync(store.entries())).toEqual([]);
      await store.remove([recordsOf('a', 'One.')[0]!.id]);
      await store.removeEntries(['a']);
      await store.drop();
      const records = recordsOf('a', 'One.').map(withVector);
      const calls = [
        () => store.upsert(records),
        () => store.search({ text: 'one' }),
        () => store.lock('docs'),
        () => store.putEntries([entryOf('a', 1)]),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'not_prepared' });
      expect(await store.inspect()).toBeUndefined();
    });

    it('is prepared once, and again with the same spec', async () => {
      const collection = fresh();
      const store = await prepared(collection);
      expect(await store.inspect()).toEqual({ ...SPEC, chunks: 0 });
      const second = await openAt(collection);
      expect(await second.prepare(SPEC)).toEqual({ ...SPEC, chunks: 0 });
    });

    it.each([
      ['other_embedder', { model: 'another' }],
      ['other_dimensions', { dimensions: 8 }],
      ['other_blend', { blend: 0 }],
    ])('refuses %s with the way out, and writes nothing', async (code, change) => {
      const collection = fresh();
      await prepared(collection);
      const store = await openAt(collection);
      const spec = { ...SPEC, embedding: { ...SPEC.embedding, ...change } };
      await expect(store.prepare(spec)).rejects.toMatchObject({
        code,
        message: expect.stringContaining('?collection=NAME') as string,
      });
      expect(await store.inspect()).toEqual({ ...SPEC, chunks: 0 });
    });

    it('refuses other versions until they are accepted, and takes new names', async () => {
      const store = await prepared();
      const versions = { cutter: 'structure-2', docx: '1' };
      await expect(store.prepare({ ...SPEC, versions })).rejects.toMatchObject({ code: 'other_version' });
      expect(await store.inspect()).toMatchObject({ versions: SPEC.versions });
      await store.prepare({ ...SPEC, versions }, { acceptVersions: true });
      expect(await store.inspect()).toMatchObject({ versions: { ...SPEC.versions, ...versions } });
    });

    it('refuses a collection that it did not make', async () => {
      if (database.makeForeign === undefined) {
        expect(name).toBe('memory');
        return;
      }
      const collection = fresh();
      await database.makeForeign(collection);
      const store = await openAt(collection);
      await expect(store.inspect()).rejects.toMatchObject({ code: 'foreign_collection' });
      await expect(store.prepare(SPEC)).rejects.toMatchObject({ code: 'foreign_collection' });
      await expect(store.drop()).rejects.toMatchObject({ code: 'foreign_collection' });
    });

    it('gives back every text and every value unchanged, and does not grow the second time', async () => {
      const store = await prepared();
      const records = recordsOf(`file://o'neill & "co"/größe 漢.md`, textOf('hostile', 10)).map(withVector);
      for (let round = 0; round < 2; round++) await store.upsert(records);
      expect((await store.inspect())?.chunks).toBe(records.length);
      for (const record of records) {
        const [hit] = await store.search({ vector: record.embedding, limit: 1 });
        expect(hit).toEqual({
          id: record.id,
          document: record.document,
          metadata: {
            ...record.metadata,
            embedding_model: 'contract-model',
            embedding_dimensions: DIMENSIONS,
            embedding_blend: 0.4,
          },
          score: expect.closeTo(1, 3) as number,
          vectorRank: 1,
        });
      }
    });

    it('lists the chunks of one document in order, with a hash that changes with text and metadata', async () => {
      const store = await prepared();
      const [one, other] = ['one', 'other'].map((id) => recordsOf(id, textOf(id, 8)));
      await store.upsert([...one!, ...other!].map(withVector));
      const listed = await store.list('one');
      expect(listed.map(({ id }) => id)).toEqual(one!.map(({ id }) => id));
      expect(listed.map(({ chunkIndex }) => chunkIndex)).toEqual(one!.map((_, at) => at));
      expect(new Set(listed.map(({ hash }) => hash)).size).toBe(one!.length);
      const [first] = one!;
      await store.upsert([withVector({ ...first!, metadata: { ...first!.metadata, filename: 'moved.md' } })]);
      const again = await store.list('one');
      expect(again.map(({ hash }) => hash).slice(1)).toEqual(listed.map(({ hash }) => hash).slice(1));
      expect(again[0]!.hash).not.toBe(listed[0]!.hash);
      expect(await store.list('neither')).toEqual([]);
    });

    it('plans what an edit changes, and reaches the state of a fresh load by it', async () => {
      const [edited, whole] = [await prepared(), await prepared()];
      const paragraphs = textOf('book', 24).split('\n\n');
      const before = recordsOf('book', paragraphs.join('\n\n'));
      const after = recordsOf('book', paragraphs.with(3, 'An edited paragraph.').join('\n\n'));
      expect(await edited.plan('book', before)).toMatchObject({ insert: before, keep: [], delete: [] });
      await edited.upsert(before.map(withVector));
      expect(await edited.plan('book', before)).toEqual({
        insert: [],
        reembed: [],
        update: [],
        keep: before,
        delete: [],
      });
      const plan = await edited.plan('book', after);
      expect(plan.insert.length).toBeLessThan(6);
      expect(plan.reembed.length).toBeLessThan(6);
      expect(plan.update.length).toBeGreaterThan(0);
      await edited.upsert([...[...plan.insert, ...plan.reembed].map(withVector), ...plan.update]);
      await edited.remove(plan.delete);
      await whole.upsert(after.map(withVector));
      expect(await contentsOf(edited, 'book', after)).toEqual(await contentsOf(whole, 'book', after));
      expect((await edited.plan('book', after)).keep).toEqual(after);
      const gone = await edited.plan('book', []);
      expect(new Set(gone.delete)).toEqual(new Set(after.map(({ id }) => id)));
    });

    it('keeps the stored vector of a record without one, drops old keys, and names a missing vector', async () => {
      const store = await prepared();
      const [record] = recordsOf('a', 'A single paragraph about tides.').map(withVector);
      await store.upsert([record!]);
      const metadata = Object.fromEntries(
        Object.entries(record!.metadata).filter(([key]) => key !== 'tenant'),
      ) as ChunkRecord['metadata'];
      const { id, document } = record!;
      await store.upsert([{ id, document, metadata: { ...metadata, filename: 'moved.md' } }]);
      const [hit] = await store.search({ vector: record!.embedding });
      expect(hit!.metadata).toMatchObject({ filename: 'moved.md', year: 1998 });
      expect(hit!.metadata).not.toHaveProperty('tenant');
      expect(hit!.score).toBeCloseTo(1, 3);
      const [unknown] = recordsOf('b', 'Never written.');
      await expect(
        store.upsert([withVector(unknown!), ...recordsOf('c', 'Nor this.')]),
      ).rejects.toMatchObject({
        code: 'missing_vector',
      });
      expect(await store.list('b')).toEqual([]);
    });

    it('takes the later of two records with one id', async () => {
      const store = await prepared();
      const [record] = recordsOf('a', 'Only one.').map(withVector);
      const moved = { ...record!, metadata: { ...record!.metadata, filename: 'later.md' } };
      await store.upsert([record!, moved]);
      expect((await store.search({ vector: record!.embedding }))[0]!.metadata.filename).toBe('later.md');
      expect((await store.inspect())?.chunks).toBe(1);
    });

    it('keeps one of the records with one id that several processes write at the same moment', async () => {
      const collection = fresh();
      const stores = [await prepared(collection), await prepared(collection), await prepared(collection)];
      const [store] = stores;
      const all = ['a', 'b', 'c', 'd', 'e'].map((name) => recordsOf(name, `Of ${name}.`).map(withVector));
      for (const records of all) await Promise.all(stores.map((one) => one.upsert(records)));
      const entries = all.map((_, at) => entryOf('abcde'.charAt(at), 1));
      for (const entry of entries) await Promise.all(stores.map((one) => one.putEntries([entry])));
      expect((await store!.inspect())?.chunks).toBe(all.flat().length);
      expect(await Array.fromAsync(store!.entries())).toHaveLength(entries.length);
    });

    it('refuses records of another embedder or length before any write', async () => {
      const store = await prepared();
      const [good, bad] = recordsOf('a', textOf('a', 4)).map(withVector);
      const wrong = [
        ['other_dimensions', { ...bad!, embedding: [1, 2] }],
        ['other_embedder', { ...bad!, metadata: { ...bad!.metadata, embedding_model: 'another' } }],
        ['invalid_options', { ...bad!, embedding: vectorOf('x').with(3, NaN) }],
        ['invalid_options', { ...bad!, embedding: vectorOf('x').fill(0) }],
        ['invalid_options', { ...bad!, id: 'chunk-1' }],
      ] as const;
      for (const [code, record] of wrong)
        await expect(store.upsert([good!, record])).rejects.toMatchObject({ code });
      expect((await store.inspect())?.chunks).toBe(0);
    });

    it('removes records, and ignores unknown ids', async () => {
      const store = await prepared();
      const records = recordsOf('a', textOf('a', 12));
      await store.upsert(records.map(withVector));
      const [first, second, ...rest] = records.map(({ id }) => id);
      await store.remove([first!, second!, first!, recordsOf('b', 'Unknown.')[0]!.id]);
      expect((await store.list('a')).map(({ id }) => id)).toEqual(rest);
      await store.remove(rest);
      expect(await store.list('a')).toEqual([]);
      expect((await store.inspect())?.chunks).toBe(0);
    });

    it('finds by vector what an exact search finds, in its order', async () => {
      const [store, oracle] = [await prepared(), await openOracle()];
      const records = recordsOf('a', textOf('a', 60)).map(withVector);
      for (const one of [store, oracle]) await one.upsert(records);
      for (const question of ['tides', 'pilots', 'nothing of the kind']) {
        const query = { vector: vectorOf(question), limit: 7 };
        const [found, exact] = [await store.search(query), await oracle.search(query)];
        expect(found.map(({ id }) => id)).toEqual(exact.map(({ id }) => id));
        for (const [at, hit] of found.entries()) expect(hit.score).toBeCloseTo(exact[at]!.score, 3);
        expect(found.map(({ vectorRank }) => vectorRank)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      }
    });

    it('finds by keywords, with rare words before common ones, and takes every character as text', async () => {
      const store = await prepared();
      const records = recordsOf('a', textOf('a', 40)).map(withVector);
      await store.upsert(records);
      for (const at of [3, 17, 38]) {
        const [hit] = await store.search({ text: `about number${at}`, limit: 5 });
        expect(hit!.document).toMatch(new RegExp(`number${at}\\b`));
        expect(hit!.textRank).toBe(1);
        expect(hit).not.toHaveProperty('vectorRank');
      }
      const found = await store.search({ text: 'ORCHARD pruned', limit: 100 });
      expect(found.length).toBeGreaterThan(5);
      for (const hit of found) expect(hit.document).toMatch(/orchard|pruned/i);
      expect(await store.search({ text: 'xylophone' })).toEqual([]);
      for (const text of [
        `o'brien "quoted & | ! :* <-> \\`,
        '(title:x^2) AND NOT ~ * ? { } [ TO ]',
        '%_',
        '👩‍👩‍👧‍👦',
        '漢字',
      ])
        await expect(store.search({ text })).resolves.toBeInstanceOf(Array);
    });

    it('fuses both rankings by reciprocal ranks', async () => {
      const store = await prepared();
      const records = recordsOf('a', textOf('a', 30)).map(withVector);
      await store.upsert(records);
      const query = { vector: records[5]!.embedding, text: 'number9 orchard' };
      const [byVector, byText, fused] = [
        await store.search({ vector: query.vector, limit: 100 }),
        await store.search({ text: query.text, limit: 100 }),
        await store.search({ ...query, limit: 8 }),
      ];
      const scores = new Map<string, number>();
      for (const ranking of [byVector, byText])
        for (const [at, { id }] of ranking.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (61 + at));
      const expected = [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, 8);
      expect(fused.map(({ id }) => id)).toEqual(expected.map(([id]) => id));
      for (const [at, { score }] of fused.entries()) expect(score).toBeCloseTo(expected[at]![1], 9);
    });

    it('refuses queries that it cannot run', async () => {
      const store = await prepared();
      for (const query of [
        {},
        { text: ' ' },
        { text: 'a', limit: 0 },
        { vector: [], limit: 1 },
        { text: 'a', limit: 1001 },
      ])
        await expect(store.search(query)).rejects.toMatchObject({ code: 'invalid_options' });
      await expect(store.search({ vector: [1, 2] })).rejects.toMatchObject({ code: 'other_dimensions' });
    });

    it('writes more records than a request may hold, and reports them as they are written', async () => {
      const store = await prepared();
      const base = recordsOf('a', 'A short paragraph about tides and pilots.')[0]!;
      const hex = (at: number): string => at.toString(16).padStart(12, '0');
      const records = Array.from({ length: 2300 }, (_, at) =>
        withVector({
          id: `00000000-0000-5000-8000-${hex(at)}`,
          document: `${base.document} number${at}`,
          metadata: { ...base.metadata, chunk_index: at },
        }),
      );
      const counts: number[] = [];
      await store.upsert(records, { onWritten: (count) => counts.push(count) });
      expect(counts.at(-1)).toBe(2300);
      expect(counts).toEqual([...counts].sort((one, other) => one - other));
      expect((await store.inspect())?.chunks).toBe(2300);
      expect((await store.list('a')).map(({ id }) => id)).toEqual(records.map(({ id }) => id));
      await store.remove(records.map(({ id }) => id));
      expect(await store.list('a')).toEqual([]);
    }, 120_000);

    it('keeps a manifest: entries are written, replaced, listed by source and removed, of any length', async () => {
      const store = await prepared();
      const entries = [
        entryOf('a', 3),
        entryOf('b', 4000),
        entryOf('größe 漢 "x"', 1, 'other'),
        entryOf('c', 0),
      ];
      await store.putEntries(entries);
      expect(await sortedEntries(store)).toEqual(sortById(entries));
      expect(await sortedEntries(store, 'other')).toEqual([entries[2]]);
      const shorter = entryOf('b', 2);
      await store.putEntries([shorter]);
      expect(await sortedEntries(store, 'docs')).toEqual(sortById([entries[0]!, shorter, entries[3]!]));
      await store.removeEntries(['a', 'c', 'unknown']);
      expect(await sortedEntries(store)).toEqual(sortById([shorter, entries[2]!]));
      const many = Array.from({ length: 1200 }, (_, at) => entryOf(`many/${at}`, 1));
      await store.putEntries(many);
      expect(await sortedEntries(store)).toEqual(sortById([shorter, entries[2]!, ...many]));
      await store.removeEntries(many.map(({ documentId }) => documentId));
      expect(await sortedEntries(store)).toEqual(sortById([shorter, entries[2]!]));
    }, 120_000);

    it('locks a source: the second owner is refused until release or expiry', async () => {
      const collection = fresh();
      const [one, two] = [await prepared(collection), await openAt(collection)];
      const first = await one.lock('docs', { owner: 'first', ttlMs: 60_000 });
      await expect(two.lock('docs', { owner: 'second' })).rejects.toMatchObject({
        code: 'locked',
        message: expect.stringContaining('first') as string,
      });
      await (await two.lock('other source')).release();
      await first.release();
      const second = await two.lock('docs', { owner: 'second', ttlMs: 60_000 });
      clock.ms += 40_000;
      await second.renew();
      clock.ms += 40_000;
      await expect(one.lock('docs', { owner: 'third' })).rejects.toMatchObject({ code: 'locked' });
      // Killed: neither renewed nor released.
      clock.ms += 60_001;
      const third = await one.lock('docs', { owner: 'third' });
      await expect(second.renew()).rejects.toMatchObject({ code: 'lock_lost' });
      await second.release();
      await third.renew();
      await third.release();
      await third.release();
    });

    it('sends no write of a lock that has expired, and does not renew it', async () => {
      const store = await prepared();
      let lock = await store.lock('docs', { ttlMs: 60_000 });
      const [record] = recordsOf('a', 'One.').map(withVector);
      await store.upsert([record!], { lock });
      await store.putEntries([entryOf('a', 1)], { lock });
      clock.ms += 60_000;
      const writes = [
        () => store.upsert(recordsOf('b', 'Two.').map(withVector), { lock }),
        () => store.remove([record!.id], { lock }),
        () => store.putEntries([entryOf('b', 1)], { lock }),
        () => store.removeEntries(['a'], { lock }),
      ];
      for (const write of writes) await expect(write()).rejects.toMatchObject({ code: 'lock_lost' });
      expect(await store.list('a')).toHaveLength(1);
      expect(await store.list('b')).toEqual([]);
      expect(await sortedEntries(store)).toEqual([entryOf('a', 1)]);
      await expect(lock.renew()).rejects.toMatchObject({ code: 'lock_lost' });
      lock = await store.lock('docs');
      for (const write of writes) await write();
      expect(await store.list('b')).toHaveLength(1);
      expect(await sortedEntries(store)).toEqual([entryOf('b', 1)]);
      await lock.release();
    });

    it('never gives a source to two owners that come at the same moment', async () => {
      const collection = fresh();
      await prepared(collection);
      const stores = await Promise.all(Array.from({ length: 4 }, () => openAt(collection)));
      const results = await Promise.allSettled(stores.map((store) => store.lock('docs')));
      const held = results.filter(({ status }) => status === 'fulfilled');
      expect(held.length).toBeLessThanOrEqual(1);
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'locked' });
        else await result.value.release();
      await (await stores[0]!.lock('docs')).release();
    });

    it('ends with the reason of an aborted signal, and reaches the undisturbed state by repeating the call', async () => {
      const [store, whole] = [await prepared(), await prepared()];
      const records = recordsOf('a', textOf('a', 30)).map(withVector);
      const reason = new Error('stopped');
      await expect(store.upsert(records, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      const parts = [records.slice(0, 7), records.slice(3, 20), records];
      for (const part of parts) await store.upsert(part);
      await whole.upsert(records);
      expect(await contentsOf(store, 'a', records)).toEqual(await contentsOf(whole, 'a', records));
    });

    it('holds what any sequence of writes leaves', async () => {
      const records = recordsOf('a', textOf('a', 8)).map(withVector);
      const store = await prepared();
      const step = fc.record({ at: fc.nat(records.length - 1), count: fc.nat(4), removes: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
          await store.remove(records.map(({ id }) => id));
          const expected = new Set<string>();
          for (const { at, count, removes } of steps) {
            const part = records.slice(at, at + count);
            if (removes) await store.remove(part.map(({ id }) => id));
            else await store.upsert(part);
            for (const { id } of part)
              if (removes) expected.delete(id);
              else expected.add(id);
          }
          const inOrder = records.map(({ id }) => id).filter((id) => expected.has(id));
          expect((await store.list('a')).map(({ id }) => id)).toEqual(inOrder);
        }),
        cases(10),
      );
    }, 120_000);

    it('is gone after drop, and can be prepared with another spec', async () => {
      const store = await prepared();
      await store.upsert(recordsOf('a', 'One.').map(withVector));
      await store.putEntries([entryOf('a', 1)]);
      await store.drop();
      expect(await store.inspect()).toBeUndefined();
      const spec = {
        ...SPEC,
        embedding: {
          ...SPEC.embedding,
          dimensions: database.hasFixedDimensions === true ? DIMENSIONS : 4,
          model: 'small',
        },
      };
      expect(await store.prepare(spec)).toEqual({ ...spec, chunks: 0 });
      expect(await Array.fromAsync(store.entries())).toEqual([]);
    });

    async function openOracle(): Promise<VectorStore> {
      const oracle = await openStore(`memory:oracle?collection=${fresh()}`);
      open.push(oracle);
      await oracle.prepare(SPEC);
      return oracle;
    }
  });
}

/** The chunks of a document as a store has them: the list, and each chunk with its score against its own vector. */
async function contentsOf(
  store: VectorStore,
  documentId: string,
  records: readonly ChunkRecord[],
): Promise<unknown> {
  const listed = await store.list(documentId);
  const hits: Omit<StoreHit, 'score'>[] = [];
  for (const { id } of records) {
    const [hit] = await store.search({ vector: vectorOf(id), limit: 1 });
    const { score, ...rest } = hit!;
    expect(score).toBeCloseTo(1, 3);
    hits.push(rest);
  }
  return { listed, hits };
}

function entryOf(documentId: string, chunks: number, source = 'docs'): ManifestEntry {
  return {
    documentId,
    source,
    location: `${documentId}.md`,
    bytes: 1234,
    modifiedMs: 1_700_000_000_123,
    sha256: 'ab'.repeat(32),
    chunkIds: Array.from(
      { length: chunks },
      (_, at) => `00000000-0000-5000-8000-${String(at).padStart(12, '0')}`,
    ),
    versions: { cutter: 'structure-1' },
  };
}

const sortById = (entries: readonly ManifestEntry[]): ManifestEntry[] =>
  entries.toSorted((one, other) => (one.documentId < other.documentId ? -1 : 1));

const sortedEntries = async (store: VectorStore, source?: string): Promise<ManifestEntry[]> =>
  sortById(await Array.fromAsync(store.entries(source)));
