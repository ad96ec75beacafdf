// Suite for every engine of the store; payments and jobs have suites of their own. The test of a new engine is a
// fixture and a call of each suite.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import type { Store } from '../../src/store/store.ts';
import type { StoredResult } from '../../src/store/responses.ts';
import { writeUnderNewId } from '../../src/store/result-id.ts';
import { type StoreTask, startStoreTask } from './store-process.ts';

/** Empty state, and the way to open stores on it. */
export interface StoreFixture {
  /** Opens a store on the same state as every other one of this fixture. */
  open(options: { readonly maxStoredBytes: number; readonly now: () => number }): Promise<Store>;
  /** Address of the same state for `store-program.ts`. */
  readonly address: StoreTask['address'];
  /** Checks the state past the store: `ok`, or the inconsistency. */
  check(): Promise<string>;
  /** Closes all stores and removes the state. */
  remove(): Promise<void>;
}

const DAY = '2026-11-21';
const NOW = Date.parse(`${DAY}T12:00:00Z`);
const HOUR_MS = 3_600_000;
const MIB = 1024 * 1024;

/** The suite. `prepare` makes a new, empty fixture for each test. */
export function testStore(engine: string, prepare: () => Promise<StoreFixture>): void {
  describe(`the store on ${engine}`, () => {
    let fixture: StoreFixture;
    let store: Store;
    let nowMs: number;
    const children: ChildProcess[] = [];

    const openStore = (maxStoredBytes = 64 * MIB): Promise<Store> =>
      fixture.open({ maxStoredBytes, now: () => nowMs });
    const take = (pages: number, { client = '192.0.2.1', day = DAY, limit = 100 } = {}) =>
      store.takeQuota({ client, day, pages, limit });
    const left = ({ client = '192.0.2.1', day = DAY, limit = 100 } = {}) =>
      store.quotaLeft({ client, day, limit });
    const startTask = (task: Omit<StoreTask, 'address'>) => {
      const child = startStoreTask({ ...task, address: fixture.address });
      children.push(child);
      return child;
    };

    /** Runs the same task in several processes that begin at the same moment; returns their last lines. */
    const race = async (count: number, task: Omit<StoreTask, 'address'>): Promise<number[]> => {
      const racers = Array.from({ length: count }, () => startTask(task));
      await Promise.all(racers.map((racer) => once(racer.stdout, 'data')));
      const ends = racers.map(async (racer) => Number((await linesOf(racer)).at(-1)));
      for (const racer of racers) racer.stdin.write('go\n');
      return Promise.all(ends);
    };

    beforeEach(async () => {
      nowMs = NOW;
      fixture = await prepare();
      store = await openStore();
    });

    afterEach(async () => {
      for (const child of children.splice(0)) child.kill('SIGKILL');
      await fixture.remove();
    });

    describe('quota', () => {
      it('gives pages until the limit is reached, and says how many are left', async () => {
        expect(await take(60)).toEqual({ granted: true, left: 40 });
        expect(await take(40)).toEqual({ granted: true, left: 0 });
        expect(await take(1)).toEqual({ granted: false, left: 0 });
      });

      it('gives all of the pages or none', async () => {
        await take(60);
        expect(await take(41)).toEqual({ granted: false, left: 40 });
        expect(await left()).toBe(40);
        expect(await take(40)).toEqual({ granted: true, left: 0 });
      });

      it('grants no pages at any time, and takes nothing for them', async () => {
        expect(await take(0)).toEqual({ granted: true, left: 100 });
        await take(100);
        expect(await take(0)).toEqual({ granted: true, left: 0 });
      });

      it('counts each client and each day by itself', async () => {
        await take(100);
        expect(await take(100, { client: '192.0.2.2' })).toEqual({ granted: true, left: 0 });
        expect(await take(100, { day: '2026-11-22' })).toEqual({ granted: true, left: 0 });
        expect(await left({ client: '192.0.2.3' })).toBe(100);
      });

      it('never says that less than nothing is left when the limit was lowered', async () => {
        await take(50);
        expect(await take(1, { limit: 10 })).toEqual({ granted: false, left: 0 });
        expect(await left({ limit: 10 })).toBe(0);
        expect(await left({ limit: 60 })).toBe(10);
      });

      it('takes any text as a client', async () => {
        for (const client of HOSTILE) expect(await take(100, { client })).toEqual({ granted: true, left: 0 });
      });

      it('is the same as plain arithmetic for any order of claims', async () => {
        const claims = fc.array(fc.record({ client: fc.constantFrom('a', 'b'), pages: fc.nat(30) }), {
          maxLength: 30,
        });
        let run = 0;
        await fc.assert(
          fc.asyncProperty(claims, async (list) => {
            const day = `run ${run++}`;
            const used: Record<string, number> = { a: 0, b: 0 };
            for (const { client, pages } of list) {
              const granted = used[client]! + pages <= 40;
              if (granted) used[client]! += pages;
              expect(await take(pages, { client, day, limit: 40 })).toEqual({
                granted,
                left: 40 - used[client]!,
              });
            }
          }),
          cases(30),
        );
      });

      it('is exact when many claims come at once', async () => {
        const answers = await Promise.all(Array.from({ length: 250 }, () => take(1)));
        expect(answers.filter((answer) => answer.granted)).toHaveLength(100);
        expect(await left()).toBe(0);
      });

      it('is exact when two processes take from it at once', async () => {
        const granted = await race(2, {
          kind: 'take',
          client: '192.0.2.1',
          day: DAY,
          limit: 3000,
          times: 2000,
        });
        expect(granted.reduce((sum, count) => sum + count)).toBe(3000);
        expect(await left({ limit: 3000 })).toBe(0);
      });
    });

    describe('results', () => {
      it('gives back what was put, byte for byte', async () => {
        const result = resultOf('free_0123456789ab', { gzip: bytesOf(1000) });
        await store.putResult(result);
        expect(await store.getResult(result.id)).toEqual(result);
      });

      it('gives bytes of the caller alone', async () => {
        const gzip = bytesOf(10);
        await store.putResult(resultOf('a', { gzip }));
        gzip.fill(0);
        (await store.getResult('a'))!.gzip.fill(0);
        expect((await store.getResult('a'))?.gzip).toEqual(bytesOf(10));
      });

      it('stores only the part of a larger buffer that it was given', async () => {
        await store.putResult(resultOf('a', { gzip: bytesOf(100).subarray(10, 20) }));
        expect((await store.getResult('a'))?.gzip).toEqual(bytesOf(100).slice(10, 20));
      });

      it('keeps an empty result', async () => {
        await store.putResult(resultOf('a', { gzip: new Uint8Array() }));
        expect((await store.getResult('a'))?.gzip).toHaveLength(0);
      });

      it('keeps a result of 10 MB', async () => {
        const gzip = bytesOf(10 * MIB);
        await store.putResult(resultOf('large', { gzip }));
        expect(Buffer.compare((await store.getResult('large'))!.gzip, gzip)).toBe(0);
      });

      it('never overwrites a result: another id is drawn', async () => {
        const ids = ['a', 'a', 'b', 'a', 'b', 'c'].values();
        const put = (etag: string) =>
          writeUnderNewId(
            () => ids.next().value ?? '',
            (id) => store.putResult(resultOf(id, { etag })),
          );
        expect(await put('"1"')).toEqual({ id: 'a', written: 'written' });
        expect(await put('"2"')).toEqual({ id: 'b', written: 'written' });
        expect(await put('"3"')).toEqual({ id: 'c', written: 'written' });
        for (const [id, etag] of Object.entries({ a: '"1"', b: '"2"', c: '"3"' }))
          expect(await store.getResult(id)).toEqual(resultOf(id, { etag }));
        expect(await fixture.check()).toBe('ok');
      });

      it('lets one of several stores write a result under an id', async () => {
        const other = await openStore();
        const written = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? store : other).putResult(resultOf('a', { etag: `"${index}"` })),
          ),
        );
        expect(written.filter((each) => each === 'written')).toHaveLength(1);
        const { etag } = (await store.getResult('a'))!;
        expect(etag).toBe(`"${written.indexOf('written')}"`);
      });

      it('frees an id with its result', async () => {
        await store.putResult(resultOf('a', { expiresMs: NOW + 1 }));
        nowMs = NOW + 1;
        expect(await store.putResult(resultOf('a'))).toBe('taken');
        await store.sweep();
        expect(await store.putResult(resultOf('a'))).toBe('written');
        await store.deleteResult('a');
        expect(await store.putResult(resultOf('a'))).toBe('written');
      });

      it('knows nothing of an id that was never put', async () => {
        await store.putResult(resultOf('free_0123456789ab'));
        expect(await store.getResult('free_0123456789ac')).toBeNull();
        expect(await store.deleteResult('free_0123456789ac')).toBe(false);
      });

      it('says that a result has expired until a sweep or a deletion', async () => {
        for (const id of ['a', 'b']) await store.putResult(resultOf(id, { expiresMs: NOW + 1 }));
        await store.putResult(resultOf('c', { expiresMs: NOW + 2 }));
        const expired = () => Promise.all(['a', 'b', 'c', 'd'].map((id) => store.hasExpired(id)));
        expect(await expired()).toEqual([false, false, false, false]);
        await store.deleteResult('b');
        nowMs = NOW + 1;
        expect(await store.getResult('a')).toBeNull();
        expect(await expired()).toEqual([true, false, false, false]);
        await store.sweep();
        expect(await expired()).toEqual([false, false, false, false]);
      });

      it('takes any text as an id, and finds nothing under a hostile one', async () => {
        await store.putResult(resultOf('free_0123456789ab'));
        for (const id of HOSTILE) {
          expect(await store.getResult(id)).toBeNull();
          expect(await store.hasExpired(id)).toBe(false);
          expect(await store.deleteResult(id)).toBe(false);
          await store.putResult(resultOf(id, { gzip: Buffer.from(id) }));
          expect(Buffer.from((await store.getResult(id))!.gzip).toString()).toBe(id);
        }
        expect(await store.getResult('free_0123456789ab')).not.toBeNull();
      });

      it('has a result until the moment it expires, and not from then on', async () => {
        await store.putResult(resultOf('a', { expiresMs: NOW + HOUR_MS }));
        nowMs = NOW + HOUR_MS - 1;
        expect(await store.getResult('a')).not.toBeNull();
        nowMs = NOW + HOUR_MS;
        expect(await store.getResult('a')).toBeNull();
        expect(await store.deleteResult('a')).toBe(false);
      });

      it('removes a result once', async () => {
        await store.putResult(resultOf('a'));
        expect(await store.deleteResult('a')).toBe(true);
        expect(await store.getResult('a')).toBeNull();
        expect(await store.deleteResult('a')).toBe(false);
      });

      it('shows a change to another process at once', async () => {
        const other = await openStore();
        await store.putResult(resultOf('a'));
        expect(await other.getResult('a')).toEqual(resultOf('a'));
        await other.deleteResult('a');
        expect(await store.getResult('a')).toBeNull();
      });
    });

    describe('room for results', () => {
      it('is what was set, to the byte', async () => {
        const small = await openStore(1000);
        await small.putResult(resultOf('a', { gzip: bytesOf(600) }));
        await small.putResult(resultOf('b', { gzip: bytesOf(400) }));
        await expect(small.putResult(resultOf('c', { gzip: bytesOf(1) }))).rejects.toMatchObject({
          code: 'storage_full',
        });
        expect(await small.getResult('a')).not.toBeNull();
        expect(await small.getResult('b')).not.toBeNull();
        expect(await small.getResult('c')).toBeNull();
      });

      it('refuses a result that is larger than all of it', async () => {
        const small = await openStore(1000);
        await expect(small.putResult(resultOf('a', { gzip: bytesOf(1001) }))).rejects.toMatchObject({
          code: 'storage_full',
        });
        await small.putResult(resultOf('a', { gzip: bytesOf(1000) }));
      });

      it('comes from expired results, the oldest first and no more than needed', async () => {
        const small = await openStore(1000);
        await small.putResult(resultOf('newer', { gzip: bytesOf(300), expiresMs: NOW + 200 }));
        await small.putResult(resultOf('older', { gzip: bytesOf(300), expiresMs: NOW + 100 }));
        await small.putResult(resultOf('live', { gzip: bytesOf(400), expiresMs: NOW + 9999 }));
        nowMs = NOW + 300;
        await small.putResult(resultOf('new', { gzip: bytesOf(300), expiresMs: NOW + 9999 }));
        nowMs = NOW;
        expect(await small.getResult('older')).toBeNull();
        expect(await small.getResult('newer')).not.toBeNull();
        expect(await small.getResult('live')).not.toBeNull();
        expect(await small.getResult('new')).not.toBeNull();
      });

      it('comes back when a result is removed', async () => {
        const small = await openStore(1000);
        await small.putResult(resultOf('a', { gzip: bytesOf(1000) }));
        await small.deleteResult('a');
        await small.putResult(resultOf('b', { gzip: bytesOf(1000) }));
      });

      it('is not used by a result whose id is taken', async () => {
        const small = await openStore(1000);
        await small.putResult(resultOf('a', { gzip: bytesOf(900) }));
        expect(await small.putResult(resultOf('a', { gzip: bytesOf(1001) }))).toBe('taken');
        expect(await small.putResult(resultOf('b', { gzip: bytesOf(100) }))).toBe('written');
        expect((await small.getResult('a'))?.gzip).toHaveLength(900);
      });
    });

    describe('sweeping', () => {
      it('drops what has expired and nothing else', async () => {
        for (let index = 0; index < 100; index++)
          await store.putResult(resultOf(`old ${index}`, { expiresMs: NOW + 100 }));
        await store.putResult(resultOf('live', { expiresMs: NOW + 101 }));
        nowMs = NOW + 100;
        await store.sweep();
        nowMs = NOW;
        for (let index = 0; index < 100; index++) expect(await store.getResult(`old ${index}`)).toBeNull();
        expect(await store.getResult('live')).not.toBeNull();
      });

      it('forgets counts from before yesterday', async () => {
        for (const day of ['2026-11-19', '2026-11-20', '2026-11-21']) await take(10, { day });
        await store.sweep();
        expect(await left({ day: '2026-11-19' })).toBe(100);
        expect(await left({ day: '2026-11-20' })).toBe(90);
        expect(await left({ day: '2026-11-21' })).toBe(90);
      });
    });

    describe('its life', () => {
      it('answers a ping until it is closed, and may be closed twice', async () => {
        await store.ping();
        await store.close();
        await store.close();
        await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
        await expect(take(1)).rejects.toMatchObject({ code: 'unavailable' });
        await expect(left()).rejects.toMatchObject({ code: 'unavailable' });
        await expect(store.getResult('a')).rejects.toMatchObject({ code: 'unavailable' });
        await expect(store.putResult(resultOf('a'))).rejects.toMatchObject({ code: 'unavailable' });
        await expect(store.deleteResult('a')).rejects.toMatchObject({ code: 'unavailable' });
        await expect(store.sweep()).rejects.toMatchObject({ code: 'unavailable' });
      });

      it('has everything again after it was closed and opened', async () => {
        await store.putResult(resultOf('a', { gzip: bytesOf(5000) }));
        await take(30);
        await store.close();
        store = await openStore();
        expect(await store.getResult('a')).toEqual(resultOf('a', { gzip: bytesOf(5000) }));
        expect(await left()).toBe(70);
      });

      it('loses nothing acknowledged when its process is killed', async () => {
        const child = startTask({
          kind: 'put',
          day: DAY,
          client: '192.0.2.1',
          limit: 1_000_000,
          bytes: 50_000,
          expiresMs: NOW + HOUR_MS,
        });
        const acknowledged: string[] = [];
        for await (const id of createInterface({ input: child.stdout })) {
          acknowledged.push(id);
          if (acknowledged.length === 60) child.kill('SIGKILL');
        }
        expect(acknowledged.length).toBeGreaterThanOrEqual(60);
        store = await openStore();
        for (const id of acknowledged) expect((await store.getResult(id))?.gzip).toHaveLength(50_000);
        // A granted claim may not be printed yet, but none is missing.
        expect(1_000_000 - (await left({ limit: 1_000_000 }))).toBeGreaterThanOrEqual(acknowledged.length);
      });
    });
  });
}

/** Texts that need quoting or have a meaning in SQL. */
const HOSTILE = [
  '',
  ' ',
  '\0',
  'a\0b',
  "' OR 1=1 --",
  '"; DROP TABLE results; --',
  '%',
  '_',
  '*',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '🙂',
  '?1',
  ':id',
  '$id',
  '\u202e',
  'x'.repeat(100_000),
];

function resultOf(id: string, fields: Partial<StoredResult> = {}): StoredResult {
  return { id, gzip: bytesOf(10), etag: '"0123"', createdMs: NOW, expiresMs: NOW + HOUR_MS, ...fields };
}

/** Random bytes, which do not compress. */
function bytesOf(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = 1;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

async function linesOf(child: ChildProcess): Promise<string[]> {
  const lines: string[] = [];
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout! })) lines.push(line);
  expect(await ended).toEqual([0, null]);
  return lines;
}
