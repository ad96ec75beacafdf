// The lock of a source at the moments that the contract of the databases cannot reach: between its requests.
import type { SourceLock } from '@grainline/core';
import { cases } from '@grainline/testing/cases';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../connection.ts';
import { memory } from '../databases/memory/index.ts';
import { lockSource } from './lock.ts';

const TTL_MS = 1000;

/** Called before and after each request of an owner. */
type During = (request: string) => Promise<void> | void;

/** A source that several owners lock, each with its own view of the requests, at one clock. */
async function openSource(): Promise<{
  clock: { ms: number };
  lock: (owner: string, during?: During) => Promise<SourceLock>;
}> {
  const clock = { ms: 1 };
  const address = { folder: '', collection: crypto.randomUUID() } as never;
  const connection = await memory.connect({ address, load: () => Promise.reject(new Error()), timeoutMs: 1 });
  await connection.createManifest(3);
  const retry = { now: () => clock.ms, random: () => 0, wait: () => Promise.resolve() };
  const watched = (during: During): Connection => ({
    ...connection,
    async getNotes(ids) {
      await during('before get');
      const notes = await connection.getNotes(ids);
      await during('get');
      return notes;
    },
    async putNotes(notes) {
      await during('before put');
      await connection.putNotes(notes);
      await during('put');
    },
    async removeNotes(ids) {
      await during('before remove');
      await connection.removeNotes(ids);
      await during('remove');
    },
    async *scanNotes(kind, group) {
      await during('before scan');
      const pages = await Array.fromAsync(connection.scanNotes(kind, group));
      await during('scan');
      yield* pages;
    },
  });
  return {
    clock,
    lock: (owner, during = () => undefined) =>
      lockSource(
        { connection: watched(during), call: (action) => action(), retry },
        { source: 'docs', owner, ttlMs: TTL_MS, run: undefined },
      ),
  };
}

/** A time from the acquisition of a lock to its last renewal, in steps of the simulation. */
interface Hold {
  readonly begin: number;
  end: number;
}

/** Two owners that lock, renew twice at a time, and release or are killed, in one order of their requests. */
async function simulate(choices: readonly { next: number; jumpMs: number }[]): Promise<readonly Hold[]> {
  const { clock, lock } = await openSource();
  const waiting: (() => void)[] = [];
  const turn = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  const holds: Hold[] = [];
  let step = 0;
  const work = async (owner: string): Promise<void> => {
    for (const round of [1, 2, 3, 4]) {
      await turn();
      const held = await lock(`${owner}${round}`, turn).catch(() => undefined);
      if (held === undefined) continue;
      const hold = { begin: step, end: step };
      holds.push(hold);
      try {
        for (let count = 0; count < 3; count++) {
          await turn();
          const byTimer = held.renew();
          byTimer.catch(() => undefined);
          await turn();
          await held.renew();
          hold.end = step;
        }
        if (round !== 2) await held.release();
      } catch {
        // Lost: it writes no more.
      }
    }
  };
  const works = Promise.all(['a', 'b'].map(work));
  let isDone = false;
  void works.then(() => (isDone = true));
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    const { next, jumpMs } = choices[step % choices.length]!;
    step++;
    clock.ms += jumpMs;
    waiting.splice(next % Math.max(1, waiting.length), 1)[0]?.();
  }
  return holds;
}

describe('the lock of a source', () => {
  it('has one owner from its acquisition to its last renewal, in any order of requests', async () => {
    const jumpMs = fc.oneof(
      { weight: 8, arbitrary: fc.nat({ max: 100 }) },
      { weight: 1, arbitrary: fc.integer({ min: TTL_MS / 2, max: 1.2 * TTL_MS }) },
    );
    const choices = fc.array(fc.record({ next: fc.nat({ max: 8 }), jumpMs }), {
      minLength: 40,
      maxLength: 300,
    });
    await fc.assert(
      fc.asyncProperty(choices, async (order) => {
        const holds = (await simulate(order)).filter(({ begin, end }) => end > begin);
        holds.sort((one, other) => one.begin - other.begin);
        for (const [at, { begin }] of holds.entries())
          expect(begin).toBeGreaterThanOrEqual(holds[at - 1]?.end ?? 0);
      }),
      cases(2000),
    );
  });

  it.each([
    ['get', 'has the source'],
    ['put', 'has the source'],
    ['get', 'has had the source'],
    ['put', 'has had the source'],
  ])(
    'is lost when it expires within its renewal, behind the request %s, and another owner %s',
    async (moment, state) => {
      let isRenewal = false;
      const { clock, lock } = await openSource();
      const first = await lock('first', async (request) => {
        if (!isRenewal || request !== moment) return;
        clock.ms += TTL_MS;
        const second = await lock('second');
        if (state === 'has had the source') await second.release();
      });
      isRenewal = true;
      const { expiresMs } = first;
      await expect(first.renew()).rejects.toMatchObject({ code: 'lock_lost' });
      expect(first.expiresMs).toBe(expiresMs);
    },
  );

  it('does not last longer before its renewal is stored', async () => {
    let isAway = false;
    const { clock, lock } = await openSource();
    const first = await lock('first', (request) => {
      if (isAway && request === 'put') throw new Error('away');
    });
    isAway = true;
    const { expiresMs } = first;
    clock.ms += TTL_MS / 2;
    await expect(first.renew()).rejects.toThrow('away');
    expect(first.expiresMs).toBe(expiresMs);
  });

  it('stays with an owner that renews it while another one reads the claims', async () => {
    const { clock, lock } = await openSource();
    const first = await lock('first');
    clock.ms += TTL_MS - 1;
    const second = lock('second', async (request) => {
      if (request !== 'scan' || clock.ms >= TTL_MS + 1) return;
      await first.renew();
      clock.ms = TTL_MS + 1;
    });
    await expect(second).rejects.toMatchObject({ code: 'locked' });
    await first.renew();
  });

  it('is renewed by one claim at a time', async () => {
    const { clock, lock } = await openSource();
    const requests: string[] = [];
    const first = await lock('first', (request) => {
      if (!request.startsWith('before')) requests.push(request);
    });
    clock.ms += TTL_MS / 2;
    await Promise.all([first.renew(), first.renew()]);
    expect(requests.slice(2)).toEqual(['get', 'put']);
    await first.renew();
    expect(requests).toHaveLength(6);
  });

  it('is free after its release, although a renewal was on its way', async () => {
    const { lock } = await openSource();
    let release: Promise<void> | undefined;
    let isRenewal = false;
    const first = await lock('first', async (request) => {
      if (!isRenewal || request !== 'before put') return;
      release ??= first.release();
      await new Promise((resolve) => setImmediate(resolve));
    });
    isRenewal = true;
    await first.renew();
    await release;
    await (await lock('second')).release();
  });
});
