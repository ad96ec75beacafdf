// Steps against their law: in any order, doubled, with results that vanish, and over any ranges of pages, the store
// equals that of a load at once; a late write changes nothing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { array, assert, asyncProperty, boolean, integer, record } from 'fast-check';
import type { Embed, StoreSpec } from '@grainline/core';
import { ExtractError } from '@grainline/extract';
import { cases } from '@grainline/testing/cases';
import { wordEmbedder } from '@grainline/testing/embedders';
import { createMemoryStore, type MemoryStore } from '@grainline/testing/memory-store';
import { setText, writePdf } from '@grainline/testing/pdf-writer';
import { cutDocument } from '../load/cut-document.ts';
import { load } from '../load/load.ts';
import { currentVersions } from '../load/versions.ts';
import { createBlobFolder } from './blob-folder.ts';
import { type BlobStore, createMemoryBlobs } from './blobs.ts';
import { isPermanent } from './errors.ts';
import { jobIdOf, type Step, StepError } from './step.ts';
import { createSteps, type DocumentSteps, type StepDeps } from './steps.ts';
import type { WriteOutcome } from './write.ts';

const EMBEDDING: StoreSpec['embedding'] = { model: 'words', dimensions: 48, distance: 'cosine', blend: 0.4 };
const SETTINGS = { tier: 'structure', size: 160 } as const;

function stepsOn(store: MemoryStore, blobs: BlobStore, changes: Partial<StepDeps> = {}): DocumentSteps {
  return createSteps({
    store,
    blobs,
    embed: wordEmbedder,
    embedding: EMBEDDING,
    settings: SETTINGS,
    ...changes,
  });
}

/** Runs steps and those behind them until none is left; a failed one goes to the end, as by an engine. */
async function drain(
  steps: DocumentSteps,
  first: readonly Step[],
  order: (count: number) => number,
): Promise<void> {
  const queue = [...first];
  for (let runs = 0; queue.length > 0; runs++) {
    if (runs > 3000) throw new Error('The queue does not become empty.');
    const [step] = queue.splice(order(queue.length), 1);
    if (step === undefined) return;
    try {
      queue.push(...(await steps.run(structuredClone(step))));
    } catch (error) {
      // A late revision repairs the newest one from its results, which it cannot make itself; it runs again.
      const isGone = error instanceof StepError && error.code === 'missing_results';
      if (!(error instanceof Kill) && !isGone) throw error;
      queue.push(step);
    }
  }
}

class Kill extends Error {}

/** The store of a load at once, of the same bytes. */
async function loaded(documents: Readonly<Record<string, Uint8Array>>): Promise<MemoryStore> {
  const store = await createMemoryStore();
  await load(
    {
      id: 'all',
      isWhole: true,
      // eslint-disable-next-line @typescript-eslint/require-await
      async *list() {
        for (const [documentId, bytes] of Object.entries(documents))
          yield {
            documentId,
            shown: documentId,
            filename: documentId,
            read: () => Promise.resolve({ bytes }),
          };
      },
    },
    { store, embed: wordEmbedder, cut: (document) => cutDocument(document, SETTINGS) },
    { embedding: EMBEDDING, versions: await currentVersions(SETTINGS) },
  );
  return store;
}

const recordsOf = (store: MemoryStore): unknown =>
  [...store.records.values()].sort((a, b) => (a.id < b.id ? -1 : 1));

const WORDS = ['tide', 'harbour', 'pilot', 'moon', 'ship', 'quay', 'storm', 'lantern', 'rope', 'anchor'];
const sentence = (seed: number): string =>
  `The ${[1, 3, 7].map((step) => WORDS[(seed * step) % WORDS.length]).join(' and the ')} wait for high water ${seed % 40}.`;
/** Sentences, and for some of them a table, which is embedded in words. */
const markdown = (seeds: readonly number[]): Uint8Array =>
  new TextEncoder().encode(
    seeds
      .map((seed) =>
        seed % 3 === 0 ? `| Tide | Pier |\n| --- | --- |\n| ${seed} | North |` : sentence(seed),
      )
      .join('\n\n'),
  );
const pdf = (seeds: readonly number[]): Uint8Array =>
  writePdf({
    pages: seeds.map((seed) => ({
      content: setText(
        Array.from({ length: 6 }, (_, line) => ({ text: sentence(seed + line), x: 72, y: 700 - 14 * line })),
      ),
    })),
  });

const seeds = array(integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 9 });
const revisions = record({ isPdf: boolean(), versions: array(seeds, { minLength: 1, maxLength: 3 }) });

describe('steps', () => {
  it('make the store of a load at once, in any order, doubled, killed and with results that vanish', async () => {
    const chance = record({
      documents: array(revisions, { minLength: 1, maxLength: 3 }),
      picks: array(integer({ min: 0, max: 1e6 }), { minLength: 20, maxLength: 60 }),
      kills: array(integer({ min: 1, max: 80 }), { maxLength: 4 }),
    });
    await assert(
      asyncProperty(chance, async ({ documents, picks, kills }) => {
        let [writes, turn] = [0, 0];
        const store = await createMemoryStore({
          beforeWrite() {
            if (kills.includes(++writes)) throw new Kill();
          },
        });
        const pick = (count: number): number => (picks[turn++ % picks.length] ?? 0) % count;
        let losses = 0;
        // Picks repeat, and a result that vanished each time would never be used.
        const blobs = forgetful(createMemoryBlobs(), () => losses < 100 && pick(5) === 0 && ++losses > 0);
        const steps = stepsOn(store, blobs, { pagesPerRead: 1 + pick(3) });
        const first: Step[] = [];
        const last: Record<string, Uint8Array> = {};
        for (const [at, { isPdf, versions }] of documents.entries()) {
          const documentId = `${at}.${isPdf ? 'pdf' : 'md'}`;
          for (const [revision, version] of versions.entries()) {
            const bytes = (isPdf ? pdf : markdown)(version);
            const step = await steps.submit({ documentId, revision, filename: documentId, bytes });
            first.push(...(pick(3) === 0 ? [step, step] : [step]));
            last[documentId] = bytes;
          }
        }
        await drain(steps, first, pick);
        expect(recordsOf(store)).toEqual(recordsOf(await loaded(last)));
        for (const { documentId, chunkIds } of store.manifest.values())
          expect(chunkIds).toEqual((await store.list(documentId)).map(({ id }) => id));
      }),
      cases(10),
    );
  });

  it('cut a PDF to the same bytes, whatever its ranges are', async () => {
    const bytes = pdf([3, 14, 15, 92, 65, 35, 89]);
    const results = await Promise.all(
      [1, 2, 3, 5, 7, 50].map(async (pagesPerRead) => {
        const blobs = createMemoryBlobs();
        const steps = stepsOn(await createMemoryStore(), blobs, { pagesPerRead });
        const { reads, chain } = await steps.plan(
          await steps.submit({ documentId: 'a', revision: 1, bytes }),
        );
        expect(reads).toHaveLength(Math.ceil(7 / pagesPerRead));
        await drain(steps, reads, () => 0);
        return [chain[0]?.key, await blobs.get(chain[0]?.key ?? '')];
      }),
    );
    for (const result of results) expect(result).toEqual(results[0]);
    expect(results[0]?.[1]?.length).toBeGreaterThan(1000);
  });

  it('never write a lower revision over a higher one, nor bring a removed document back', async () => {
    const [store, outcomes] = [await createMemoryStore(), [] as WriteOutcome[]];
    const steps = stepsOn(store, createMemoryBlobs(), { onWritten: (_, outcome) => outcomes.push(outcome) });
    const submit = (revision: number, bytes: Uint8Array | undefined): Promise<Step> =>
      steps.submit({ documentId: 'a.md', revision, filename: 'a.md', bytes });
    for (const [revision, text] of [
      [2, markdown([1, 2])],
      [1, markdown([3])],
      [2, markdown([1, 2])],
      [4, undefined],
      [3, markdown([9])],
      [4, undefined],
    ] as const)
      await drain(steps, [await submit(revision, text)], () => 0);
    expect(outcomes).toEqual(['written', 'superseded', 'same', 'written', 'superseded', 'same']);
    expect(store.records.size).toBe(0);
    await drain(steps, [await submit(5, markdown([9]))], () => 0);
    expect(recordsOf(store)).toEqual(recordsOf(await loaded({ 'a.md': markdown([9]) })));
  });

  it.each(['upsert', 'putEntries'] as const)(
    'repair the store after a late %s of a worker that had lost its lock',
    async (call) => {
      let now = 0;
      const [memory, blobs, outcomes] = [
        await createMemoryStore({ now: () => now }),
        createMemoryBlobs(),
        [] as WriteOutcome[],
      ];
      const late = Promise.withResolvers<undefined>();
      const begun = Promise.withResolvers<undefined>();
      const freeze = async (request: () => Promise<void>): Promise<void> => {
        begun.resolve(undefined);
        await late.promise;
        await request();
      };
      // A request that was sent before the lock expired, and is long on its way to the store.
      const frozen: MemoryStore = {
        ...memory,
        upsert: (...given) =>
          call === 'upsert' ? freeze(() => memory.upsert(given[0])) : memory.upsert(...given),
        putEntries: (...given) => {
          const isFinal = given[0].some(
            ({ documentId, chunkIds }) => documentId === 'a.md' && chunkIds.length > 0,
          );
          return call === 'putEntries' && isFinal
            ? freeze(() => memory.putEntries(given[0]))
            : memory.putEntries(...given);
        },
      };
      const submit = async (revision: number, seed: number): Promise<Step[]> => {
        const bytes = markdown([seed, 50]);
        const { chain } = await worker.plan(
          await worker.submit({ documentId: 'a.md', revision, filename: 'a.md', bytes }),
        );
        return chain.slice(2);
      };
      const worker = stepsOn(memory, blobs, { onWritten: (_, outcome) => outcomes.push(outcome) });
      const [old] = await submit(1, 1);
      const oldRun = stepsOn(frozen, blobs).run(old!);
      await Promise.race([begun.promise, oldRun]);
      now = 120_000;
      await drain(worker, await submit(2, 2), () => 0);
      const expected = memory.contents();
      late.resolve(undefined);
      await expect(oldRun).rejects.toThrow('The lock of document:a.md has expired');
      expect(memory.contents()).not.toBe(expected);
      // The engine runs the failed step again.
      await worker.run(old!);
      expect(outcomes.at(-1)).toBe('repaired');
      expect(memory.contents()).toBe(expected);
    },
  );

  it('embed the texts of a revision that the one before does not have', async () => {
    const embedded: string[] = [];
    const embed: Embed = (texts, run) => {
      embedded.push(...texts);
      return wordEmbedder(texts, run);
    };
    const [store, blobs] = [await createMemoryStore(), createMemoryBlobs()];
    const steps = stepsOn(store, blobs, { embed });
    const seeds = Array.from({ length: 60 }, (_, at) => at);
    const load = async (revision: number, bytes: Uint8Array): Promise<void> =>
      drain(steps, [await steps.submit({ documentId: 'a.md', revision, filename: 'a.md', bytes })], () => 0);
    await load(1, markdown(seeds));
    const all = embedded.splice(0).length;
    await load(2, markdown(seeds.with(30, 77)));
    expect(embedded.length).toBeLessThan(5);
    expect(all).toBeGreaterThan(20);
    expect(recordsOf(store)).toEqual(recordsOf(await loaded({ 'a.md': markdown(seeds.with(30, 77)) })));
  });

  it('are refused by workers of other settings, and when they are no steps', async () => {
    const [store, blobs] = [await createMemoryStore(), createMemoryBlobs()];
    const steps = stepsOn(store, blobs);
    const step = await steps.submit({ documentId: 'a.md', revision: 1, bytes: markdown([1]) });
    const codeOf = async (run: Promise<unknown>): Promise<unknown> =>
      run.then(
        () => undefined,
        (error: unknown) => error instanceof StepError && [error.code, isPermanent(error)],
      );
    const other = stepsOn(store, blobs, { settings: { ...SETTINGS, size: 170 } });
    expect(await codeOf(other.run(step))).toEqual(['other_settings', false]);
    expect(await codeOf(stepsOn(store, createMemoryBlobs()).run(step))).toEqual(['missing_source', true]);
    expect(isPermanent(new StepError('missing_results', 'gone'))).toBe(false);
    for (const [wrong, message] of [
      [{ ...step, kind: 'tell' }, 'step.kind must be plan, read, cut, embed, write; it is "tell".'],
      [{ ...step, extra: 1 }, 'step has the unknown member extra.'],
      [
        { ...step, document: { ...step.document, revision: -1 } },
        'step.document.revision must be a whole number from 0; it is -1.',
      ],
      [undefined, 'step must be an object; it is undefined.'],
    ] as const) {
      expect(await codeOf(steps.run(wrong as Step))).toEqual(['invalid_step', true]);
      await expect(steps.run(wrong as Step)).rejects.toThrow(message);
    }
  });

  it('fail for good when the document is at fault', async () => {
    const steps = stepsOn(await createMemoryStore(), createMemoryBlobs());
    const bytes = writePdf({ pages: [{ picture: 1 }, { picture: 1 }] });
    const { reads, chain } = await steps.plan(await steps.submit({ documentId: 'scan', revision: 1, bytes }));
    const error: unknown = await steps.run(chain[0]!).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ExtractError);
    expect(isPermanent(error)).toBe(true);
    expect(reads).toHaveLength(1);
  });

  it('have jobs of their own for each document and revision, and results in common', async () => {
    const steps = stepsOn(await createMemoryStore(), createMemoryBlobs());
    const plan = async (documentId: string, revision: number): Promise<readonly Step[]> =>
      (await steps.plan(await steps.submit({ documentId, revision, bytes: markdown([1, 2, 3]) }))).reads;
    const all = [...(await plan('a', 1)), ...(await plan('a', 2)), ...(await plan('b', 1))];
    expect(new Set(all.map(({ key }) => key)).size).toBe(1);
    expect(new Set(all.map(jobIdOf)).size).toBe(3);
  });
});

/** A blob store that loses results now and then, but no document. */
function forgetful(blobs: BlobStore, loses: () => boolean): BlobStore {
  return {
    ...blobs,
    get: (key) => (!key.startsWith('source/') && loses() ? Promise.resolve(undefined) : blobs.get(key)),
    // A result that vanishes before the last read of its document has ended would count as not yet there.
    has: (key) => (/^(?:cut|embed)/.test(key) && loses() ? Promise.resolve(false) : blobs.has(key)),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'grainline-blobs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['in memory', createMemoryBlobs],
  ['in a folder', () => createBlobFolder(join(folder, crypto.randomUUID()))],
] as const)('blobs %s', (_, create) => {
  it('keep the first value of a key, and nothing of its caller', async () => {
    const blobs = create();
    const value = Uint8Array.from([1, 2, 3]);
    expect([await blobs.get('read/a'), await blobs.has('read/a')]).toEqual([undefined, false]);
    await blobs.put('read/a', value);
    value[0] = 9;
    await Promise.all([7, 8].map((other) => blobs.put('read/a', Uint8Array.of(other))));
    expect([...((await blobs.get('read/a')) ?? [])]).toEqual([1, 2, 3]);
    expect([await blobs.has('read/a'), await blobs.has('read/b')]).toEqual([true, false]);
  });

  it('keep one of the values that are put at the same time', async () => {
    const blobs = create();
    const values = Array.from({ length: 8 }, (_, at) => new Uint8Array(100_000).fill(at));
    await Promise.all(values.map((value) => blobs.put('cut/a', value)));
    const kept = await blobs.get('cut/a');
    expect(kept).toHaveLength(100_000);
    expect(new Set(kept).size).toBe(1);
  });
});

it('a folder takes no key that leads out of it', async () => {
  for (const key of ['../a', 'a/b/c', '', 'A', 'a/..'])
    await expect(createBlobFolder(folder).get(key)).rejects.toThrow(RangeError);
});
